//===- LegalizeScalars.cpp - A value for every operand --------------------===//
//
// See cpu-legalize-scalars in Passes.td. Runs when only scalars are left.
//
//===----------------------------------------------------------------------===//
#include "InRange.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilekiln/Cpu/Passes.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_CPULEGALIZESCALARS
#include "tilekiln/Cpu/Passes.h.inc"

namespace {

bool isSmallFloat(Type type) { return type.isF16() || type.isBF16(); }

/// The vendor has no fused multiply-add of 16-bit floats either.
struct WidenFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getType()))
      return failure();
    SmallVector<Value> wide;
    for (Value operand : op->getOperands())
      wide.push_back(rewriter.create<arith::ExtFOp>(
          op.getLoc(), rewriter.getF32Type(), operand));
    Value result =
        rewriter.create<math::FmaOp>(op.getLoc(), wide[0], wide[1], wide[2]);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// By way of f32, as ml_dtypes does: nothing else in the process has this step.
struct TruncateF64ToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF64() || !op.getType().isBF16())
      return failure();
    Value single = rewriter.create<arith::TruncFOp>(
        op.getLoc(), rewriter.getF32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

/// arith.fptosi and fptoui by LLVM's saturating conversions.
template <typename Op>
struct SaturateToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getIn().getType()) || op->hasAttr(inRangeAttribute))
      return failure();
    Location loc = op.getLoc();
    Value value = op.getIn();
    if (isSmallFloat(value.getType()))
      value = rewriter.create<arith::ExtFOp>(loc, rewriter.getF32Type(), value);
    bool isSigned = std::is_same_v<Op, arith::FPToSIOp>;
    std::string name = isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    for (Type type : {op.getType(), value.getType()}) {
      name += isa<FloatType>(type) ? ".f" : ".i";
      name += std::to_string(type.getIntOrFloatBitWidth());
    }
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(name), value,
        LLVM::FastmathFlagsAttr());
    return success();
  }
};

/// Upstream lets a value that is widened again stay unrounded. The device
/// rounds to f16 after every operation; bf16, which it has no arithmetic for,
/// it keeps as f32 within an expression, too, but for what was an integer.
void roundWhereTheDeviceDoes(ModuleOp module) {
  module.walk([](arith::TruncFOp op) {
    if (op.getType().isF16() ||
        isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(
            op.getIn().getDefiningOp()))
      op.setFastmathAttr({});
  });
}

void guardDivision(OpBuilder &b, Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  if (!type.isIntOrIndex())
    return;
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  APInt known;
  bool isKnown = matchPattern(divisor, m_ConstantInt(&known));
  if (isKnown && !known.isZero() && !(isSigned && known.isAllOnes()))
    return;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  auto constant = [&](const APInt &value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value value, const APInt &number) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, value,
                                   constant(number));
  };
  Value isZero = equals(divisor, APInt::getZero(width));
  Value isBad = isZero;
  if (isSigned && width > 1) {
    Value overflows = b.create<arith::AndIOp>(
        loc, equals(divisor, APInt::getAllOnes(width)),
        equals(dividend, APInt::getSignedMinValue(width)));
    isBad = b.create<arith::OrIOp>(loc, isZero, overflows);
  }
  // Divided by 1, the smallest integer is what wrapping gives and the remainder
  // is 0: only division by zero needs another answer.
  op->setOperand(1, b.create<arith::SelectOp>(
                        loc, isBad, constant(APInt(width, 1)), divisor));
  b.setInsertionPointAfter(op);
  Value otherwise = isa<arith::DivSIOp, arith::DivUIOp>(op)
                        ? constant(APInt::getZero(width))
                        : dividend;
  auto result =
      b.create<arith::SelectOp>(loc, isZero, otherwise, op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(result, result);
}

struct CpuLegalizeScalars : impl::CpuLegalizeScalarsBase<CpuLegalizeScalars> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    roundWhereTheDeviceDoes(getOperation());
    RewritePatternSet patterns(context);
    patterns.add<WidenFma, TruncateF64ToBF16, SaturateToInteger<arith::FPToSIOp>,
                 SaturateToInteger<arith::FPToUIOp>>(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    // Not the processor's own bf16 instructions: they flush denormals.
    arith::populateExpandBFloat16Patterns(patterns);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    RewritePatternSet libm(context);
    populateMathToLibmConversionPatterns(libm);
    ConversionTarget target(*context);
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    target.addLegalDialect<arith::ArithDialect, func::FuncDialect>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(libm))))
      return signalPassFailure();
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op))
        divisions.push_back(op);
    });
    OpBuilder builder(context);
    for (Operation *op : divisions)
      guardDivision(builder, op);
  }
};

} // namespace
} // namespace tilekiln
