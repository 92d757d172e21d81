//===- TileEmitter.cpp - Values of the body as scalars and tiles ----------===//
#include "TileEmitter.h"
#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

SmallVector<int64_t> TileEmitter::shapeOver(DimMask dims) {
  SmallVector<int64_t> shape;
  for (unsigned dim : listDims(dims))
    shape.push_back(analysis.getExtents()[dim]);
  return shape;
}

/// Index elements are held as i32: the vendor's vector unit counts no wider.
RankedTensorType TileEmitter::typeOver(DimMask dims, Type elementType) {
  if (elementType.isIndex())
    elementType = builder.getI32Type();
  return RankedTensorType::get(shapeOver(dims), elementType);
}

Value TileEmitter::scalarOf(Value original) {
  auto known = tiles.find(original);
  return known == tiles.end() ? original : known->second.value;
}

llvm::Expected<Tile> TileEmitter::get(Location loc, Value original) {
  if (auto known = tiles.find(original); known != tiles.end())
    return known->second;
  DimMask dims = analysis.dimsOf(original);
  if (dims == 0 && !isa<BlockArgument>(original))
    return Tile{original, 0};
  Type type = original.getType();
  if (type.isInteger(1)) {
    auto mask = maskOf(loc, original, dims);
    if (!mask)
      return mask.takeError();
    return Tile{*mask, dims};
  }
  AffineExpr expr = analysis.affineOf(original);
  if (dims == 0 && (!expr || expr.getKind() == AffineExprKind::SymbolId))
    return Tile{original, 0};
  if (!expr)
    return llvm::createStringError("a value has no whole-tile form");
  auto numbers = numbersOf(loc, expr);
  if (!numbers)
    return numbers.takeError();
  // Wider than i32: only the index-dependent values are known to fit.
  if (numbers->dims == 0) {
    Value index = indexValueOf(loc, expr);
    return Tile{
        type.isIndex()
            ? index
            : builder.create<arith::IndexCastOp>(loc, type, index).getResult(),
        0};
  }
  if (!type.isIndex() && type.getIntOrFloatBitWidth() > 32)
    numbers->value = builder.create<arith::ExtSIOp>(
        loc, typeOver(numbers->dims, type), numbers->value);
  return *numbers;
}

llvm::Expected<Value> TileEmitter::get(Location loc, Value original,
                                       DimMask dims) {
  if (original.getType().isInteger(1) && dims != 0)
    return maskOf(loc, original, dims);
  auto tile = get(loc, original);
  if (!tile)
    return tile.takeError();
  return broadcast(loc, *tile, dims).value;
}

DimMask TileEmitter::dimsOf(Value original) {
  if (auto known = tiles.find(original); known != tiles.end())
    return known->second.dims;
  AffineExpr expr = analysis.affineOf(original);
  if (!expr)
    return analysis.dimsOf(original);
  if (std::optional<LinearForm> form = analysis.linearOf(expr))
    return form->dims();
  DimMask dims = 0;
  for (unsigned dim = 0; dim < analysis.getExtents().size(); ++dim)
    if (expr.isFunctionOfDim(dim))
      dims |= DimMask(1) << dim;
  return dims;
}

Tile TileEmitter::broadcast(Location loc, Tile tile, DimMask dims) {
  assert((tile.dims & ~dims) == 0 && "a broadcast only adds dimensions");
  if (tile.dims == dims)
    return tile;
  SmallVector<int64_t> shape = shapeOver(dims);
  if (tile.dims == 0) {
    Value scalar = tile.value;
    if (scalar.getType().isIndex())
      scalar = narrow(loc, getAsOpFoldResult(scalar));
    return {buildSplat(builder, loc, scalar, shape), dims};
  }
  SmallVector<int64_t> added;
  for (auto [position, dim] : llvm::enumerate(listDims(dims)))
    if (!(tile.dims >> dim & 1))
      added.push_back(position);
  return {buildBroadcast(builder, loc, tile.value, shape, added), dims};
}
