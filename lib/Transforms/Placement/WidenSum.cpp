//===- WidenSum.cpp - Sums of narrow floats are carried in float32 --------===//
//
// The cube adds in float32 alone. Were a float16 sum rounded after every product,
// each step would go by way of the vector unit; carried in float32 it stays on the
// cube, and is rounded once: nearer to the exact sum than the author asked for.
//
//===----------------------------------------------------------------------===//
#include "Placement.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// Follows a sum through products and loops to its yield, and lists what it is on
/// the way. False where anything else reads it.
static bool followToYield(Value sum, scf::ForOp loop, SmallVectorImpl<Value> &chain) {
  while (true) {
    chain.push_back(sum);
    if (!sum.hasOneUse())
      return false;
    OpOperand &use = *sum.use_begin();
    Operation *reader = use.getOwner();
    if (isa<scf::YieldOp>(reader))
      return reader->getParentOp() == loop;
    if (auto gemm = dyn_cast<GemmOp>(reader)) {
      if (&use != &gemm.getInitMutable() || gemm.getClear())
        return false;
      sum = gemm->getResult(0);
      continue;
    }
    auto inner = dyn_cast<scf::ForOp>(reader);
    if (!inner || use.getOperandNumber() < inner.getNumControlOperands() ||
        !followToYield(inner.getTiedLoopRegionIterArg(&use), inner, chain))
      return false;
    sum = inner.getTiedLoopResult(&use);
  }
}

void tilekiln::widenSum(GemmOp gemm, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(gemm.getInit().getType());
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() >= 32 || gemm.getClear())
    return;
  // The outermost loop that carries the sum.
  Value sum = gemm.getInit();
  OpOperand *start = nullptr;
  scf::ForOp outermost;
  while (auto argument = dyn_cast<BlockArgument>(sum)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !isAccumulatorSlot(argument))
      return;
    outermost = loop;
    start = loop.getTiedLoopInit(argument);
    sum = start->get();
  }
  SmallVector<Value> chain;
  if (!outermost || !isZeroTile(sum) ||
      !followToYield(outermost.getTiedLoopRegionIterArg(start), outermost, chain))
    return;
  Location loc = gemm.getLoc();
  auto wide = type.clone(rewriter.getF32Type());
  rewriter.setInsertionPoint(outermost);
  Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getF32FloatAttr(0));
  Value empty = rewriter.create<tensor::EmptyOp>(loc, wide.getShape(), wide.getElementType());
  auto fill = rewriter.create<FillOp>(loc, TypeRange{wide}, zero, empty);
  Value result = outermost.getTiedLoopResult(start);
  rewriter.setInsertionPointAfter(outermost);
  Value narrowEmpty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(), element);
  auto narrow = rewriter.create<CopyOp>(loc, TypeRange{type}, result, narrowEmpty);
  rewriter.replaceAllUsesExcept(result, narrow->getResult(0), narrow);
  rewriter.modifyOpInPlace(outermost, [&] { start->set(fill->getResult(0)); });
  chain.push_back(result);
  for (Value value : chain)
    value.setType(wide);
}
