//===- Atomics.cpp - Updates of global memory by DMA ----------------------===//
#include "tilekiln/Sim/Library/Atomics.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace tilekiln::sim;

AtomicMode AtomicMode::fromControl(uint64_t control) {
  if (((control >> 6) & 7) == 0)
    return {};
  switch ((control >> 9) & 3) {
  case 0:
    return {Kind::Add};
  case 1:
    return {Kind::Max};
  default:
    return {Kind::Min};
  }
}

AtomicMode AtomicMode::fromArgument(int64_t argument) {
  return argument >= 1 && argument <= 3 ? AtomicMode{Kind(argument)} : AtomicMode{};
}

template <typename T>
static T apply(T a, T b, AtomicMode mode) {
  if (mode.kind == AtomicMode::Kind::Add) {
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
  return mode.kind == AtomicMode::Kind::Max ? (a < b ? b : a) : (b < a ? b : a);
}

template <typename T>
static void update(uint8_t *to, const uint8_t *from, int64_t count, AtomicMode mode) {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, to + i * int64_t(sizeof(T)), sizeof(T));
    std::memcpy(&b, from + i * int64_t(sizeof(T)), sizeof(T));
    a = apply(a, b, mode);
    std::memcpy(to + i * int64_t(sizeof(T)), &a, sizeof(T));
  }
}

template <float (*Widen)(uint16_t), uint16_t (*Narrow)(float)>
static void updateHalf(uint8_t *to, const uint8_t *from, int64_t count,
                       AtomicMode mode) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t a, b;
    std::memcpy(&a, to + i * 2, 2);
    std::memcpy(&b, from + i * 2, 2);
    a = Narrow(apply(Widen(a), Widen(b), mode));
    std::memcpy(to + i * 2, &a, 2);
  }
}

void tilekiln::sim::updateAtomically(uint8_t *to, const uint8_t *from, int64_t count,
                                     ElementType type, AtomicMode mode) {
  switch (type) {
  case ElementType::I1:
    return;
  case ElementType::I8:
    return update<int8_t>(to, from, count, mode);
  case ElementType::U8:
    return update<uint8_t>(to, from, count, mode);
  case ElementType::I16:
    return update<int16_t>(to, from, count, mode);
  case ElementType::U16:
    return update<uint16_t>(to, from, count, mode);
  case ElementType::I32:
    return update<int32_t>(to, from, count, mode);
  case ElementType::U32:
    return update<uint32_t>(to, from, count, mode);
  case ElementType::I64:
    return update<int64_t>(to, from, count, mode);
  case ElementType::U64:
    return update<uint64_t>(to, from, count, mode);
  case ElementType::F16:
    return updateHalf<fromF16, toF16>(to, from, count, mode);
  case ElementType::BF16:
    return updateHalf<fromBF16, toBF16>(to, from, count, mode);
  case ElementType::F32:
    return update<float>(to, from, count, mode);
  case ElementType::F64:
    return update<double>(to, from, count, mode);
  }
}
