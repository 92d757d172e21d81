//===- Rounding.cpp - Whole numbers of tiles and scalars ------------------===//
//
// Rounding is a conversion in the vendor's dialect, of tiles alone. Where all
// elements are one scalar its compiler drops the conversion without a word, so
// that the scalar is rounded: by going through an integer, which the scalar
// unit can do.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilekiln {
namespace {

enum class Mode { Rint, Round, Floor, Ceil, Trunc };

StringRef nameOf(Mode mode) {
  switch (mode) {
  case Mode::Rint:
    return "rint";
  case Mode::Round:
    return "round";
  case Mode::Floor:
    return "floor";
  case Mode::Ceil:
    return "ceil";
  case Mode::Trunc:
    return "trunc";
  }
  llvm_unreachable("every mode is listed");
}

/// Rounds one float on the scalar unit.
class ScalarRounder {
public:
  ScalarRounder(Location loc, RewriterBase &rewriter) : loc(loc), rewriter(rewriter) {}

  Value round(Value scalar, Mode mode) {
    Type element = scalar.getType();
    x = castTile(scalar, rewriter.getF32Type(), loc, rewriter);
    Value integer = rewriter.create<arith::FPToSIOp>(loc, rewriter.getI32Type(), x);
    whole = rewriter.create<arith::SIToFPOp>(loc, x.getType(), integer);
    Value rounded = correct(mode, integer);
    // From 2^23 on every float is whole; infinities and NaN stay as well.
    Value negative = rewriter.create<arith::NegFOp>(loc, x);
    Value magnitude = rewriter.create<arith::MaximumFOp>(loc, x, negative);
    Value isSmall = compare(arith::CmpFPredicate::OLT, magnitude, real(8388608));
    Value result = select(isSmall, rounded, x);
    return castTile(result, element, loc, rewriter);
  }

private:
  Value real(double value) { return realLike(x, value, loc, rewriter); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return rewriter.create<arith::CmpFOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return rewriter.create<arith::SelectOp>(loc, condition, yes, no);
  }
  Value add(Value a, double b) {
    return rewriter.create<arith::AddFOp>(loc, a, real(b));
  }

  /// What the number without its fraction is short of.
  Value correct(Mode mode, Value integer) {
    using P = arith::CmpFPredicate;
    if (mode == Mode::Trunc)
      return whole;
    if (mode == Mode::Floor)
      return select(compare(P::OGT, whole, x), add(whole, -1), whole);
    if (mode == Mode::Ceil)
      return select(compare(P::OLT, whole, x), add(whole, 1), whole);
    Value fraction = rewriter.create<arith::SubFOp>(loc, x, whole);
    Value up = compare(P::OGT, fraction, real(0.5));
    Value down = compare(P::OLT, fraction, real(-0.5));
    Value halfUp = compare(P::OEQ, fraction, real(0.5));
    Value halfDown = compare(P::OEQ, fraction, real(-0.5));
    if (mode == Mode::Rint) {
      // Ties go to the even neighbour.
      Value bit = rewriter.create<arith::AndIOp>(
          loc, integer, constantLike(integer, 1, loc, rewriter));
      Value isOdd = rewriter.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ne, bit, constantLike(bit, 0, loc, rewriter));
      halfUp = rewriter.create<arith::AndIOp>(loc, halfUp, isOdd);
      halfDown = rewriter.create<arith::AndIOp>(loc, halfDown, isOdd);
    }
    up = rewriter.create<arith::OrIOp>(loc, up, halfUp);
    down = rewriter.create<arith::OrIOp>(loc, down, halfDown);
    return select(up, add(whole, 1), select(down, add(whole, -1), whole));
  }

  Location loc;
  RewriterBase &rewriter;
  Value x, whole;
};

/// The scalar that every element is; null where there is none.
Value scalarOf(Value tile) {
  if (auto fill = tile.getDefiningOp<linalg::FillOp>())
    return fill.getInputs()[0];
  if (auto splat = tile.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  return nullptr;
}

template <typename Op> struct Round : OpRewritePattern<Op> {
  Round(MLIRContext *context, Mode mode) : OpRewritePattern<Op>(context), mode(mode) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value value = op.getOperand();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Value scalar = type ? scalarOf(value) : value;
    if (!scalar) {
      // The vendor lowers these two itself.
      if (mode == Mode::Floor || mode == Mode::Ceil)
        return failure();
      rewriter.replaceOp(op, roundTile(value, nameOf(mode), op.getLoc(), rewriter));
      return success();
    }
    Value rounded = ScalarRounder(op.getLoc(), rewriter).round(scalar, mode);
    if (!type) {
      rewriter.replaceOp(op, rounded);
      return success();
    }
    Value empty = rewriter.create<tensor::EmptyOp>(op.getLoc(), type.getShape(),
                                                   type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, rounded, empty);
    return success();
  }

  Mode mode;
};

} // namespace

void populateRoundingPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Round<math::RoundEvenOp>>(context, Mode::Rint);
  patterns.add<Round<math::RoundOp>>(context, Mode::Round);
  patterns.add<Round<math::FloorOp>>(context, Mode::Floor);
  patterns.add<Round<math::CeilOp>>(context, Mode::Ceil);
  patterns.add<Round<math::TruncOp>>(context, Mode::Trunc);
}

} // namespace tilekiln
