//===- IndexTiles.cpp - Loop indices as numbers in tiles ------------------===//
//
// The vendor's vector unit divides i32 through f32, exact below 2^24 only.
// Index expressions are therefore split: what is the same in all iterations is
// computed on the scalar unit, exactly, and only small remainders meet a
// division.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "TileOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

OpFoldResult TileEmitter::indexOf(Location loc, AffineExpr uniform) {
  if (auto constant = dyn_cast<AffineConstantExpr>(uniform))
    return builder.getIndexAttr(constant.getValue());
  SmallVector<OpFoldResult> operands;
  SmallVector<AffineExpr> replacements;
  // Only what is used; as dimensions where a map can have it so.
  bool asDims = uniform.isPureAffine();
  for (auto [position, symbol] : llvm::enumerate(analysis.getSymbols())) {
    if (!uniform.isFunctionOfSymbol(position)) {
      replacements.push_back(builder.getAffineConstantExpr(0));
      continue;
    }
    unsigned place = operands.size();
    replacements.push_back(asDims ? builder.getAffineDimExpr(place)
                                  : builder.getAffineSymbolExpr(place));
    Value scalar = scalarOf(symbol);
    if (!scalar.getType().isIndex())
      scalar = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                  scalar);
    operands.push_back(scalar);
  }
  AffineExpr expr = uniform.replaceSymbols(replacements);
  unsigned count = operands.size();
  auto map = AffineMap::get(asDims ? count : 0, asDims ? 0 : count, expr);
  return affine::makeComposedFoldedAffineApply(builder, loc, map, operands);
}

Value TileEmitter::indexValueOf(Location loc, AffineExpr uniform) {
  return getValueOrCreateConstantIndexOp(builder, loc, indexOf(loc, uniform));
}

Value TileEmitter::narrow(Location loc, OpFoldResult index) {
  if (auto constant = getConstantIntValue(index))
    return builder.create<arith::ConstantIntOp>(loc, *constant, 32);
  return builder.create<arith::IndexCastOp>(loc, builder.getI32Type(),
                                            cast<Value>(index));
}

Value TileEmitter::iota(Location loc, unsigned dim) {
  Value &known = iotas[dim];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(anchor);
    auto type =
        RankedTensorType::get(analysis.getExtents()[dim], builder.getI32Type());
    known = builder.create<commonir::IotaOp>(loc, type);
  }
  return known;
}

/// sum(coefficient * index) over the dims that are asked for.
Value TileEmitter::linearTile(Location loc, ArrayRef<int64_t> coefficients,
                              DimMask dims) {
  Tile sum;
  for (unsigned dim : listDims(dims)) {
    Value term = iota(loc, dim);
    if (coefficients[dim] != 1)
      term = builder.create<arith::MulIOp>(
          loc, term,
          buildConstant(builder, loc, builder.getI32Type(), coefficients[dim],
                        shapeOf(term)));
    Tile tile{term, DimMask(1) << dim};
    if (!sum.value) {
      sum = tile;
      continue;
    }
    DimMask both = sum.dims | tile.dims;
    sum = {builder.create<arith::AddIOp>(loc, broadcast(loc, sum, both).value,
                                         broadcast(loc, tile, both).value),
           both};
  }
  return sum.value;
}

llvm::Expected<Tile> TileEmitter::numbersOf(Location loc, AffineExpr expr) {
  if (std::optional<LinearForm> form = analysis.linearOf(expr)) {
    DimMask dims = form->dims();
    if (dims == 0)
      return Tile{narrow(loc, indexOf(loc, form->uniform)), 0};
    Value sum = linearTile(loc, form->coefficients, dims);
    OpFoldResult uniform = indexOf(loc, form->uniform);
    if (!isConstantIntValue(uniform, 0))
      sum = builder.create<arith::AddIOp>(
          loc, sum,
          buildSplat(builder, loc, narrow(loc, uniform), shapeOf(sum)));
    return Tile{sum, dims};
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mul: {
    auto lhs = numbersOf(loc, binary.getLHS());
    if (!lhs)
      return lhs.takeError();
    auto rhs = numbersOf(loc, binary.getRHS());
    if (!rhs)
      return rhs.takeError();
    DimMask dims = lhs->dims | rhs->dims;
    Value a = broadcast(loc, *lhs, dims).value,
          b = broadcast(loc, *rhs, dims).value;
    if (expr.getKind() == AffineExprKind::Add)
      return Tile{builder.create<arith::AddIOp>(loc, a, b), dims};
    return Tile{builder.create<arith::MulIOp>(loc, a, b), dims};
  }
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    return dividedNumbers(loc, binary);
  default:
    return llvm::createStringError("it rounds an index up to a multiple");
  }
}

/// (L + u) floordiv c = (L + u mod c + k c) floordiv c + u floordiv c - k,
/// where k keeps the dividend from being negative. The remainder likewise.
llvm::Expected<Tile> TileEmitter::dividedNumbers(Location loc,
                                                 AffineBinaryOpExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr.getRHS());
  std::optional<LinearForm> form = analysis.linearOf(expr.getLHS());
  if (!constant || constant.getValue() <= 0 || !form)
    return llvm::createStringError("it divides an index by no constant");
  int64_t divisor = constant.getValue();
  IndexRange range = analysis.rangeOf(*form);
  int64_t lift =
      range.min < 0 ? llvm::divideCeil(uint64_t(-range.min), divisor) : 0;
  constexpr int64_t exactLimit = int64_t(1) << 24;
  if (range.max + divisor + lift * divisor >= exactLimit)
    return llvm::createStringError("it divides indices of 2^24 and more");
  DimMask dims = form->dims();
  Value sum = linearTile(loc, form->coefficients, dims);
  ArrayRef<int64_t> shape = shapeOf(sum);
  Type i32 = builder.getI32Type();
  auto splat = [&](OpFoldResult index) {
    return buildSplat(builder, loc, narrow(loc, index), shape);
  };
  auto number = [&](int64_t value) {
    return buildConstant(builder, loc, i32, value, shape);
  };
  OpFoldResult rest =
      indexOf(loc, analysis.simplify(form->uniform % divisor + lift * divisor));
  if (!isConstantIntValue(rest, 0))
    sum = builder.create<arith::AddIOp>(loc, sum, splat(rest));
  bool isPower = llvm::isPowerOf2_64(divisor);
  if (expr.getKind() == AffineExprKind::Mod && isPower)
    return Tile{builder.create<arith::AndIOp>(loc, sum, number(divisor - 1)),
                dims};
  Value quotient;
  if (isPower)
    quotient = builder.create<arith::ShRSIOp>(loc, sum,
                                              number(llvm::Log2_64(divisor)));
  else
    quotient = builder.create<arith::DivSIOp>(loc, sum, number(divisor));
  if (expr.getKind() == AffineExprKind::Mod) {
    Value product =
        builder.create<arith::MulIOp>(loc, quotient, number(divisor));
    return Tile{builder.create<arith::SubIOp>(loc, sum, product), dims};
  }
  OpFoldResult whole =
      indexOf(loc, analysis.simplify(form->uniform.floorDiv(divisor) - lift));
  if (!isConstantIntValue(whole, 0))
    quotient = builder.create<arith::AddIOp>(loc, quotient, splat(whole));
  return Tile{quotient, dims};
}
