//===- Numbers.cpp - Half types and rounding ------------------------------===//
#include "tilekiln/Sim/Core/Numbers.h"
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tilekiln::sim;

float tilekiln::sim::saturate(float value, ElementType to) {
  if (std::isnan(value))
    return 0;
  // The bits 0x7BFF and 0x7F7F.
  float largest = to == ElementType::F16 ? 65504.0f : 0x1.FEp127f;
  return std::min(std::max(value, -largest), largest);
}

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

float tilekiln::sim::fromF16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu;
  if (exponent == 0x1f)
    return floatOf(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float value = std::ldexp(float(mantissa), -24);
  return sign ? -value : value;
}

float tilekiln::sim::fromBF16(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

uint16_t tilekiln::sim::toF16(float value) {
  return toF16(value, Rounding::NearestEven);
}

uint16_t tilekiln::sim::toBF16(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

double tilekiln::sim::roundTo(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return std::nearbyint(value);
  case Rounding::NearestAway:
    return std::round(value);
  case Rounding::Floor:
    return std::floor(value);
  case Rounding::Ceil:
    return std::ceil(value);
  case Rounding::Truncate:
    return std::trunc(value);
  case Rounding::Odd: {
    double whole = std::trunc(value);
    if (whole != value && std::fmod(whole, 2.0) == 0)
      whole += std::signbit(value) ? -1 : 1;
    return whole;
  }
  }
  return value;
}

uint16_t tilekiln::sim::toF16(float value, Rounding rounding) {
  uint16_t sign = uint16_t((bitsOf(value) >> 16) & 0x8000u);
  if (std::isnan(value))
    return sign | 0x7e00u;
  if (std::isinf(value))
    return sign | 0x7c00u;
  if (value == 0)
    return sign;
  // In units of the last place of the result, where rounding is to an integer.
  int exponent;
  std::frexp(value, &exponent);
  int ulp = (exponent < -13 ? -13 : exponent) - 11;
  double units = roundTo(std::ldexp(double(value), -ulp), rounding);
  double magnitude = std::ldexp(std::fabs(units), ulp);
  if (magnitude > 65504) {
    bool stays = rounding == Rounding::Truncate || rounding == Rounding::Odd ||
                 (rounding == Rounding::Floor && !sign) ||
                 (rounding == Rounding::Ceil && sign);
    return sign | (stays ? 0x7bffu : 0x7c00u);
  }
  if (magnitude == 0)
    return sign;
  std::frexp(magnitude, &exponent);
  if (exponent < -13)
    return sign | uint16_t(std::ldexp(magnitude, 24));
  uint16_t mantissa = uint16_t(std::ldexp(magnitude, 11 - exponent));
  return uint16_t(sign | ((exponent + 14) << 10) | (mantissa & 0x3ffu));
}

uint16_t tilekiln::sim::toBF16(float value, Rounding rounding) {
  uint32_t bits = bitsOf(value);
  if (rounding == Rounding::NearestEven || !std::isfinite(value))
    return toBF16(value);
  bool inexact = (bits & 0xffffu) != 0, negative = bits >> 31;
  uint32_t high = bits >> 16;
  switch (rounding) {
  case Rounding::NearestAway:
    high += (bits & 0x8000u) != 0;
    break;
  case Rounding::Floor:
    high += inexact && negative;
    break;
  case Rounding::Ceil:
    high += inexact && !negative;
    break;
  case Rounding::Odd:
    high |= inexact;
    break;
  default:
    break;
  }
  return uint16_t(high);
}

//===----------------------------------------------------------------------===//
// Many numbers
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) static size_t
fromF16Fast(const uint16_t *source, float *destination, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(destination + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(
                         reinterpret_cast<const __m128i *>(source + i))));
  return i;
}

__attribute__((target("avx,f16c"))) static size_t
toF16Fast(const float *source, uint16_t *destination, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(destination + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(source + i),
                                     _MM_FROUND_TO_NEAREST_INT));
  return i;
}

static bool hasF16C() {
  static const bool has =
      __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  return has;
}
#endif

void tilekiln::sim::fromF16(const uint16_t *source, float *destination,
                            size_t count) {
  size_t i = 0;
#if defined(__x86_64__)
  if (hasF16C())
    i = fromF16Fast(source, destination, count);
#endif
  for (; i < count; ++i)
    destination[i] = fromF16(source[i]);
}

void tilekiln::sim::toF16(const float *source, uint16_t *destination,
                          size_t count) {
  size_t i = 0;
#if defined(__x86_64__)
  if (hasF16C())
    i = toF16Fast(source, destination, count);
#endif
  for (; i < count; ++i)
    destination[i] = toF16(source[i]);
}

void tilekiln::sim::fromBF16(const uint16_t *source, float *destination,
                             size_t count) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = fromBF16(source[i]);
}

void tilekiln::sim::toBF16(const float *source, uint16_t *destination,
                           size_t count) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = toBF16(source[i]);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// A double to f16 or bf16 in one rounding: to f32 with the last bit sticky
/// first, which 24 bits leave room for.
static float toFloatSticky(double value) {
  float truncated = float(value);
  if (double(truncated) == value || !std::isfinite(truncated))
    return truncated;
  if (std::fabs(double(truncated)) > std::fabs(value))
    truncated = std::nextafter(truncated, 0.0f);
  return floatOf(bitsOf(truncated) | 1u);
}

double tilekiln::sim::roundToType(double value, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return fromF16(toF16(toFloatSticky(value)));
  case ElementType::BF16:
    return fromBF16(toBF16(toFloatSticky(value)));
  case ElementType::F32:
    return double(float(value));
  default:
    return value;
  }
}

int64_t tilekiln::sim::wrapToType(int64_t value, ElementType type) {
  switch (type) {
  case ElementType::I1:
    return value & 1;
  case ElementType::I8:
  case ElementType::U8:
    return int8_t(value);
  case ElementType::I16:
  case ElementType::U16:
    return int16_t(value);
  case ElementType::I32:
  case ElementType::U32:
    return int32_t(value);
  default:
    return value;
  }
}
