//===- Compare.cpp - Comparisons of tiles ---------------------------------===//
//
// The vendor compiles `one`, `ueq`, `ult`, `ule`, `ugt` and `uge` as if no NaN
// existed and aborts on `ord`, `uno` and `true`. Unsigned integers of more than
// 8 bits are refused, those of 16 bits run on the scalar unit.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilekiln {
namespace {

Value negate(Value mask, Location loc, OpBuilder &builder) {
  return builder.create<arith::XOrIOp>(loc, mask, constantLike(mask, 1, loc, builder));
}

struct CompareFloats : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  using P = arith::CmpFPredicate;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    Value x = op.getLhs(), y = op.getRhs();
    Location loc = op.getLoc();
    auto compare = [&](P predicate, Value a, Value b) -> Value {
      return rewriter.create<arith::CmpFOp>(loc, predicate, a, b);
    };
    auto eitherWay = [&]() -> Value {
      Value below = compare(P::OLT, x, y), above = compare(P::OGT, x, y);
      return rewriter.create<arith::OrIOp>(loc, below, above);
    };
    auto ofEach = [&](P predicate, auto combine) -> Value {
      Value first = compare(predicate, x, x);
      return x == y ? first : combine(first, compare(predicate, y, y));
    };
    auto unless = [&](P predicate) {
      return negate(compare(predicate, x, y), loc, rewriter);
    };
    Value result;
    switch (op.getPredicate()) {
    case P::ONE:
      result = eitherWay();
      break;
    case P::UEQ:
      result = negate(eitherWay(), loc, rewriter);
      break;
    case P::ULT:
      result = unless(P::OGE);
      break;
    case P::ULE:
      result = unless(P::OGT);
      break;
    case P::UGT:
      result = unless(P::OLE);
      break;
    case P::UGE:
      result = unless(P::OLT);
      break;
    case P::ORD:
      result = ofEach(P::OEQ, [&](Value a, Value b) -> Value {
        return rewriter.create<arith::AndIOp>(loc, a, b);
      });
      break;
    case P::UNO:
      result = ofEach(P::UNE, [&](Value a, Value b) -> Value {
        return rewriter.create<arith::OrIOp>(loc, a, b);
      });
      break;
    default:
      return failure();
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// By logic on truth values, of which true is the greater one.
Value compareTruths(arith::CmpIOp op, PatternRewriter &rewriter) {
  using P = arith::CmpIPredicate;
  Value x = op.getLhs(), y = op.getRhs();
  Location loc = op.getLoc();
  auto both = [&](Value a, Value b) -> Value {
    return rewriter.create<arith::AndIOp>(loc, a, b);
  };
  auto either = [&](Value a, Value b) -> Value {
    return rewriter.create<arith::OrIOp>(loc, a, b);
  };
  auto no = [&](Value a) { return negate(a, loc, rewriter); };
  switch (op.getPredicate()) {
  case P::ne:
    return rewriter.create<arith::XOrIOp>(loc, x, y);
  case P::eq:
    return no(rewriter.create<arith::XOrIOp>(loc, x, y));
  // As signed numbers, true is -1.
  case P::ult:
  case P::sgt:
    return both(no(x), y);
  case P::ule:
  case P::sge:
    return either(no(x), y);
  case P::ugt:
  case P::slt:
    return both(x, no(y));
  case P::uge:
  case P::sle:
    return either(x, no(y));
  }
  llvm_unreachable("every predicate is listed");
}

std::optional<arith::CmpIPredicate> signedOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
    return P::slt;
  case P::ule:
    return P::sle;
  case P::ugt:
    return P::sgt;
  case P::uge:
    return P::sge;
  default:
    return std::nullopt;
  }
}

struct CompareIntegers : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWideTile(op.getLhs(), 0))
      return failure();
    unsigned bits = bitsOf(op.getLhs());
    if (bits == 1) {
      rewriter.replaceOp(op, compareTruths(op, rewriter));
      return success();
    }
    Location loc = op.getLoc();
    std::optional<arith::CmpIPredicate> isSigned = signedOf(op.getPredicate());
    if (bits == 8 || (!isSigned && bits != 16))
      return failure();
    auto predicate = isSigned.value_or(op.getPredicate());
    auto side = [&](Value value) -> Value {
      if (bits == 16)
        return castTile(value, rewriter.getI32Type(), loc, rewriter,
                        isSigned ? Sign::Unsigned : Sign::Signed);
      // With the sign turned round, the order of unsigned numbers is that of
      // signed ones.
      Value sign = constantLike(
          value, APInt::getSignedMinValue(bits).getSExtValue(), loc, rewriter);
      return rewriter.create<arith::XOrIOp>(loc, value, sign);
    };
    Value lhs = side(op.getLhs()), rhs = side(op.getRhs());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, lhs, rhs);
    return success();
  }
};

} // namespace

void populateComparePatterns(RewritePatternSet &patterns) {
  patterns.add<CompareFloats, CompareIntegers>(patterns.getContext());
}

} // namespace tilekiln
