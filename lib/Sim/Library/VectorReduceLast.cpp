//===- VectorReduceLast.cpp - Reductions along the last axis --------------===//
//
// Floats: columns are halved until a repeat is left, which one instruction per
// row reduces. Other types and operations: down to a block by halves, then
// through the scalar unit, which moves half blocks to where an instruction can
// combine them.
//
//===----------------------------------------------------------------------===//
#include "VectorReduce.h"

using namespace tilekiln::sim;

static int64_t floorPowerOfTwo(int64_t value) {
  int64_t power = 1;
  while (power * 2 <= value)
    power *= 2;
  return power;
}

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

void tilekiln::sim::issueStep(const Reduction &reduction, const Buffer &dst,
                              const Buffer &a, const Buffer &b,
                              const Buffer &scratch, Issue &issue) {
  if (reduction.op == LaneOp::Xor)
    issueXor({LaneOp::Xor, "vxor", dst, a, Source(b), scratch, false}, issue);
  else
    issueBinary(reduction.op, reduction.instruction(), dst, a, b, issue);
}

/// Columns halved until `target` are left, in `dst`, whose rows move apart as far
/// as the first halves are wide. Returns the rows of `target` columns.
static Buffer issueHalving(const Reduction &reduction, const Buffer &dst,
                           const Buffer &source, int64_t target,
                           const Buffer &scratch, Issue &issue) {
  VectorUnit unit(issue);
  int64_t rows = size(source, 0), columns = size(source, 1);
  int64_t main = floorPowerOfTwo(columns), tail = columns - main;
  int64_t width =
      columns >= 2 * lanesPerRepeat(reduction.type) ? main / 2 : main;
  int64_t left = main;
  auto columnsOf = [&](int64_t begin, int64_t count) {
    return reshape(dst, begin, {rows, count}, {width, 1});
  };
  unit.barrier();
  if (main > target) {
    left = main / 2;
    issueStep(reduction, columnsOf(0, left), slice(source, 1, 0, left),
              slice(source, 1, left, left), scratch, issue);
  } else {
    // The largest of x and x is a copy.
    Buffer first = slice(source, 1, 0, main);
    issueBinary(LaneOp::Max, "vmax", columnsOf(0, main), first, first, issue);
  }
  for (int64_t done = 0; done < tail; done += left) {
    int64_t count = std::min(left, tail - done);
    unit.barrier();
    issueStep(reduction, columnsOf(0, count),
              slice(source, 1, main + done, count), columnsOf(0, count), scratch,
              issue);
  }
  while (left > target) {
    left /= 2;
    unit.barrier();
    issueStep(reduction, columnsOf(0, left), columnsOf(0, left),
              columnsOf(left, left), scratch, issue);
  }
  return columnsOf(0, target);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// VCGADD or VCPADD over `length` elements in counter mode: every `group`
/// neighbours become one.
static void issueGroups(const Reduction &reduction, llvm::StringRef instruction,
                        const Buffer &dst, const Buffer &source, int64_t length,
                        int64_t group, Issue &issue) {
  VectorUnit unit(issue);
  Buffer from = reshape(source, 0, {length});
  Buffer to = reshape(dst, 0, {ceilDiv(length, group)});
  unit.count(instruction, length, getBytes(reduction.type))
      .reads(from)
      .writes(to)
      .counts(double(length))
      .job([reduction, from, to, length, group](ValueContext &values) {
        int64_t bytes = getBytes(reduction.type);
        const uint8_t *in = values.data(from);
        uint8_t *out = values.data(to);
        bool isWritten = values.isWritten(from);
        for (int64_t i = 0; i < length; i += group) {
          int64_t count = std::min(group, length - i);
          bool good = isWritten || values.isWritten(slice(from, 0, i, count));
          reduceRun(reduction, in + i * bytes, bytes, count,
                    out + i / group * bytes);
          values.setWritten(slice(to, 0, i / group, 1), good);
        }
      });
}

/// Sums of dense rows that are not longer than a block.
static bool isSmallSum(const Reduction &reduction, const Buffer &dst,
                       const Buffer &source) {
  return reduction.hasInstruction() && reduction.op == LaneOp::Add &&
         size(source, 1) <= lanesPerBlock(reduction.type) &&
         stride(source, 0) == size(source, 1) && stride(dst, 0) == 1;
}

static void issueSmallSum(const Reduction &reduction, const Buffer &dst,
                          const Buffer &source, const Buffer &tmp,
                          Issue &issue) {
  VectorUnit unit(issue);
  int64_t columns = size(source, 1), length = source.elementCount();
  if (columns == lanesPerBlock(reduction.type)) {
    issueGroups(reduction, "vcgadd", dst, source, length, columns, issue);
    return;
  }
  if (columns == 2) {
    issueGroups(reduction, "vcpadd", dst, source, length, 2, issue);
    return;
  }
  Buffer from = source;
  for (int64_t left = columns; left > 1; left /= 2, length /= 2) {
    Buffer to = left == 2 ? dst : tmp;
    issueGroups(reduction, "vcpadd", to, from, length, 2, issue);
    unit.barrier();
    from = tmp;
  }
}

static void issueFloats(const Reduction &reduction, const Buffer &dst,
                        const Buffer &source, const Buffer &tmp, Issue &issue) {
  int64_t lanes = lanesPerRepeat(reduction.type);
  if (size(source, 1) > lanes) {
    Buffer row = issueHalving(reduction, tmp, source, lanes, Buffer(), issue);
    issue.barrier(Pipe::V);
    issueRowInstruction(reduction, dst, row, issue);
    return;
  }
  if (isSmallSum(reduction, dst, source)) {
    issueSmallSum(reduction, dst, source, tmp, issue);
    return;
  }
  issue.barrier(Pipe::V);
  issueRowInstruction(reduction, dst, source, issue);
}

//===----------------------------------------------------------------------===//
// Other types and operations
//===----------------------------------------------------------------------===//

/// Rows of one block to their first element, in place: the scalar unit moves the
/// upper half of what is left to scratch, an instruction combines.
static void issueBlocks(const Reduction &reduction, const Buffer &rows,
                        const Buffer &scratch, const Buffer &xorScratch,
                        Issue &issue) {
  VectorUnit unit(issue);
  int64_t count = size(rows, 0), perBlock = lanesPerBlock(reduction.type);
  for (int64_t left = perBlock / 2; left > 0; left /= 2) {
    Buffer low = slice(rows, 1, 0, left), high = slice(rows, 1, left, left);
    Buffer moved = reshape(scratch, 0, {count, left}, {perBlock, 1});
    describeCopy(unit.scalarLoop(count * left), moved, high);
    unit.barrier();
    // Eight rows a repeat.
    Issue step(issue.timing(), issue.state());
    issueStep(reduction, low, moved, low, xorScratch, step);
    for (QueueOp &op : step.ops()) {
      op.busy = op.busy / double(count) * double(ceilDiv(count, 8));
      issue.ops().push_back(std::move(op));
    }
  }
}

/// Gives where the results are, one per row.
static Buffer issueIntegers(const Reduction &reduction, const Buffer &source,
                            Buffer tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t rows = size(source, 0), columns = size(source, 1);
  int64_t lanes = lanesPerRepeat(reduction.type);
  int64_t perBlock = lanesPerBlock(reduction.type);
  Buffer xorScratch;
  int64_t used = 0;
  if (reduction.op == LaneOp::Xor) {
    xorScratch = tmp;
    used = rows * (columns > lanes ? lanes : roundUp(columns, perBlock));
  }
  Buffer blocks, scratch;
  if (columns > lanes) {
    Buffer wide = reshape(tmp, used, {rows, lanes});
    scratch = reshape(tmp, used + rows * lanes, {rows * perBlock});
    if (reduction.op == LaneOp::Or)
      unit.copy("vcopy", wide, slice(source, 1, 0, lanes),
                double(rows * lanes * int64_t(getBytes(reduction.type))) /
                    repeatBytes);
    else
      unit.dup(reshape(wide, 0, {rows * lanes}), reduction.init);
    for (int64_t begin = 0; begin < columns; begin += lanes) {
      int64_t count = std::min(lanes, columns - begin);
      Buffer part = slice(wide, 1, 0, count);
      unit.barrier();
      issueStep(reduction, part, slice(source, 1, begin, count), part, xorScratch,
                issue);
    }
    blocks = issueHalving(reduction, reshape(wide, 0, {rows, perBlock}), wide,
                          perBlock, xorScratch, issue);
  } else if (columns > perBlock) {
    Buffer target = reshape(tmp, used, {rows, perBlock});
    blocks = issueHalving(reduction, target, source, perBlock, xorScratch, issue);
    scratch = reshape(tmp, used + rows * stride(blocks, 0), {rows * perBlock});
  } else {
    blocks = reshape(tmp, used, {rows, perBlock});
    scratch = reshape(tmp, used + rows * perBlock, {rows * perBlock});
    unit.dup(reshape(blocks, 0, {rows * perBlock}), reduction.init);
    unit.barrier();
    Buffer part = slice(blocks, 1, 0, columns);
    issueStep(reduction, part, source, part, xorScratch, issue);
  }
  issueBlocks(reduction, blocks, scratch, xorScratch, issue);
  return slice(blocks, 1, 0, 1);
}

/// Bytes go in pairs; the scalar unit joins the two of each result.
static void issueBytes(const Reduction &reduction, const Buffer &dst,
                       const Buffer &source, const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t columns = size(source, 1);
  bool isAnd = reduction.op == LaneOp::And;
  if (columns % 2) {
    // The byte behind each row becomes neutral.
    Buffer pad = reshape(source, columns, {size(source, 0), 1},
                         {stride(source, 0), 1});
    unit.scalarLoop(size(source, 0)).writes(pad).job(
        [pad, isAnd](ValueContext &values) {
          forEachRow(values, pad, [&](const Row &row) {
            for (int64_t i = 0; i < row.count; ++i)
              row.data[0][i * row.stride[0]] = isAnd ? 0xff : 0;
          });
          values.setWritten(pad);
        });
  }
  Reduction pairs = reduction;
  pairs.type = ElementType::I16;
  pairs.init = toBytes(isAnd ? -1 : 0, ElementType::I16);
  Buffer result = viewAs(source, ElementType::I16);
  if (columns > 2)
    result = issueIntegers(pairs, result, viewAs(tmp, ElementType::I16), issue);
  Buffer two = reshape(viewAs(result, reduction.type), 0, {size(source, 0), 2},
                       {stride(result, 0) * 2, 1});
  issueReduceLoop(reduction, dst, two, 1, issue);
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

static bool isAlignedForRows(const Reduction &reduction, const Buffer &dst,
                             const Buffer &source) {
  int64_t columns = size(source, 1);
  bool isSmall = isSmallSum(reduction, dst, source);
  bool isBitwise = reduction.op == LaneOp::And || reduction.op == LaneOp::Or ||
                   reduction.op == LaneOp::Xor;
  bool strideFits =
      stride(source, 0) % lanesPerBlock(reduction.type) == 0 ||
      (isSmall && isPowerOfTwo(columns)) ||
      (isBitwise && getBits(reduction.type) == 8 && columns < 2);
  bool addressFits = isBlockAligned(source) && (!isSmall || isBlockAligned(dst));
  return strideFits && addressFits && !(isSmall && !isPowerOfTwo(columns));
}

void tilekiln::sim::issueReduceLast(const Reduction &reduction,
                                    const Buffer &dst, const Buffer &source,
                                    const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  unit.waitForVector();
  if (!isAlignedForRows(reduction, dst, source)) {
    issueReduceLoop(reduction, dst, source, 1, issue);
    return;
  }
  if (reduction.hasInstruction()) {
    issueFloats(reduction, dst, source, tmp, issue);
    return;
  }
  if (getBits(reduction.type) == 8) {
    issueBytes(reduction, dst, source, tmp, issue);
    return;
  }
  Buffer result = issueIntegers(reduction, source, tmp, issue);
  describeCopy(unit.scalarLoop(size(source, 0)), slice(dst, 1, 0, 1), result);
}

/// Blocks of what is left become one element each, until a repeat is left.
static Buffer issueBlockSteps(const Reduction &reduction, const Buffer &source,
                              int64_t rows, int64_t width, int64_t columns,
                              const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t perBlock = lanesPerBlock(reduction.type);
  llvm::StringRef instruction = reduction.op == LaneOp::Max   ? "vcgmax"
                                : reduction.op == LaneOp::Min ? "vcgmin"
                                                              : "vcgadd";
  int64_t steps = 0, divisor = 1;
  for (int64_t left = width; left > lanesPerRepeat(reduction.type); ++steps) {
    left = ceilDiv(left, perBlock);
    divisor *= perBlock;
  }
  int64_t kept = ceilDiv(columns, divisor);
  unit.dup(reshape(tmp, 0, {rows * kept}), reduction.init);
  int64_t left = width;
  for (int64_t step = 0; step < steps; ++step) {
    // Every step reads the source again, as the library does.
    int64_t length = rows == 1 && step == 0 ? columns : rows * left;
    unit.barrier();
    issueGroups(reduction, instruction, tmp, source, length, perBlock, issue);
    left /= perBlock;
  }
  unit.barrier();
  return reshape(tmp, 0, {rows, kept});
}

void tilekiln::sim::issueReduceByBlocks(const Reduction &reduction,
                                        const Buffer &dst, const Buffer &source,
                                        const Buffer &tmp, Issue &issue) {
  int64_t rows = size(source, 0), columns = size(source, 1);
  int64_t perBlock = lanesPerBlock(reduction.type);
  if (!isAlignedForRows(reduction, dst, source)) {
    issueReduceLoop(reduction, dst, source, 1, issue);
    return;
  }
  if (columns <= lanesPerRepeat(reduction.type)) {
    issueFloats(reduction, dst, source, tmp, issue);
    return;
  }
  if (columns == stride(source, 0)) {
    Buffer left = issueBlockSteps(reduction, source, rows, columns, columns, tmp,
                                  issue);
    issueRowInstruction(reduction, dst, left, issue);
    return;
  }
  int64_t room = roundUp(stride(source, 0) / perBlock, perBlock);
  for (int64_t i = 0; i < rows; ++i) {
    Buffer left = issueBlockSteps(reduction, reshape(at(source, 0, i), 0, {columns}),
                                  1, roundUp(columns, perBlock), columns,
                                  reshape(tmp, i * room, {room}), issue);
    issueReduceRunInstruction(reduction, reshape(at(dst, 0, i), 0, {1}),
                              reshape(left, 0, {size(left, 1)}), issue);
  }
}
