//===- Division.cpp - Exact integer division on tiles ---------------------===//
#include "Division.h"
#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;
using Predicate = arith::CmpIPredicate;

namespace {
class Divider {
public:
  Divider(OpBuilder &builder, Location loc, Value x, Value y)
      : builder(builder), loc(loc), x(x), y(y) {
    realY = toReal(y);
    APInt constant;
    isPositive =
        matchPattern(y, m_ConstantInt(&constant)) && constant.isStrictlyPositive();
  }

  std::pair<Value, Value> run(Rounding rounding);

private:
  template <typename Op> Value create(Value a, Value b) {
    return builder.create<Op>(loc, a, b);
  }
  Value toReal(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return builder.create<arith::SIToFPOp>(loc, type.clone(builder.getF32Type()),
                                           tile);
  }
  Value number(int64_t value) {
    return buildConstant(builder, loc, elementOf(x), value, shapeOf(x));
  }
  Value compare(Predicate predicate, Value a, Value b) {
    return builder.create<arith::CmpIOp>(loc, predicate, a, b);
  }
  /// The quotient of the floats: off by at most one part in 2^22.
  Value approximate(Value dividend) {
    Value quotient = create<arith::DivFOp>(toReal(dividend), realY);
    return builder.create<arith::FPToSIOp>(loc, x.getType(), quotient);
  }
  Value remainderOf(Value quotient) {
    return create<arith::SubIOp>(x, create<arith::MulIOp>(quotient, y));
  }
  /// Moves the quotient by `step` where the mask holds.
  void move(Value mask, int64_t step) {
    auto choose = [&](Value value) -> Value {
      return builder.create<arith::SelectOp>(loc, mask, value, number(0));
    };
    quotient = create<arith::AddIOp>(quotient, choose(number(step)));
    Value change = choose(y);
    rest = step > 0 ? create<arith::SubIOp>(rest, change)
                    : create<arith::AddIOp>(rest, change);
  }
  /// The remainder is not zero and has the other sign than the divisor.
  Value isBelow() {
    if (isPositive)
      return compare(Predicate::slt, rest, number(0));
    Value signs = create<arith::XOrIOp>(rest, y);
    Value differ = compare(Predicate::slt, signs, number(0));
    Value isRest = compare(Predicate::ne, rest, number(0));
    return create<arith::AndIOp>(differ, isRest);
  }
  /// The remainder has the divisor's sign and reaches it.
  Value isAbove() {
    if (isPositive)
      return compare(Predicate::sge, rest, y);
    auto both = [&](Predicate ofDivisor, Predicate ofRest) {
      Value sign = compare(ofDivisor, y, number(0));
      return create<arith::AndIOp>(sign, compare(ofRest, rest, y));
    };
    Value upward = both(Predicate::sgt, Predicate::sge);
    Value downward = both(Predicate::slt, Predicate::sle);
    return create<arith::OrIOp>(upward, downward);
  }

  OpBuilder &builder;
  Location loc;
  Value x, y, realY;
  bool isPositive;
  Value quotient, rest;
};
} // namespace

/// The first quotient leaves a remainder of a few hundred divisors at most, the
/// second brings it within one of the right one.
std::pair<Value, Value> Divider::run(Rounding rounding) {
  quotient = approximate(x);
  quotient = create<arith::AddIOp>(quotient, approximate(remainderOf(quotient)));
  rest = remainderOf(quotient);
  move(isBelow(), -1);
  move(isAbove(), 1);
  // Rounded down now: the remainder has the divisor's sign.
  if (rounding == Rounding::Floor)
    return {quotient, rest};
  Value up = compare(Predicate::ne, rest, number(0));
  if (rounding == Rounding::Trunc) {
    Value signs = create<arith::XOrIOp>(x, y);
    up = create<arith::AndIOp>(up, compare(Predicate::slt, signs, number(0)));
  }
  move(up, 1);
  return {quotient, rest};
}

std::pair<Value, Value>
tilekiln::elementwise::buildExactDivision(OpBuilder &builder, Location loc,
                                          Value x, Value y, Rounding rounding) {
  return Divider(builder, loc, x, y).run(rounding);
}
