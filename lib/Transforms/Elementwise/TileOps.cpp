//===- TileOps.cpp - Upstream ops on whole tiles --------------------------===//
#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;

ArrayRef<int64_t> elementwise::shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

Type elementwise::elementOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

Value elementwise::buildSplat(OpBuilder &builder, Location loc, Value scalar,
                              ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return builder.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(type, constant));
  return builder.create<tensor::SplatOp>(loc, scalar, type);
}

Value elementwise::buildConstant(OpBuilder &builder, Location loc,
                                 Type elementType, int64_t value,
                                 ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, elementType);
  TypedAttr element;
  if (isa<FloatType>(elementType))
    element = builder.getFloatAttr(elementType, double(value));
  else
    element = builder.getIntegerAttr(elementType, value);
  return builder.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, Attribute(element)));
}

Value elementwise::buildBroadcast(OpBuilder &builder, Location loc, Value tile,
                                  ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> added) {
  if (added.empty())
    return tile;
  Value init = builder.create<tensor::EmptyOp>(loc, shape, elementOf(tile));
  return builder.create<linalg::BroadcastOp>(loc, tile, init, added)
      ->getResult(0);
}

Value elementwise::buildTranspose(OpBuilder &builder, Location loc, Value tile,
                                  ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return tile;
  SmallVector<int64_t> shape = applyPermutation(shapeOf(tile), permutation);
  Value init = builder.create<tensor::EmptyOp>(loc, shape, elementOf(tile));
  return builder.create<linalg::TransposeOp>(loc, tile, init, permutation)
      ->getResult(0);
}

Value elementwise::buildReshape(OpBuilder &builder, Location loc, Value tile,
                                ArrayRef<int64_t> shape) {
  if (shapeOf(tile) == shape)
    return tile;
  auto from = cast<RankedTensorType>(tile.getType());
  auto to = RankedTensorType::get(shape, from.getElementType());
  auto groups = getReassociationIndicesForReshape(from, to);
  assert(groups && "one shape must refine the other");
  if (from.getRank() > to.getRank())
    return builder.create<tensor::CollapseShapeOp>(loc, to, tile, *groups);
  return builder.create<tensor::ExpandShapeOp>(loc, to, tile, *groups);
}

Value elementwise::buildSliceAlong(OpBuilder &builder, Location loc, Value tile,
                                   int64_t dim, OpFoldResult start,
                                   int64_t extent) {
  ArrayRef<int64_t> shape = shapeOf(tile);
  if (shape[dim] == extent)
    return tile;
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), shape);
  offsets[dim] = start;
  sizes[dim] = builder.getIndexAttr(extent);
  return builder.create<tensor::ExtractSliceOp>(loc, tile, offsets, sizes,
                                                strides);
}
