//===- AccessForm.cpp - The elements that a load or store touches ---------===//
#include "AccessForm.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

SmallVector<unsigned> Access::order() const {
  SmallVector<unsigned> order;
  for (const AccessDim &dim : dims)
    order.append(dim.dims);
  return order;
}

DimMask Access::mask() const {
  DimMask mask = 0;
  for (unsigned dim : order())
    mask |= DimMask(1) << dim;
  return mask;
}

SmallVector<int64_t> Access::keptDims() const {
  SmallVector<int64_t> kept;
  for (auto [position, dim] : llvm::enumerate(dims))
    if (!dim.isFixed())
      kept.push_back(position);
  return kept;
}

SmallVector<int64_t> Access::keptCounts() const {
  SmallVector<int64_t> counts;
  for (int64_t dim : keptDims())
    counts.push_back(dims[dim].count);
  return counts;
}

bool Access::hasRepetition() const {
  return llvm::any_of(
      dims, [](const AccessDim &dim) { return dim.repetition.has_value(); });
}

bool Access::coversBuffer() const {
  return llvm::all_of(llvm::zip(dims, getType().getShape()), [](auto pair) {
    auto &[dim, size] = pair;
    auto first = dyn_cast<AffineConstantExpr>(dim.first);
    return first && first.getValue() == 0 && dim.stride == 1 &&
           dim.count == size;
  });
}

std::string tilekiln::elementwise::describeBuffer(Value buffer) {
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>())
    return describeBuffer(view.getSource());
  if (auto alloc = buffer.getDefiningOp<commonir::AllocOp>())
    return ("\"" + alloc.getName() + "\"").str();
  if (auto tensor = buffer.getDefiningOp<commonir::TensorOp>())
    return ("\"" + tensor.getName() + "\"").str();
  return "a buffer";
}

/// first + iteration dims as the digits of a number with mixed radix: i * 8 + j
/// where j < 8. The box is then contiguous (up to a common stride).
static llvm::Expected<AccessDim> classifyLinear(IndexAnalysis &analysis,
                                                const LinearForm &form) {
  AccessDim result;
  result.first = form.uniform;
  for (unsigned dim : listDims(form.dims())) {
    if (form.coefficients[dim] < 0)
      return llvm::createStringError("runs backwards");
    result.dims.push_back(dim);
  }
  llvm::stable_sort(result.dims, [&](unsigned a, unsigned b) {
    return form.coefficients[a] > form.coefficients[b];
  });
  int64_t next = 0;
  for (unsigned dim : llvm::reverse(result.dims)) {
    int64_t coefficient = form.coefficients[dim];
    if (next == 0)
      result.stride = coefficient;
    else if (coefficient != next)
      return llvm::createStringError("mixes loop indices so that elements are "
                                     "skipped or shared");
    next = coefficient * analysis.getExtents()[dim];
    result.count *= analysis.getExtents()[dim];
  }
  return result;
}

/// first + (i + start) floordiv c, or first + (i + start) mod c; simplification
/// also writes the latter as i + first - c * ((i + start) floordiv c).
static std::optional<AccessDim> classifyPeriodic(IndexAnalysis &analysis,
                                                 AffineExpr expr) {
  AffineExpr zero = getAffineConstantExpr(0, analysis.getContext());
  AffineExpr others = zero, division;
  int64_t factor = 1;
  SmallVector<AffineExpr> terms{expr};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (term.getKind() == AffineExprKind::Add) {
      terms.push_back(cast<AffineBinaryOpExpr>(term).getLHS());
      terms.push_back(cast<AffineBinaryOpExpr>(term).getRHS());
      continue;
    }
    if (analysis.linearOf(term)) {
      others = others + term;
      continue;
    }
    if (division)
      return std::nullopt;
    if (term.getKind() == AffineExprKind::Mul) {
      auto product = cast<AffineBinaryOpExpr>(term);
      auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (!constant)
        return std::nullopt;
      factor = constant.getValue();
      term = product.getLHS();
    }
    division = term;
  }
  if (!division || (division.getKind() != AffineExprKind::FloorDiv &&
                    division.getKind() != AffineExprKind::Mod))
    return std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(division);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  std::optional<LinearForm> dividend = analysis.linearOf(binary.getLHS());
  if (!divisor || divisor.getValue() <= 0 || !dividend)
    return std::nullopt;
  SmallVector<unsigned> dims = listDims(dividend->dims());
  if (dims.size() != 1 || dividend->coefficients[dims[0]] != 1)
    return std::nullopt;
  int64_t period = divisor.getValue(), extent = analysis.getExtents()[dims[0]];
  bool isMod = division.getKind() == AffineExprKind::Mod;
  if (!isMod && factor == -period) {
    isMod = true;
    factor = 1;
    others = others - binary.getLHS();
  }
  others = analysis.simplify(others);
  if (factor != 1 || !others.isSymbolicOrConstant())
    return std::nullopt;
  AffineExpr start = analysis.simplify(dividend->uniform % period);
  // Where the start is not known, room for the worst one.
  auto known = dyn_cast<AffineConstantExpr>(start);
  int64_t uses = (known ? known.getValue() : period - 1) + extent;
  AccessDim result;
  result.dims = dims;
  if (isMod) {
    result.first = others;
    result.count = period;
    result.repetition = {true, int64_t(llvm::divideCeil(uses, period)), start};
    return result;
  }
  // An unknown start could reach an element past the last one that is used.
  if (!known)
    return std::nullopt;
  result.first = analysis.simplify(others + dividend->uniform.floorDiv(period));
  result.count = llvm::divideCeil(uses, period);
  result.repetition = {false, period, start};
  return result;
}

llvm::Expected<Access>
tilekiln::elementwise::classifyAccess(IndexAnalysis &analysis, Value buffer,
                                      ValueRange indices) {
  Access access{buffer, {}};
  if (!analysis.isUniform(buffer))
    return llvm::createStringError("it picks its buffer by a loop index");
  auto fail = [&](size_t position, const Twine &why) {
    return llvm::createStringError("index " + Twine(position) + " of " +
                                   describeBuffer(buffer) + " " + why);
  };
  DimMask seen = 0;
  for (auto [position, index] : llvm::enumerate(indices)) {
    AffineExpr expr = analysis.affineOf(index);
    if (!expr)
      return fail(position, "depends on data or is no affine expression");
    if (std::optional<LinearForm> form = analysis.linearOf(expr)) {
      llvm::Expected<AccessDim> dim = classifyLinear(analysis, *form);
      if (!dim)
        return fail(position, llvm::toString(dim.takeError()));
      access.dims.push_back(*dim);
    } else if (std::optional<AccessDim> dim =
                   classifyPeriodic(analysis, expr)) {
      access.dims.push_back(*dim);
    } else {
      return fail(position, "is not linear in the loop indices");
    }
    for (unsigned dim : access.dims.back().dims) {
      if (seen >> dim & 1)
        return fail(position, "repeats a loop index (a diagonal)");
      seen |= DimMask(1) << dim;
    }
  }
  // The vendor's compiler takes a stride of 2 inside a row (deinterleave); rows
  // may be any distance apart.
  for (auto [position, dim] : llvm::enumerate(access.dims))
    if (dim.stride > (position + 1 == access.dims.size() ? 2 : dim.stride))
      return fail(position, "has stride " + Twine(dim.stride));
  return access;
}
