//===- Integers.cpp - Integer arithmetic of tiles -------------------------===//
//
// The vendor compiles unsigned shifts, minima and maxima of more than 8 bits as
// signed ones, and does not lower the absolute value of 64 bits.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilekiln {
namespace {

/// A signed shift, with the copies of the sign cleared.
struct ShiftRightUnsigned : OpRewritePattern<arith::ShRUIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ShRUIOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getLhs(), by = op.getRhs();
    if (!isWideTile(value, 8))
      return failure();
    Location loc = op.getLoc();
    auto number = [&](int64_t n) { return constantLike(value, n, loc, rewriter); };
    unsigned bits = bitsOf(value);
    Value shifted = rewriter.create<arith::ShRSIOp>(loc, value, by);
    APInt amount;
    Value kept;
    if (matchPattern(by, m_ConstantInt(&amount))) {
      uint64_t left = bits - std::min<uint64_t>(amount.getZExtValue(), bits);
      kept = number(APInt::getLowBitsSet(bits, left).getSExtValue());
    } else {
      // The copies are those of a number that is nothing but sign.
      Value signs = rewriter.create<arith::ShRSIOp>(
          loc, number(APInt::getSignedMinValue(bits).getSExtValue()), by);
      Value copies = rewriter.create<arith::ShLIOp>(loc, signs, number(1));
      kept = rewriter.create<arith::XOrIOp>(loc, copies, number(-1));
    }
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, shifted, kept);
    return success();
  }
};

/// With the sign turned round, the order of unsigned numbers is that of signed.
template <typename Unsigned, typename Signed>
struct ChooseUnsigned : OpRewritePattern<Unsigned> {
  using OpRewritePattern<Unsigned>::OpRewritePattern;

  LogicalResult matchAndRewrite(Unsigned op, PatternRewriter &rewriter) const override {
    if (!isWideTile(op.getLhs(), 8))
      return failure();
    Location loc = op.getLoc();
    Value sign = constantLike(op.getLhs(),
                              APInt::getSignedMinValue(bitsOf(op.getLhs())).getSExtValue(),
                              loc, rewriter);
    Value a = rewriter.create<arith::XOrIOp>(loc, op.getLhs(), sign);
    Value b = rewriter.create<arith::XOrIOp>(loc, op.getRhs(), sign);
    Value chosen = rewriter.create<Signed>(loc, a, b);
    rewriter.replaceOpWithNewOp<arith::XOrIOp>(op, chosen, sign);
    return success();
  }
};

struct Absolute : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getOperand();
    if (isa<RankedTensorType>(value.getType()) && !isWideTile(value, 32))
      return failure();
    Location loc = op.getLoc();
    Value negative = rewriter.create<arith::SubIOp>(
        loc, constantLike(value, 0, loc, rewriter), value);
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, value, negative);
    return success();
  }
};

/// Sums of neighbouring bits, pairs, nibbles and so on.
struct CountBits : OpRewritePattern<math::CtPopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CtPopOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getOperand();
    unsigned bits = bitsOf(value);
    if (!llvm::isPowerOf2_32(bits) || bits < 8)
      return failure();
    Location loc = op.getLoc();
    auto number = [&](const APInt &n) {
      return constantLike(value, n.getSExtValue(), loc, rewriter);
    };
    for (unsigned width = 1; width < bits; width *= 2) {
      Value mask = number(APInt::getSplat(bits, APInt::getLowBitsSet(2 * width, width)));
      Value low = rewriter.create<arith::AndIOp>(loc, value, mask);
      Value shifted =
          rewriter.create<arith::ShRSIOp>(loc, value, number(APInt(bits, width)));
      Value high = rewriter.create<arith::AndIOp>(loc, shifted, mask);
      value = rewriter.create<arith::AddIOp>(loc, low, high);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void populateIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<ShiftRightUnsigned, ChooseUnsigned<arith::MaxUIOp, arith::MaxSIOp>,
               ChooseUnsigned<arith::MinUIOp, arith::MinSIOp>, Absolute, CountBits>(
      patterns.getContext());
}

} // namespace tilekiln
