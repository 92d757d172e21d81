//===- Casts.cpp - Element types, by steps that the vendor's compiler has -===//
#include "Casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"

using namespace mlir;
using namespace tilekiln;

static Type withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

static Value constantOf(Type type, TypedAttr element, Location loc, OpBuilder &builder) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return builder.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(tensor, Attribute(element)));
  return builder.create<arith::ConstantOp>(loc, element);
}

Value tilekiln::constantLike(Value like, int64_t value, Location loc, OpBuilder &builder) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(like.getType()));
  APInt bits = APInt(64, uint64_t(value), /*isSigned=*/true).sextOrTrunc(type.getWidth());
  return constantOf(like.getType(), builder.getIntegerAttr(type, bits), loc, builder);
}

Value tilekiln::realLike(Value like, double value, Location loc, OpBuilder &builder) {
  Type type = getElementTypeOrSelf(like.getType());
  return constantOf(like.getType(), builder.getFloatAttr(type, value), loc, builder);
}

/// A conversion in the vendor's own op, for its round modes and saturation.
static Value vendorCast(Value tile, Type element, StringRef mode, BoolAttr overflow,
                        Location loc, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(withElement(tile.getType(), element));
  Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(), element);
  auto roundMode = hfusion::RoundModeAttr::get(rewriter.getContext(),
                                               *hfusion::symbolizeRoundMode(mode));
  return rewriter
      .create<hfusion::CastOp>(loc, TypeRange{type}, tile, empty, roundMode, overflow)
      .getResults()[0];
}

Value tilekiln::roundTile(Value tile, StringRef mode, Location loc,
                          RewriterBase &rewriter) {
  Type element = getElementTypeOrSelf(tile.getType());
  // The instruction is of f32 alone; every 16-bit float is exact in it.
  Value wide = castTile(tile, rewriter.getF32Type(), loc, rewriter);
  Value rounded = vendorCast(wide, rewriter.getF32Type(), mode, BoolAttr(), loc, rewriter);
  return castTile(rounded, element, loc, rewriter);
}

namespace {

/// Builds the steps of one conversion.
class Caster {
public:
  Caster(Location loc, RewriterBase &rewriter) : loc(loc), rewriter(rewriter) {}

  Value fromFloatToFloat(Value value, Type to);
  Value fromFloatToInteger(Value value, IntegerType to, Sign sign);
  Value fromIntegerToFloat(Value value, Type to, Sign sign);
  Value fromIntegerToInteger(Value value, IntegerType to, Sign sign);

private:
  template <typename Op> Value create(Value value, Type element) {
    return rewriter.create<Op>(loc, withElement(value.getType(), element), value);
  }
  Value clamp(Value value, int64_t low, int64_t high) {
    value = rewriter.create<arith::MaxSIOp>(loc, value,
                                            constantLike(value, low, loc, rewriter));
    return rewriter.create<arith::MinSIOp>(loc, value,
                                           constantLike(value, high, loc, rewriter));
  }
  Value extendUnsigned(Value value, Type to);

  Location loc;
  RewriterBase &rewriter;
};

} // namespace

/// Without the sign: the vendor's own extension of more than 8 bits is signed,
/// whatever it is called.
Value Caster::extendUnsigned(Value value, Type to) {
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (bits <= 8 || !isa<RankedTensorType>(value.getType()))
    return create<arith::ExtUIOp>(value, to);
  Value wide = create<arith::ExtSIOp>(value, to);
  return rewriter.create<arith::AndIOp>(
      loc, wide, constantLike(wide, (int64_t(1) << bits) - 1, loc, rewriter));
}

Value Caster::fromFloatToFloat(Value value, Type to) {
  Type from = getElementTypeOrSelf(value.getType());
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (fromBits == toBits) // f16 and bf16 meet in f32
    return create<arith::TruncFOp>(create<arith::ExtFOp>(value, rewriter.getF32Type()), to);
  return fromBits < toBits ? create<arith::ExtFOp>(value, to)
                           : create<arith::TruncFOp>(value, to);
}

/// Clamped before an integer gets narrower than 32 bits: the vendor's own
/// conversions wrap.
Value Caster::fromFloatToInteger(Value value, IntegerType to, Sign sign) {
  Type from = getElementTypeOrSelf(value.getType());
  unsigned bits = to.getWidth();
  bool isTile = isa<RankedTensorType>(value.getType());
  if (bits == 1)
    return rewriter.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, value,
                                          realLike(value, 0, loc, rewriter));
  if (sign == Sign::Signed && from.isF16() && bits == 16)
    return create<arith::FPToSIOp>(value, to);
  if (sign == Sign::Signed && from.isF16() && bits == 8 && isTile)
    return vendorCast(value, to, "trunc", rewriter.getBoolAttr(false), loc, rewriter);
  if (!from.isF32() && !from.isF64()) {
    value = fromFloatToFloat(value, rewriter.getF32Type());
    // The vendor takes i32 for a type that holds every 16-bit float, and drops
    // the way there and back: the fraction goes before.
    if (isTile && bits >= 32)
      value = vendorCast(value, rewriter.getF32Type(), "trunc", BoolAttr(), loc, rewriter);
  }
  if (sign == Sign::Signed && bits >= 32)
    return create<arith::FPToSIOp>(value, to);
  if (bits == 64) // unsigned: no instruction
    return isTile ? Value() : create<arith::FPToUIOp>(value, to);
  if (bits == 32) {
    // The greatest float below 2^32; the signed 64 bits then hold all of it.
    value = rewriter.create<arith::MaximumFOp>(loc, value, realLike(value, 0, loc, rewriter));
    value = rewriter.create<arith::MinimumFOp>(loc, value,
                                               realLike(value, 4294967040.0, loc, rewriter));
    return create<arith::TruncIOp>(create<arith::FPToSIOp>(value, rewriter.getI64Type()), to);
  }
  Value wide = create<arith::FPToSIOp>(value, rewriter.getI32Type());
  int64_t high = sign == Sign::Unsigned ? (int64_t(1) << bits) - 1
                                        : (int64_t(1) << (bits - 1)) - 1;
  wide = clamp(wide, sign == Sign::Unsigned ? 0 : -high - 1, high);
  return create<arith::TruncIOp>(wide, to);
}

Value Caster::fromIntegerToFloat(Value value, Type to, Sign sign) {
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  bool isTile = isa<RankedTensorType>(value.getType());
  if (bits == 1 || (sign == Sign::Unsigned && (bits == 8 || !isTile)))
    return create<arith::UIToFPOp>(value, to);
  if (sign == Sign::Signed)
    return create<arith::SIToFPOp>(value, to);
  if (bits == 16)
    return create<arith::SIToFPOp>(extendUnsigned(value, rewriter.getI32Type()), to);
  if (bits != 32)
    return nullptr;
  // Halves of 16 bits are exact in f32, so that only the last sum rounds.
  Type f32 = rewriter.getF32Type();
  Value mask = constantLike(value, 0xffff, loc, rewriter);
  Value shifted = rewriter.create<arith::ShRSIOp>(
      loc, value, constantLike(value, 16, loc, rewriter));
  Value high = create<arith::SIToFPOp>(
      rewriter.create<arith::AndIOp>(loc, shifted, mask), f32);
  Value low =
      create<arith::SIToFPOp>(rewriter.create<arith::AndIOp>(loc, value, mask), f32);
  high = rewriter.create<arith::MulFOp>(loc, high, realLike(high, 65536, loc, rewriter));
  Value sum = rewriter.create<arith::AddFOp>(loc, high, low);
  return to.isF32() ? sum : fromFloatToFloat(sum, to);
}

Value Caster::fromIntegerToInteger(Value value, IntegerType to, Sign sign) {
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (to.getWidth() == 1)
    return rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value,
                                          constantLike(value, 0, loc, rewriter));
  if (bits > to.getWidth())
    return create<arith::TruncIOp>(value, to);
  if (bits == 1 || sign == Sign::Unsigned)
    return extendUnsigned(value, to);
  return create<arith::ExtSIOp>(value, to);
}

Value tilekiln::castTile(Value value, Type to, Location loc, RewriterBase &rewriter,
                         Sign sign) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == to)
    return value;
  if (!from.isIntOrFloat() || !to.isIntOrFloat())
    return nullptr;
  Caster caster(loc, rewriter);
  auto toInteger = dyn_cast<IntegerType>(to);
  if (isa<FloatType>(from))
    return toInteger ? caster.fromFloatToInteger(value, toInteger, sign)
                     : caster.fromFloatToFloat(value, to);
  return toInteger ? caster.fromIntegerToInteger(value, toInteger, sign)
                   : caster.fromIntegerToFloat(value, to, sign);
}
