//===- VectorConvert.cpp - What conversions compute -----------------------===//
//
// Floats to integers saturate, NaN gives 0; floats round by one of the library's
// modes. Integers narrow to the nearest value or to their low bits.
//
//===----------------------------------------------------------------------===//
#include "VectorCast.h"
#include "VectorLanes.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilekiln::sim;

static constexpr int64_t chunk = 128;

bool tilekiln::sim::hasInstruction(ElementType from, ElementType to) {
  using E = ElementType;
  switch (from) {
  case E::F32:
    return to == E::F32 || to == E::F16 || to == E::BF16 || to == E::I64 ||
           to == E::I32 || to == E::I16;
  case E::F16:
    return to == E::F32 || to == E::I32 || to == E::I16 || to == E::I8 ||
           to == E::U8;
  case E::BF16:
    return to == E::F32 || to == E::I32;
  case E::U8:
  case E::I8:
    return to == E::F16;
  case E::I16:
    return to == E::F16 || to == E::F32;
  case E::I32:
    return to == E::F32 || to == E::I64 || to == E::I16;
  case E::I64:
    return to == E::I32 || to == E::F32;
  default:
    return false;
  }
}

/// The least and the greatest value of an integer type.
static std::pair<int64_t, int64_t> getLimits(ElementType type) {
  unsigned bits = getBits(type);
  if (isUnsigned(type))
    return {0, bits >= 64 ? std::numeric_limits<int64_t>::max()
                          : (int64_t(1) << bits) - 1};
  if (bits >= 64)
    return {std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

static int64_t toInteger(float value, Rounding rounding, int64_t least,
                         int64_t greatest) {
  if (std::isnan(value))
    return 0;
  double whole = roundTo(double(value), rounding);
  if (whole <= double(least))
    return least;
  if (whole >= double(greatest))
    return greatest;
  return int64_t(whole);
}

/// An integer as f32, rounded once.
static float toFloat(int64_t value, Rounding rounding) {
  float nearest = float(value);
  if (rounding == Rounding::NearestEven || int64_t(nearest) == value ||
      std::fabs(nearest) >= 9.2e18f)
    return nearest;
  // One of its neighbours is on the other side of the value.
  float other = std::nextafter(
      nearest, int64_t(nearest) < value ? std::numeric_limits<float>::infinity()
                                        : -std::numeric_limits<float>::infinity());
  float low = std::min(nearest, other), high = std::max(nearest, other);
  switch (rounding) {
  case Rounding::Floor:
    return low;
  case Rounding::Ceil:
    return high;
  case Rounding::Truncate:
    return value < 0 ? high : low;
  case Rounding::NearestAway: {
    int64_t below = value - int64_t(low), above = int64_t(high) - value;
    if (below != above)
      return below < above ? low : high;
    return value < 0 ? low : high;
  }
  default:
    return nearest;
  }
}

static void floatsToFloats(const Conversion &c, const float *in, int64_t count,
                           uint8_t *data, int64_t stride) {
  if (c.to == ElementType::F32) {
    if (c.from != ElementType::F32) // widening is exact
      return storeLanes(c.to, in, count, data, stride);
    float whole[chunk];
    for (int64_t i = 0; i < count; ++i)
      whole[i] = float(roundTo(double(in[i]), c.rounding));
    return storeLanes(c.to, whole, count, data, stride);
  }
  float finite[chunk];
  if (c.saturates) {
    for (int64_t i = 0; i < count; ++i)
      finite[i] = saturate(in[i], c.to);
    in = finite;
  }
  if (c.rounding == Rounding::NearestEven)
    return storeLanes(c.to, in, count, data, stride);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = c.to == ElementType::F16 ? toF16(in[i], c.rounding)
                                             : toBF16(in[i], c.rounding);
    std::memcpy(data + i * stride, &bits, sizeof bits);
  }
}

static void integersToFloats(const Conversion &c, const int64_t *in,
                             int64_t count, uint8_t *data, int64_t stride) {
  float lanes[chunk];
  for (int64_t i = 0; i < count; ++i)
    lanes[i] = toFloat(in[i], c.rounding);
  if (c.to == ElementType::F32 || c.rounding == Rounding::NearestEven)
    return storeLanes(c.to, lanes, count, data, stride);
  // 16-bit integers are exact in f32.
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = toF16(lanes[i], c.rounding);
    std::memcpy(data + i * stride, &bits, sizeof bits);
  }
}

void tilekiln::sim::convertRow(const Conversion &c, const Row &row) {
  float floats[chunk];
  int64_t integers[chunk];
  auto [least, greatest] =
      isFloat(c.to) ? std::pair<int64_t, int64_t>() : getLimits(c.to);
  for (int64_t begin = 0; begin < row.count; begin += chunk) {
    int64_t n = std::min(row.count - begin, chunk);
    const uint8_t *in = row.data[1] + begin * row.stride[1];
    uint8_t *out = row.data[0] + begin * row.stride[0];
    if (isFloat(c.from)) {
      loadLanes(c.from, in, row.stride[1], n, floats);
      if (isFloat(c.to)) {
        floatsToFloats(c, floats, n, out, row.stride[0]);
        continue;
      }
      for (int64_t i = 0; i < n; ++i)
        integers[i] = toInteger(floats[i], c.rounding, least, greatest);
      storeLanes(c.to, integers, n, out, row.stride[0]);
      continue;
    }
    loadLanes(c.from, in, row.stride[1], n, integers);
    if (isFloat(c.to)) {
      integersToFloats(c, integers, n, out, row.stride[0]);
      continue;
    }
    if (!c.wraps)
      for (int64_t i = 0; i < n; ++i)
        integers[i] = std::min(std::max(integers[i], least), greatest);
    storeLanes(c.to, integers, n, out, row.stride[0]);
  }
}
