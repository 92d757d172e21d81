//===- IterationDomain.cpp - All iterations at which an op runs -----------===//
#include "tilekiln/Analysis/IterationDomain.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;
using presburger::BoundType;
using presburger::IntegerPolyhedron;
using presburger::VarKind;

IterationDomain::IterationDomain(Operation *op)
    : ValueBoundsConstraintSet(
          op->getContext(),
          [this](Value value, std::optional<int64_t> dim,
                 ValueBoundsConstraintSet &) { return !dim && model(value); }) {
  addSurroundings(op);
}

//===----------------------------------------------------------------------===//
// What is known of values
//===----------------------------------------------------------------------===//

bool IterationDomain::model(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<func::FuncOp>(owner)) {
      // A symbol is an extent of a tensor.
      if (function.getArgAttr(argument.getArgNumber(), symbolAttrName))
        bound(value) >= 0;
      return true;
    }
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (loop && value == loop.getInductionVar()) {
      modelLoop(value);
      return true;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp,
            arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return modelDivision(op); })
      .Case([&](arith::MulIOp) {
        modelProduct(op);
        return false;
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto op) {
        modelChoice(value, isa<arith::MinSIOp>(op),
                    {getExpr(op.getLhs()), getExpr(op.getRhs())});
        return true;
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto op) {
        AffineMap map = op.getMap();
        SmallVector<AffineExpr> operands;
        for (Value operand : op->getOperands())
          operands.push_back(getExpr(operand));
        ArrayRef<AffineExpr> all(operands);
        SmallVector<AffineExpr> choices;
        for (AffineExpr result : map.getResults())
          choices.push_back(result.replaceDimsAndSymbols(
              all.take_front(map.getNumDims()), all.drop_front(map.getNumDims())));
        modelChoice(value, isa<affine::AffineMinOp>(op), choices);
        return true;
      })
      .Default([](Operation *) { return false; });
}

/// The smallest of all choices lies below each of them, and not below the least
/// that any of them can be; the largest likewise.
void IterationDomain::modelChoice(Value result, bool isSmallest,
                                  ArrayRef<AffineExpr> choices) {
  std::optional<int64_t> end;
  bool allHaveEnd = true;
  for (AffineExpr choice : choices) {
    if (isSmallest)
      bound(result) <= choice;
    else
      bound(result) >= choice;
    std::optional<Extreme> extreme = isSmallest ? minimum(choice) : maximum(choice);
    allHaveEnd &= extreme.has_value();
    if (extreme && end)
      end = isSmallest ? std::min(*end, extreme->value) : std::max(*end, extreme->value);
    else if (extreme)
      end = extreme->value;
  }
  if (!allHaveEnd || !end)
    return;
  if (isSmallest)
    bound(result) >= *end;
  else
    bound(result) <= *end;
}

/// lower + step * n < upper for some n >= 0.
void IterationDomain::modelLoop(Value index) {
  auto loop = cast<scf::ForOp>(cast<BlockArgument>(index).getOwner()->getParentOp());
  AffineExpr lower = getExpr(loop.getLowerBound());
  AffineExpr upper = getExpr(loop.getUpperBound());
  bound(index) >= lower;
  bound(index) < upper;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 1)
    return;
  int64_t round = insert(/*isSymbol=*/true);
  addBound(BoundType::LB, round, builder.getAffineConstantExpr(0));
  addBound(BoundType::UB, round, (upper - lower - 1).floorDiv(*step) + 1);
  bound(index) == lower + getPosExpr(round) * *step;
}

bool IterationDomain::modelDivision(Operation *op) {
  Value result = op->getResult(0), dividend = op->getOperand(0);
  AffineExpr a = getExpr(dividend), b = getExpr(op->getOperand(1));
  auto divisor = dyn_cast<AffineConstantExpr>(b);
  bool positive = divisor && divisor.getValue() > 0;
  if (positive && isa<arith::FloorDivSIOp>(op)) {
    bound(result) == a.floorDiv(b);
    return true;
  }
  if (positive && isa<arith::CeilDivSIOp>(op)) {
    bound(result) == a.ceilDiv(b);
    return true;
  }
  // The others differ from floor division below zero.
  if (!isAlwaysAtLeast(dividend, 0))
    return true;
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if (positive) {
    bound(result) == (isRemainder ? a % b : a.floorDiv(b));
    return true;
  }
  if (isAlwaysAtLeast(op->getOperand(1), 1)) {
    bound(result) >= 0;
    bound(result) <= a;
    if (isRemainder)
      bound(result) < b;
  }
  return true;
}

/// Products of two variables are outside of linear constraints; their ends are
/// products of the factors' ends.
void IterationDomain::modelProduct(Operation *op) {
  AffineExpr a = getExpr(op->getOperand(0)), b = getExpr(op->getOperand(1));
  if (isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b) ||
      !isAlwaysAtLeast(op->getOperand(0), 0) ||
      !isAlwaysAtLeast(op->getOperand(1), 0))
    return;
  Value product = op->getResult(0);
  bound(product) >= 0;
  std::optional<Extreme> endA = maximum(a), endB = maximum(b);
  if (endA)
    bound(product) <= b * endA->value;
  if (endB)
    bound(product) <= a * endB->value;
}

//===----------------------------------------------------------------------===//
// What is known where the op runs
//===----------------------------------------------------------------------===//

void IterationDomain::addCondition(Value condition, bool holds) {
  Operation *op = condition.getDefiningOp();
  // "and" that holds and "or" that does not are facts about both sides.
  if ((isa_and_nonnull<arith::AndIOp>(op) && holds) ||
      (isa_and_nonnull<arith::OrIOp>(op) && !holds)) {
    addCondition(op->getOperand(0), holds);
    addCondition(op->getOperand(1), holds);
    return;
  }
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!comparison || !comparison.getLhs().getType().isIndex())
    return;
  arith::CmpIPredicate predicate = comparison.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  AffineExpr a = getExpr(comparison.getLhs()), b = getExpr(comparison.getRhs());
  int64_t difference = column(a - b);
  auto restrict = [&](BoundType type, int64_t limit) {
    cstr.addBound(type, difference, limit);
  };
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return restrict(BoundType::EQ, 0);
  case Predicate::slt:
    return restrict(BoundType::UB, -1);
  case Predicate::sle:
    return restrict(BoundType::UB, 0);
  case Predicate::sgt:
    return restrict(BoundType::LB, 1);
  case Predicate::sge:
    return restrict(BoundType::LB, 0);
  default:
    return;
  }
}

void IterationDomain::addSurroundings(Operation *op) {
  // Outermost first, so that products and remainders find their factors' bounds.
  SmallVector<Operation *> parents;
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    parents.push_back(parent);
  for (Operation *parent : llvm::reverse(parents)) {
    if (isa<LaunchOp, ElementwiseOp>(parent)) {
      for (Value index : parent->getRegion(0).getArguments())
        populateConstraints(index, std::nullopt);
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      populateConstraints(loop.getInductionVar(), std::nullopt);
    } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      addCondition(branch.getCondition(),
                   branch.getThenRegion().isAncestor(op->getParentRegion()));
      processWorklist();
    }
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

int64_t IterationDomain::column(AffineExpr expression) {
  processWorklist();
  int64_t position = insert(/*isSymbol=*/true);
  addBound(BoundType::EQ, position, expression);
  return position;
}

bool IterationDomain::isEmptyWith(AffineExpr atLeastZero) {
  int64_t position = column(atLeastZero);
  IntegerPolyhedron set(cstr);
  set.addBound(BoundType::LB, position, 0);
  // The rational question is quick and mostly enough.
  return presburger::Simplex(set).isEmpty() || set.isIntegerEmpty();
}

bool IterationDomain::isAlwaysLess(AffineExpr a, AffineExpr b) {
  return isEmptyWith(a - b);
}

bool IterationDomain::isAlwaysAtMost(AffineExpr a, AffineExpr b) {
  return isEmptyWith(a - b - 1);
}

bool IterationDomain::isAlwaysAtLeast(Value value, int64_t limit) {
  AffineExpr expression = getExpr(value);
  return isAlwaysAtMost(builder.getAffineConstantExpr(limit), expression);
}

std::optional<IterationDomain::Extreme>
IterationDomain::lowest(AffineExpr expression) {
  int64_t position = column(expression);
  // The lexicographic minimum looks at the first column first.
  IntegerPolyhedron set(cstr);
  unsigned symbols = set.getNumSymbolVars();
  set.convertVarKind(VarKind::Symbol, 0, symbols, VarKind::SetDim, 0);
  set.insertVar(VarKind::SetDim, 0);
  SmallVector<int64_t> same(set.getNumCols(), 0);
  same[0] = 1;
  same[position + 1] = -1;
  set.addEquality(same);
  auto found = set.findIntegerLexMin();
  if (!found.isBounded()) {
    // Some other variable has no end (an index read from memory): the bound may
    // still be known, if not where it is reached.
    SmallVector<llvm::DynamicAPInt> objective(set.getNumCols());
    objective[0] = 1;
    auto bound = presburger::Simplex(set).computeOptimum(
        presburger::Simplex::Direction::Down, objective);
    if (!bound.isBounded())
      return std::nullopt;
    return Extreme{int64_t(presburger::ceil(*bound)), {}};
  }
  Extreme extreme{int64_t((*found)[0]), {}};
  for (auto [index, entry] : llvm::enumerate(positionToValueDim))
    if (entry && entry->second == kIndexValue &&
        isa<BlockArgument>(entry->first) &&
        !isa<func::FuncOp>(entry->first.getParentBlock()->getParentOp()))
      extreme.iteration.set(entry->first, int64_t((*found)[index + 1]));
  return extreme;
}

std::optional<IterationDomain::Extreme>
IterationDomain::minimum(AffineExpr expression) {
  return lowest(expression);
}

std::optional<IterationDomain::Extreme>
IterationDomain::maximum(AffineExpr expression) {
  std::optional<Extreme> extreme = lowest(-expression);
  if (extreme)
    extreme->value = -extreme->value;
  return extreme;
}
