//===- CubeLoads.cpp - nd2nz, set_l1_2d, load_gm_to_cbuf ------------------===//
//
// Global memory into L1. L1 holds fractals: rows of 32 bytes, 16 to a fractal,
// one column of fractals after the other.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Library/Rows.h"
#include "tilekiln/Sim/Library/Runs.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <cstring>

using namespace tilekiln::sim;

static constexpr int64_t blockBytes = 32;

namespace {
/// The geometry of an nd2nz.
struct Nd2Nz {
  Buffer source, destination;
  int64_t rows, columnBytes, blocks, pitchBytes, sourceRowBytes;

  Access written() const {
    Access access;
    access.space = destination.space;
    access.mode = Access::Mode::Write;
    access.origin = destination.origin;
    access.beginBytes = destination.addressBytes();
    access.runBytes = rows * blockBytes;
    access.runs = blocks;
    access.strideBytes = pitchBytes;
    return access;
  }
  Access sourceRow(int64_t row) const {
    Access access;
    access.tensor = source.tensor;
    access.beginBytes = source.addressBytes() + row * sourceRowBytes;
    access.runBytes = columnBytes;
    return access;
  }
};
} // namespace

static void runNd2Nz(const Nd2Nz &move, ValueContext &values) {
  const uint8_t *from = values.data(move.source);
  uint8_t *to = values.data(move.destination);
  int64_t whole = move.columnBytes / blockBytes, rest = move.columnBytes % blockBytes;
  for (int64_t row = 0; row < move.rows; ++row) {
    const uint8_t *in = from + row * move.sourceRowBytes;
    uint8_t *out = to + row * blockBytes;
    for (int64_t block = 0; block < whole; ++block)
      std::memcpy(out + block * move.pitchBytes, in + block * blockBytes, blockBytes);
    if (rest) {
      uint8_t *last = out + whole * move.pitchBytes;
      std::memcpy(last, in + whole * blockBytes, size_t(rest));
      std::memset(last + rest, 0, size_t(blockBytes - rest));
    }
  }
  Memory &l1 = values.memory(move.destination.space, 0);
  l1.setWritten(move.written());
  if (values.isWritten(move.source))
    return;
  Memory &global = values.memory(Space::GM, move.source.tensor);
  for (int64_t row = 0; row < move.rows; ++row) {
    if (global.isWritten(move.sourceRow(row)))
      continue;
    Access bad = move.written();
    bad.beginBytes += row * blockBytes;
    bad.runBytes = blockBytes;
    l1.setWritten(bad, false);
  }
}

/// nd2nz_T(gm source R x C, l1 destination [C1][R1][16][C0]).
static void issueNd2Nz(const Signature &, const CallArguments &arguments,
                       Issue &issue) {
  Nd2Nz move;
  move.source = arguments.buffer(0);
  move.destination = arguments.buffer(1);
  const Buffer &source = move.source, &destination = move.destination;
  if (source.rank != 2 || destination.rank != 4)
    return issue.fault(FaultKind::Invalid, "takes a matrix and an L1 buffer of "
                                           "four dimensions");
  if (source.isEmpty())
    return;
  if (source.sizes[1] > 1 && source.strides[1] != 1)
    return issue.fault(FaultKind::Invalid,
                       "takes rows whose elements follow each other");
  int64_t elementBytes = getBytes(source.type);
  move.rows = source.sizes[0];
  move.columnBytes = source.sizes[1] * elementBytes;
  move.blocks = ceilDiv(move.columnBytes, blockBytes);
  move.pitchBytes = destination.strides[0] * elementBytes;
  move.sourceRowBytes = source.strides[0] * elementBytes;
  QueueOp &op = issue.transfer(Pipe::MTE2, "nd2nz", TransferKind::Nd2Nz);
  op.reads(source).access(move.written());
  if (issue.state().wantsValues)
    op.job([move](ValueContext &values) { runNd2Nz(move, values); });
}

/// set_l1_2d_T(T value, l1 destination of one dimension).
static void issueSetL1(const Signature &signature, const CallArguments &arguments,
                       Issue &issue) {
  const Buffer destination = arguments.buffer(1);
  if (destination.isEmpty())
    return;
  ElementType type = signature.types[0];
  uint32_t pattern = 0;
  double value = arguments.number(0);
  // The instruction takes 16 bits; a float is cut to a half first.
  switch (type) {
  case ElementType::BF16:
    pattern = toBF16(float(value));
    break;
  case ElementType::I8:
  case ElementType::U8:
    pattern = uint8_t(int64_t(value)) * 0x0101u;
    break;
  case ElementType::I16:
  case ElementType::U16:
    pattern = uint16_t(int64_t(value));
    break;
  default:
    pattern = toF16(float(value));
  }
  if (type == ElementType::F32 && value != 0)
    issue.fault(FaultKind::Invalid, "fills a float buffer with something else than "
                                    "0, which the library cuts to a half");
  Access written;
  written.space = destination.space;
  written.mode = Access::Mode::Write;
  written.origin = destination.origin;
  written.beginBytes = destination.addressBytes();
  written.runBytes =
      roundUp(destination.elementCount() * getBytes(destination.type), blockBytes);
  double cycles = issue.timing().mte2IssueGap +
                  double(written.runBytes) / issue.timing().mte2BytesPerCycleL1;
  QueueOp &op = issue.execute(Pipe::MTE2, "set_2d", cycles);
  op.access(written).counts(0, written.runBytes);
  if (issue.state().wantsValues)
    op.job([written, pattern](ValueContext &values) {
      Memory &l1 = values.memory(written.space, 0);
      uint16_t half = uint16_t(pattern);
      for (int64_t i = 0; i < written.runBytes; i += 2)
        std::memcpy(l1.data() + written.beginBytes + i, &half, 2);
      l1.setWritten(written);
    });
}

/// load_gm_to_cbuf_1d_T(gm source, l1 destination, ...): rows as they are.
static void issueLoadL1(const Signature &, const CallArguments &arguments,
                        Issue &issue) {
  Buffer source = arguments.buffer(0), destination = arguments.buffer(1);
  if (source.isEmpty())
    return;
  QueueOp &op = issue.transfer(Pipe::MTE2, "load_l1", TransferKind::LoadL1);
  op.reads(source).writes(destination, blockBytes);
  if (issue.state().wantsValues)
    op.job([source, destination](ValueContext &values) {
      int64_t bytes = getBytes(source.type);
      const uint8_t *from = values.data(source);
      uint8_t *to = values.data(destination);
      forEachRun(source, destination, [&](int64_t a, int64_t b, int64_t count) {
        std::memcpy(to + b * bytes, from + a * bytes, size_t(count * bytes));
      });
      values.propagate(destination, {source});
    });
}

void tilekiln::sim::addCubeLoadRows(LibraryTable &table) {
  table.add({
      {"nd2nz_{type}", "bb", issueNd2Nz},
      {"set_l1_2d_{type}", "sb", issueSetL1},
      {"load_gm_to_cbuf_{rank}d_{type}", "bbs?s?s?", issueLoadL1},
  });
}
