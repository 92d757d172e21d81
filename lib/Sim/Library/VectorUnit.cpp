//===- VectorUnit.cpp - Instructions of the vector pipe -------------------===//
//
// Costs: an instruction keeps the pipe for its repeats and shows its results a
// startup later. What the target's description has no figures for costs what a
// relative of it does.
//
//===----------------------------------------------------------------------===//
#include "VectorUnit.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace tilekiln::sim;
using llvm::StringRef;

/// An instruction that works alike, for those without figures of their own.
static StringRef getRelative(StringRef instruction) {
  if (instruction.starts_with("vcast."))
    return "vcast.f32.f16";
  return llvm::StringSwitch<StringRef>(instruction)
      .Cases("vmin", "vcmp", "vcmps", "vmax")
      .Cases("vadds", "vshl", "vshr", "vmuls")
      .Cases("vmins", "vabs", "vcopy", "vdup", "vmaxs")
      .Cases("vor", "vnot", "vand")
      .Case("vrec", "vrsqrt")
      .Cases("vcmax", "vcmin", "vcadd")
      .Cases("vcgmax", "vcgmin", "vcpadd", "vcgadd")
      .Cases("vbrcb", "vreducev2", "vmaxs")
      .Case("vsel", "vmul")
      .Default("vadd");
}

QueueOp &VectorUnit::repeat(StringRef instruction, double repeats,
                            double leastPerRepeat) {
  const Timing &timing = issue.timing();
  StringRef name = timing.vectorCosts.count(instruction)
                       ? instruction
                       : getRelative(instruction);
  VectorCost cost = timing.vector(name);
  return issue.execute(Pipe::V, instruction,
                       std::max(cost.perRepeat, leastPerRepeat) * repeats,
                       cost.startup);
}

QueueOp &VectorUnit::count(StringRef instruction, int64_t elements,
                           int64_t bytes, double leastPerRepeat) {
  QueueOp &op = repeat(instruction, double(ceilDiv(elements * bytes, repeatBytes)),
                       leastPerRepeat);
  if (elements * bytes % repeatBytes != 0)
    op.busy += issue.timing().vectorCountMode;
  return op;
}

void VectorUnit::waitForVector() {
  issue.setFlag(Pipe::V, Pipe::S, libraryEvent);
  issue.waitFlag(Pipe::V, Pipe::S, libraryEvent);
}

void VectorUnit::releaseVector() {
  issue.setFlag(Pipe::S, Pipe::V, libraryEvent);
  issue.waitFlag(Pipe::S, Pipe::V, libraryEvent);
}

QueueOp &VectorUnit::scalarLoop(int64_t elements) {
  waitForVector();
  // Load, compute, store, count: each waits for the one before. The flag that
  // ends the loop follows, so the op must be filled in before the next call.
  size_t index = issue.ops().size();
  issue.scalar(4 * issue.timing().scalarDependent * double(elements));
  releaseVector();
  return issue.ops()[index];
}

QueueOp &VectorUnit::dup(const Buffer &dst, ScalarBytes value) {
  int64_t bytes = getBytes(dst.type);
  return count("vdup", dst.elementCount(), bytes)
      .writes(dst)
      .job([dst, value, bytes](ValueContext &values) {
        forEachRow(values, dst, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i)
            std::memcpy(row.data[0] + i * row.stride[0], value.bytes,
                        size_t(bytes));
        });
        values.setWritten(dst);
      });
}

void VectorUnit::dupElement(const Buffer &source, const Buffer &dst) {
  Buffer element = reshape(source, 0, {1});
  struct Cell {
    ScalarBytes value;
    bool isWritten = false;
  };
  auto cell = std::make_shared<Cell>();
  waitForVector();
  size_t bytes = getBytes(element.type);
  issue.scalar(issue.timing().scalarDependent)
      .reads(element)
      .job([element, cell, bytes](ValueContext &values) {
        std::memcpy(cell->value.bytes, values.data(element), bytes);
        cell->isWritten = values.isWritten(element);
      });
  releaseVector();
  count("vdup", dst.elementCount(), int64_t(bytes))
      .writes(dst)
      .job([dst, cell, bytes](ValueContext &values) {
        forEachRow(values, dst, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i)
            std::memcpy(row.data[0] + i * row.stride[0], cell->value.bytes, bytes);
        });
        values.setWritten(dst, cell->isWritten);
      });
}

void VectorUnit::broadcastBlocks(const Buffer &source, const Buffer &dst) {
  int64_t count = size(source, 0), rows = roundUp(count, 8);
  int64_t lanes = lanesPerBlock(dst.type);
  Buffer from = reshape(source, 0, {count, 1}, {1, 1});
  Buffer to = reshape(dst, 0, {count, lanes}, {lanes, 1});
  QueueOp &op = copy("vbrcb", to, from, double(rows / 8));
  if (rows == count)
    return;
  // Blocks of what follows the source: nobody means to read them.
  Buffer rest = reshape(dst, count * lanes, {(rows - count) * lanes});
  op.writes(rest);
  Job inner = std::move(op.work);
  op.job([rest, inner = std::move(inner)](ValueContext &values) mutable {
    inner(values);
    values.setWritten(rest, false);
  });
}

void tilekiln::sim::describeCopy(QueueOp &op, const Buffer &dst,
                                 const Buffer &source) {
  size_t bytes = getBytes(dst.type);
  op.reads(source).writes(dst).job([dst, source, bytes](ValueContext &values) {
    forEachRow(values, {dst, source}, [&](const Row &row) {
      if (row.stride[0] == int64_t(bytes) && row.stride[1] == int64_t(bytes))
        std::memmove(row.data[0], row.data[1], size_t(row.count) * bytes);
      else
        for (int64_t i = 0; i < row.count; ++i)
          std::memcpy(row.data[0] + i * row.stride[0],
                      row.data[1] + i * row.stride[1], bytes);
    });
    values.propagate(dst, {source});
  });
}

QueueOp &VectorUnit::copy(StringRef instruction, const Buffer &dst,
                          const Buffer &source, double repeats) {
  QueueOp &op = repeat(instruction, repeats);
  describeCopy(op, dst, source);
  return op;
}

double VectorUnit::bankCycles(const Buffer &a, const Buffer &b) const {
  // Block k is in bank group k mod 16; a repeat reads 8 consecutive groups of
  // each operand, or one where it is broadcast from a block.
  constexpr int64_t groups = 16, blocksPerRepeat = 8;
  auto blocks = [](const Buffer &buffer) {
    return buffer.rank > 0 && buffer.sizes[buffer.rank - 1] > 1 ? blocksPerRepeat
                                                                : int64_t(1);
  };
  int64_t first = a.addressBytes() / blockBytes;
  int64_t second = b.addressBytes() / blockBytes;
  int64_t ahead = ((second - first) % groups + groups) % groups;
  bool collide = ahead < blocks(a) || groups - ahead < blocks(b);
  return collide ? issue.timing().vectorBankConflictFactor : 1;
}
