//===- Guard.cpp - The conditions in front of a statement -----------------===//
#include "Guard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;
using arith::CmpIPredicate;

void Guard::add(IndexAnalysis &analysis, Condition condition) {
  terms.push_back(condition);
  dims |= analysis.dimsOf(condition.value);
  split(analysis, condition);
}

void Guard::split(IndexAnalysis &analysis, Condition condition) {
  auto [value, negated] = condition;
  Operation *def = value.getDefiningOp();
  if (matchPattern(value, negated ? m_Zero() : m_One()))
    return;
  if (def && ((isa<arith::AndIOp>(def) && !negated) ||
              (isa<arith::OrIOp>(def) && negated))) {
    split(analysis, {def->getOperand(0), negated});
    split(analysis, {def->getOperand(1), negated});
    return;
  }
  if (auto select = dyn_cast_or_null<arith::SelectOp>(def))
    if (!negated && matchPattern(select.getFalseValue(), m_Zero())) {
      split(analysis, {select.getCondition(), false});
      split(analysis, {select.getTrueValue(), false});
      return;
    }
  if (isa_and_nonnull<arith::XOrIOp>(def) &&
      matchPattern(def->getOperand(1), m_One())) {
    split(analysis, {def->getOperand(0), !negated});
    return;
  }
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(def)) {
    AffineExpr lhs = analysis.affineOf(compare.getLhs());
    AffineExpr rhs = analysis.affineOf(compare.getRhs());
    CmpIPredicate predicate = compare.getPredicate();
    if (negated)
      predicate = arith::invertPredicate(predicate);
    auto test = [&](AffineExpr expr) {
      tests.push_back(analysis.simplify(expr));
    };
    if (lhs && rhs) {
      switch (predicate) {
      case CmpIPredicate::slt:
        return test(rhs - lhs - 1);
      case CmpIPredicate::sle:
        return test(rhs - lhs);
      case CmpIPredicate::sgt:
        return test(lhs - rhs - 1);
      case CmpIPredicate::sge:
        return test(lhs - rhs);
      case CmpIPredicate::eq:
        test(lhs - rhs);
        return test(rhs - lhs);
      default:
        break;
      }
    }
  }
  if (analysis.isUniform(value))
    uniform.push_back(condition);
  else
    isExact = false;
}

bool tilekiln::elementwise::isImpliedByBounds(IndexAnalysis &analysis,
                                              AffineExpr test,
                                              const Access &access) {
  auto follows = [&](AffineExpr fact) {
    auto rest = dyn_cast<AffineConstantExpr>(analysis.simplify(test - fact));
    return rest && rest.getValue() >= 0;
  };
  auto tensor = access.buffer.getDefiningOp<commonir::TensorOp>();
  for (auto [position, dim] : llvm::enumerate(access.dims)) {
    if (dim.repetition)
      continue;
    AffineExpr index = dim.first;
    int64_t factor = dim.stride;
    for (unsigned d : llvm::reverse(dim.dims)) {
      index = index + getAffineDimExpr(d, analysis.getContext()) * factor;
      factor *= analysis.getExtents()[d];
    }
    if (follows(index))
      return true;
    AffineExpr size;
    if (tensor)
      size = analysis.affineOf(tensor.getMixedSizes()[position]);
    else if (!access.getType().isDynamicDim(position))
      size = getAffineConstantExpr(access.getType().getDimSize(position),
                                   analysis.getContext());
    if (size && follows(size - 1 - index))
      return true;
  }
  return false;
}
