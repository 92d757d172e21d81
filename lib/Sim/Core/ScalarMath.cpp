//===- ScalarMath.cpp - Arithmetic of single instructions -----------------===//
#include "ScalarMath.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilekiln::sim;

uint64_t tilekiln::sim::toUnsigned(int64_t value, ElementType type) {
  unsigned bits = getBits(type);
  return bits >= 64 ? uint64_t(value) : uint64_t(value) & ((1ull << bits) - 1);
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a % b < 0) != (b < 0));
}

const char *tilekiln::sim::computeInteger(Opcode opcode, ElementType type,
                                          int64_t a, int64_t b, int64_t &result) {
  uint64_t ua = toUnsigned(a, type), ub = toUnsigned(b, type);
  unsigned bits = getBits(type);
  switch (opcode) {
  case Opcode::Add:
    result = int64_t(uint64_t(a) + uint64_t(b));
    break;
  case Opcode::Sub:
    result = int64_t(uint64_t(a) - uint64_t(b));
    break;
  case Opcode::Mul:
    result = int64_t(uint64_t(a) * uint64_t(b));
    break;
  case Opcode::DivS:
  case Opcode::RemS:
  case Opcode::FloorDivS:
  case Opcode::CeilDivS:
  case Opcode::Mod:
    if (b == 0)
      return "a division by zero";
    if (b == -1) { // INT64_MIN / -1 traps on the host.
      result = opcode == Opcode::RemS || opcode == Opcode::Mod
                   ? 0
                   : int64_t(0 - uint64_t(a));
      break;
    }
    if (opcode == Opcode::DivS)
      result = a / b;
    else if (opcode == Opcode::RemS)
      result = a % b;
    else if (opcode == Opcode::FloorDivS)
      result = floorDiv(a, b);
    else if (opcode == Opcode::CeilDivS)
      result = -floorDiv(-a, b);
    else
      result = a - floorDiv(a, b) * b;
    break;
  case Opcode::DivU:
  case Opcode::RemU:
  case Opcode::CeilDivU:
    if (ub == 0)
      return "a division by zero";
    if (opcode == Opcode::DivU)
      result = int64_t(ua / ub);
    else if (opcode == Opcode::RemU)
      result = int64_t(ua % ub);
    else
      result = int64_t(ua / ub + (ua % ub != 0));
    break;
  case Opcode::MinS:
    result = std::min(a, b);
    break;
  case Opcode::MaxS:
    result = std::max(a, b);
    break;
  case Opcode::MinU:
    result = int64_t(std::min(ua, ub));
    break;
  case Opcode::MaxU:
    result = int64_t(std::max(ua, ub));
    break;
  case Opcode::And:
    result = a & b;
    break;
  case Opcode::Or:
    result = a | b;
    break;
  case Opcode::Xor:
    result = a ^ b;
    break;
  // A shift by the width or more has no meaning; zero, or the sign, is what
  // shifting one by one gives.
  case Opcode::Shl:
    result = ub >= bits ? 0 : int64_t(ua << ub);
    break;
  case Opcode::ShrS:
    result = a >> std::min<uint64_t>(ub, 63);
    break;
  case Opcode::ShrU:
    result = ub >= bits ? 0 : int64_t(ua >> ub);
    break;
  default:
    return "an unknown integer operation";
  }
  result = wrapToType(result, type);
  return nullptr;
}

double tilekiln::sim::computeFloat(Opcode opcode, ElementType type, double a,
                                   double b) {
  double result = 0;
  bool nan = std::isnan(a) || std::isnan(b);
  constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
  switch (opcode) {
  case Opcode::FAdd:
    result = a + b;
    break;
  case Opcode::FSub:
    result = a - b;
    break;
  case Opcode::FMul:
    result = a * b;
    break;
  case Opcode::FDiv:
    result = a / b;
    break;
  case Opcode::FRem:
    result = std::fmod(a, b);
    break;
  case Opcode::FNeg:
    return -a;
  case Opcode::FMaximum:
    return nan ? quiet : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  case Opcode::FMinimum:
    return nan ? quiet : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  case Opcode::FMaxNum:
    return std::fmax(a, b);
  case Opcode::FMinNum:
    return std::fmin(a, b);
  default:
    break;
  }
  return roundToType(result, type);
}

double tilekiln::sim::computeMath(MathFunction function, ElementType type,
                                  double a, double b, double c) {
  double result = a;
  switch (function) {
  case MathFunction::Abs:
  case MathFunction::AbsInt:
    result = std::fabs(a);
    break;
  case MathFunction::Exp:
    result = std::exp(a);
    break;
  case MathFunction::Exp2:
    result = std::exp2(a);
    break;
  case MathFunction::Log:
    result = std::log(a);
    break;
  case MathFunction::Log2:
    result = std::log2(a);
    break;
  case MathFunction::Sqrt:
    result = std::sqrt(a);
    break;
  case MathFunction::Rsqrt:
    result = 1 / std::sqrt(a);
    break;
  case MathFunction::Sin:
    result = std::sin(a);
    break;
  case MathFunction::Cos:
    result = std::cos(a);
    break;
  case MathFunction::Tanh:
    result = std::tanh(a);
    break;
  case MathFunction::Erf:
    result = std::erf(a);
    break;
  case MathFunction::Floor:
    result = std::floor(a);
    break;
  case MathFunction::Ceil:
    result = std::ceil(a);
    break;
  case MathFunction::Round:
    result = std::round(a);
    break;
  case MathFunction::RoundEven:
    result = std::nearbyint(a);
    break;
  case MathFunction::Trunc:
    result = std::trunc(a);
    break;
  case MathFunction::Pow:
    result = std::pow(a, b);
    break;
  case MathFunction::Fma:
    result = std::fma(a, b, c);
    break;
  }
  return roundToType(result, type);
}

bool tilekiln::sim::compareIntegers(IntPredicate predicate, ElementType type,
                                    int64_t a, int64_t b) {
  // i1 holds 0 or 1, but 1 is -1 where signs count.
  if (type == ElementType::I1 && predicate >= IntPredicate::SLT &&
      predicate <= IntPredicate::SGE)
    a = -a, b = -b;
  uint64_t ua = toUnsigned(a, type), ub = toUnsigned(b, type);
  switch (predicate) {
  case IntPredicate::EQ:
    return a == b;
  case IntPredicate::NE:
    return a != b;
  case IntPredicate::SLT:
    return a < b;
  case IntPredicate::SLE:
    return a <= b;
  case IntPredicate::SGT:
    return a > b;
  case IntPredicate::SGE:
    return a >= b;
  case IntPredicate::ULT:
    return ua < ub;
  case IntPredicate::ULE:
    return ua <= ub;
  case IntPredicate::UGT:
    return ua > ub;
  case IntPredicate::UGE:
    return ua >= ub;
  }
  return false;
}

bool tilekiln::sim::compareFloats(FloatPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case FloatPredicate::False:
    return false;
  case FloatPredicate::OEQ:
    return a == b;
  case FloatPredicate::OGT:
    return a > b;
  case FloatPredicate::OGE:
    return a >= b;
  case FloatPredicate::OLT:
    return a < b;
  case FloatPredicate::OLE:
    return a <= b;
  case FloatPredicate::ONE:
    return !unordered && a != b;
  case FloatPredicate::ORD:
    return !unordered;
  case FloatPredicate::UEQ:
    return unordered || a == b;
  case FloatPredicate::UGT:
    return unordered || a > b;
  case FloatPredicate::UGE:
    return unordered || a >= b;
  case FloatPredicate::ULT:
    return unordered || a < b;
  case FloatPredicate::ULE:
    return unordered || a <= b;
  case FloatPredicate::UNE:
    return unordered || a != b;
  case FloatPredicate::UNO:
    return unordered;
  case FloatPredicate::True:
    return true;
  }
  return false;
}

/// Out of range saturates, NaN gives zero: what the hardware's casts do.
static int64_t toInteger(double value, ElementType type, bool isUnsigned) {
  unsigned bits = getBits(type);
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  double high = std::ldexp(1.0, int(bits) - (isUnsigned ? 0 : 1));
  double low = isUnsigned ? 0 : -high;
  if (value >= high) {
    uint64_t all = bits >= 64 ? ~0ull : (1ull << bits) - 1;
    return wrapToType(int64_t(isUnsigned ? all : all >> 1), type);
  }
  if (value < low)
    value = low;
  return wrapToType(
      value >= 9.3e18 ? int64_t(uint64_t(value)) : int64_t(value), type);
}

static uint64_t toBits(double value, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return toF16(float(value));
  case ElementType::BF16:
    return toBF16(float(value));
  case ElementType::F32: {
    float narrow = float(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  default: {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  }
}

static double fromBits(uint64_t bits, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return fromF16(uint16_t(bits));
  case ElementType::BF16:
    return fromBF16(uint16_t(bits));
  case ElementType::F32: {
    uint32_t narrow = uint32_t(bits);
    float value;
    std::memcpy(&value, &narrow, sizeof value);
    return value;
  }
  default: {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  }
}

Scalar tilekiln::sim::convert(Opcode opcode, ElementType from, ElementType to,
                              Scalar value) {
  switch (opcode) {
  case Opcode::ExtS:
    return Scalar::integer(
        wrapToType(from == ElementType::I1 ? -value.i : value.i, to));
  case Opcode::ExtU:
    return Scalar::integer(wrapToType(int64_t(toUnsigned(value.i, from)), to));
  case Opcode::Trunc:
    return Scalar::integer(wrapToType(value.i, to));
  case Opcode::SIToFP:
    return Scalar::real(roundToType(
        double(from == ElementType::I1 ? -value.i : value.i), to));
  case Opcode::UIToFP:
    return Scalar::real(roundToType(double(toUnsigned(value.i, from)), to));
  case Opcode::FPToSI:
    return Scalar::integer(toInteger(value.f, to, false));
  case Opcode::FPToUI:
    return Scalar::integer(toInteger(value.f, to, true));
  case Opcode::FPCast:
    return Scalar::real(roundToType(value.f, to));
  case Opcode::Bitcast:
    if (isFloat(from) && !isFloat(to))
      return Scalar::integer(wrapToType(int64_t(toBits(value.f, from)), to));
    if (!isFloat(from) && isFloat(to))
      return Scalar::real(fromBits(uint64_t(value.i), to));
    if (isFloat(from))
      return Scalar::real(fromBits(toBits(value.f, from), to));
    return value;
  default:
    return value;
  }
}
