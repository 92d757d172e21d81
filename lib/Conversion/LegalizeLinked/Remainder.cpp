//===- Remainder.cpp - Remainders of floats on tiles ----------------------===//
//
// The vendor computes x - trunc(x / y) y in f32, where the product rounds: the
// remainder of 1e6 by 0.1 is off by half of the divisor. Here the divisor is
// split into halves of 12 bits, whose products with quotients of 12 bits are
// exact, and the division is done in two steps: by 4096 y, then by y. Exact for
// quotients below 2^24.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;

namespace tilekiln {
namespace {

using Predicate = arith::CmpFPredicate;

class RemainderBuilder {
public:
  RemainderBuilder(Location loc, RewriterBase &rewriter) : loc(loc), rewriter(rewriter) {}

  Value build(Value x, Value y) {
    Value dividend = rewriter.create<math::AbsFOp>(loc, x);
    Value divisor = rewriter.create<math::AbsFOp>(loc, y);
    // Veltkamp's split: the upper 12 bits, and what is left.
    Value scaled = create<arith::MulFOp>(divisor, real(divisor, 4097));
    Value high = create<arith::SubFOp>(scaled, create<arith::SubFOp>(scaled, divisor));
    Value low = create<arith::SubFOp>(divisor, high);
    Value rest = step(dividend, divisor, high, low, 4096);
    rest = step(rest, divisor, high, low, 1);
    // Of an infinite divisor nothing is taken.
    Value infinity = real(divisor, std::numeric_limits<double>::infinity());
    rest = select(compare(Predicate::OEQ, divisor, infinity), dividend, rest);
    // The dividend's sign.
    Value opposite = rewriter.create<arith::NegFOp>(loc, rest);
    return select(compare(Predicate::OLT, x, real(x, 0)), opposite, rest);
  }

private:
  template <typename Op> Value create(Value a, Value b) {
    return rewriter.create<Op>(loc, a, b);
  }
  Value real(Value like, double value) { return realLike(like, value, loc, rewriter); }
  Value compare(Predicate predicate, Value a, Value b) {
    return rewriter.create<arith::CmpFOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return rewriter.create<arith::SelectOp>(loc, condition, yes, no);
  }

  /// The remainder by `times` the divisor. The quotient may be off by one.
  Value step(Value rest, Value divisor, Value high, Value low, double times) {
    auto multiple = [&](Value value) -> Value {
      return times == 1 ? value : create<arith::MulFOp>(value, real(value, times));
    };
    Value whole = multiple(divisor);
    Value quotient = roundTile(create<arith::DivFOp>(rest, whole), "trunc", loc, rewriter);
    rest = create<arith::SubFOp>(rest, create<arith::MulFOp>(quotient, multiple(high)));
    rest = create<arith::SubFOp>(rest, create<arith::MulFOp>(quotient, multiple(low)));
    Value more = create<arith::AddFOp>(rest, whole);
    rest = select(compare(Predicate::OLT, rest, real(rest, 0)), more, rest);
    Value less = create<arith::SubFOp>(rest, whole);
    return select(compare(Predicate::OGE, rest, whole), less, rest);
  }

  Location loc;
  RewriterBase &rewriter;
};

struct Remainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType()), f32 = rewriter.getF32Type();
    if (element.isF64())
      return failure();
    Value x = castTile(op.getLhs(), f32, loc, rewriter);
    Value y = castTile(op.getRhs(), f32, loc, rewriter);
    Value rest = RemainderBuilder(loc, rewriter).build(x, y);
    rewriter.replaceOp(op, castTile(rest, element, loc, rewriter));
    return success();
  }
};

} // namespace

void populateRemainderPatterns(RewritePatternSet &patterns) {
  patterns.add<Remainder>(patterns.getContext());
}

} // namespace tilekiln
