//===- Accumulator.h - Can a product stay where the cube adds? ------------===//
//
// The cube adds into its own memory as long as nothing else looks at the sum
// before it is finished. This analysis follows the accumulator of a gemm in
// value form and says why that does not hold, where it does not.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_ACCUMULATOR_H
#define TILEKILN_ANALYSIS_ACCUMULATOR_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>
#include <string>

namespace tilekiln {

/// Zero everywhere, or not written yet.
bool isZeroTile(mlir::Value tile);

/// True where all that the loop does with the argument is to add products to it.
bool isAccumulatorSlot(mlir::BlockArgument argument);

/// True where the loop is proven to run at least once.
bool provenToRun(mlir::scf::ForOp loop);

/// True where the loop is in a branch that is taken if it runs.
bool isGuarded(mlir::scf::ForOp loop);

/// True where whether the loop runs depends on the kernel's symbols alone, so
/// that the launcher knows.
bool knownAtLaunch(mlir::scf::ForOp loop);

struct AccumulatorOptions {
  /// Loops of which `knownAtLaunch` holds are taken to run. Each one that
  /// mattered is added to `assumed`.
  bool assumeLoopsRun = false;
};

/// Why a product is not added to its sum on the cube.
struct OffCube {
  /// A clause that completes "because ...".
  std::string reason;
  /// What the author can do; empty where the kernel means what it says.
  std::string advice;
  /// The loop that may run zero times, if that is the reason and the loop's start
  /// is zero: a branch around it is enough then.
  mlir::scf::ForOp needsGuard;
};

/// Why `gemm` cannot add on the cube; nothing where it can.
std::optional<OffCube>
whyNotOnCube(commonir::GemmOp gemm, const AccumulatorOptions &options,
             llvm::SmallVectorImpl<mlir::scf::ForOp> &assumed);

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_ACCUMULATOR_H
