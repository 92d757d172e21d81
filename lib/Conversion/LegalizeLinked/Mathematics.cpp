//===- Mathematics.cpp - Functions of tiles and scalars -------------------===//
//
// Functions that the vendor does not know are put together from those that it
// does. The scalar unit has none at all: a scalar is computed as a tile of
// eight.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilekiln {
namespace {

/// A negative zero has no sign to compare, but its inverse has.
struct CopySign : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value sign = op.getRhs();
    Value zero = realLike(sign, 0, loc, rewriter), one = realLike(sign, 1, loc, rewriter);
    auto isNegative = [&](Value value) -> Value {
      return rewriter.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, value, zero);
    };
    Value inverse = rewriter.create<arith::DivFOp>(loc, one, sign);
    Value plainly = isNegative(sign), inversely = isNegative(inverse);
    Value negative = rewriter.create<arith::OrIOp>(loc, plainly, inversely);
    Value magnitude = rewriter.create<math::AbsFOp>(loc, op.getLhs());
    Value opposite = rewriter.create<arith::NegFOp>(loc, magnitude);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, negative, opposite, magnitude);
    return success();
  }
};

struct ArcCosine : OpRewritePattern<math::AcosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AcosOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isa<RankedTensorType>(x.getType()))
      return failure();
    Value angle = rewriter.create<math::AsinOp>(op.getLoc(), x);
    Value quarter = realLike(x, 1.57079632679489661923, op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, quarter, angle);
    return success();
  }
};

/// The absolute value by what the scalar unit has, to which the vendor moves a
/// tile of one element.
struct AbsoluteOfScalar : OpRewritePattern<math::AbsFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsFOp op,
                                PatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (tile && (!tile.hasStaticShape() || tile.getNumElements() != 1))
      return failure();
    Value negative = rewriter.create<arith::NegFOp>(op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, op.getOperand(), negative);
    return success();
  }
};

struct MultiplyAddScalars : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<RankedTensorType>(op.getType()))
      return failure();
    Value product = rewriter.create<arith::MulFOp>(op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// A tile of fewer elements would be folded back to a scalar.
constexpr int64_t scalarTileExtent = 8;

/// The vendor makes a scalar of a tile of one element, and then has no root of it.
struct RootOfOneElement : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !tile.hasStaticShape() || tile.getNumElements() != 1)
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> first(tile.getRank(),
                             rewriter.create<arith::ConstantIndexOp>(loc, 0));
    Value number = rewriter.create<tensor::ExtractOp>(loc, op.getOperand(), first);
    Value root = rewriter.create<math::SqrtOp>(loc, number);
    rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, tile, root);
    return success();
  }
};

struct ScalarAsTile : RewritePattern {
  explicit ScalarAsTile(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool isFunction = isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
    if (!isFunction || op->getNumResults() != 1 ||
        !isa<FloatType>(op->getResult(0).getType()) ||
        isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp, math::TruncOp,
            math::RoundOp, math::RoundEvenOp>(op))
      return failure();
    Location loc = op->getLoc();
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      Value empty = rewriter.create<tensor::EmptyOp>(
          loc, ArrayRef<int64_t>{scalarTileExtent}, operand.getType());
      mapping.map(operand,
                  rewriter.create<linalg::FillOp>(loc, operand, empty).getResult(0));
    }
    Operation *onTile = rewriter.clone(*op, mapping);
    onTile->getResult(0).setType(
        RankedTensorType::get({scalarTileExtent}, op->getResult(0).getType()));
    Value first = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, onTile->getResult(0), first);
    return success();
  }
};

} // namespace

void populateMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<CopySign, ArcCosine, AbsoluteOfScalar, MultiplyAddScalars, RootOfOneElement,
               ScalarAsTile>(
      context);
  populateExpandSinhPattern(patterns);
  populateExpandCoshPattern(patterns);
  populateExpandCtlzPattern(patterns);
}

} // namespace tilekiln
