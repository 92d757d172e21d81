//===- Numbers.h - Half types and rounding --------------------------------===//
//
// Conversions between f32 and the 16-bit floats, one number or many, and the
// rounding modes of the vector unit's casts.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_NUMBERS_H
#define TILEKILN_SIM_CORE_NUMBERS_H

#include "tilekiln/Sim/Core/Types.h"
#include <cstddef>

namespace tilekiln::sim {

float fromF16(uint16_t bits);
float fromBF16(uint16_t bits);
/// Without what `to` (F16 or BF16) has no finite number for: the largest instead,
/// and 0 for NaN.
float saturate(float value, ElementType to);
/// To nearest, ties to even; overflow gives infinity.
uint16_t toF16(float value);
uint16_t toBF16(float value);

/// Many at once; source and destination do not overlap.
void fromF16(const uint16_t *source, float *destination, size_t count);
void fromBF16(const uint16_t *source, float *destination, size_t count);
void toF16(const float *source, uint16_t *destination, size_t count);
void toBF16(const float *source, uint16_t *destination, size_t count);

/// The device library's codes.
enum class Rounding : uint8_t {
  NearestEven = 0,
  NearestAway = 1,
  Floor = 2,
  Ceil = 3,
  Truncate = 4,
  /// Truncated, last bit set if inexact; f32 to f16 only.
  Odd = 5
};

/// To an integral value.
double roundTo(double value, Rounding rounding);
uint16_t toF16(float value, Rounding rounding);
uint16_t toBF16(float value, Rounding rounding);

/// A double rounded to what a float type can hold; integers are left alone.
double roundToType(double value, ElementType type);
/// An integer wrapped to a type, sign-extended; I1 gives 0 or 1.
int64_t wrapToType(int64_t value, ElementType type);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_NUMBERS_H
