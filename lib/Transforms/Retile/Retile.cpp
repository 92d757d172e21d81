//===- Retile.cpp - Parts of tiles, for tiles that do not fit -------------===//
//
// See retile in Passes.td.
//
//===----------------------------------------------------------------------===//
#include "Retile.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_RETILE
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

std::optional<int64_t> tilekiln::partOf(int64_t extent, int64_t parts, int64_t alignment) {
  for (int64_t part = extent / parts / alignment * alignment; part > 0; part -= alignment)
    if (extent % part == 0)
      return part;
  return std::nullopt;
}

void tilekiln::separateStarts(LaunchOp launch, RewriterBase &rewriter) {
  llvm::SetVector<Operation *> starts;
  // Numbers that are computed from a tile's indices alone are as good as starts.
  auto isOfStarts = [&](Operation *op) {
    return OpTrait::hasElementwiseMappableTraits(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *made = operand.getDefiningOp();
             return !isa<RankedTensorType>(operand.getType()) ||
                    (made && starts.contains(made));
           });
  };
  launch->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    bool isTile = op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType());
    if (isTile &&
        (isa<tensor::EmptyOp, tensor::SplatOp, IotaOp, FillOp, arith::ConstantOp>(op) ||
         isOfStarts(op)))
      starts.insert(op);
  });
  // Readers first: a fill that was copied wants an empty tile of its own.
  for (Operation *start : llvm::reverse(starts))
    for (OpOperand &use : llvm::make_early_inc_range(start->getUses())) {
      if (!launch->isAncestor(use.getOwner()))
        continue;
      // Where the launch reads it: what lies before the launch is no tile of it.
      rewriter.setInsertionPoint(launch->isAncestor(start)
                                     ? start
                                     : launch.getBody().findAncestorOpInRegion(*use.getOwner()));
      Operation *own = rewriter.clone(*start);
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(own->getResult(0)); });
    }
  for (Operation *start : llvm::reverse(starts))
    if (start->use_empty())
      rewriter.eraseOp(start);
}

namespace {

struct Retile : tilekiln::impl::RetileBase<Retile> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (LaunchOp launch : getOperation().getOps<LaunchOp>()) {
      auto take = [&](StringRef name) -> int64_t {
        auto parts = llvm::dyn_cast_or_null<IntegerAttr>(launch->removeAttr(name));
        return parts ? parts.getInt() : 1;
      };
      int64_t rowParts = take(rowPartsAttrName), stepParts = take(stepPartsAttrName);
      if (rowParts > 1 || stepParts > 1)
        separateStarts(launch, rewriter);
      if (stepParts > 1)
        cutSteps(launch, stepParts, rewriter);
      if (rowParts > 1)
        cutRows(launch, rowParts, rewriter);
    }
  }
};

} // namespace
