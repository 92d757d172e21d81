//===- VectorReduceAxes.cpp - Reductions along other axes, and their rows -===//
//
// The first axis is halved row by row with element-wise instructions; three axes
// come down to two. Rows of the table for all reductions of values.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "VectorReduce.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilekiln::sim;

static int64_t floorLog2(int64_t value) {
  int64_t log = 0;
  while (value >> (log + 1))
    ++log;
  return log;
}

/// Elements from an address to the next block.
static int64_t elementsToBlock(const Buffer &buffer) {
  int64_t past = buffer.addressBytes() % blockBytes;
  return (blockBytes - past) % blockBytes / int64_t(getBytes(buffer.type));
}

//===----------------------------------------------------------------------===//
// First axis
//===----------------------------------------------------------------------===//

/// Rows of `source` as far apart as they are, aligned.
static void issueRowHalving(const Reduction &reduction, const Buffer &dst,
                            const Buffer &source, const Buffer &tmp,
                            Issue &issue) {
  VectorUnit unit(issue);
  int64_t rows = size(source, 0), columns = size(source, 1);
  int64_t pitch = stride(source, 0), folds = floorLog2(rows);
  int64_t main = int64_t(1) << folds, tail = rows - main, left = main / 2;
  int64_t perBlock = lanesPerBlock(reduction.type);
  Buffer scratch, work = tmp;
  if (reduction.op == LaneOp::Xor) {
    scratch = tmp;
    int64_t width = roundUp(columns, perBlock);
    work = reshape(tmp, roundUp(rows * width / 2, perBlock), {tmp.elementCount()});
  }
  auto rowsOf = [&](int64_t begin, int64_t count) {
    return reshape(work, begin * pitch, {count, columns}, {pitch, 1});
  };
  if (folds == 0) {
    issueBinary(LaneOp::Max, "vmax", slice(dst, 0, 0, 1), source, source, issue);
    return;
  }
  // The last fold writes the result.
  bool isOnly = folds == 1;
  Buffer first = isOnly ? slice(dst, 0, 0, 1) : rowsOf(0, left);
  issueStep(reduction, first, slice(source, 0, 0, left),
            slice(source, 0, left, left), scratch, issue);
  for (int64_t done = 0; done < tail; done += left) {
    int64_t count = std::min(left, tail - done);
    Buffer part = isOnly ? slice(dst, 0, 0, 1) : rowsOf(0, count);
    unit.barrier();
    issueStep(reduction, part, slice(source, 0, main + done, count), part, scratch,
              issue);
  }
  while (left > 1) {
    left /= 2;
    unit.barrier();
    Buffer target = left == 1 ? slice(dst, 0, 0, 1) : rowsOf(0, left);
    issueStep(reduction, target, rowsOf(0, left), rowsOf(left, left), scratch,
              issue);
  }
}

void tilekiln::sim::issueReduceFirst(const Reduction &reduction,
                                     const Buffer &dst, const Buffer &source,
                                     const Buffer &tmp, Issue &issue) {
  if (source.isEmpty())
    return;
  bool stridesFit = stride(source, 0) % lanesPerBlock(reduction.type) == 0 &&
                    stride(source, 1) == 1 && stride(dst, 1) == 1;
  if (stridesFit && isBlockAligned(source) && isBlockAligned(dst)) {
    issueRowHalving(reduction, dst, source, tmp, issue);
    return;
  }
  bool keepsOrder = reduction.op == LaneOp::Add || reduction.op == LaneOp::Mul;
  int64_t head = elementsToBlock(source), columns = size(source, 1);
  if (!stridesFit || keepsOrder || head != elementsToBlock(dst) ||
      head >= columns) {
    issueReduceLoop(reduction, dst, source, 0, issue);
    return;
  }
  // The scalar unit takes the columns before the first whole block.
  issueReduceLoop(reduction, slice(dst, 1, 0, head), slice(source, 1, 0, head), 0,
                  issue);
  issueRowHalving(reduction, slice(dst, 1, head, columns - head),
                  slice(source, 1, head, columns - head), tmp, issue);
}

//===----------------------------------------------------------------------===//
// Three axes
//===----------------------------------------------------------------------===//

/// dst (a0, 1, a1) = source (a0, r, a1), all planes at once.
static void issueMiddleAtOnce(const Reduction &reduction, const Buffer &dst,
                              const Buffer &source, const Buffer &tmp,
                              Issue &issue) {
  VectorUnit unit(issue);
  int64_t planes = size(source, 0), rows = size(source, 1);
  int64_t columns = size(source, 2), folds = floorLog2(rows);
  int64_t main = int64_t(1) << folds, tail = rows - main, left = main / 2;
  int64_t perBlock = lanesPerBlock(reduction.type);
  int64_t width = roundUp(columns, perBlock), pitch = planes * width;
  Buffer scratch, work = tmp;
  if (reduction.op == LaneOp::Xor) {
    scratch = tmp;
    work = reshape(tmp, roundUp(main / 2 * pitch, perBlock), {tmp.elementCount()});
  }
  Buffer result = at(dst, 1, 0);
  auto rowOf = [&](int64_t j) { return at(source, 1, j); };
  auto workOf = [&](int64_t j) {
    return reshape(work, j * pitch, {planes, columns}, {width, 1});
  };
  if (folds == 0) {
    issueBinary(LaneOp::Or, "vor", result, rowOf(0), rowOf(0), issue);
    return;
  }
  bool isOnly = folds == 1;
  for (int64_t j = 0; j < left; ++j)
    issueStep(reduction, isOnly ? result : workOf(j), rowOf(j), rowOf(j + left),
              scratch, issue);
  unit.barrier();
  for (int64_t t = 0; t < tail; ++t) {
    Buffer target = isOnly ? result : workOf(t % left);
    unit.barrier();
    issueStep(reduction, target, rowOf(main + t), target, scratch, issue);
  }
  if (tail > 0 && !isOnly)
    unit.barrier();
  while (left > 1) {
    left /= 2;
    for (int64_t j = 0; j < left; ++j)
      issueStep(reduction, left == 1 ? result : workOf(j), workOf(j),
                workOf(j + left), scratch, issue);
    unit.barrier();
  }
}

static void issueReduceMiddle(const Reduction &reduction, const Buffer &dst,
                              const Buffer &source, const Buffer &tmp,
                              Issue &issue) {
  int64_t rows = size(source, 1), folds = floorLog2(std::max<int64_t>(rows, 1));
  int64_t perBlock = lanesPerBlock(reduction.type);
  bool isAligned = stride(source, 0) % perBlock == 0 &&
                   stride(source, 1) % perBlock == 0 &&
                   stride(dst, 0) % perBlock == 0 && stride(source, 2) == 1 &&
                   stride(dst, 2) == 1 && isBlockAligned(source) &&
                   isBlockAligned(dst);
  bool planeByPlane = folds + rows - (int64_t(1) << folds) > size(source, 0);
  if (isAligned && !planeByPlane) {
    issueMiddleAtOnce(reduction, dst, source, tmp, issue);
    return;
  }
  for (int64_t i = 0; i < size(source, 0); ++i)
    issueReduceFirst(reduction, at(dst, 0, i), at(source, 0, i), tmp, issue);
}

/// dst (1, a0, a1) = source (r, a0, a1): planes are added one by one.
static void issueReducePlanes(const Reduction &reduction, const Buffer &dst,
                              const Buffer &source, const Buffer &tmp,
                              Issue &issue) {
  VectorUnit unit(issue);
  int64_t perBlock = lanesPerBlock(reduction.type);
  bool stridesFit = stride(source, 2) == 1 && stride(dst, 2) == 1 &&
                    stride(source, 0) % perBlock == 0 &&
                    stride(source, 1) % perBlock == 0 &&
                    stride(dst, 1) % perBlock == 0;
  int64_t head = elementsToBlock(source), columns = size(source, 2);
  bool isAligned = isBlockAligned(source) && isBlockAligned(dst);
  if (!stridesFit || (!isAligned && head != elementsToBlock(dst)) ||
      head >= columns) {
    issueReduceLoop(reduction, dst, source, 0, issue);
    return;
  }
  if (head > 0)
    issueReduceLoop(reduction, slice(dst, 2, 0, head), slice(source, 2, 0, head), 0,
                    issue);
  Buffer to = at(slice(dst, 2, head, columns - head), 0, 0);
  Buffer from = slice(source, 2, head, columns - head);
  issueBinary(LaneOp::Or, "vor", to, at(from, 0, 0), at(from, 0, 0), issue);
  for (int64_t i = 1; i < size(from, 0); ++i) {
    unit.barrier();
    issueStep(reduction, to, at(from, 0, i), to, tmp, issue);
  }
}

/// dst (a0, a1, 1) = source (a0, a1, r): as rows where both fuse.
static void issueReduceRows(const Reduction &reduction, const Buffer &dst,
                            const Buffer &source, const Buffer &tmp,
                            Issue &issue) {
  auto run = [&](const Buffer &to, const Buffer &from) {
    if (reduction.byBlocks)
      issueReduceByBlocks(reduction, to, from, tmp, issue);
    else
      issueReduceLast(reduction, to, from, tmp, issue);
  };
  auto rowsPerPlane = [](const Buffer &buffer) -> int64_t {
    int64_t row = std::max<int64_t>(stride(buffer, 1), 1);
    return stride(buffer, 0) % row == 0 ? stride(buffer, 0) / row : 0;
  };
  int64_t perPlane = rowsPerPlane(source);
  if (perPlane > 0 && perPlane == rowsPerPlane(dst) && stride(source, 2) == 1 &&
      stride(dst, 2) == 1) {
    int64_t rows = size(source, 0) * perPlane;
    run(reshape(dst, 0, {rows, 1}, {stride(dst, 1), 1}),
        reshape(source, 0, {rows, size(source, 2)}, {stride(source, 1), 1}));
    return;
  }
  bool overFirst = stride(dst, 1) == 1 ||
                   (stride(dst, 0) != 1 && size(source, 0) <= size(source, 1));
  unsigned axis = overFirst ? 0 : 1;
  for (int64_t i = 0; i < size(source, axis); ++i)
    run(at(dst, axis, i), at(source, axis, i));
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

static void issueReduceRun(const Reduction &reduction, const Buffer &dst,
                           const Buffer &source, const Buffer &tmp,
                           Issue &issue) {
  VectorUnit unit(issue);
  int64_t count = size(source, 0), perBlock = lanesPerBlock(reduction.type);
  int64_t lanes = lanesPerRepeat(reduction.type);
  if (stride(source, 0) != 1 || !isBlockAligned(source)) {
    issueReduceLoop(reduction, dst, source, 0, issue);
    return;
  }
  Buffer row = reshape(source, 0, {1, count}, {roundUp(count, perBlock), 1});
  Buffer cell = reshape(dst, 0, {1, 1}, {stride(dst, 0), 1});
  bool isExtreme = reduction.hasInstruction() && reduction.op != LaneOp::Add;
  if (reduction.byBlocks) {
    if (count > lanes) {
      issueReduceByBlocks(reduction, cell, row, tmp, issue);
      return;
    }
    unit.barrier();
    issueReduceRunInstruction(reduction, dst, source, issue);
    return;
  }
  if (!isExtreme) {
    issueReduceLast(reduction, cell, row, tmp, issue);
    return;
  }
  if (count <= lanes) {
    issueReduceRunInstruction(reduction, dst, source, issue);
    return;
  }
  // Repeats go into one, whatever their number; the rest into its head.
  Buffer repeat = reshape(tmp, 0, {lanes});
  unit.dup(repeat, reduction.init);
  unit.barrier();
  for (int64_t begin = 0; begin < count; begin += lanes) {
    int64_t part = std::min(lanes, count - begin);
    // One instruction does many repeats in order; as instructions of their own
    // they have to be put in order.
    unit.barrier();
    issueStep(reduction, reshape(repeat, 0, {1, part}, {lanes, 1}),
              reshape(source, begin, {1, part}, {lanes, 1}),
              reshape(repeat, 0, {1, part}, {lanes, 1}), Buffer(), issue);
  }
  unit.barrier();
  issueReduceRunInstruction(reduction, dst, repeat, issue);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static LaneOp getReduceOp(llvm::StringRef word) {
  return llvm::StringSwitch<LaneOp>(word)
      .Case("sum", LaneOp::Add)
      .Case("max", LaneOp::Max)
      .Case("min", LaneOp::Min)
      .Case("prod", LaneOp::Mul)
      .Case("andi", LaneOp::And)
      .Case("ori", LaneOp::Or)
      .Default(LaneOp::Xor);
}

static void issueReduce(const Signature &signature,
                        const CallArguments &arguments, Issue &issue) {
  Reduction reduction;
  reduction.type = signature.types[0];
  reduction.op = getReduceOp(signature.words[signature.words.size() - 2]);
  reduction.byBlocks = signature.words[0] == "enablevcg_";
  reduction.init = toBytes(arguments[3], reduction.type);
  Buffer source = retype(arguments.buffer(0), reduction.type);
  Buffer dst = retype(arguments.buffer(1), reduction.type);
  Buffer tmp = retype(arguments.buffer(2), reduction.type);
  if (source.isEmpty())
    return;
  llvm::StringRef axes = signature.words.back();
  if (axes == "r") {
    issueReduceRun(reduction, dst, source, tmp, issue);
  } else if (axes == "ar") {
    if (reduction.byBlocks)
      issueReduceByBlocks(reduction, dst, source, tmp, issue);
    else
      issueReduceLast(reduction, dst, source, tmp, issue);
  } else if (axes == "ra") {
    issueReduceFirst(reduction, dst, source, tmp, issue);
  } else if (axes == "aar") {
    issueReduceRows(reduction, dst, source, tmp, issue);
  } else if (axes == "ara") {
    issueReduceMiddle(reduction, dst, source, tmp, issue);
  } else {
    issueReducePlanes(reduction, dst, source, tmp, issue);
  }
}

void tilekiln::sim::addVectorReduceRows(LibraryTable &table) {
  table.add({
      {"{enablevc_|enablevcg_}reduce_{sum|max|min}_{aar|ar|r}_{type}", "bbbs",
       issueReduce},
      {"reduce_{sum|max|min|prod|xori|ori|andi}_{ra0a1|aar|ara|ar|ra|r}_{type}",
       "bbbs", issueReduce},
  });
  addVectorReduceIndexRows(table);
}
