//===- Buffer.cpp - Shapes and the bytes that they touch ------------------===//
#include "tilekiln/Sim/Core/Buffer.h"
#include <cassert>

using namespace tilekiln::sim;

Buffer Buffer::make(Space space, ElementType type, int64_t baseBytes,
                    llvm::ArrayRef<int64_t> sizes) {
  assert(sizes.size() <= maxRank);
  Buffer buffer;
  buffer.space = space;
  buffer.type = type;
  buffer.baseBytes = baseBytes;
  buffer.rank = uint8_t(sizes.size());
  int64_t stride = 1;
  for (unsigned i = buffer.rank; i-- > 0;) {
    buffer.sizes[i] = sizes[i];
    buffer.strides[i] = stride;
    stride *= sizes[i];
  }
  return buffer;
}

int64_t Buffer::elementCount() const {
  int64_t count = 1;
  for (unsigned i = 0; i < rank; ++i)
    count *= sizes[i];
  return count;
}

bool Buffer::isDense() const {
  int64_t stride = 1;
  for (unsigned i = rank; i-- > 0;) {
    if (sizes[i] == 1)
      continue;
    if (strides[i] != stride)
      return false;
    stride *= sizes[i];
  }
  return true;
}

void tilekiln::sim::appendAccesses(const Buffer &buffer, Access::Mode mode,
                                   Accesses &out, int64_t roundUpBytes) {
  if (buffer.isEmpty())
    return;
  // Dimensions that matter, innermost first, joined where one continues the
  // other.
  struct Dim {
    int64_t size, stride;
  };
  llvm::SmallVector<Dim, Buffer::maxRank> dims;
  for (unsigned i = buffer.rank; i-- > 0;) {
    if (buffer.sizes[i] == 1)
      continue;
    if (!dims.empty() &&
        buffer.strides[i] == dims.back().stride * dims.back().size)
      dims.back().size *= buffer.sizes[i];
    else
      dims.push_back({buffer.sizes[i], buffer.strides[i]});
  }
  int64_t bits = getBits(buffer.type);
  auto toBytes = [&](int64_t elements) { return elements * bits / 8; };

  Access access;
  access.space = buffer.space;
  access.mode = mode;
  access.tensor = buffer.tensor;
  access.origin = buffer.origin;
  access.beginBytes = buffer.addressBytes();
  size_t next = 0;
  int64_t runElements = 1;
  if (!dims.empty() && dims[0].stride == 1)
    runElements = dims[next++].size;
  // Bits that share bytes with others count as whole bytes.
  access.runBytes = buffer.type == ElementType::I1
                        ? (buffer.bitOffset() + runElements + 7) / 8
                        : toBytes(runElements);
  access.runBytes =
      (access.runBytes + roundUpBytes - 1) / roundUpBytes * roundUpBytes;
  if (next < dims.size()) {
    access.runs = dims[next].size;
    access.strideBytes = toBytes(dims[next].stride);
    ++next;
  }
  // Outer dimensions: one access per index.
  llvm::SmallVector<int64_t, Buffer::maxRank> index(dims.size(), 0);
  for (;;) {
    Access piece = access;
    for (size_t i = next; i < dims.size(); ++i)
      piece.beginBytes += toBytes(index[i] * dims[i].stride);
    out.push_back(piece);
    size_t i = next;
    for (; i < dims.size(); ++i) {
      if (++index[i] < dims[i].size)
        break;
      index[i] = 0;
    }
    if (i == dims.size())
      return;
  }
}
