//===- VectorFlags.h - Masks of bits --------------------------------------===//
//
// Flags (i1) are bits, the lowest of a byte first. A mask of a compare or a
// select starts at a byte.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORFLAGS_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORFLAGS_H

#include "VectorUnit.h"

namespace tilekiln::sim {

inline bool getFlag(const uint8_t *bytes, int64_t bit) {
  return (bytes[bit >> 3] >> (bit & 7)) & 1;
}

inline void setFlag(uint8_t *bytes, int64_t bit, bool value) {
  uint8_t mask = uint8_t(1u << (bit & 7));
  bytes[bit >> 3] = uint8_t(value ? bytes[bit >> 3] | mask : bytes[bit >> 3] & ~mask);
}

/// The bytes that hold the first `count` flags of a one-dimensional buffer with
/// stride 1, as a buffer of bytes.
Buffer getFlagBytes(const Buffer &flags, int64_t count);

/// How the flag of element i is found: I1 buffers have strides in bits; buffers
/// of bytes hold eight flags in each, as far apart as their stride says.
struct FlagReader {
  const uint8_t *bytes = nullptr;
  int64_t firstBit = 0;
  int64_t stride = 1;
  bool packsBytes = false;

  FlagReader(ValueContext &values, const Buffer &flags);
  bool operator[](int64_t i) const {
    int64_t bit = packsBytes ? i / 8 * stride * 8 + i % 8 : i * stride;
    return getFlag(bytes, firstBit + bit);
  }
};

/// VCMPVS: mask[i] = source[i] != 0, in whole repeats.
void issueNotZero(const Buffer &mask, const Buffer &source, VectorUnit &unit);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORFLAGS_H
