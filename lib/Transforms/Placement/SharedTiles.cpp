//===- SharedTiles.cpp - One start and one load for each kind of reader ---===//
#include "Placement.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// A start that several values share (a constant zero, an undefined tile) would
/// tie their places together.
static void separateStarts(LaunchOp launch, RewriterBase &rewriter) {
  SmallVector<Operation *> starts;
  launch->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTile(op->getResult(0)) &&
        (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>()))
      starts.push_back(op);
  });
  SmallVector<Operation *> shared;
  launch.walk([&](FillOp fill) { shared.push_back(fill); });
  llvm::append_range(shared, starts); // a fill's empty tile is copied with it
  for (Operation *op : shared) {
    auto uses = llvm::to_vector(llvm::make_pointer_range(op->getUses()));
    if (uses.empty()) {
      rewriter.eraseOp(op);
      continue;
    }
    for (OpOperand *use : llvm::drop_begin(uses)) {
      rewriter.setInsertionPoint(use->getOwner());
      Operation *copy = rewriter.clone(*op);
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
    }
  }
}

/// Loads that both units read happen once for each of them: there is no path
/// from one's memory to the other's.
static void separateLoads(LaunchOp launch, RewriterBase &rewriter) {
  SmallVector<CopyOp> loads;
  launch.walk([&](CopyOp copy) {
    if (copy->getNumResults() && copy.isLoad())
      loads.push_back(copy);
  });
  for (CopyOp load : loads) {
    SmallVector<OpOperand *> operands, others;
    for (OpOperand &use : load->getResult(0).getUses())
      (needOf(use) == TileNeed::Operand ? operands : others).push_back(&use);
    if (operands.empty() || others.empty())
      continue;
    rewriter.setInsertionPointAfter(load);
    Operation *copy = rewriter.clone(*load);
    for (OpOperand *use : operands)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
  }
}

void tilekiln::separateSharedTiles(LaunchOp launch, RewriterBase &rewriter) {
  separateStarts(launch, rewriter);
  separateLoads(launch, rewriter);
}
