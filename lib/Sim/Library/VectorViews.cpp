//===- VectorViews.cpp - Views of buffers and walks over their rows -------===//
//
// The arithmetic of shapes that the vector library is written with.
//
//===----------------------------------------------------------------------===//
#include "VectorUnit.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <cassert>
#include <cstring>

using namespace tilekiln::sim;

Buffer tilekiln::sim::retype(Buffer buffer, ElementType type) {
  assert(getBits(buffer.type) == getBits(type));
  buffer.type = type;
  return buffer;
}

Buffer tilekiln::sim::viewAs(Buffer buffer, ElementType type) {
  int64_t from = getBits(buffer.type), to = getBits(type);
  buffer.type = type;
  if (from == to || buffer.rank == 0)
    return buffer;
  unsigned last = buffer.rank - 1u;
  if (from < to) {
    int64_t factor = to / from;
    buffer.offset /= factor;
    buffer.sizes[last] = ceilDiv(buffer.sizes[last], factor);
    for (unsigned i = 0; i < last; ++i)
      buffer.strides[i] = ceilDiv(buffer.strides[i], factor);
    return buffer;
  }
  int64_t factor = from / to;
  buffer.offset *= factor;
  buffer.sizes[last] *= factor;
  for (unsigned i = 0; i < last; ++i)
    buffer.strides[i] *= factor;
  return buffer;
}

Buffer tilekiln::sim::slice(Buffer buffer, unsigned dim, int64_t begin,
                            int64_t size) {
  buffer.offset += begin * buffer.strides[dim];
  buffer.sizes[dim] = size;
  return buffer;
}

Buffer tilekiln::sim::at(const Buffer &buffer, unsigned dim, int64_t index) {
  Buffer result = buffer;
  result.offset += index * buffer.strides[dim];
  for (unsigned i = dim; i + 1 < buffer.rank; ++i) {
    result.sizes[i] = buffer.sizes[i + 1];
    result.strides[i] = buffer.strides[i + 1];
  }
  --result.rank;
  return result;
}

Buffer tilekiln::sim::reshape(Buffer buffer, int64_t offset,
                              llvm::ArrayRef<int64_t> sizes,
                              llvm::ArrayRef<int64_t> strides) {
  buffer.offset += offset;
  buffer.rank = uint8_t(sizes.size());
  int64_t dense = 1;
  for (unsigned i = buffer.rank; i-- > 0;) {
    buffer.sizes[i] = sizes[i];
    buffer.strides[i] = strides.empty() ? dense : strides[i];
    dense *= sizes[i];
  }
  return buffer;
}

Buffer tilekiln::sim::wholeBlocks(const Buffer &buffer) {
  int64_t bits = buffer.elementCount() * int64_t(getBits(buffer.type));
  Buffer bytes = Buffer::make(buffer.space, ElementType::I8, buffer.addressBytes(),
                              {roundUp(ceilDiv(bits, 8), blockBytes)});
  bytes.tensor = buffer.tensor;
  bytes.origin = buffer.origin;
  return bytes;
}

bool tilekiln::sim::isBlockAligned(const Buffer &buffer) {
  return buffer.addressBytes() % blockBytes == 0 && buffer.bitOffset() == 0;
}

bool tilekiln::sim::isVectorAligned(const Buffer &buffer) {
  if (!isBlockAligned(buffer))
    return false;
  if (buffer.elementCount() == 1 || buffer.rank == 0)
    return true;
  if (buffer.strides[buffer.rank - 1u] != 1)
    return false;
  int64_t perBlock = blockBytes * 8 / getBits(buffer.type);
  return buffer.rank < 2 || buffer.strides[buffer.rank - 2u] % perBlock == 0;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

ScalarBytes tilekiln::sim::toBytes(double value, ElementType type) {
  ScalarBytes out;
  if (type == ElementType::F16 || type == ElementType::BF16) {
    uint16_t bits =
        type == ElementType::F16 ? toF16(float(value)) : toBF16(float(value));
    std::memcpy(out.bytes, &bits, sizeof bits);
  } else if (type == ElementType::F32) {
    float single = float(value);
    std::memcpy(out.bytes, &single, sizeof single);
  } else if (type == ElementType::F64) {
    std::memcpy(out.bytes, &value, sizeof value);
  } else {
    int64_t whole = int64_t(value);
    std::memcpy(out.bytes, &whole, sizeof whole);
  }
  return out;
}

ScalarBytes tilekiln::sim::toBytes(const CallArgument &argument,
                                   ElementType type) {
  if (isFloat(type))
    return toBytes(isFloat(argument.type) ? argument.scalar.f
                                          : double(argument.scalar.i),
                   type);
  // The callee reads the low bytes of what the caller passes.
  int64_t whole = isFloat(argument.type) ? int64_t(argument.scalar.f)
                                         : argument.scalar.i;
  ScalarBytes out;
  std::memcpy(out.bytes, &whole, sizeof whole);
  return out;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void tilekiln::sim::forEachRow(ValueContext &values,
                               llvm::ArrayRef<Buffer> operands,
                               llvm::function_ref<void(const Row &)> body) {
  assert(!operands.empty() && operands.size() <= 4);
  const Buffer &shape = operands[0];
  if (shape.isEmpty())
    return;
  size_t count = operands.size();
  Row row;
  for (size_t k = 0; k < count; ++k)
    row.data[k] = values.data(operands[k]);

  // Dimensions that matter, innermost first, joined where all operands allow.
  struct Dim {
    int64_t size;
    int64_t stride[4];
  };
  llvm::SmallVector<Dim, Buffer::maxRank> dims;
  for (unsigned i = shape.rank; i-- > 0;) {
    if (shape.sizes[i] == 1)
      continue;
    Dim dim{shape.sizes[i], {}};
    for (size_t k = 0; k < count; ++k) {
      const Buffer &buffer = operands[k];
      unsigned skip = shape.rank - buffer.rank;
      bool isBroadcast = i < skip || buffer.sizes[i - skip] == 1;
      dim.stride[k] = isBroadcast ? 0
                                  : buffer.strides[i - skip] *
                                        int64_t(getBytes(buffer.type));
    }
    bool joins = !dims.empty();
    for (size_t k = 0; joins && k < count; ++k)
      joins = dim.stride[k] == dims.back().stride[k] * dims.back().size;
    if (joins)
      dims.back().size *= dim.size;
    else
      dims.push_back(dim);
  }
  if (dims.empty()) {
    row.count = 1;
    body(row);
    return;
  }
  row.count = dims[0].size;
  std::copy(std::begin(dims[0].stride), std::end(dims[0].stride), row.stride);
  llvm::SmallVector<int64_t, Buffer::maxRank> index(dims.size(), 0);
  for (;;) {
    body(row);
    size_t i = 1;
    for (; i < dims.size(); ++i) {
      for (size_t k = 0; k < count; ++k)
        row.data[k] += dims[i].stride[k];
      if (++index[i] < dims[i].size)
        break;
      for (size_t k = 0; k < count; ++k)
        row.data[k] -= dims[i].stride[k] * dims[i].size;
      index[i] = 0;
    }
    if (i >= dims.size())
      return;
  }
}
