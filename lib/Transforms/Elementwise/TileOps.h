//===- TileOps.h - Upstream ops on whole tiles ----------------------------===//
//
// Shorthands that build one upstream op each (or none where nothing changes),
// in the forms that the vendor's compiler takes. All shapes are static.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEOPS_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilekiln::elementwise {

/// The scalar in each element.
mlir::Value buildSplat(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
/// A number of the given type in each element.
mlir::Value buildConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type elementType, int64_t value,
                          llvm::ArrayRef<int64_t> shape);
/// Repeats the tile along `added` dimensions of the result of this shape.
mlir::Value buildBroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value tile, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> added);
/// Result dimension d is the tile's dimension permutation[d].
mlir::Value buildTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value tile,
                           llvm::ArrayRef<int64_t> permutation);
/// The same elements in another shape; one shape refines the other.
mlir::Value buildReshape(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tile, llvm::ArrayRef<int64_t> shape);
/// `extent` elements along `dim`, from `start` on.
mlir::Value buildSliceAlong(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value tile, int64_t dim,
                            mlir::OpFoldResult start, int64_t extent);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile);
mlir::Type elementOf(mlir::Value tile);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEOPS_H
