//===- Dma.cpp - Loads and stores of UB -----------------------------------===//
//
// load_gm_to_ubuf, store_ubuf_to_gm, copy_ubuf_to_ubuf. Buffers that DMA cannot
// take (unaligned, strided elements) are moved by the scalar unit, as the library
// does: right, but slow.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "tilekiln/Sim/Library/Atomics.h"
#include "tilekiln/Sim/Library/Rows.h"
#include "tilekiln/Sim/Library/Runs.h"
#include <cstring>

using namespace tilekiln::sim;

static constexpr int64_t blockBytes = 32;
/// The event that the library keeps for itself.
static constexpr int libraryEvent = 7;

/// Whether rows of a UB buffer begin at blocks and their elements follow each
/// other.
static bool isAligned(const Buffer &buffer) {
  if (buffer.type == ElementType::I1)
    return buffer.bitOffset() == 0 && buffer.addressBytes() % blockBytes == 0;
  int64_t bytes = getBytes(buffer.type);
  if (buffer.addressBytes() % blockBytes)
    return false;
  for (unsigned i = 0; i < buffer.rank; ++i) {
    if (buffer.sizes[i] == 1)
      continue;
    bool isInner = i + 1u == buffer.rank;
    if (isInner ? buffer.strides[i] != 1 : buffer.strides[i] * bytes % blockBytes)
      return false;
  }
  return true;
}

static int64_t bytesOf(const Buffer &buffer) {
  return getBits(buffer.type) < 8 ? 1 : int64_t(getBytes(buffer.type));
}

/// i1 buffers are moved as bytes.
static Buffer asBytes(Buffer buffer) {
  if (buffer.type != ElementType::I1)
    return buffer;
  buffer.baseBytes = buffer.addressBytes();
  buffer.offset = 0;
  buffer.type = ElementType::I8;
  for (unsigned i = 0; i < buffer.rank; ++i) {
    bool isInner = i + 1u == buffer.rank;
    (isInner ? buffer.sizes[i] : buffer.strides[i]) =
        ceilDiv(isInner ? buffer.sizes[i] : buffer.strides[i], 8);
  }
  return buffer;
}

static void copyElements(const Buffer &from, const Buffer &to, ValueContext &values) {
  int64_t bytes = bytesOf(from);
  const uint8_t *in = values.data(from);
  uint8_t *out = values.data(to);
  forEachRun(from, to, [&](int64_t a, int64_t b, int64_t count) {
    std::memmove(out + b * bytes, in + a * bytes, size_t(count * bytes));
  });
}

//===----------------------------------------------------------------------===//
// load_gm_to_ubuf
//===----------------------------------------------------------------------===//

namespace {
struct Load {
  Buffer source, destination;
  int64_t leftPad = 0;
  /// One element of padding.
  uint64_t pad = 0;
  bool padsRight = true;
};
} // namespace

static uint64_t elementBits(double value, int64_t integer, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return toF16(float(value));
  case ElementType::BF16:
    return toBF16(float(value));
  case ElementType::F32: {
    float narrow = float(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    return bits;
  }
  case ElementType::F64: {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  default:
    return uint64_t(integer);
  }
}

static void fillPad(uint8_t *to, int64_t bytesCount, const Load &load) {
  int64_t bytes = bytesOf(load.destination);
  for (int64_t i = 0; i < bytesCount; ++i)
    to[i] = uint8_t(load.pad >> (8 * (i % bytes)));
}

static void runLoad(const Load &load, ValueContext &values) {
  const Buffer &source = load.source, &destination = load.destination;
  copyElements(source, destination, values);
  values.propagate(destination, {source});
  if (!load.padsRight && !load.leftPad)
    return;
  // The rest of each row's last block, and what is to the left.
  int64_t bytes = bytesOf(destination);
  int64_t columns = destination.rank ? destination.sizes[destination.rank - 1] : 1;
  int64_t rowBytes = columns * bytes, left = load.leftPad * bytes;
  int64_t right = roundUp(rowBytes, blockBytes) - rowBytes;
  if (!right && !left)
    return;
  Buffer rows = destination;
  if (rows.rank)
    rows.sizes[rows.rank - 1] = 1;
  Memory &memory = values.memory(destination.space, destination.tensor);
  forEachRun(rows, rows, [&](int64_t at, int64_t, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t begin = destination.addressBytes() + (at + i) * bytes;
      Access written;
      written.beginBytes = begin + rowBytes;
      written.runBytes = right;
      fillPad(memory.data() + written.beginBytes, right, load);
      memory.setWritten(written);
      written.beginBytes = begin - left;
      written.runBytes = left;
      fillPad(memory.data() + written.beginBytes, left, load);
      memory.setWritten(written);
    }
  });
}

static void issueLoad(const Signature &, const CallArguments &arguments,
                      Issue &issue) {
  Load load;
  load.source = asBytes(arguments.buffer(0));
  load.destination = asBytes(arguments.buffer(1));
  if (load.source.isEmpty())
    return;
  // The extents are the source's.
  if (load.source.rank != load.destination.rank)
    return issue.fault(FaultKind::Invalid, "takes buffers of the same rank");
  load.destination.sizes = load.source.sizes;
  if (arguments.size() > 4) {
    if (arguments.integer(2) == 2)
      load.pad = elementBits(arguments.number(3), arguments.integer(3),
                             load.destination.type);
    load.leftPad = arguments.integer(4);
  }
  load.padsRight = isAligned(load.destination) &&
                   (load.source.rank == 0 || load.source.sizes[load.source.rank - 1] == 1 ||
                    load.source.strides[load.source.rank - 1] == 1);
  bool wantsValues = issue.state().wantsValues;
  if (!load.padsRight) {
    // Element by element by the scalar unit.
    issue.setFlag(Pipe::MTE2, Pipe::S, libraryEvent);
    issue.waitFlag(Pipe::MTE2, Pipe::S, libraryEvent);
    QueueOp &op = issue.scalar(issue.timing().scalarLoopBody *
                               double(load.source.elementCount()));
    op.reads(load.source).writes(load.destination);
    if (wantsValues)
      op.job([load](ValueContext &values) { runLoad(load, values); });
    issue.setFlag(Pipe::S, Pipe::MTE2, libraryEvent);
    issue.waitFlag(Pipe::S, Pipe::MTE2, libraryEvent);
    return;
  }
  QueueOp &op = issue.transfer(Pipe::MTE2, "load", TransferKind::LoadUb);
  op.reads(load.source);
  Buffer written = load.destination;
  if (load.leftPad && written.rank) {
    written.offset -= load.leftPad;
    written.sizes[written.rank - 1] += load.leftPad;
  }
  op.writes(written, blockBytes);
  if (wantsValues)
    op.job([load](ValueContext &values) { runLoad(load, values); });
}

//===----------------------------------------------------------------------===//
// store_ubuf_to_gm
//===----------------------------------------------------------------------===//

static void runStore(const Buffer &source, const Buffer &destination,
                     AtomicMode atomic, ValueContext &values) {
  if (!atomic.isOn()) {
    copyElements(source, destination, values);
  } else {
    int64_t bytes = bytesOf(source);
    const uint8_t *from = values.data(source);
    uint8_t *to = values.data(destination);
    forEachRun(source, destination, [&](int64_t a, int64_t b, int64_t count) {
      updateAtomically(to + b * bytes, from + a * bytes, count, source.type, atomic);
    });
  }
  // Other tensors know no unwritten bytes: what is not written ends here.
  values.propagate(destination, {source});
  if (values.isWritten(destination))
    values.requireWritten(source, "the stored tile");
}

static void issueStore(const Signature &, const CallArguments &arguments,
                       Issue &issue) {
  Buffer source = asBytes(arguments.buffer(0));
  Buffer destination = asBytes(arguments.buffer(1));
  AtomicMode atomic = arguments.size() > 2
                          ? AtomicMode::fromArgument(arguments.integer(2))
                          : AtomicMode();
  if (source.isEmpty())
    return;
  if (source.rank != destination.rank)
    return issue.fault(FaultKind::Invalid, "takes buffers of the same rank");
  destination.sizes = source.sizes;
  bool wantsValues = issue.state().wantsValues;
  bool aligned = isAligned(source);
  if (!aligned && atomic.isOn())
    return issue.fault(FaultKind::Misaligned,
                       "updates global memory from an unaligned UB buffer: the "
                       "library stores nothing");
  if (!aligned) {
    issue.setFlag(Pipe::MTE3, Pipe::S, libraryEvent);
    issue.waitFlag(Pipe::MTE3, Pipe::S, libraryEvent);
    QueueOp &op = issue.scalar(issue.timing().scalarLoopBody *
                               double(source.elementCount()));
    op.reads(source).writes(destination);
    if (wantsValues)
      op.job([source, destination, atomic](ValueContext &values) {
        runStore(source, destination, atomic, values);
      });
    issue.setFlag(Pipe::S, Pipe::MTE3, libraryEvent);
    issue.waitFlag(Pipe::S, Pipe::MTE3, libraryEvent);
    return;
  }
  if (atomic.isOn())
    issue.barrier(Pipe::MTE3);
  QueueOp &op = issue.transfer(Pipe::MTE3, "store", TransferKind::StoreUb);
  op.reads(source);
  atomic.isOn() ? op.atomic(destination) : op.writes(destination);
  if (wantsValues)
    op.job([source, destination, atomic](ValueContext &values) {
      runStore(source, destination, atomic, values);
    });
  if (atomic.isOn())
    issue.barrier(Pipe::MTE3);
}

//===----------------------------------------------------------------------===//
// copy_ubuf_to_ubuf
//===----------------------------------------------------------------------===//

static void issueCopy(const Signature &, const CallArguments &arguments,
                      Issue &issue) {
  Buffer source = asBytes(arguments.buffer(0));
  Buffer destination = asBytes(arguments.buffer(1));
  if (source.isEmpty())
    return;
  if (source.rank != destination.rank)
    return issue.fault(FaultKind::Invalid, "takes buffers of the same rank");
  destination.sizes = source.sizes;
  int64_t bytes = source.elementCount() * bytesOf(source);
  double repeats = double(bytes) / issue.timing().vectorBytesPerRepeat;
  VectorCost cost = issue.timing().vector("vcopy");
  QueueOp &op = issue.execute(Pipe::V, "copy", cost.perRepeat * std::max(repeats, 1.0),
                              cost.startup);
  op.reads(source).writes(destination).counts(0, bytes);
  if (issue.state().wantsValues)
    op.job([source, destination](ValueContext &values) {
      copyElements(source, destination, values);
      values.propagate(destination, {source});
    });
}

void tilekiln::sim::addDmaRows(LibraryTable &table) {
  table.add({
      {"load_gm_to_ubuf_{rank}d_{type}", "bbs?s?s?", issueLoad},
      {"store_ubuf_to_gm_{rank}d_{type}", "bbs?", issueStore},
      {"copy_ubuf_to_ubuf_{rank}d_{type}", "bbs?s?", issueCopy},
  });
}
