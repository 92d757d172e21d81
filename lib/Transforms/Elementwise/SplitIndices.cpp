//===- SplitIndices.cpp - One index as the digits of a number -------------===//
#include "SplitIndices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallSet.h"
#include <set>

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// What the position is multiplied by in a sum; 0 where it is no plain term.
static int64_t coefficientOf(AffineExpr sum, AffineExpr position) {
  if (sum == position)
    return 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(sum);
  if (!binary)
    return 0;
  if (binary.getKind() == AffineExprKind::Add) {
    int64_t left = coefficientOf(binary.getLHS(), position);
    return left ? left : coefficientOf(binary.getRHS(), position);
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !factor)
    return 0;
  return coefficientOf(binary.getLHS(), position) * factor.getValue();
}

/// Where the digits begin: the divisors by which the body takes the index apart,
/// each a multiple of the one before. The last digit counts whole blocks of the
/// on-chip memory: the vendor's compiler pads shorter rows before they are loaded.
static SmallVector<int64_t> findDigits(BlockArgument index, int64_t extent,
                                       int64_t elementBytes) {
  constexpr int64_t blockBytes = 32;
  std::set<int64_t> divisors;
  for (OpOperand &use : index.getUses()) {
    auto apply = dyn_cast<affine::AffineApplyOp>(use.getOwner());
    if (!apply)
      continue;
    AffineMap map = apply.getAffineMap();
    unsigned number = use.getOperandNumber(), dims = map.getNumDims();
    AffineExpr position = number < dims
                              ? getAffineDimExpr(number, index.getContext())
                              : getAffineSymbolExpr(number - dims, index.getContext());
    map.getResult(0).walk([&](AffineExpr expr) {
      bool divides = expr.getKind() == AffineExprKind::FloorDiv ||
                     expr.getKind() == AffineExprKind::Mod;
      if (!divides)
        return;
      auto binary = cast<AffineBinaryOpExpr>(expr);
      auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      int64_t factor = coefficientOf(binary.getLHS(), position);
      if (divisor && factor > 0 && divisor.getValue() % factor == 0)
        divisors.insert(divisor.getValue() / factor);
    });
  }
  SmallVector<int64_t> digits;
  int64_t last = 1;
  for (int64_t divisor : divisors)
    if (divisor * elementBytes % blockBytes == 0 && divisor > last && divisor < extent && extent % divisor == 0 && divisor % last == 0) {
      digits.push_back(divisor);
      last = divisor;
    }
  return digits;
}

ElementwiseOp elementwise::splitIndices(ElementwiseOp op, ArrayRef<int64_t> extents) {
  Block &body = op.getBody().front();
  SmallVector<SmallVector<int64_t>> digits;
  bool isSplit = false;
  int64_t elementBytes = 8;
  op.walk([&](Operation *access) {
    for (Value operand : access->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        elementBytes = std::min<int64_t>(
            elementBytes, std::max(1u, type.getElementTypeBitWidth() / 8));
  });
  for (auto [index, extent] : llvm::zip_equal(body.getArguments(), extents)) {
    digits.push_back(findDigits(index, extent, elementBytes));
    isSplit |= !digits.back().empty();
  }
  if (!isSplit)
    return {};
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> counts;
  for (auto [places, extent] : llvm::zip_equal(digits, extents)) {
    int64_t above = extent;
    for (int64_t place : llvm::reverse(places)) {
      counts.push_back(builder.create<arith::ConstantIndexOp>(loc, above / place));
      above = place;
    }
    counts.push_back(builder.create<arith::ConstantIndexOp>(loc, above));
  }
  auto split = builder.create<ElementwiseOp>(loc, counts);
  builder.setInsertionPointToEnd(&split.getBody().front());
  IRMapping mapping;
  auto next = split.getBody().args_begin();
  for (auto [index, places] : llvm::zip_equal(body.getArguments(), digits)) {
    AffineExpr sum = builder.getAffineConstantExpr(0);
    SmallVector<OpFoldResult> parts;
    for (size_t i = 0; i <= places.size(); ++i) {
      int64_t place = i < places.size() ? places[places.size() - 1 - i] : 1;
      sum = sum + builder.getAffineDimExpr(unsigned(i)) * place;
      parts.push_back(Value(*next++));
    }
    OpFoldResult whole = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(unsigned(parts.size()), 0, sum), parts);
    mapping.map(index, cast<Value>(whole));
  }
  for (Operation &inner : body)
    builder.clone(inner, mapping);
  return split;
}
