//===- FuseElementwise.cpp - Fewer passes over a tile ---------------------===//
//
// See cpu-fuse-elementwise in Passes.td. Upstream's patterns do the fusing;
// this decides where it pays, and where a result may lie.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilekiln/Cpu/Passes.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_CPUFUSEELEMENTWISE
#include "tilekiln/Cpu/Passes.h.inc"

namespace {

/// A number in every element: a fill, which can fuse.
struct SplatToFill : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    Value empty = rewriter.create<tensor::EmptyOp>(op.getLoc(), op.getType(),
                                                   op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

/// A choice between two tiles by one bit, element by element. As a choice between
/// two buffers, which it would become, upstream's emulation of narrow floats would
/// convert the buffers as if they were numbers.
struct ChooseByElement : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || isa<ShapedType>(op.getCondition().getType()) ||
        !(type.getElementType().isF16() || type.getElementType().isBF16()))
      return failure();
    Location loc = op.getLoc();
    Value empty = rewriter.create<tensor::EmptyOp>(
        loc, tensor::getMixedSizes(rewriter, loc, op.getTrueValue()),
        type.getElementType());
    SmallVector<AffineMap> maps(3, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    Value condition = op.getCondition();
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange{op.getTrueValue(), op.getFalseValue()}, empty, maps,
        loops, [&](OpBuilder &b, Location loc, ValueRange scalars) {
          Value chosen = b.create<arith::SelectOp>(loc, condition, scalars[0],
                                                   scalars[1]);
          b.create<linalg::YieldOp>(loc, chosen);
        });
    return success();
  }
};

struct Generalize : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !isa<linalg::FillOp, linalg::BroadcastOp, linalg::TransposeOp,
             linalg::ReduceOp, linalg::ElemwiseUnaryOp,
             linalg::ElemwiseBinaryOp, linalg::CopyOp>(op.getOperation()))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

/// A fill or a broadcast: moves values, computes none.
bool isFree(linalg::GenericOp op) {
  return op.getBody()->getOperations().size() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           for (unsigned i = 1; i < map.getNumResults(); ++i) {
             auto before = dyn_cast<AffineDimExpr>(map.getResult(i - 1));
             auto after = dyn_cast<AffineDimExpr>(map.getResult(i));
             if (!before || !after ||
                 before.getPosition() >= after.getPosition())
               return false;
           }
           return true;
         });
}

bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  // A product goes to BLAS as it is.
  if (!producer || !consumer || linalg::isaContractionOpInterface(consumer))
    return false;
  if (isFree(producer))
    return true;
  // Two uses, or a use that repeats every element, would compute it twice.
  return producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).getNumResults() ==
             consumer.getNumLoops();
}

/// A result without storage of its own takes that of an operand: bufferization
/// then writes in place if nobody reads the operand afterwards.
void reuseOperands(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return;
  SmallPtrSet<Value, 4> taken;
  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (op.payloadUsesValueFromOperand(&out) ||
        !out.get().getDefiningOp<tensor::EmptyOp>())
      continue;
    OpOperand *best = nullptr;
    for (OpOperand *in : op.getDpsInputOperands()) {
      Value value = in->get();
      if (value.getType() != out.get().getType() || taken.contains(value) ||
          op.getMatchingIndexingMap(in) != op.getMatchingIndexingMap(&out) ||
          value.getDefiningOp<arith::ConstantOp>())
        continue;
      // What a loop carries must stay where it is, or it is copied every time.
      if (!best || isa<BlockArgument>(value))
        best = in;
    }
    if (!best)
      continue;
    taken.insert(best->get());
    out.set(best->get());
  }
}

struct CpuFuseElementwise : impl::CpuFuseElementwiseBase<CpuFuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet first(context);
    first.add<ChooseByElement, SplatToFill, Generalize>(context);
    tensor::populateDecomposeTensorConcatPatterns(first);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(first))))
      return signalPassFailure();
    RewritePatternSet fusion(context);
    linalg::populateElementwiseOpsFusionPatterns(fusion, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(fusion);
    // A body that turns out constant must not keep an input: reused for the
    // result, upstream takes the two for a copy onto itself, and drops it.
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() == "arith")
        name.getCanonicalizationPatterns(fusion, context);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(fusion))))
      return signalPassFailure();
    getOperation().walk(reuseOperands);
  }
};

} // namespace
} // namespace tilekiln
