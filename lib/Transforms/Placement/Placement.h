//===- Placement.h - The parts of infer-placement -------------------------===//
#ifndef TILEKILN_TRANSFORMS_PLACEMENT_H
#define TILEKILN_TRANSFORMS_PLACEMENT_H

#include "tilekiln/Analysis/TilePlaces.h"
#include "tilekiln/Target/Target.h"
#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// The spaces that the target gives the kinds of tiles.
struct Spaces {
  commonir::SpaceAttr sum, operand, vector;

  static llvm::Expected<Spaces> create(const Target &target, mlir::MLIRContext *context);
  commonir::SpaceAttr of(TileKind kind) const;
};

/// Products whose sum cannot stay on the cube become a product and an addition
/// on the vector unit, with a message that says why.
void splitAccumulations(commonir::LaunchOp launch, bool assumeLoopsRun,
                        mlir::RewriterBase &rewriter);

/// The cube adds in float32. A narrower float sum that loops carry is carried in
/// that, and rounded once behind the loops.
void widenSum(commonir::GemmOp gemm, mlir::RewriterBase &rewriter);

/// Gives every reader of a start (zero, undefined) its own, and every unit that
/// reads a load its own load: neither can be moved between the units.
void separateSharedTiles(commonir::LaunchOp launch, mlir::RewriterBase &rewriter);

/// Copies tiles to where their readers need them. Returns how many of the copies
/// go through global memory, for want of a path.
mlir::FailureOr<int64_t> insertTransfers(commonir::LaunchOp launch, const Spaces &spaces,
                                         const Target &target,
                                         mlir::RewriterBase &rewriter);

} // namespace tilekiln

#endif // TILEKILN_TRANSFORMS_PLACEMENT_H
