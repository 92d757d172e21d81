//===- Convert.cpp - Conversions of tiles ---------------------------------===//
//
// Conversions that the vendor refuses, or gets wrong: unsigned ones of more
// than 8 bits are compiled as signed, and floats wrap when they become narrow
// integers.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilekiln {
namespace {

/// Whether castTile() has other steps than the op.
bool needsSteps(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  unsigned fromBits = bitsOf(op->getOperand(0)), toBits = bitsOf(op->getResult(0));
  if (isa<arith::ExtUIOp, arith::UIToFPOp>(op))
    return fromBits > 8;
  if (isa<arith::FPToUIOp>(op))
    return true;
  if (isa<arith::FPToSIOp>(op)) {
    bool isWide = from.isF32() || from.isF64();
    return !(isWide && toBits >= 32) && !(from.isF16() && toBits == 16);
  }
  return false;
}

struct ConvertBySteps : RewritePattern {
  explicit ConvertBySteps(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<arith::ExtUIOp, arith::UIToFPOp, arith::FPToUIOp, arith::FPToSIOp>(op))
      return failure();
    // On scalars only the overflow of narrow integers is left open.
    bool isTile = isa<RankedTensorType>(op->getResult(0).getType());
    bool isNarrow = isa<arith::FPToUIOp, arith::FPToSIOp>(op) && bitsOf(op->getResult(0)) <= 16;
    if ((!isTile && !isNarrow) || !needsSteps(op))
      return failure();
    Sign sign = isa<arith::FPToSIOp>(op) ? Sign::Signed : Sign::Unsigned;
    Value result = castTile(op->getOperand(0),
                            getElementTypeOrSelf(op->getResult(0).getType()),
                            op->getLoc(), rewriter, sign);
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The scalar unit's conversions of 16-bit floats go to the nearest signed
/// integer; those of f32 are right.
template <typename Op> struct ConvertSmallScalar : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!from.isF16() && !from.isBF16())
      return failure();
    Value wide = rewriter.create<arith::ExtFOp>(op.getLoc(), rewriter.getF32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), wide);
    return success();
  }
};

static Value negateBits(Value tile, Location loc, PatternRewriter &rewriter) {
  return rewriter.create<arith::XOrIOp>(loc, tile, constantLike(tile, -1, loc, rewriter));
}

/// The vendor drops the way from i64 to i32 and back, and with it the loss of
/// the high half. Negated bits on the way are the same number.
struct ExtendTruncated : OpRewritePattern<arith::ExtSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtSIOp op,
                                PatternRewriter &rewriter) const override {
    auto narrow = op.getIn().getDefiningOp<arith::TruncIOp>();
    if (!narrow || !isa<RankedTensorType>(op.getType()) || bitsOf(op.getResult()) != 64 ||
        bitsOf(narrow) != 32)
      return failure();
    Location loc = op.getLoc();
    Value wide = rewriter.create<arith::ExtSIOp>(loc, op.getType(), negateBits(narrow, loc, rewriter));
    rewriter.replaceOp(op, negateBits(wide, loc, rewriter));
    return success();
  }
};

/// What computes 8 bits, and may leave more than 8 behind.
static bool isOfEightBits(Value value) {
  Operation *source = value.getDefiningOp();
  return bitsOf(value) == 8 && source &&
         isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::TruncIOp>(source);
}

/// The same of a tile of one element, which the vendor takes for a number, and of
/// integers: those of 64 bits are not wrapped there.
template <typename Op> struct ExtendWrapped : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 1 ||
        bitsOf(op.getResult()) != 64 || !isOfEightBits(op.getIn()))
      return failure();
    Location loc = op.getLoc();
    Value wide = rewriter.create<Op>(loc, op.getType(), negateBits(op.getIn(), loc, rewriter));
    Value sum = constantLike(wide, std::is_same_v<Op, arith::ExtUIOp> ? 255 : -1, loc, rewriter);
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, sum, wide);
    return success();
  }
};

/// The vendor computes 8 bits in wider numbers, and makes them floats without
/// wrapping them first. Negated bits are 8 of them, and the number follows from
/// their own.
template <typename Op> struct ConvertWrapped : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()) || !isOfEightBits(op.getIn()))
      return failure();
    Location loc = op.getLoc();
    Value number = rewriter.create<Op>(loc, op.getType(), negateBits(op.getIn(), loc, rewriter));
    Value sum = realLike(number, std::is_same_v<Op, arith::UIToFPOp> ? 255 : -1, loc, rewriter);
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, sum, number);
    return success();
  }
};

/// Truth values read as signed: 0 and -1.
template <typename Op> struct ConvertSignedTruth : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || bitsOf(op.getIn()) != 1)
      return failure();
    auto number = [&](int64_t value) -> Value {
      Type element = type.getElementType();
      Attribute attribute = isa<FloatType>(element)
                                ? Attribute(rewriter.getFloatAttr(element, double(value)))
                                : Attribute(rewriter.getIntegerAttr(element, value));
      return rewriter.create<arith::ConstantOp>(op.getLoc(),
                                                DenseElementsAttr::get(type, attribute));
    };
    Value minusOne = number(-1), zero = number(0);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, op.getIn(), minusOne, zero);
    return success();
  }
};

/// To truth values: the lowest bit.
struct TruncateToTruth : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()) || bitsOf(op.getResult()) != 1)
      return failure();
    Location loc = op.getLoc();
    Value value = op.getIn();
    Value bit = rewriter.create<arith::AndIOp>(loc, value,
                                               constantLike(value, 1, loc, rewriter));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne, bit,
                                               constantLike(bit, 0, loc, rewriter));
    return success();
  }
};

} // namespace

void populateConvertPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertBySteps, ConvertSmallScalar<arith::FPToUIOp>,
               ConvertSmallScalar<arith::FPToSIOp>, ExtendTruncated,
               ExtendWrapped<arith::ExtSIOp>, ExtendWrapped<arith::ExtUIOp>, ConvertWrapped<arith::SIToFPOp>, ConvertWrapped<arith::UIToFPOp>, ConvertSignedTruth<arith::ExtSIOp>,
               ConvertSignedTruth<arith::SIToFPOp>, TruncateToTruth>(patterns.getContext());
}

} // namespace tilekiln
