//===- Tile.h - Unranked memrefs and element types in C++ -----------------===//
//
// How run-time functions read the tiles that compiled code hands over, and the
// two 16-bit float types, which are computed with as float.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_RUNTIME_TILE_H
#define TILEKILN_LIB_CPU_RUNTIME_TILE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <cstring>

namespace tilekiln {

/// bfloat16: the upper half of a float.
struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    if (value != value) {
      bits = uint16_t((word >> 16) | 0x40); // stays a NaN
      return;
    }
    bits = uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16);
  }
  explicit operator float() const {
    uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
};

/// The type that an element is computed with.
template <typename T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<_Float16> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};

/// A tile as the memref dialect's conversion to LLVM lays it out.
template <typename T>
struct Tile {
  T *data;
  llvm::ArrayRef<int64_t> sizes, strides;

  Tile(int64_t rank, const void *descriptor) {
    auto *words = static_cast<const int64_t *>(descriptor);
    data = *static_cast<T *const *>(static_cast<const void *>(words + 1)) +
           words[2];
    sizes = llvm::ArrayRef<int64_t>(words + 3, rank);
    strides = llvm::ArrayRef<int64_t>(words + 3 + rank, rank);
  }

  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
  int64_t rank() const { return sizes.size(); }
};

/// Calls `visit(position)` for every position of a shape, the last dimension
/// fastest.
template <typename Visit>
void forEachPosition(llvm::ArrayRef<int64_t> sizes, Visit visit) {
  if (llvm::is_contained(sizes, 0))
    return;
  llvm::SmallVector<int64_t, 6> position(sizes.size(), 0);
  while (true) {
    visit(llvm::ArrayRef<int64_t>(position));
    int64_t dim = int64_t(sizes.size()) - 1;
    while (dim >= 0 && ++position[dim] == sizes[dim])
      position[dim--] = 0;
    if (dim < 0)
      return;
  }
}

inline int64_t linearOffset(llvm::ArrayRef<int64_t> position,
                            llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < position.size(); ++i)
    offset += position[i] * strides[i];
  return offset;
}

/// Calls a macro with the suffix and the C++ type of every element type.
#define TILEKILN_FOR_EACH_ELEMENT(CALL)                                        \
  CALL(f16, _Float16)                                                          \
  CALL(bf16, BFloat16)                                                         \
  CALL(f32, float)                                                             \
  CALL(f64, double)                                                            \
  CALL(i8, int8_t)                                                             \
  CALL(i16, int16_t)                                                           \
  CALL(i32, int32_t)                                                           \
  CALL(i64, int64_t)

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_RUNTIME_TILE_H
