//===- IndexAnalysis.cpp - What values say about the indices --------------===//
#include "IndexAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

SmallVector<unsigned> tilekiln::elementwise::listDims(DimMask mask) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < 32; ++dim)
    if (mask >> dim & 1)
      dims.push_back(dim);
  return dims;
}

DimMask LinearForm::dims() const {
  DimMask mask = 0;
  for (auto [dim, coefficient] : llvm::enumerate(coefficients))
    if (coefficient != 0)
      mask |= DimMask(1) << dim;
  return mask;
}

IndexAnalysis::IndexAnalysis(commonir::ElementwiseOp op,
                             ArrayRef<int64_t> allExtents)
    : op(op) {
  Block &body = op.getBody().front();
  bool single = llvm::all_of(allExtents, [](int64_t n) { return n == 1; });
  for (auto [argument, extent] : llvm::zip(body.getArguments(), allExtents)) {
    bool innermost = argument.getArgNumber() + 1 == body.getNumArguments();
    if (extent == 1 && !(single && innermost)) {
      affine[argument] = getAffineConstantExpr(0, getContext());
      continue;
    }
    affine[argument] = getAffineDimExpr(extents.size(), getContext());
    dependence[argument] = DimMask(1) << extents.size();
    extents.push_back(extent);
  }
  propagateDependence();
}

/// A value depends on what its operands depend on; through loops and branches
/// until nothing changes.
void IndexAnalysis::propagateDependence() {
  bool changed = true;
  auto add = [&](Value value, DimMask mask) {
    DimMask &old = dependence[value];
    changed |= (old | mask) != old;
    old |= mask;
  };
  while (changed) {
    changed = false;
    op.getBody().walk([&](Operation *inner) {
      if (auto loop = dyn_cast<scf::ForOp>(inner)) {
        DimMask bounds = dimsOf(loop.getLowerBound()) |
                         dimsOf(loop.getUpperBound()) | dimsOf(loop.getStep());
        add(loop.getInductionVar(), bounds);
        for (auto [init, argument, yielded, result] :
             llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults())) {
          add(argument, dimsOf(init) | dimsOf(yielded) | bounds);
          add(result, dimsOf(argument));
        }
        return;
      }
      DimMask mask = 0;
      for (Value operand : inner->getOperands())
        mask |= dimsOf(operand);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
            for (Value yielded : block.back().getOperands())
              mask |= dimsOf(yielded);
      for (Value result : inner->getResults())
        add(result, mask);
    });
  }
}

AffineExpr IndexAnalysis::affineOf(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, getContext());
  return affineOf(cast<Value>(value));
}

AffineExpr IndexAnalysis::affineOf(Value value) {
  if (!value.getType().isIntOrIndex() || value.getType().isInteger(1))
    return {};
  if (auto known = affine.find(value); known != affine.end())
    return known->second;
  AffineExpr expr = computeAffine(value);
  if (!expr && isUniform(value)) {
    expr = getAffineSymbolExpr(symbols.size(), getContext());
    symbols.push_back(value);
  }
  if (expr)
    expr = simplify(expr);
  affine[value] = expr;
  return expr;
}

AffineExpr IndexAnalysis::computeAffine(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), getContext());
  Operation *def = value.getDefiningOp();
  if (!def)
    return {};
  // Narrow integers wrap; addresses and indices do not.
  auto isWide = [](Type type) {
    return type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def)) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands()) {
      operands.push_back(affineOf(operand));
      if (!operands.back())
        return {};
    }
    unsigned numDims = apply.getAffineMap().getNumDims();
    AffineExpr expr = apply.getAffineMap().getResult(0);
    // A product of two indices is no affine expression.
    bool products = !expr.isPureAffine();
    if (products &&
        llvm::any_of(operands, [&](AffineExpr e) { return dependsOnDims(e); }))
      return {};
    return expr.replaceDimsAndSymbols(ArrayRef(operands).take_front(numDims),
                                      ArrayRef(operands).drop_front(numDims));
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(def)) {
    if (!isWide(value.getType()) || !isWide(def->getOperand(0).getType()))
      return {};
    return affineOf(def->getOperand(0));
  }
  if (!isWide(value.getType()) ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp>(
          def))
    return {};
  AffineExpr lhs = affineOf(def->getOperand(0));
  AffineExpr rhs = affineOf(def->getOperand(1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(def))
    return lhs + rhs;
  if (isa<arith::SubIOp>(def))
    return lhs - rhs;
  if (isa<arith::MulIOp>(def)) {
    if (rhs.isSymbolicOrConstant())
      return lhs * rhs;
    return lhs.isSymbolicOrConstant() ? rhs * lhs : AffineExpr();
  }
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  return divisor && divisor.getValue() > 0 ? lhs.floorDiv(rhs) : AffineExpr();
}

AffineExpr IndexAnalysis::simplify(AffineExpr expr) const {
  return simplifyAffineExpr(expr, extents.size(), symbols.size());
}

bool IndexAnalysis::dependsOnDims(AffineExpr expr) const {
  return !expr.isSymbolicOrConstant();
}

std::optional<LinearForm> IndexAnalysis::linearOf(AffineExpr expr) {
  AffineExpr zero = getAffineConstantExpr(0, getContext());
  LinearForm form{SmallVector<int64_t>(extents.size(), 0), zero};
  if (!dependsOnDims(expr)) {
    form.uniform = expr;
    return form;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] = 1;
    return form;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<LinearForm> lhs = linearOf(binary.getLHS());
  if (!lhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<LinearForm> rhs = linearOf(binary.getRHS());
    if (!rhs)
      return std::nullopt;
    for (auto [sum, term] : llvm::zip(lhs->coefficients, rhs->coefficients))
      sum += term;
    lhs->uniform = simplify(lhs->uniform + rhs->uniform);
    return lhs;
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t factor = constant.getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    for (int64_t &coefficient : lhs->coefficients)
      coefficient *= factor;
    lhs->uniform = simplify(lhs->uniform * factor);
    return lhs;
  case AffineExprKind::FloorDiv:
    return divide(*lhs, factor, /*remainder=*/false);
  case AffineExprKind::Mod:
    return divide(*lhs, factor, /*remainder=*/true);
  default:
    return std::nullopt;
  }
}

/// A division is linear where what is left over by the divisor's multiples lies
/// between two neighbouring multiples: (64 * b + i) floordiv 64 with i < 64.
std::optional<LinearForm>
IndexAnalysis::divide(const LinearForm &form, int64_t divisor, bool remainder) {
  if (divisor <= 0)
    return std::nullopt;
  AffineExpr zero = getAffineConstantExpr(0, getContext());
  LinearForm quotient{SmallVector<int64_t>(extents.size(), 0), zero};
  LinearForm rest = quotient;
  for (auto [dim, coefficient] : llvm::enumerate(form.coefficients)) {
    bool multiple = coefficient % divisor == 0;
    quotient.coefficients[dim] = multiple ? coefficient / divisor : 0;
    rest.coefficients[dim] = multiple ? 0 : coefficient;
  }
  // The uniform part, term by term.
  SmallVector<AffineExpr> terms{form.uniform};
  int64_t constant = 0;
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (auto value = dyn_cast<AffineConstantExpr>(term)) {
      constant += value.getValue();
    } else if (term.isMultipleOf(divisor)) {
      quotient.uniform = quotient.uniform + term.floorDiv(divisor);
    } else if (term.getKind() == AffineExprKind::Add) {
      terms.push_back(cast<AffineBinaryOpExpr>(term).getLHS());
      terms.push_back(cast<AffineBinaryOpExpr>(term).getRHS());
    } else {
      return std::nullopt;
    }
  }
  IndexRange range = rangeOf(rest);
  int64_t low = llvm::divideFloorSigned(range.min + constant, divisor);
  if (low != llvm::divideFloorSigned(range.max + constant, divisor))
    return std::nullopt;
  quotient.uniform = simplify(quotient.uniform + low);
  rest.uniform = getAffineConstantExpr(constant - low * divisor, getContext());
  return remainder ? rest : quotient;
}

IndexRange IndexAnalysis::rangeOf(const LinearForm &form) const {
  IndexRange range{0, 0};
  for (auto [coefficient, extent] : llvm::zip(form.coefficients, extents)) {
    int64_t last = coefficient * (extent - 1);
    (last < 0 ? range.min : range.max) += last;
  }
  return range;
}
