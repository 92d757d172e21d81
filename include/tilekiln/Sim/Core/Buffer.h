//===- Buffer.h - A piece of memory as the program sees it ----------------===//
//
// What a memref is at run time: a space, a base address and a strided shape. A
// buffer is a value: the program carries it in registers, selects it and takes
// views of it. An access is what an instruction touches of it, in bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_BUFFER_H
#define TILEKILN_SIM_CORE_BUFFER_H

#include "tilekiln/Sim/Core/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace tilekiln::sim {

struct Buffer {
  static constexpr unsigned maxRank = 8;

  Space space = Space::GM;
  ElementType type = ElementType::I8;
  uint8_t rank = 0;
  /// Global memory: which tensor (Launch::tensors). Elsewhere 0.
  uint16_t tensor = 0;
  /// Which pointer_cast made it; views keep it. Two origins that overlap and are
  /// both alive are a fault. 0 is unknown: never one.
  uint32_t origin = 0;
  /// In the space, or from the start of the tensor.
  int64_t baseBytes = 0;
  /// In elements, as the sizes and strides are.
  int64_t offset = 0;
  std::array<int64_t, maxRank> sizes{}, strides{};

  /// A dense buffer.
  static Buffer make(Space space, ElementType type, int64_t baseBytes,
                     llvm::ArrayRef<int64_t> sizes);

  int64_t elementCount() const;
  bool isEmpty() const { return elementCount() == 0; }
  /// Whether the elements follow each other without a gap.
  bool isDense() const;
  /// Of element 0. I1: rounded down to a byte, see bitOffset().
  int64_t addressBytes() const {
    return baseBytes + (offset * int64_t(getBits(type))) / 8;
  }
  /// Of element 0 within its byte; 0 but for I1.
  unsigned bitOffset() const {
    return type == ElementType::I1 ? unsigned(offset & 7) : 0;
  }
  llvm::ArrayRef<int64_t> shape() const { return {sizes.data(), rank}; }
};

/// What one instruction touches: `runs` runs of `runBytes`, `strideBytes` apart.
struct Access {
  enum class Mode : uint8_t { Read, Write, Atomic };

  Space space = Space::GM;
  Mode mode = Mode::Read;
  uint16_t tensor = 0;
  uint32_t origin = 0;
  int64_t beginBytes = 0;
  int64_t runBytes = 0;
  int64_t runs = 1;
  int64_t strideBytes = 0;

  int64_t totalBytes() const { return runBytes * runs; }
  /// One past the last byte.
  int64_t endBytes() const {
    return runs ? beginBytes + (runs - 1) * strideBytes + runBytes : beginBytes;
  }
};

using Accesses = llvm::SmallVector<Access, 4>;

/// Appends what touching all elements of a buffer touches, dense dimensions
/// joined; rank 3 and more may give several accesses. With `roundUpBytes` (32)
/// each run is lengthened to whole blocks, as DMA into UB and L1 does.
void appendAccesses(const Buffer &buffer, Access::Mode mode, Accesses &out,
                    int64_t roundUpBytes = 1);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_BUFFER_H
