//===- Float8.cpp - Storage in eight bits, arithmetic in float32 ----------===//
//
// The accelerator has no eight-bit floats: in memory they are bytes, as values
// float32. Both ways are exact arithmetic on numbers, since taking a float's bits
// apart is nothing that the vendor's compiler is known to do on tiles. Rounding
// is to nearest even; what is too large becomes the largest finite number.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace tilekiln;

namespace {
struct Format {
  int mantissaBits, exponentBits, bias;
  double largest;
  int smallestExponent() const { return 1 - bias; }
};
} // namespace

static Format formatOf(Float8 kind) {
  return kind == Float8::E4M3FN ? Format{3, 4, 7, 448} : Format{2, 5, 15, 57344};
}

static DType float32(MLIRContext *context) { return *parseDType("float32", context); }
static DType int32(MLIRContext *context) { return *parseDType("int32", context); }

double Importer::roundToFloat8(double value, Float8 kind) {
  Format format = formatOf(kind);
  if (std::isnan(value))
    return value;
  double magnitude = std::min(std::fabs(value), format.largest);
  int exponent = format.smallestExponent();
  if (magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  double quantum = std::ldexp(1.0, exponent - format.mantissaBits);
  // The current rounding mode is to nearest even.
  double rounded = std::min(std::nearbyint(magnitude / quantum) * quantum, format.largest);
  return std::copysign(rounded, value);
}

Value Importer::decodeFloat8(Value byte, Float8 kind) {
  Format format = formatOf(kind);
  DType real = float32(context), whole = int32(context);
  auto integer = [&](int64_t value) { return integerConstant(value, whole); };
  auto number = [&](double value) { return realConstant(value, real); };
  auto is = [&](Value value, int64_t wanted) {
    return fold<arith::CmpIOp>(arith::CmpIPredicate::eq, value, integer(wanted));
  };
  Value bits = fold<arith::ExtUIOp>(whole.scalar, byte);
  Value magnitude = fold<arith::AndIOp>(bits, integer(0x7f));
  Value exponent = fold<arith::ShRUIOp>(magnitude, integer(format.mantissaBits));
  Value mantissa = fold<arith::AndIOp>(bits, integer((1 << format.mantissaBits) - 1));
  Value isSubnormal = is(exponent, 0);
  Value significand = fold<arith::SelectOp>(
      isSubnormal, mantissa, fold<arith::AddIOp>(mantissa, integer(1 << format.mantissaBits)));
  Value power = fold<arith::SelectOp>(isSubnormal, integer(1), exponent);
  Value scale = number(std::ldexp(1.0, -format.bias - format.mantissaBits));
  for (int bit = 0; bit < format.exponentBits; ++bit) {
    Value isSet = fold<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                      fold<arith::AndIOp>(power, integer(1 << bit)), integer(0));
    Value larger = fold<arith::MulFOp>(scale, number(std::ldexp(1.0, 1 << bit)));
    scale = fold<arith::SelectOp>(isSet, larger, scale);
  }
  Value value = fold<arith::MulFOp>(fold<arith::SIToFPOp>(real.scalar, significand), scale);
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  if (kind == Float8::E4M3FN) {
    value = fold<arith::SelectOp>(is(magnitude, 0x7f), nan, value);
  } else {
    Value infinity = number(std::numeric_limits<double>::infinity());
    Value special = fold<arith::SelectOp>(is(mantissa, 0), infinity, nan);
    value = fold<arith::SelectOp>(is(exponent, 31), special, value);
  }
  Value isNegative = fold<arith::CmpIOp>(
      arith::CmpIPredicate::ne, fold<arith::AndIOp>(bits, integer(0x80)), integer(0));
  return fold<arith::SelectOp>(isNegative, fold<arith::NegFOp>(value), value);
}

Value Importer::encodeFloat8(Value value, Float8 kind) {
  Format format = formatOf(kind);
  DType real = float32(context), whole = int32(context);
  auto integer = [&](int64_t value) { return integerConstant(value, whole); };
  auto number = [&](double value) { return realConstant(value, real); };
  Value magnitude = fold<arith::MinimumFOp>(fold<math::AbsFOp>(value), number(format.largest));
  // The power of two below it, its inverse, and how many steps it is up.
  int lowest = format.smallestExponent();
  Value power = number(std::ldexp(1.0, lowest));
  Value inverse = number(std::ldexp(1.0, format.mantissaBits - lowest));
  Value steps = integer(0);
  for (int bit = format.exponentBits - 1; bit >= 0; --bit) {
    Value larger = fold<arith::MulFOp>(power, number(std::ldexp(1.0, 1 << bit)));
    Value reaches = fold<arith::CmpFOp>(arith::CmpFPredicate::OGE, magnitude, larger);
    Value smaller = fold<arith::MulFOp>(inverse, number(std::ldexp(1.0, -(1 << bit))));
    power = fold<arith::SelectOp>(reaches, larger, power);
    inverse = fold<arith::SelectOp>(reaches, smaller, inverse);
    steps = fold<arith::SelectOp>(reaches, fold<arith::AddIOp>(steps, integer(1 << bit)), steps);
  }
  Value quanta = fold<math::RoundEvenOp>(fold<arith::MulFOp>(magnitude, inverse));
  Value isNan = fold<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, value);
  quanta = fold<arith::SelectOp>(isNan, number(0), quanta);
  Value code = fold<arith::AddIOp>(fold<arith::ShLIOp>(steps, integer(format.mantissaBits)),
                                   fold<arith::FPToSIOp>(whole.scalar, quanta));
  Value isNegative = fold<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, number(0));
  code = fold<arith::SelectOp>(isNegative, fold<arith::AddIOp>(code, integer(0x80)), code);
  code = fold<arith::SelectOp>(isNan, integer(0x7f), code);
  return fold<arith::TruncIOp>(builder.getI8Type(), code);
}

LogicalResult Importer::notFloat8(const BufferInfo &info, const llvm::Twine &what) {
  if (!info.dtype.isFloat8())
    return success();
  return fail() << what << " the float8 elements of '" << info.name
                << "' is not supported; T.copy them to a float16 or float32 buffer first";
}
