//===- StepOrder.cpp - Loops whose steps must not be taken apart ----------===//
//
// Of a loop with products the vendor's compiler makes one loop for each stretch
// between them: a few steps of the first stretch, then as many of the second. It
// keeps each carried tile in the stretch that makes it, and does not see that an
// earlier stretch of the next step reads it: that one sees the value from before
// all of those steps. Such a loop is found here, and compiled without that pass.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Conversion/StepOrder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace {

/// Counts the products on the way to each value of one loop's body.
class Stretches {
public:
  explicit Stretches(scf::ForOp loop) : loop(loop) {}

  bool readCarriedTilesEarly() {
    auto yielded = loop.getBody()->getTerminator()->getOperands();
    for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (isa<RankedTensorType>(argument.getType()) &&
          isReadBefore(argument, position, after(yielded[position])))
        return true;
    return false;
  }

private:
  static bool hasProduct(Operation *op) {
    return op->walk([](linalg::MatmulOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Of an op in the body, whatever its regions hold.
  unsigned before(Operation *op) {
    llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
    unsigned products = 0;
    for (Value input : inputs)
      products = std::max(products, after(input));
    return products;
  }

  unsigned after(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return 0;
    auto known = memo.find(value);
    if (known != memo.end())
      return known->second;
    unsigned products = before(op) + hasProduct(op);
    return memo[value] = products;
  }

  /// Whether anything but the carried tile itself comes of it with fewer products
  /// before than its next value has.
  bool isReadBefore(Value argument, unsigned position, unsigned products) {
    SmallVector<Value> worklist{argument};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (products > 0 && !worklist.empty())
      for (OpOperand &use : worklist.pop_back_val().getUses()) {
        Operation *op = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
        if (!op)
          continue;
        if (isa<scf::YieldOp>(op)) {
          if (use.getOperandNumber() != position && after(use.get()) < products)
            return true;
          continue;
        }
        bool isEnd = op->getNumResults() == 0 || (hasProduct(op) && !isSum(use));
        if (isEnd && before(op) < products)
          return true;
        if (seen.insert(op).second)
          llvm::append_range(worklist, op->getResults());
      }
    return false;
  }

  /// What a product, or a loop of them, adds to.
  static bool isSum(OpOperand &use) {
    if (auto product = dyn_cast<linalg::MatmulOp>(use.getOwner()))
      return product.isDpsInit(&use);
    auto inner = dyn_cast<scf::ForOp>(use.getOwner());
    return inner && use.getOperandNumber() >= inner.getNumControlOperands();
  }

  scf::ForOp loop;
  llvm::DenseMap<Value, unsigned> memo;
};

} // namespace

bool tilekiln::needsStepOrder(Operation *entry) {
  return entry
      ->walk([](scf::ForOp loop) {
        return Stretches(loop).readCarriedTilesEarly() ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}
