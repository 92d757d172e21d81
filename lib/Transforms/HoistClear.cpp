//===- HoistClear.cpp - A clear on a loop's first step becomes its start --===//
//
// `clear_accum = (k == 0)` and `if k == 0: T.clear(acc)` are how kernels reset an
// accumulator. Decided at run time on every step they would keep the sum off the
// cube; where the condition says "the first step of these loops", the loops
// start from zero instead.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/Accumulator.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_HOISTCLEAR
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

/// gemm onto `if c {zero} else {acc}` is gemm onto acc with clear = c.
struct MergeBranchIntoClear : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp gemm, PatternRewriter &rewriter) const override {
    auto result = dyn_cast<OpResult>(gemm.getInit());
    if (!result || gemm.getClear())
      return failure();
    Value condition, whenTrue, whenFalse;
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      condition = branch.getCondition();
      whenTrue = branch.thenYield().getOperand(result.getResultNumber());
      whenFalse = branch.elseYield().getOperand(result.getResultNumber());
    } else if (auto select = dyn_cast<arith::SelectOp>(result.getOwner())) {
      condition = select.getCondition();
      whenTrue = select.getTrueValue();
      whenFalse = select.getFalseValue();
    } else {
      return failure();
    }
    // What counts if not cleared must exist before the choice.
    Operation *choice = result.getOwner();
    if (!condition.getType().isInteger(1) || !isZeroTile(whenTrue) ||
        choice->isAncestor(whenFalse.getParentBlock()->getParentOp()))
      return failure();
    rewriter.modifyOpInPlace(gemm, [&] {
      gemm.getInitMutable().set(whenFalse);
      gemm.getClearMutable().assign(condition);
    });
    return success();
  }
};

/// The loops whose first step `condition` asks for; false if it asks for more.
bool collectFirstSteps(Value condition, SmallVectorImpl<Value> &inductionVariables) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return collectFirstSteps(both.getLhs(), inductionVariables) &&
           collectFirstSteps(both.getRhs(), inductionVariables);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  auto stripCast = [](Value value) {
    while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      value = cast.getIn();
    return value;
  };
  auto isFirst = [&](Value value, Value other) {
    auto argument = dyn_cast<BlockArgument>(stripCast(value));
    if (!argument)
      return false;
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return false;
    APInt bound, low;
    if (stripCast(other) != loop.getLowerBound() &&
        !(matchPattern(other, m_ConstantInt(&bound)) &&
          matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) &&
          bound.getSExtValue() == low.getSExtValue()))
      return false;
    inductionVariables.push_back(argument);
    return true;
  };
  return isFirst(compare.getLhs(), compare.getRhs()) ||
         isFirst(compare.getRhs(), compare.getLhs());
}

struct HoistFirstStepClear : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp gemm, PatternRewriter &rewriter) const override {
    SmallVector<Value> firstSteps;
    if (!gemm.getClear() || !collectFirstSteps(gemm.getClear(), firstSteps))
      return failure();
    // Climb while the accumulator is a loop's own; each loop must be asked for.
    Value sum = gemm.getInit();
    Operation *reader = gemm;
    scf::ForOp outermost;
    unsigned index = 0;
    while (!firstSteps.empty()) {
      auto argument = dyn_cast<BlockArgument>(sum);
      auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                           : scf::ForOp();
      if (!loop || reader->getParentOp() != loop || !argument.hasOneUse() ||
          !llvm::is_contained(firstSteps, loop.getInductionVar()))
        return failure();
      llvm::erase(firstSteps, loop.getInductionVar());
      index = argument.getArgNumber() - loop.getNumInductionVars();
      sum = loop.getInitArgs()[index];
      // A loop that does not run leaves the old content: that must be zero then.
      if (!provenToRun(loop) && !isZeroTile(sum))
        return failure();
      outermost = loop;
      reader = loop;
    }
    Location loc = gemm.getLoc();
    auto type = cast<RankedTensorType>(gemm.getInit().getType());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(outermost);
      Value zero = rewriter.create<arith::ConstantOp>(
          loc, rewriter.getZeroAttr(type.getElementType()));
      Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(),
                                                     type.getElementType());
      auto fill = rewriter.create<FillOp>(loc, TypeRange{type}, zero, empty);
      rewriter.modifyOpInPlace(outermost, [&] {
        outermost.getInitArgsMutable()[index].set(fill->getResult(0));
      });
    }
    rewriter.modifyOpInPlace(gemm, [&] { gemm.getClearMutable().clear(); });
    return success();
  }
};

struct HoistClear : tilekiln::impl::HoistClearBase<HoistClear> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MergeBranchIntoClear, HoistFirstStepClear>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
