//===- VectorLanes.cpp - Arithmetic on rows of elements -------------------===//
//
// f16 and bf16 are computed in f32 and rounded: for one operation of + - * / and
// the square root that is the correctly rounded result. The exponential, the
// logarithm and the reciprocals are those of the host's library; how exact the
// hardware's are is not published.
//
//===----------------------------------------------------------------------===//
#include "VectorLanes.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilekiln::sim;

namespace {
constexpr int64_t maxLanes = 128;
using FloatBinary = void (*)(const float *, const float *, float *, int64_t);
using FloatUnary = void (*)(const float *, float *, int64_t);
} // namespace

bool tilekiln::sim::isUnary(LaneOp op) { return op >= LaneOp::Exp; }

LaneOp tilekiln::sim::getScalarTwin(LaneOp op) {
  switch (op) {
  case LaneOp::Exp:
    return LaneOp::SoftExp;
  case LaneOp::Ln:
    return LaneOp::SoftLn;
  case LaneOp::Sqrt:
    return LaneOp::SoftSqrt;
  case LaneOp::Rsqrt:
    return LaneOp::SoftRsqrt;
  default:
    return op;
  }
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

template <typename T>
static void gather(const uint8_t *data, int64_t strideBytes, int64_t count,
                   T *out) {
  if (strideBytes == int64_t(sizeof(T))) {
    std::memcpy(out, data, size_t(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(out + i, data + i * strideBytes, sizeof(T));
}

template <typename T>
static void scatter(const T *in, int64_t count, uint8_t *data,
                    int64_t strideBytes) {
  if (strideBytes == int64_t(sizeof(T))) {
    std::memcpy(data, in, size_t(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(data + i * strideBytes, in + i, sizeof(T));
}

void tilekiln::sim::loadLanes(ElementType type, const uint8_t *data,
                              int64_t strideBytes, int64_t count, float *lanes) {
  if (type == ElementType::F32)
    return gather(data, strideBytes, count, lanes);
  uint16_t halves[maxLanes];
  for (int64_t begin = 0; begin < count; begin += maxLanes) {
    int64_t n = std::min(count - begin, maxLanes);
    gather(data + begin * strideBytes, strideBytes, n, halves);
    if (type == ElementType::F16)
      fromF16(halves, lanes + begin, size_t(n));
    else
      fromBF16(halves, lanes + begin, size_t(n));
  }
}

void tilekiln::sim::storeLanes(ElementType type, const float *lanes,
                               int64_t count, uint8_t *data,
                               int64_t strideBytes) {
  if (type == ElementType::F32)
    return scatter(lanes, count, data, strideBytes);
  uint16_t halves[maxLanes];
  for (int64_t begin = 0; begin < count; begin += maxLanes) {
    int64_t n = std::min(count - begin, maxLanes);
    if (type == ElementType::F16)
      toF16(lanes + begin, halves, size_t(n));
    else
      toBF16(lanes + begin, halves, size_t(n));
    scatter(halves, n, data + begin * strideBytes, strideBytes);
  }
}

template <typename T>
static void loadIntegers(const uint8_t *data, int64_t strideBytes, int64_t count,
                         int64_t *lanes) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data + i * strideBytes, sizeof value);
    lanes[i] = int64_t(value);
  }
}

void tilekiln::sim::loadLanes(ElementType type, const uint8_t *data,
                              int64_t strideBytes, int64_t count,
                              int64_t *lanes) {
  switch (type) {
  case ElementType::I8:
    return loadIntegers<int8_t>(data, strideBytes, count, lanes);
  case ElementType::U8:
    return loadIntegers<uint8_t>(data, strideBytes, count, lanes);
  case ElementType::I16:
    return loadIntegers<int16_t>(data, strideBytes, count, lanes);
  case ElementType::U16:
    return loadIntegers<uint16_t>(data, strideBytes, count, lanes);
  case ElementType::I32:
    return loadIntegers<int32_t>(data, strideBytes, count, lanes);
  case ElementType::U32:
    return loadIntegers<uint32_t>(data, strideBytes, count, lanes);
  default:
    return loadIntegers<int64_t>(data, strideBytes, count, lanes);
  }
}

template <typename T>
static void storeIntegers(const int64_t *lanes, int64_t count, uint8_t *data,
                          int64_t strideBytes) {
  for (int64_t i = 0; i < count; ++i) {
    T value = T(lanes[i]);
    std::memcpy(data + i * strideBytes, &value, sizeof value);
  }
}

void tilekiln::sim::storeLanes(ElementType type, const int64_t *lanes,
                               int64_t count, uint8_t *data,
                               int64_t strideBytes) {
  switch (getBits(type)) {
  case 8:
    return storeIntegers<uint8_t>(lanes, count, data, strideBytes);
  case 16:
    return storeIntegers<uint16_t>(lanes, count, data, strideBytes);
  case 32:
    return storeIntegers<uint32_t>(lanes, count, data, strideBytes);
  default:
    return storeIntegers<uint64_t>(lanes, count, data, strideBytes);
  }
}

//===----------------------------------------------------------------------===//
// The library's software routines
//===----------------------------------------------------------------------===//

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// exp(x) = 2^n * exp(r), a polynomial of degree 5 in r.
static float softExp(float x) {
  if (x > 88.7f)
    return std::numeric_limits<float>::infinity();
  if (x < -88.7f)
    return 0.0f;
  constexpr float toWhole = 12582912.0f; // 1.5 * 2^23
  float shifted = x * 1.4426950408889634f + toWhole;
  int n = int(bitsOf(shifted) & 0x7fffffu) - 0x400000;
  float whole = shifted - toWhole;
  float r = x - whole * 0.693145751953125f;
  r -= whole * 1.4286068203094172e-6f;
  float high = 0.0416573475f + r * 0.0083013598f;
  float middle = 0.4999999206f + r * (0.1666653019f + r * high);
  float power = 1.0f + r * (1.0f + r * middle);
  return power * floatOf(uint32_t(n + 127) << 23);
}

/// Newton's iteration from a guess in the exponent; 0 below 1e-7.
static float softSqrt(float x) {
  if (x < 0)
    return std::numeric_limits<float>::quiet_NaN();
  if (x < 1e-7f)
    return 0.0f;
  if (std::isinf(x))
    return x;
  float guess = floatOf(0x1fbd1df5u + (bitsOf(x) >> 1));
  for (int i = 0; i < 6; ++i) {
    float last = guess;
    guess = 0.5f * (guess + x / guess);
    if (std::fabs(guess - last) <= 1e-5f * guess)
      break;
  }
  return guess;
}

static float softRsqrt(float x) {
  if (x < 0)
    return std::numeric_limits<float>::quiet_NaN();
  if (x < 1e-7f)
    return std::numeric_limits<float>::infinity();
  float y = floatOf(0x5f375a86u - (bitsOf(x) >> 1)), half = 0.5f * x;
  y *= 1.5f - half * y * y;
  y *= 1.5f - half * y * y;
  return y;
}

/// ln(2^e * m) with a series in (m - 1) / (m + 1); -infinity below 1e-7.
static float softLn(float x) {
  if (x < 0)
    return std::numeric_limits<float>::quiet_NaN();
  if (x < 1e-7f)
    return -std::numeric_limits<float>::infinity();
  uint32_t bits = bitsOf(x);
  int exponent = int((bits >> 23) & 0xffu) - 127;
  float mantissa = floatOf((bits & 0x7fffffu) | 0x3f800000u);
  if (mantissa > 1.3333333f) {
    mantissa *= 0.5f;
    ++exponent;
  }
  float t = mantissa - 1.0f, s = t / (2.0f + t), s2 = s * s;
  float series = s * (2.0f + s2 * (0.666666667f + s2 * (0.400002f + s2 * 0.285262f)));
  return float(exponent) * 0.69314718056f + series;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename F>
static void binaryLanes(const float *a, const float *b, float *out, int64_t n,
                        F f) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = f(a[i], b[i]);
}

template <typename F>
static void unaryLanes(const float *a, float *out, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = f(a[i]);
}

#define TILEKILN_BINARY(EXPRESSION)                                             \
  return [](const float *a, const float *b, float *out, int64_t n) {            \
    binaryLanes(a, b, out, n, [](float x, float y) { return EXPRESSION; });     \
  }
#define TILEKILN_UNARY(EXPRESSION)                                              \
  return [](const float *a, float *out, int64_t n) {                            \
    unaryLanes(a, out, n, [](float x) { return EXPRESSION; });                  \
  }

static FloatBinary getFloatBinary(LaneOp op) {
  switch (op) {
  case LaneOp::Add:
    TILEKILN_BINARY(x + y);
  case LaneOp::Sub:
    TILEKILN_BINARY(x - y);
  case LaneOp::Mul:
    TILEKILN_BINARY(x * y);
  case LaneOp::Div:
    TILEKILN_BINARY(x / y);
  case LaneOp::Max:
    TILEKILN_BINARY(x != x ? x : y != y ? y : x > y ? x : y);
  case LaneOp::Min:
    TILEKILN_BINARY(x != x ? x : y != y ? y : x < y ? x : y);
  default:
    return nullptr;
  }
}

static FloatUnary getFloatUnary(LaneOp op) {
  switch (op) {
  case LaneOp::Exp:
    TILEKILN_UNARY(std::exp(x));
  case LaneOp::Ln:
    TILEKILN_UNARY(std::log(x));
  case LaneOp::Sqrt:
    TILEKILN_UNARY(std::sqrt(x));
  case LaneOp::Rsqrt:
    TILEKILN_UNARY(float(1.0 / std::sqrt(double(x))));
  case LaneOp::Rec:
    TILEKILN_UNARY(1.0f / x);
  case LaneOp::Abs:
    TILEKILN_UNARY(std::fabs(x));
  case LaneOp::Relu:
    TILEKILN_UNARY(x <= 0 ? 0.0f : x);
  case LaneOp::SoftExp:
    TILEKILN_UNARY(softExp(x));
  case LaneOp::SoftLn:
    TILEKILN_UNARY(softLn(x));
  case LaneOp::SoftSqrt:
    TILEKILN_UNARY(softSqrt(x));
  case LaneOp::SoftRsqrt:
    TILEKILN_UNARY(softRsqrt(x));
  default:
    return nullptr;
  }
}

#undef TILEKILN_BINARY
#undef TILEKILN_UNARY

/// Integers in the type that they wrap in.
template <typename T> static T computeInteger(LaneOp op, T x, T y) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned bits = sizeof(T) * 8;
  switch (op) {
  case LaneOp::Add:
    return T(U(x) + U(y));
  case LaneOp::Sub:
    return T(U(x) - U(y));
  case LaneOp::Mul:
    return T(uint64_t(x) * uint64_t(y));
  case LaneOp::Max:
    return x > y ? x : y;
  case LaneOp::Min:
    return x < y ? x : y;
  case LaneOp::And:
    return T(x & y);
  case LaneOp::Or:
    return T(x | y);
  case LaneOp::Xor:
    return T(x ^ y);
  case LaneOp::ShiftLeft:
    return U(y) >= bits ? T(0) : T(uint64_t(x) << U(y));
  case LaneOp::ShiftRight:
    return U(y) >= bits ? T(x < 0 ? -1 : 0) : T(x >> U(y));
  case LaneOp::Abs:
    return x < 0 ? T(U(0) - U(x)) : x;
  case LaneOp::Relu:
    return x < 0 ? T(0) : x;
  case LaneOp::Not:
    return T(~x);
  default:
    return x;
  }
}

template <typename T> static void applyIntegers(LaneOp op, const Row &row) {
  constexpr int64_t lanes = repeatBytes / int64_t(sizeof(T));
  T a[lanes], b[lanes] = {}, out[lanes];
  bool unary = isUnary(op);
  auto run = [&](auto f) {
    for (int64_t begin = 0; begin < row.count; begin += lanes) {
      int64_t n = std::min(row.count - begin, lanes);
      gather(row.data[1] + begin * row.stride[1], row.stride[1], n, a);
      if (!unary)
        gather(row.data[2] + begin * row.stride[2], row.stride[2], n, b);
      for (int64_t i = 0; i < n; ++i)
        out[i] = f(a[i], b[i]);
      scatter(out, n, row.data[0] + begin * row.stride[0], row.stride[0]);
    }
  };
  // The common ones with the operation inside the loop.
  switch (op) {
  case LaneOp::Add:
    return run([](T x, T y) { return computeInteger(LaneOp::Add, x, y); });
  case LaneOp::Sub:
    return run([](T x, T y) { return computeInteger(LaneOp::Sub, x, y); });
  case LaneOp::Mul:
    return run([](T x, T y) { return computeInteger(LaneOp::Mul, x, y); });
  case LaneOp::And:
    return run([](T x, T y) { return T(x & y); });
  case LaneOp::Or:
    return run([](T x, T y) { return T(x | y); });
  case LaneOp::Not:
    return run([](T x, T) { return T(~x); });
  default:
    return run([op](T x, T y) { return computeInteger(op, x, y); });
  }
}

static void applyFloats(LaneOp op, ElementType type, const Row &row) {
  int64_t lanes = lanesPerRepeat(type);
  float a[maxLanes], b[maxLanes], out[maxLanes];
  FloatUnary unary = getFloatUnary(op);
  FloatBinary binary = getFloatBinary(op);
  for (int64_t begin = 0; begin < row.count; begin += lanes) {
    int64_t n = std::min(row.count - begin, lanes);
    loadLanes(type, row.data[1] + begin * row.stride[1], row.stride[1], n, a);
    if (unary) {
      unary(a, out, n);
    } else {
      loadLanes(type, row.data[2] + begin * row.stride[2], row.stride[2], n, b);
      binary(a, b, out, n);
    }
    storeLanes(type, out, n, row.data[0] + begin * row.stride[0], row.stride[0]);
  }
}

void tilekiln::sim::applyToRow(LaneOp op, ElementType type, const Row &row) {
  bool isBitwise = op == LaneOp::And || op == LaneOp::Or || op == LaneOp::Xor ||
                   op == LaneOp::Not;
  if (isFloat(type) && !isBitwise)
    return applyFloats(op, type, row);
  bool isUnsignedType = isUnsigned(type);
  switch (getBits(type)) {
  case 8:
    return isUnsignedType ? applyIntegers<uint8_t>(op, row)
                          : applyIntegers<int8_t>(op, row);
  case 16:
    return isUnsignedType ? applyIntegers<uint16_t>(op, row)
                          : applyIntegers<int16_t>(op, row);
  case 32:
    return isUnsignedType ? applyIntegers<uint32_t>(op, row)
                          : applyIntegers<int32_t>(op, row);
  default:
    return isUnsignedType ? applyIntegers<uint64_t>(op, row)
                          : applyIntegers<int64_t>(op, row);
  }
}
