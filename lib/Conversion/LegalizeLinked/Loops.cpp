//===- Loops.cpp - Where loops start --------------------------------------===//
//
// In a kernel whose halves exchange tiles, the vendor's compiler runs several
// steps of a loop at a time. It counts a half's steps as if they started at 0: for
// others the vector unit leaves some out, and waits for the cube or does not (from
// 1 to 9, say, the sum is wrong without a word). Loops from 0 in steps of 1 are
// right, whatever their length.
//
//===----------------------------------------------------------------------===//
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

namespace tilekiln {
namespace {

struct StartAtZero : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    OpFoldResult lower = getAsOpFoldResult(loop.getLowerBound());
    OpFoldResult step = getAsOpFoldResult(loop.getStep());
    bool startsAtZero = isConstantIntValue(lower, 0), isByOne = isConstantIntValue(step, 1);
    if (startsAtZero && isByOne)
      return failure();
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return rewriter.create<arith::ConstantOp>(
          loc, rewriter.getIntegerAttr(loop.getStep().getType(), value));
    };
    Value count = loop.getUpperBound();
    if (!startsAtZero)
      count = rewriter.createOrFold<arith::SubIOp>(loc, count, loop.getLowerBound());
    if (!isByOne) {
      // Rounded up; a step is positive. Upstream's normalised bounds have ceildivsi
      // here, which nothing takes apart before hivmc.
      Value less = rewriter.createOrFold<arith::SubIOp>(loc, loop.getStep(), constant(1));
      count = rewriter.createOrFold<arith::AddIOp>(loc, count, less);
      count = rewriter.createOrFold<arith::DivSIOp>(loc, count, loop.getStep());
    }
    Value zero = constant(0), one = constant(1);
    rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(zero);
      loop.setUpperBound(count);
      loop.setStep(one);
    });
    rewriter.setInsertionPointToStart(loop.getBody());
    denormalizeInductionVariable(rewriter, loc, loop.getInductionVar(), lower, step);
    return success();
  }
};

} // namespace

void populateLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<StartAtZero>(patterns.getContext());
}

} // namespace tilekiln
