//===- DimClasses.h - Which dimensions of tiles belong together -----------===//
//
// Two dimensions of two tiles are in one class if element i along the one needs
// nothing but element i along the other: the rows of an element-wise op's operands
// and result, the rows of a product's A and C. Work on a class can be done part by
// part, if nothing in the launch looks across it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_RETILE_DIMCLASSES_H
#define TILEKILN_LIB_TRANSFORMS_RETILE_DIMCLASSES_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tilekiln {

/// A dimension of a tile, or of a window that a tile moves through.
struct TileDim {
  mlir::Value tile;
  int64_t dim;
};

struct DimClass {
  llvm::SmallVector<TileDim> dims;
  /// The same for all of them.
  int64_t extent = 0;
  /// Bytes of the tiles: what cutting it saves.
  int64_t bytes = 0;
  /// A part's extent is a multiple of this, so that parts start at fractals and
  /// blocks as whole tiles do.
  int64_t alignment = 1;
};

class DimClasses {
public:
  /// Single elements that are put into a tile come from no other tile, but part by
  /// part there is no place for them: `cut` says whether that is what the classes
  /// are for.
  DimClasses(commonir::LaunchOp launch, bool cut);

  /// The classes whose parts are independent, those with most bytes first.
  llvm::SmallVector<DimClass> getSeparable();

private:
  unsigned idOf(mlir::Value tile, int64_t dim);
  void join(mlir::Value a, int64_t dimA, mlir::Value b, int64_t dimB);
  /// Dimension by dimension.
  void joinAll(mlir::Value a, mlir::Value b);
  void block(mlir::Value tile, int64_t dim);
  void blockAll(mlir::Value tile);

  void visit(mlir::Operation *op);
  void visitGemm(commonir::GemmOp gemm);
  void visitReduce(commonir::ReduceOp reduce);
  /// A slice and the tile it is of: dimensions that it takes whole belong together.
  void visitSlice(mlir::Value slice, mlir::Value tile, mlir::OffsetSizeAndStrideOpInterface op,
                  const llvm::SmallBitVector &dropped);
  void visitBranch(mlir::RegionBranchOpInterface op);
  void blockWhatWritesOverlap(commonir::LaunchOp launch);

  bool cut;
  llvm::MapVector<std::pair<mlir::Value, int64_t>, unsigned> ids;
  llvm::SmallVector<std::pair<unsigned, unsigned>> joined;
  llvm::SmallVector<unsigned> blocked, inProducts;
  /// The windows that are updated atomically.
  llvm::SmallVector<mlir::Value> atomics;
};

} // namespace tilekiln

#endif // TILEKILN_LIB_TRANSFORMS_RETILE_DIMCLASSES_H
