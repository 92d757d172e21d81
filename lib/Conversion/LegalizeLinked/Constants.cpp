//===- Constants.cpp - Tiles of constants ---------------------------------===//
//
// The vendor's compiler crashes on a constant tile whose elements differ, also
// on one that it makes of single constants. Inserted one by one they are stored
// one by one.
//
//===----------------------------------------------------------------------===//
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilekiln {
namespace {

/// The elements one by one, counted up in the order of memory.
Value insertAll(RankedTensorType type, ValueRange elements, Location loc,
                PatternRewriter &rewriter) {
  Value tile = rewriter.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType());
  SmallVector<int64_t> position(type.getRank(), 0);
  for (Value element : elements) {
    SmallVector<Value> indices;
    for (int64_t index : position)
      indices.push_back(rewriter.create<arith::ConstantIndexOp>(loc, index));
    tile = rewriter.create<tensor::InsertOp>(loc, element, tile, indices);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      if (++position[dim] < type.getDimSize(dim))
        break;
      position[dim] = 0;
    }
  }
  return tile;
}

struct SplitConstant : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!values || !type || values.isSplat())
      return failure();
    SmallVector<Value> elements;
    for (Attribute value : values.getValues<Attribute>())
      elements.push_back(
          rewriter.create<arith::ConstantOp>(op.getLoc(), cast<TypedAttr>(value)));
    rewriter.replaceOp(op, insertAll(type, elements, op.getLoc(), rewriter));
    return success();
  }
};

struct SplitElements : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getElements().size() == 1)
      return failure();
    rewriter.replaceOp(
        op, insertAll(op.getType(), op.getElements(), op.getLoc(), rewriter));
    return success();
  }
};

} // namespace

void populateConstantPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitConstant, SplitElements>(patterns.getContext());
}

} // namespace tilekiln
