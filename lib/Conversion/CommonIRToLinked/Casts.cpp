//===- Casts.cpp - Element types, by steps that the vendor's compiler has -===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;

namespace {
Type withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

template <typename Op>
Value convert(Value value, Type element, Location loc, RewriterBase &rewriter) {
  return rewriter.create<Op>(loc, withElement(value.getType(), element), value);
}

/// Pairs that the vendor's compiler refuses, and go by way of f32
/// (facts on its casts: docs/vendor-compiler.md).
bool needsFloat32Between(Type from, Type to) {
  bool halves = (from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16());
  bool fromBFloat = from.isBF16() && to.isInteger();
  bool toWide = from.isF16() && to.isInteger(64);
  return halves || fromBFloat || toWide;
}
} // namespace

Value tilekiln::castTile(Value value, Type to, Location loc, RewriterBase &rewriter) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == to)
    return value;
  if (needsFloat32Between(from, to))
    return castTile(castTile(value, rewriter.getF32Type(), loc, rewriter), to, loc,
                    rewriter);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (fromFloat && toFloat)
    return fromBits < toBits ? convert<arith::ExtFOp>(value, to, loc, rewriter)
                             : convert<arith::TruncFOp>(value, to, loc, rewriter);
  if (fromFloat)
    return convert<arith::FPToSIOp>(value, to, loc, rewriter);
  if (toFloat)
    return from.isInteger(1) ? convert<arith::UIToFPOp>(value, to, loc, rewriter)
                             : convert<arith::SIToFPOp>(value, to, loc, rewriter);
  if (fromBits > toBits)
    return convert<arith::TruncIOp>(value, to, loc, rewriter);
  return from.isInteger(1) ? convert<arith::ExtUIOp>(value, to, loc, rewriter)
                           : convert<arith::ExtSIOp>(value, to, loc, rewriter);
}

Value tilekiln::splatTile(Value scalar, RankedTensorType type, Location loc,
                          RewriterBase &rewriter) {
  Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(),
                                                 type.getElementType());
  return rewriter.create<linalg::FillOp>(loc, scalar, empty).getResult(0);
}
