//===- Index.cpp - Addresses: index expressions as affine ones ------------===//
//
// What upstream's ValueBounds can reason about becomes affine.apply, min and
// max over block and loop indices and symbols; the rest (products of two
// variables, values from memory) is computed and enters as one more term.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;

AffineExpr Importer::affineTerm(Value value, SmallVectorImpl<Value> &terms) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return builder.getAffineConstantExpr(known.getSExtValue());
  auto found = llvm::find(terms, value);
  size_t position = found - terms.begin();
  if (found == terms.end())
    terms.push_back(value);
  return builder.getAffineDimExpr(unsigned(position));
}

/// The operands of an apply that folds, with the terms as dimensions; canonical
/// form makes symbols of those that are.
static OpFoldResult apply(OpBuilder &builder, Location loc, AffineExpr expr,
                          ArrayRef<Value> terms) {
  auto map = AffineMap::get(unsigned(terms.size()), 0, expr);
  SmallVector<OpFoldResult> operands(terms.begin(), terms.end());
  return affine::makeComposedFoldedAffineApply(builder, loc, map, operands);
}

static bool isKnownNonNegative(Value value) {
  using Bounds = ValueBoundsConstraintSet;
  OpFoldResult zero = Builder(value.getContext()).getIndexAttr(0);
  return Bounds::compare(Bounds::Variable(value), Bounds::GE, Bounds::Variable(zero));
}

FailureOr<OpFoldResult> Importer::importFoldedIndex(TirNode node) {
  SmallVector<Value> terms;
  AffineExpr expr = affine(node, terms);
  if (!expr)
    return failure();
  OpFoldResult folded = apply(builder, here, expr, terms);
  // Also keeps MLIR's mark for "known at run time" from being taken for a number.
  constexpr int64_t limit = int64_t(1) << 62;
  std::optional<int64_t> known = getConstantIntValue(folded);
  if (known && (*known > limit || *known < -limit))
    return FailureOr<OpFoldResult>(fail() << "the index or size " << *known
                                          << " is beyond any memory");
  return folded;
}

Value Importer::importIndex(TirNode node) {
  FailureOr<OpFoldResult> folded = importFoldedIndex(node);
  return failed(folded) ? Value() : valueOf(*folded);
}

FailureOr<SmallVector<OpFoldResult>>
Importer::importFoldedIndices(ArrayRef<TirNode> nodes) {
  SmallVector<OpFoldResult> result;
  for (TirNode node : nodes) {
    FailureOr<OpFoldResult> index = importFoldedIndex(node);
    if (failed(index))
      return failure();
    result.push_back(*index);
  }
  return result;
}

OpFoldResult Importer::fromEnd(OpFoldResult index, OpFoldResult extent) {
  std::optional<int64_t> position = getConstantIntValue(index);
  if (!position || *position >= 0)
    return index;
  return affine::makeComposedFoldedAffineApply(
      builder, here, builder.getAffineDimExpr(0) + *position, {extent});
}

FailureOr<SmallVector<Value>> Importer::importIndices(ArrayRef<TirNode> nodes,
                                                      ArrayRef<OpFoldResult> extents) {
  FailureOr<SmallVector<OpFoldResult>> indices = importFoldedIndices(nodes);
  if (failed(indices))
    return failure();
  SmallVector<Value> result;
  for (auto [index, extent] : llvm::zip_equal(*indices, extents))
    result.push_back(valueOf(fromEnd(index, extent)));
  return result;
}

Value Importer::importMinMaxIndex(TirNode node, bool isMin) {
  SmallVector<Value> terms;
  AffineExpr a = affine(node["a"], terms);
  AffineExpr b = a ? affine(node["b"], terms) : AffineExpr();
  if (!b)
    return nullptr;
  auto map = AffineMap::get(unsigned(terms.size()), 0, {a, b}, context);
  SmallVector<OpFoldResult> operands(terms.begin(), terms.end());
  return valueOf(isMin ? affine::makeComposedFoldedAffineMin(builder, here, map, operands)
                       : affine::makeComposedFoldedAffineMax(builder, here, map, operands));
}

AffineExpr Importer::affineVariable(TirNode node, SmallVectorImpl<Value> &terms) {
  auto found = bindings.find(node.id());
  if (found != bindings.end() && found->second.kind == Binding::Kind::Later)
    return affine(found->second.expression, terms);
  if (found != bindings.end() && found->second.kind == Binding::Kind::Value &&
      found->second.value && found->second.value.getType().isIndex())
    return affineTerm(found->second.value, terms);
  std::optional<DType> type = dtype(node.text("dtype"));
  Value value = type ? importVariable(node) : Value();
  if (!value)
    return {};
  if (!type->isInteger()) {
    fail() << "'" << node.text("name") << "' is a " << node.text("dtype")
           << " and cannot be an index; cast it to an integer";
    return {};
  }
  value = type->isUnsigned
              ? fold<arith::IndexCastUIOp>(builder.getIndexType(), value)
              : fold<arith::IndexCastOp>(builder.getIndexType(), value);
  return affineTerm(value, terms);
}

/// Index arithmetic is that of int64: an address has no wrap-around to keep.
AffineExpr Importer::affine(TirNode node, SmallVectorImpl<Value> &terms) {
  Step step(*this);
  if (!step.ok())
    return {};
  if (std::optional<int64_t> value = node.constant())
    return builder.getAffineConstantExpr(*value);
  if (node.is("Var"))
    return affineVariable(node, terms);
  if (node.is("Min") || node.is("Max")) {
    Value value = importMinMaxIndex(node, node.is("Min"));
    return value ? affineTerm(value, terms) : AffineExpr();
  }
  std::optional<DType> type;
  if (node.is("Cast")) {
    type = dtype(node.text("dtype"));
    std::optional<DType> from =
        type ? parseDType(node["value"].text("dtype"), context) : std::nullopt;
    if (!type)
      return {};
    // Widening keeps the value; anything else is computed as a scalar.
    if (from && from->isSigned() && type->isSigned() &&
        from->scalar.getIntOrFloatBitWidth() <= type->scalar.getIntOrFloatBitWidth())
      return affine(node["value"], terms);
  }
  bool isArithmetic = node.is("Add") || node.is("Sub") || node.is("Mul") ||
                      node.is("FloorDiv") || node.is("FloorMod") ||
                      node.is("Div") || node.is("Mod");
  if (isArithmetic) {
    AffineExpr a = affine(node["a"], terms);
    AffineExpr b = a ? affine(node["b"], terms) : AffineExpr();
    if (!b)
      return {};
    if (node.is("Add"))
      return a + b;
    if (node.is("Sub"))
      return a - b;
    auto ca = dyn_cast<AffineConstantExpr>(a), cb = dyn_cast<AffineConstantExpr>(b);
    if (node.is("Mul") && (ca || cb))
      return a * b;
    if (node.is("FloorDiv") && cb && cb.getValue() > 0)
      return a.floorDiv(b);
    if (node.is("FloorMod") && cb && cb.getValue() > 0)
      return a % b;
    Value va = valueOf(apply(builder, here, a, terms));
    // Rounding towards zero is rounding down where nothing is negative.
    if ((node.is("Div") || node.is("Mod")) && cb && cb.getValue() > 0 &&
        isKnownNonNegative(va))
      return node.is("Div") ? a.floorDiv(b) : a % b;
    Value vb = valueOf(apply(builder, here, b, terms));
    DType index{builder.getIndexType(), builder.getIndexType()};
    Value value = binary(node.type(), va, vb, index);
    return value ? affineTerm(value, terms) : AffineExpr();
  }
  // A value from memory or a call: computed in its own type.
  if (!type)
    type = dtype(node.text("dtype"));
  Value value = type ? importValue(node) : Value();
  if (!value)
    return {};
  if (!type->isInteger()) {
    fail() << "a " << node.text("dtype")
           << " value cannot be an index; cast it to an integer";
    return {};
  }
  value = type->isUnsigned
              ? fold<arith::IndexCastUIOp>(builder.getIndexType(), value)
              : fold<arith::IndexCastOp>(builder.getIndexType(), value);
  return affineTerm(value, terms);
}

bool Importer::isIndexLike(TirNode node, bool &hasVariable, unsigned levels) {
  if (levels == 0 || ++work > workLimit)
    return false;
  if (node.is("Var")) {
    hasVariable = true;
    auto found = bindings.find(node.id());
    return found != bindings.end() &&
           found->second.kind == Binding::Kind::Value &&
           found->second.value.getType().isIndex();
  }
  StringRef type = node.text("dtype");
  if (type != "int32" && type != "int64")
    return false;
  if (node.constant())
    return true;
  if (node.is("Cast"))
    return type == "int64" && isIndexLike(node["value"], hasVariable, levels - 1);
  for (StringRef name : {"Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Div", "Mod", "Min",
                         "Max"})
    if (node.is(name))
      return isIndexLike(node["a"], hasVariable, levels - 1) &&
             isIndexLike(node["b"], hasVariable, levels - 1);
  return false;
}
