//===- Iteration.cpp - One iteration of a kernel's blocks and loops -------===//
#include "tilekiln/Analysis/Iteration.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

static std::optional<int64_t> integerOf(Attribute attribute) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

std::optional<int64_t> Iteration::evaluate(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return integerOf(attribute);
  auto found = known.find(cast<Value>(value));
  if (found != known.end())
    return found->second;
  std::optional<int64_t> result;
  if (auto opResult = dyn_cast<OpResult>(cast<Value>(value)))
    result = evaluateResult(opResult);
  known[cast<Value>(value)] = result;
  return result;
}

std::optional<int64_t> Iteration::evaluateResult(OpResult result) {
  Operation *op = result.getOwner();
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return integerOf(constant);
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return std::nullopt;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> integer;
    if (operand.getType().isIntOrIndex())
      integer = evaluate(operand);
    if (!integer)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *integer));
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != op->getNumResults())
    return std::nullopt;
  OpFoldResult value = folded[result.getResultNumber()];
  // A folder that only changed its op in place gives the op's own result.
  if (!value || dyn_cast<Value>(value) == Value(result))
    return std::nullopt;
  return evaluate(value);
}

bool Iteration::enters(Operation *parent, Operation *op) {
  auto inside = [&](Value index, std::optional<int64_t> low,
                    std::optional<int64_t> high) {
    std::optional<int64_t> value = evaluate(index);
    return value && low && high && *low <= *value && *value < *high;
  };
  if (isa<LaunchOp, ElementwiseOp>(parent)) {
    Block &body = parent->getRegion(0).front();
    return llvm::all_of(body.getArguments(), [&](BlockArgument index) {
      std::optional<int64_t> bound =
          evaluate(parent->getOperand(index.getArgNumber()));
      // A launch whose grid depends on a symbol has at least its first block,
      // or else it would not be launched.
      if (!bound && isa<LaunchOp>(parent))
        return evaluate(index) == 0;
      return inside(index, 0, bound);
    });
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    std::optional<int64_t> low = evaluate(loop.getLowerBound());
    std::optional<int64_t> step = evaluate(loop.getStep());
    return inside(loop.getInductionVar(), low, evaluate(loop.getUpperBound())) &&
           step && *step > 0 &&
           (*evaluate(loop.getInductionVar()) - *low) % *step == 0;
  }
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    std::optional<int64_t> condition = evaluate(branch.getCondition());
    bool inThen = branch.getThenRegion().isAncestor(op->getParentRegion());
    return condition && (*condition != 0) == inThen;
  }
  return false;
}

bool Iteration::reaches(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (!enters(parent, op))
      return false;
  return true;
}
