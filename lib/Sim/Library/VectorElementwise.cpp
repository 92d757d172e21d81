//===- VectorElementwise.cpp - One operation on whole buffers -------------===//
//
// See the header. The paths are those of the library: which elements go through
// the scalar unit follows from addresses and strides alone.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;

namespace {

/// Sources with scalars behind them as rows see them.
struct Operands {
  llvm::SmallVector<Buffer, 3> buffers;
  ScalarBytes scalar;
  /// Index of the source that is the scalar; 0: none.
  unsigned scalarIndex = 0;

  explicit Operands(const Elementwise &call) {
    buffers.push_back(call.dst);
    add(call.first, 1);
    if (call.second)
      add(*call.second, 2);
  }

  void compute(LaneOp op, ValueContext &values) const {
    ElementType type = buffers[0].type;
    // A scalar takes the place of one of the sources.
    forEachRow(values, buffers, [&](const Row &row) {
      Row full = row;
      if (scalarIndex == 1) {
        full.data[2] = row.data[1];
        full.stride[2] = row.stride[1];
      }
      if (scalarIndex != 0) {
        full.data[scalarIndex] = const_cast<uint8_t *>(scalar.bytes);
        full.stride[scalarIndex] = 0;
      }
      applyToRow(op, type, full);
    });
    if (buffers.size() == 1)
      values.setWritten(buffers[0]);
    else if (buffers.size() == 2)
      values.propagate(buffers[0], {buffers[1]});
    else
      values.propagate(buffers[0], {buffers[1], buffers[2]});
  }

  void declare(QueueOp &op) const {
    for (const Buffer &buffer : llvm::ArrayRef(buffers).drop_front())
      op.reads(buffer);
    op.writes(buffers[0]);
  }

private:
  void add(const Source &source, unsigned index) {
    if (source.buffer) {
      buffers.push_back(*source.buffer);
      return;
    }
    scalar = source.scalar;
    scalarIndex = index;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Repeats of a buffer of two dimensions and more: whole repeats along a row,
/// and one more for the rest of it.
static double countRepeats(const Buffer &dst) {
  unsigned last = dst.rank - 1u;
  int64_t rows = 1;
  for (unsigned i = 0; i < last; ++i)
    rows *= dst.sizes[i];
  return double(rows * ceilDiv(dst.sizes[last], lanesPerRepeat(dst.type)));
}

void tilekiln::sim::issueLanes(const Elementwise &call, Issue &issue) {
  Operands operands(call);
  if (call.dst.isEmpty())
    return;
  VectorUnit unit(issue);
  double least = 0;
  if (operands.buffers.size() == 3)
    least = unit.bankCycles(operands.buffers[1], operands.buffers[2]);
  QueueOp &op = call.dst.rank == 1
                    ? unit.count(call.instruction, size(call.dst, 0),
                                 getBytes(call.dst.type), least)
                    : unit.repeat(call.instruction, countRepeats(call.dst), least);
  operands.declare(op);
  op.counts(isFloat(call.dst.type) ? double(call.dst.elementCount()) : 0)
      .job([operands, lane = call.op](ValueContext &values) {
        operands.compute(lane, values);
      });
}

void tilekiln::sim::issueBinary(LaneOp op, llvm::StringRef instruction,
                                const Buffer &dst, const Buffer &a,
                                const Buffer &b, Issue &issue) {
  issueLanes({op, instruction, dst, a, Source(b), Buffer(), false}, issue);
}

//===----------------------------------------------------------------------===//
// Scalar loop
//===----------------------------------------------------------------------===//

/// How many elements at the head of each row the scalar unit computes; all of
/// them if strides or misalignments forbid instructions.
static int64_t countScalarHead(const Elementwise &call) {
  const Buffer &dst = call.dst;
  unsigned last = dst.rank - 1u;
  llvm::SmallVector<const Buffer *, 3> buffers{&dst};
  if (call.first.buffer)
    buffers.push_back(&*call.first.buffer);
  if (call.second && call.second->buffer)
    buffers.push_back(&*call.second->buffer);
  bool isBroadcast = false;
  for (const Buffer *buffer : buffers) {
    if (buffer->strides[last] != 1)
      return dst.sizes[last];
    for (unsigned i = 0; i < dst.rank; ++i)
      isBroadcast |= buffer->sizes[i] != dst.sizes[i] && buffer->sizes[i] == 1;
  }
  int64_t perBlock = lanesPerBlock(dst.type), bytes = getBytes(dst.type);
  if (!isBroadcast)
    for (const Buffer *buffer : buffers)
      for (unsigned i = 0; i < last; ++i)
        if (buffer->strides[i] % perBlock != 0 && buffer->strides[i] != 1)
          return dst.sizes[last];
  bool allAligned = true, alike = true;
  for (const Buffer *buffer : buffers) {
    allAligned &= isBlockAligned(*buffer);
    alike &= buffer->offset * bytes % blockBytes == dst.offset * bytes % blockBytes;
  }
  if (allAligned)
    return 0;
  if (!alike)
    return dst.sizes[last];
  int64_t past = dst.addressBytes() % blockBytes;
  return (blockBytes - past) % blockBytes / bytes;
}

static void issueScalarLoop(Elementwise call, Issue &issue) {
  Operands operands(call);
  VectorUnit unit(issue);
  QueueOp &op = unit.scalarLoop(call.dst.elementCount());
  operands.declare(op);
  op.job([operands, lane = getScalarTwin(call.op)](ValueContext &values) {
    operands.compute(lane, values);
  });
}

/// Cuts `count` elements off the head of each row. An operand of size 1 keeps its
/// size but moves along with the others, as in the library.
static void dropHead(Buffer &buffer, unsigned last, int64_t count) {
  buffer.offset += count;
  if (buffer.sizes[last] != 1)
    buffer.sizes[last] = std::max<int64_t>(buffer.sizes[last] - count, 0);
}

//===----------------------------------------------------------------------===//
// Broadcast in line
//===----------------------------------------------------------------------===//

namespace {

/// Hands out pieces of the call's scratch buffer.
class Scratch {
public:
  Scratch(const Buffer &tmp, ElementType type) : tmp(tmp), type(type) {}

  /// `rows` blocks as elements of size 1 that are read with block stride 0.
  Buffer take(int64_t rows) {
    int64_t lanes = lanesPerBlock(type);
    Buffer piece = reshape(retype(tmp, type), used, {rows, 1}, {lanes, 1});
    used += rows * lanes;
    return piece;
  }
  bool exists() const { return !tmp.isEmpty(); }

private:
  Buffer tmp;
  ElementType type;
  int64_t used = 0;
};

} // namespace

/// A piece of blocks as the run that fills it.
static Buffer fillOf(const Buffer &piece, int64_t rows) {
  return reshape(piece, 0, {rows * lanesPerBlock(piece.type)});
}

/// Replaces a source of one column by blocks in scratch.
static Buffer broadcastSource(const Buffer &source, Scratch &scratch,
                              VectorUnit &unit) {
  bool flat = source.rank == 1;
  int64_t rows = flat ? 1 : size(source, 0);
  if (rows == 1) {
    Buffer piece = scratch.take(1);
    unit.dupElement(source, fillOf(piece, 1));
    unit.barrier();
    return flat ? reshape(piece, 0, {1}) : piece;
  }
  Buffer piece = scratch.take(roundUp(rows, 8));
  if (stride(source, 0) == 1) {
    unit.broadcastBlocks(reshape(source, 0, {rows}), piece);
  } else {
    for (int64_t i = 0; i < rows; ++i)
      unit.dupElement(at(source, 0, i), fillOf(slice(piece, 0, i, 1), 1));
  }
  unit.barrier();
  return slice(piece, 0, 0, rows);
}

static Buffer broadcastScalar(ScalarBytes scalar, unsigned rank, Scratch &scratch,
                              VectorUnit &unit) {
  Buffer piece = scratch.take(1);
  unit.dup(fillOf(piece, 1), scalar);
  unit.barrier();
  return rank == 1 ? reshape(piece, 0, {1}) : piece;
}

static bool isLastBroadcast(const Source &source, const Buffer &dst) {
  unsigned last = dst.rank - 1u;
  return source.buffer && source.buffer->sizes[last] == 1 &&
         dst.sizes[last] != 1;
}

/// Rank 1 and 2: copies broadcast operands to scratch, then the instructions.
static void issueAligned(Elementwise call, Issue &issue) {
  VectorUnit unit(issue);
  Scratch scratch(call.tmp, call.dst.type);
  bool scalarToScratch =
      (!call.first.buffer || (call.second && !call.second->buffer)) &&
      !call.takesScalar;
  bool secondBroadcast = call.second && isLastBroadcast(*call.second, call.dst);
  if ((scalarToScratch || isLastBroadcast(call.first, call.dst) ||
       secondBroadcast) &&
      !scratch.exists()) {
    issue.fault(FaultKind::Invalid,
                llvm::formatv("{0} broadcasts an operand but was given no scratch "
                              "buffer",
                              call.instruction)
                    .str());
    return;
  }
  if (!call.first.buffer)
    call.first = broadcastScalar(call.first.scalar, call.dst.rank, scratch, unit);
  else if (isLastBroadcast(call.first, call.dst))
    call.first = broadcastSource(*call.first.buffer, scratch, unit);
  if (call.second && !call.second->buffer && !call.takesScalar)
    call.second = Source(
        broadcastScalar(call.second->scalar, call.dst.rank, scratch, unit));
  else if (secondBroadcast)
    call.second = Source(broadcastSource(*call.second->buffer, scratch, unit));
  issueLanes(call, issue);
}

void tilekiln::sim::issueElementwise(Elementwise call, Issue &issue) {
  if (call.dst.isEmpty())
    return;
  unsigned last = call.dst.rank - 1u;
  if (int64_t head = countScalarHead(call)) {
    int64_t all = call.dst.sizes[last];
    Elementwise scalarCall = call;
    if (head < all) {
      scalarCall.dst.sizes[last] = head;
      auto limit = [&](Source &source) {
        if (source.buffer && source.buffer->sizes[last] != 1)
          source.buffer->sizes[last] = head;
      };
      limit(scalarCall.first);
      if (scalarCall.second)
        limit(*scalarCall.second);
    }
    issueScalarLoop(scalarCall, issue);
    if (head >= all)
      return;
    dropHead(call.dst, last, head);
    if (call.first.buffer)
      dropHead(*call.first.buffer, last, head);
    if (call.second && call.second->buffer)
      dropHead(*call.second->buffer, last, head);
  }
  bool needsPlanes =
      call.dst.rank == 3 &&
      (isLastBroadcast(call.first, call.dst) || !call.first.buffer ||
       (call.second && isLastBroadcast(*call.second, call.dst)));
  if (!needsPlanes) {
    issueAligned(call, issue);
    return;
  }
  // Broadcast along the last of three dimensions: plane by plane, in the same
  // scratch blocks.
  for (int64_t i = 0; i < size(call.dst, 0); ++i) {
    Elementwise plane = call;
    auto take = [&](Buffer &buffer) {
      buffer = at(buffer, 0, buffer.sizes[0] == 1 ? 0 : i);
    };
    take(plane.dst);
    if (plane.first.buffer)
      take(*plane.first.buffer);
    if (plane.second && plane.second->buffer)
      take(*plane.second->buffer);
    issueAligned(plane, issue);
  }
}
