//===- SplitAccumulations.cpp - Sums that cannot stay on the cube ---------===//
#include "Placement.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

static Value undefinedTile(RankedTensorType type, Location loc, OpBuilder &builder) {
  return builder.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType());
}

/// Says it at the author's line only: the op's own text would tell them nothing.
static void report(GemmOp gemm, const OffCube &why) {
  auto name = gemm->getAttrOfType<StringAttr>(bufferAttrName);
  std::string text = ("'" + (name ? name.getValue() : "a fragment") +
                      "' is added to on the vector unit, because " + why.reason)
                         .str();
  // What the algorithm asks for is worth knowing, but nobody's mistake.
  if (why.advice.empty())
    emitRemark(gemm.getLoc(), text);
  else
    emitWarning(gemm.getLoc(), text)
        << ": every product makes a round trip through global memory; " << why.advice;
}

/// acc = acc + A B, with the product alone on the cube.
static void split(GemmOp gemm, RewriterBase &rewriter) {
  Location loc = gemm.getLoc();
  rewriter.setInsertionPoint(gemm);
  auto type = cast<RankedTensorType>(gemm.getInit().getType());
  Type element = type.getElementType();
  // The cube gives float32 or int32; narrower sums are widened here, not there.
  Type wide = isa<IntegerType>(element) ? Type(rewriter.getI32Type())
                                        : Type(rewriter.getF32Type());
  auto wideType = type.clone(wide);
  auto convert = [&](Value value, RankedTensorType to) -> Value {
    if (value.getType() == to)
      return value;
    Value empty = undefinedTile(to, loc, rewriter);
    return rewriter.create<CopyOp>(loc, TypeRange{to}, value, empty)->getResult(0);
  };
  Value always = rewriter.create<arith::ConstantOp>(loc, rewriter.getBoolAttr(true));
  auto product = rewriter.create<GemmOp>(
      loc, TypeRange{wideType}, gemm.getA(), gemm.getB(), undefinedTile(wideType, loc, rewriter),
      always, gemm.getTransposeA(), gemm.getTransposeB());
  if (Attribute buffer = gemm->getAttr(bufferAttrName))
    product->setAttr(bufferAttrName, buffer);
  Value old = convert(gemm.getInit(), wideType);
  if (Value clear = gemm.getClear()) {
    Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getZeroAttr(wideType));
    old = rewriter.create<arith::SelectOp>(loc, clear, zero, old);
  }
  Value sum = isa<FloatType>(wide)
                  ? rewriter.create<arith::AddFOp>(loc, old, product->getResult(0)).getResult()
                  : rewriter.create<arith::AddIOp>(loc, old, product->getResult(0)).getResult();
  rewriter.replaceOp(gemm, convert(sum, type));
}

/// What a loop that does not run leaves is its start, and the cube's memory has none:
/// a branch chooses between the two.
static void guard(scf::ForOp loop, RewriterBase &rewriter) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value runs = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                              loop.getLowerBound(), loop.getUpperBound());
  auto branch = rewriter.create<scf::IfOp>(loc, loop.getResultTypes(), runs,
                                           /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(loop.getResults(), branch.getResults());
  rewriter.moveOpBefore(loop, branch.thenBlock(), branch.thenBlock()->begin());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  rewriter.create<scf::YieldOp>(loc, loop.getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  rewriter.create<scf::YieldOp>(loc, loop.getInitArgs());
}

/// A product plus zero is the product, to the bit: the cube starts from zero, so it
/// never gives a negative one. Otherwise the kernel would need the vector unit for
/// nothing.
static void dropZeroAddends(LaunchOp launch, RewriterBase &rewriter) {
  auto isWholeProduct = [](Value value) {
    auto gemm = value.getDefiningOp<GemmOp>();
    return gemm && gemm.alwaysClears();
  };
  SmallVector<Operation *> sums;
  launch.walk([&](Operation *op) {
    if (isa<arith::AddFOp, arith::AddIOp>(op))
      sums.push_back(op);
  });
  for (Operation *op : sums)
    for (unsigned i : {0, 1})
      if (isZeroTile(op->getOperand(i)) && isWholeProduct(op->getOperand(1 - i))) {
        rewriter.replaceOp(op, op->getOperand(1 - i));
        break;
      }
}

void tilekiln::splitAccumulations(LaunchOp launch, bool assumeLoopsRun,
                                  RewriterBase &rewriter) {
  SmallVector<GemmOp> gemms;
  launch.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
  AccumulatorOptions options;
  options.assumeLoopsRun = assumeLoopsRun;
  // Splitting one may take another's sum off the cube: until none changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (GemmOp &gemm : gemms) {
      if (!gemm)
        continue;
      widenSum(gemm, rewriter);
      SmallVector<scf::ForOp> assumed;
      auto why = whyNotOnCube(gemm, options, assumed);
      while (why && why->needsGuard) {
        guard(why->needsGuard, rewriter);
        assumed.clear();
        why = whyNotOnCube(gemm, options, assumed);
      }
      if (why) {
        report(gemm, *why);
        split(gemm, rewriter);
        gemm = {};
        changed = true;
        continue;
      }
      for (scf::ForOp loop : assumed)
        loop->setAttr(assumedToRunAttrName, rewriter.getUnitAttr());
      // What is overwritten anyway must not be kept alive.
      if (gemm.getClear() && !gemm.getInit().getDefiningOp<tensor::EmptyOp>()) {
        rewriter.setInsertionPoint(gemm);
        Value empty = undefinedTile(cast<RankedTensorType>(gemm.getInit().getType()),
                                    gemm.getLoc(), rewriter);
        rewriter.modifyOpInPlace(gemm, [&] { gemm.getInitMutable().set(empty); });
      }
    }
  }
  dropZeroAddends(launch, rewriter);
}
