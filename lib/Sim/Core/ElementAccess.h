//===- ElementAccess.h - Single elements of memory ------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_ELEMENTACCESS_H
#define TILEKILN_LIB_SIM_CORE_ELEMENTACCESS_H

#include "tilekiln/Sim/Core/Numbers.h"
#include "tilekiln/Sim/Core/Program.h"
#include <cstring>

namespace tilekiln::sim {

template <typename T>
T readAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void writeAs(uint8_t *bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

/// `bit` is the place of an I1 in its byte.
inline Scalar readElement(const uint8_t *bytes, ElementType type, unsigned bit) {
  switch (type) {
  case ElementType::I1:
    return Scalar::integer((*bytes >> bit) & 1);
  case ElementType::I8:
    return Scalar::integer(readAs<int8_t>(bytes));
  case ElementType::U8:
    return Scalar::integer(readAs<uint8_t>(bytes));
  case ElementType::I16:
    return Scalar::integer(readAs<int16_t>(bytes));
  case ElementType::U16:
    return Scalar::integer(readAs<uint16_t>(bytes));
  case ElementType::I32:
    return Scalar::integer(readAs<int32_t>(bytes));
  case ElementType::U32:
    return Scalar::integer(readAs<uint32_t>(bytes));
  case ElementType::I64:
  case ElementType::U64:
    return Scalar::integer(readAs<int64_t>(bytes));
  case ElementType::F16:
    return Scalar::real(fromF16(readAs<uint16_t>(bytes)));
  case ElementType::BF16:
    return Scalar::real(fromBF16(readAs<uint16_t>(bytes)));
  case ElementType::F32:
    return Scalar::real(readAs<float>(bytes));
  case ElementType::F64:
    return Scalar::real(readAs<double>(bytes));
  }
  return Scalar();
}

inline void writeElement(uint8_t *bytes, ElementType type, unsigned bit,
                         Scalar value) {
  switch (type) {
  case ElementType::I1:
    *bytes = uint8_t((*bytes & ~(1u << bit)) | (unsigned(value.i & 1) << bit));
    return;
  case ElementType::I8:
  case ElementType::U8:
    *bytes = uint8_t(value.i);
    return;
  case ElementType::I16:
  case ElementType::U16:
    writeAs(bytes, uint16_t(value.i));
    return;
  case ElementType::I32:
  case ElementType::U32:
    writeAs(bytes, uint32_t(value.i));
    return;
  case ElementType::I64:
  case ElementType::U64:
    writeAs(bytes, value.i);
    return;
  case ElementType::F16:
    writeAs(bytes, toF16(float(value.f)));
    return;
  case ElementType::BF16:
    writeAs(bytes, toBF16(float(value.f)));
    return;
  case ElementType::F32:
    writeAs(bytes, float(value.f));
    return;
  case ElementType::F64:
    writeAs(bytes, value.f);
    return;
  }
}

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_ELEMENTACCESS_H
