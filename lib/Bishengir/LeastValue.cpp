//===- LeastValue.cpp - Does a loop of the final IR surely run? -----------===//
//
// Not upstream's ValueBoundsOpInterface: it has no model of products, divisions
// and remainders of values, which is how the block index is taken apart.
//
//===----------------------------------------------------------------------===//
#include "LeastValue.h"
#include "Trace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilekiln::bishengir {
namespace {

using Least = std::optional<int64_t>;

/// Far from overflow, so that a sum or product of two of them stays right.
constexpr int64_t greatestUsed = int64_t(1) << 31;

Least inRange(Least value) {
  return value && *value >= -greatestUsed && *value <= greatestUsed ? value : std::nullopt;
}

Least sum(Least a, Least b) { return a && b ? inRange(*a + *b) : std::nullopt; }

/// Of factors that are not negative.
Least product(Least a, Least b) {
  return a && b && *a >= 0 && *b >= 0 ? inRange(*a * *b) : std::nullopt;
}

/// The larger one of those that are known.
Least larger(Least a, Least b) {
  return a && b ? Least(std::max(*a, *b)) : a ? a : b;
}

Least smaller(Least a, Least b) {
  return a && b ? Least(std::min(*a, *b)) : std::nullopt;
}

/// `then`, if the value is known not to be negative.
Least ifNatural(Least value, Least then) {
  return value && *value >= 0 ? then : std::nullopt;
}

class LeastValue {
public:
  Least of(Value value) {
    constexpr unsigned deepest = 16;
    if (Least constant = getConstant(value))
      return inRange(constant);
    if (depth == deepest)
      return std::nullopt;
    ++depth;
    auto argument = dyn_cast<BlockArgument>(value);
    Least least = argument ? ofArgument(argument) : ofResult(cast<OpResult>(value));
    --depth;
    return least;
  }

  Least of(AffineExpr expr, unsigned dims, ValueRange operands) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return inRange(constant.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return of(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return of(operands[dims + symbol.getPosition()]);
    auto both = cast<AffineBinaryOpExpr>(expr);
    Least left = of(both.getLHS(), dims, operands);
    if (both.getKind() == AffineExprKind::Add)
      return sum(left, of(both.getRHS(), dims, operands));
    auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
    if (factor && both.getKind() == AffineExprKind::Mul && factor.getValue() < 0) {
      Least most = lastStep(both.getLHS(), dims, operands);
      return most && factor.getValue() >= -greatestUsed ? inRange(*most * factor.getValue())
                                                        : std::nullopt;
    }
    if (!factor || factor.getValue() <= 0)
      return std::nullopt;
    if (both.getKind() == AffineExprKind::Mod)
      return 0;
    if (!left || factor.getValue() > greatestUsed)
      return std::nullopt;
    if (both.getKind() == AffineExprKind::Mul)
      return inRange(*left * factor.getValue());
    return both.getKind() == AffineExprKind::FloorDiv
               ? llvm::divideFloorSigned(*left, factor.getValue())
               : llvm::divideCeilSigned(*left, factor.getValue());
  }

private:
  /// The greatest value of a loop's index with constant bounds, as where the
  /// vendor's compiler runs a loop in groups of steps: min(4, 9 - i).
  static Least lastStep(AffineExpr expr, unsigned dims, ValueRange operands) {
    Value value;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      value = operands[dim.getPosition()];
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      value = operands[dims + symbol.getPosition()];
    auto index = dyn_cast_or_null<BlockArgument>(value);
    auto loop = index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || index != loop.getInductionVar())
      return std::nullopt;
    Least low = inRange(getConstant(loop.getLowerBound()));
    Least high = inRange(getConstant(loop.getUpperBound()));
    Least step = inRange(getConstant(loop.getStep()));
    if (!low || !high || !step || *step < 1 || *low >= *high)
      return std::nullopt;
    return *low + (*high - 1 - *low) / *step * *step;
  }

  /// The launcher appends the grid's three extents to the arguments.
  Least ofArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar() ? of(loop.getLowerBound()) : std::nullopt;
    auto function = dyn_cast<func::FuncOp>(parent);
    if (!function || !function->hasAttr("hacc.entry"))
      return std::nullopt;
    constexpr unsigned gridArguments = 3;
    bool isGrid = argument.getArgNumber() + gridArguments >= function.getNumArguments();
    return isGrid && argument.getType().isInteger(32) ? Least(1) : std::nullopt;
  }

  Least ofResult(OpResult result) {
    Operation *op = result.getOwner();
    auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
    return llvm::TypeSwitch<Operation *, Least>(op)
        .Case<hivm::GetBlockIdxOp, hivm::GetSubBlockIdxOp>([](auto) { return Least(0); })
        .Case<hivm::GetBlockNumOp>([](auto) { return Least(1); })
        .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) { return operand(0); })
        // These keep what fits 31 bits, which a block index does.
        .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
            [&](auto) { return ifNatural(operand(0), operand(0)); })
        .Case<arith::TruncIOp>([&](arith::TruncIOp truncate) {
          bool isBlock = truncate.getIn().getDefiningOp<hivm::GetBlockIdxOp>() &&
                         truncate.getType().isInteger(32);
          return isBlock ? Least(0) : std::nullopt;
        })
        .Case<arith::AddIOp>([&](auto) { return sum(operand(0), operand(1)); })
        .Case<arith::MulIOp>([&](auto) { return product(operand(0), operand(1)); })
        .Case<arith::DivSIOp, arith::FloorDivSIOp>([&](auto) {
          Least divisor = operand(1);
          return divisor && *divisor > 0 ? ifNatural(operand(0), 0) : std::nullopt;
        })
        // The sign is the dividend's.
        .Case<arith::RemSIOp>([&](auto) { return ifNatural(operand(0), 0); })
        .Case<arith::MaxSIOp>([&](auto) { return larger(operand(0), operand(1)); })
        .Case<arith::MinSIOp>([&](auto) { return smaller(operand(0), operand(1)); })
        .Case<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp>(
            [&](auto bound) {
              AffineMap map = bound.getMap();
              auto ofExpr = [&](AffineExpr expr) {
                return of(expr, map.getNumDims(), op->getOperands());
              };
              Least least = ofExpr(map.getResult(0));
              for (AffineExpr expr : map.getResults().drop_front())
                least = isa<affine::AffineMinOp>(op) ? smaller(least, ofExpr(expr))
                                                     : larger(least, ofExpr(expr));
              return least;
            })
        .Default([](Operation *) { return std::nullopt; });
  }

  unsigned depth = 0;
};

} // namespace

bool surelyRuns(scf::ForOp loop) {
  AffineExpr low, high;
  bindDims(loop.getContext(), low, high);
  AffineMap distance = AffineMap::get(2, 0, high - low);
  SmallVector<Value> operands = {loop.getLowerBound(), loop.getUpperBound()};
  // What both bounds are computed from cancels out.
  affine::fullyComposeAffineMapAndOperands(&distance, &operands);
  affine::canonicalizeMapAndOperands(&distance, &operands);
  AffineExpr simple = simplifyAffineExpr(distance.getResult(0), distance.getNumDims(),
                                         distance.getNumSymbols());
  Least least = LeastValue().of(simple, distance.getNumDims(), operands);
  return least && *least > 0;
}

} // namespace tilekiln::bishengir
