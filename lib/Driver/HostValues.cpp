//===- HostValues.cpp - Index values that the launcher needs --------------===//
#include "HostValues.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilekiln;

void HostValues::bind(BlockArgument argument, int64_t value) {
  known[argument] = IntegerAttr::get(argument.getType(), value);
}

bool HostValues::isBound(BlockArgument argument) const {
  return known.contains(argument);
}

Attribute HostValues::fold(Value value) {
  if (Attribute attribute = known.lookup(value))
    return attribute;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(fold(operand));
    if (!operands.back())
      return {};
  }
  // Folding may change the op in place (an affine map gets simpler); a copy may.
  Operation *copy = op->clone();
  auto destroy = llvm::make_scope_exit([&] { copy->destroy(); });
  SmallVector<OpFoldResult> results;
  if (failed(copy->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  Attribute attribute = dyn_cast<Attribute>(result);
  if (!attribute)
    attribute = fold(cast<Value>(result));
  return known[value] = attribute;
}

std::optional<int64_t> HostValues::get(OpFoldResult value) {
  Attribute attribute = dyn_cast<Attribute>(value);
  if (!attribute)
    attribute = fold(cast<Value>(value));
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}
