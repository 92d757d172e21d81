//===- Mma.cpp - mma_tile: a matrix product out of L1 into L0C ------------===//
//
// The library function splits K into parts that fit half of L0A and of L0B, and
// loads one half while the other is multiplied. All of it is issued here as the
// hardware sees it: loads on MTE1, products on M, and the flags between them.
//
//===----------------------------------------------------------------------===//
#include "Product.h"
#include "UnitFlags.h"
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "tilekiln/Sim/Library/Rows.h"
#include "tilekiln/Sim/Library/Runs.h"
#include <cstring>

using namespace tilekiln::sim;

static constexpr int64_t blockBytes = 32, fractalRows = 16;

namespace {

/// An operand in L1: a matrix of `pitchRows` rows per column of fractals.
struct Source {
  Buffer buffer;
  ElementType type;
  int64_t pitchRows = 0, columnBlocks = 0;
  /// The side of the product comes second in memory: A stored k x m, B stored
  /// k x n.
  bool kIsRow = false;

  int64_t perBlock() const { return blockBytes / int64_t(getBytes(type)); }
  int64_t rowsInL1() const { return pitchRows; }
  int64_t columnsInL1() const { return columnBlocks * perBlock(); }
  /// Rows or columns of the result.
  int64_t outer() const { return kIsRow ? columnsInL1() : rowsInL1(); }
  int64_t inner() const { return kIsRow ? rowsInL1() : columnsInL1(); }
};

/// The part of an operand that one load takes: `outer` rows or columns of the
/// result, K from `from` on.
struct Window {
  Source source;
  int64_t outer, from, count;

  int64_t rowBegin() const { return source.kIsRow ? from : 0; }
  int64_t rows() const { return source.kIsRow ? count : outer; }
  int64_t columnBegin() const { return source.kIsRow ? 0 : from; }
  int64_t columns() const { return source.kIsRow ? outer : count; }

  /// What the load reads of L1, in whole fractals.
  Access access() const {
    Access access;
    access.space = Space::L1;
    access.origin = source.buffer.origin;
    access.beginBytes =
        source.buffer.addressBytes() +
        (columnBegin() / source.perBlock() * source.pitchRows + rowBegin()) *
            blockBytes;
    access.runBytes = std::min(roundUp(rows(), fractalRows),
                               source.pitchRows - rowBegin()) *
                      blockBytes;
    access.runs = ceilDiv(columns(), source.perBlock());
    access.strideBytes = source.pitchRows * blockBytes;
    return access;
  }
  int64_t l0Bytes() const {
    return roundUp(outer, fractalRows) * roundUp(count, source.perBlock()) *
           int64_t(getBytes(source.type));
  }
};

struct Call {
  Source a, b;
  Buffer c, bias;
  bool hasBias = false, init = false, isInteger = false;
  int64_t m = 0, k = 0, n = 0, rowsC = 0, columnsC = 0;
  int64_t sync[7] = {};
  UnitFlag unitFlag = UnitFlag::Off;

  /// The whole height of C, or what A's buffer has of it.
  int64_t rowsA() const { return std::min(rowsC, a.outer()); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static void convert(const uint8_t *from, float *to, int64_t count, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return fromF16(reinterpret_cast<const uint16_t *>(from), to, size_t(count));
  case ElementType::BF16:
    return fromBF16(reinterpret_cast<const uint16_t *>(from), to, size_t(count));
  case ElementType::I8:
    for (int64_t i = 0; i < count; ++i)
      to[i] = float(int8_t(from[i]));
    return;
  default:
    std::memcpy(to, from, size_t(count) * 4);
  }
}

/// Fractals of L1 to a dense matrix, with what is not written in it.
static void unpack(const Window &window, ValueContext &values, CubeOperand &out) {
  const Source &source = window.source;
  int64_t rows = window.rows(), columns = window.columns();
  int64_t perBlock = source.perBlock();
  out.rows = rows;
  out.columns = columns;
  out.values.resize(size_t(rows * columns));
  const uint8_t *base = values.data(source.buffer) +
                        (window.columnBegin() / perBlock * source.pitchRows +
                         window.rowBegin()) *
                            blockBytes;
  for (int64_t column = 0; column < columns; column += perBlock) {
    int64_t count = std::min(perBlock, columns - column);
    const uint8_t *from = base + column / perBlock * source.pitchRows * blockBytes;
    float *to = out.values.data() + column;
    for (int64_t row = 0; row < rows; ++row)
      convert(from + row * blockBytes, to + row * columns, count, source.type);
  }
  out.undefined.clear();
  Memory &l1 = values.memory(Space::L1, 0);
  Access used = window.access();
  used.runBytes = rows * blockBytes;
  if (l1.isWritten(used))
    return;
  out.undefined.assign(size_t(window.outer), false);
  for (int64_t column = 0; column < columns; column += perBlock)
    for (int64_t row = 0; row < rows; ++row) {
      Access piece = used;
      piece.runs = 1;
      piece.beginBytes +=
          column / perBlock * source.pitchRows * blockBytes + row * blockBytes;
      piece.runBytes = std::min(perBlock, columns - column) * getBytes(source.type);
      if (l1.isWritten(piece))
        continue;
      if (!source.kIsRow)
        out.undefined[size_t(row)] = true;
      else
        for (int64_t i = column; i < std::min(column + perBlock, columns); ++i)
          out.undefined[size_t(i)] = true;
    }
}

static void mark(std::vector<bool> &result, const std::vector<bool> &operand,
                 int64_t valid, bool starts) {
  if (starts)
    result.assign(result.size(), false);
  for (size_t i = 0; i < operand.size() && i < result.size(); ++i)
    if (operand[i])
      result[i] = true;
  if (starts)
    for (size_t i = size_t(valid); i < result.size(); ++i)
      result[i] = true;
}

static void product(const Call &call, int64_t half, int64_t k, bool starts,
                    ValueContext &values) {
  CubeMemory &cube = values.cube();
  CubeOperand &a = cube.a(half), &b = cube.b(half);
  CubeResult &tile =
      cube.tile(call.c.addressBytes(), call.rowsC, call.columnsC, call.isInteger);
  bool clears = starts && !call.hasBias;
  if (starts && call.hasBias)
    for (int64_t i = 0; i < call.rowsC; ++i)
      for (int64_t j = 0; j < call.n; ++j)
        tile.real[size_t(i * tile.columns + j)] = cube.bias[size_t(j)];
  multiply(tile, a, b, call.rowsA(), call.n, k, call.a.kIsRow, !call.b.kIsRow,
           clears, cube.scratch);
  if (!starts && a.undefined.empty() && b.undefined.empty())
    return;
  mark(tile.undefinedRows, a.undefined, call.rowsA(), starts);
  mark(tile.undefinedColumns, b.undefined, call.n, starts);
  if (starts && call.hasBias && cube.biasIsUndefined)
    tile.undefinedColumns.assign(tile.undefinedColumns.size(), true);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

namespace {

class Issuer {
public:
  Issuer(const Call &call, Issue &issue)
      : call(call), issue(issue), timing(issue.timing()) {}

  void run() {
    if (call.m == 0 || call.k == 0 || call.n == 0) {
      waitL1(call.sync[0]);
      waitL1(call.sync[1]);
      releaseL1(call.sync[2]);
      releaseL1(call.sync[3]);
      return;
    }
    if (!choosePart())
      return;
    int64_t parts = ceilDiv(call.k, partK);
    int events[2];
    bool own[2];
    for (int i = 0; i < 2; ++i) {
      own[i] = call.sync[5 + i] < 0;
      events[i] = own[i] ? i : int(call.sync[5 + i]);
      if (own[i])
        issue.setFlag(Pipe::M, Pipe::MTE1, events[i]);
    }
    int64_t first = call.sync[4] < 0 ? 0 : call.sync[4] * parts;
    for (int64_t part = 0; part < parts; ++part) {
      int half = halves == 2 ? int((first + part) & 1) : 0;
      runPart(part, parts, half, events[half]);
    }
    for (int i = 0; i < 2; ++i)
      if (own[i])
        issue.waitFlag(Pipe::M, Pipe::MTE1, events[i]);
  }

private:
  bool choosePart() {
    int64_t bytes = getBytes(call.a.type);
    int64_t align = std::max<int64_t>(fractalRows, call.a.perBlock());
    int64_t outer = roundUp(std::max(call.a.outer(), call.b.outer()), align);
    halfBytes = timing.capacityBytes[unsigned(Space::L0A)] / 2;
    for (halves = 2; halves >= 1; --halves) {
      partK = halfBytes * (3 - halves) / bytes / outer / align * align;
      if (partK > 0)
        return true;
    }
    issue.fault(FaultKind::Invalid, "traps: no 16 values of K of tiles this large "
                                    "fit L0A or L0B; use smaller tiles");
    return false;
  }

  void waitL1(int64_t event) {
    if (event >= 0)
      issue.waitFlag(Pipe::MTE2, Pipe::MTE1, int(event));
  }
  void releaseL1(int64_t event) {
    if (event >= 0)
      issue.setFlag(Pipe::MTE1, Pipe::MTE2, int(event));
  }

  Access l0(Space space, Access::Mode mode, int64_t base, int64_t bytes) const {
    Access access;
    access.space = space;
    access.mode = mode;
    access.beginBytes = base;
    access.runBytes = bytes;
    return access;
  }

  void load(const Window &window, bool isA, int64_t base) {
    int64_t bytes = window.l0Bytes();
    double rate = isA ? timing.mte1L0aBytesPerCycle : timing.mte1L0bBytesPerCycle;
    double cycles = timing.mte1IssueGap + double(bytes) / rate;
    // What was measured for a pair beyond its bytes is the way to the flag: the
    // pipe itself takes the next load.
    QueueOp &op = issue.execute(Pipe::MTE1, isA ? "load_l0a" : "load_l0b", cycles,
                                timing.mte1PairSync / 2);
    op.access(window.access())
        .access(l0(isA ? Space::L0A : Space::L0B, Access::Mode::Write, base, bytes))
        .counts(0, bytes);
    if (issue.state().wantsValues)
      op.job([window, isA, base](ValueContext &values) {
        CubeMemory &cube = values.cube();
        unpack(window, values, isA ? cube.a(base) : cube.b(base));
      });
  }

  void loadBias() {
    const Buffer bias = call.bias;
    QueueOp &op = issue.execute(Pipe::MTE1, "load_bias",
                                timing.mte1IssueGap + double(call.n) * 4 / 64);
    op.reads(bias);
    int64_t n = call.n;
    if (issue.state().wantsValues)
      op.job([bias, n](ValueContext &values) {
        CubeMemory &cube = values.cube();
        const float *from = values.data<float>(bias);
        cube.bias.assign(from, from + n);
        cube.biasIsUndefined = !values.isWritten(bias);
      });
  }

  void runPart(int64_t part, int64_t parts, int half, int event) {
    int64_t from = part * partK, count = std::min(partK, call.k - from);
    bool isFirst = part == 0, isLast = part + 1 == parts;
    int64_t base = half * halfBytes;
    Window a{call.a, call.rowsA(), from, count}, b{call.b, call.n, from, count};
    issue.waitFlag(Pipe::M, Pipe::MTE1, event);
    if (isFirst)
      waitL1(call.sync[0]);
    load(a, true, base);
    if (isLast)
      releaseL1(call.sync[2]);
    if (isFirst)
      waitL1(call.sync[1]);
    load(b, false, base);
    if (isLast)
      releaseL1(call.sync[3]);
    bool starts = isFirst && call.init;
    if (starts && call.hasBias)
      loadBias();
    issue.setFlag(Pipe::MTE1, Pipe::M, event);
    issue.waitFlag(Pipe::MTE1, Pipe::M, event);
    // Parts before the last only check that the place is free.
    UnitFlag flag = isLast || call.unitFlag == UnitFlag::Off ? call.unitFlag
                                                             : UnitFlag::Check;
    multiply(a, b, base, count, starts, flag);
    if (call.rowsC / 16 * call.n / 16 < 10)
      issue.barrier(Pipe::M);
    issue.setFlag(Pipe::M, Pipe::MTE1, event);
  }

  void multiply(const Window &a, const Window &b, int64_t base, int64_t count,
                bool starts, UnitFlag unitFlag) {
    int64_t fractals = ceilDiv(call.rowsC, 16) * ceilDiv(call.n, 16) *
                       ceilDiv(count, call.a.perBlock());
    double perFractal = call.a.type == ElementType::F32
                            ? timing.mmadCyclesPerFractalF32
                            : timing.mmadCyclesPerFractal;
    // The latency of a product alone holds what the pipe is taken for beyond the
    // fractals.
    QueueOp &op = issue.execute(
        Pipe::M, "mad", timing.mmadIssueGap + perFractal * double(fractals),
        std::max(timing.mmadResultLatency - timing.mmadIssueGap, 0.0));
    op.unitFlag = unitFlag;
    op.access(l0(Space::L0A, Access::Mode::Read, base, a.l0Bytes()))
        .access(l0(Space::L0B, Access::Mode::Read, base, b.l0Bytes()));
    Access result = l0(Space::L0C, starts ? Access::Mode::Write : Access::Mode::Read,
                       call.c.addressBytes(),
                       ceilDiv(call.n, 16) * call.rowsC * 16 * 4);
    result.origin = call.c.origin;
    op.access(result);
    result.mode = Access::Mode::Write;
    if (!starts)
      op.access(result);
    op.counts(2.0 * double(call.m) * double(call.n) * double(count));
    if (issue.state().wantsValues)
      op.job([call = this->call, base, count, starts](ValueContext &values) {
        product(call, base, count, starts, values);
      });
  }

  const Call &call;
  Issue &issue;
  const Timing &timing;
  int64_t partK = 0, halfBytes = 0;
  int halves = 2;
};

} // namespace

/// Operands of either form; `next` is the first argument behind the bias.
static void issueCall(const Signature &signature, const CallArguments &arguments,
                      Issue &issue, bool hasBias) {
  Call call;
  ElementType type = signature.types[hasBias ? 1 : 0];
  call.isInteger = signature.types.back() == ElementType::I32;
  call.hasBias = hasBias;
  auto source = [&](const Buffer &buffer, bool kIsRow) {
    Source source;
    source.buffer = buffer;
    source.type = type;
    source.columnBlocks = buffer.sizes[0];
    source.pitchRows = buffer.sizes[1] * buffer.sizes[2];
    source.kIsRow = kIsRow;
    return source;
  };
  const Buffer &a = arguments.buffer(0), &b = arguments.buffer(1);
  size_t next = 6;
  if (hasBias)
    call.bias = arguments.buffer(next++);
  call.c = arguments.buffer(next++);
  if (a.rank != 4 || b.rank != 4 || call.c.rank != 4)
    return issue.fault(FaultKind::Invalid, "takes buffers of four dimensions");
  if (!a.isDense() || !b.isDense())
    return issue.fault(FaultKind::Invalid,
                       "takes whole L1 buffers: the function reads their extents, "
                       "not their strides");
  // A is stored m x k, or k x m with _ta; B k x n, or n x k with _tb.
  call.a = source(a, signature.has("_ta"));
  call.b = source(b, !signature.has("_tb"));
  call.init = arguments.integer(2) != 0;
  call.m = arguments.integer(3);
  call.k = arguments.integer(4);
  call.n = arguments.integer(5);
  call.rowsC = call.c.sizes[1] * call.c.sizes[2];
  call.columnsC = call.c.sizes[0] * call.c.sizes[3];
  for (int i = 0; i < 7; ++i)
    call.sync[i] = arguments.integer(next++);
  std::optional<UnitFlag> unitFlag = readUnitFlag(arguments.integer(next));
  if (!unitFlag)
    return issue.fault(FaultKind::Invalid, unitFlagForms);
  call.unitFlag = *unitFlag;
  int64_t limit = 4095;
  if (call.k > call.a.inner() || call.k > call.b.inner() ||
      call.m > call.a.outer() || call.n > call.b.outer() ||
      call.n > call.columnsC || call.rowsC > limit || call.n > limit)
    return issue.fault(FaultKind::Invalid,
                       "multiplies more than its buffers hold: m " +
                           std::to_string(call.m) + ", k " + std::to_string(call.k) +
                           ", n " + std::to_string(call.n));
  Issuer(call, issue).run();
}

static void issueMma(const Signature &signature, const CallArguments &arguments,
                     Issue &issue) {
  issueCall(signature, arguments, issue, false);
}

static void issueMmaBias(const Signature &signature, const CallArguments &arguments,
                         Issue &issue) {
  issueCall(signature, arguments, issue, true);
}

void tilekiln::sim::addMmaRows(LibraryTable &table) {
  table.add({
      {"mma_tile_{type}_to_{type}[_hf32][_ta][_tb]", "bbssssbssssssss", issueMma},
      {"mma_tile_with_{type}_bias_{type}_to_{type}[_hf32][_ta][_tb]",
       "bbssssbbssssssss", issueMmaBias},
  });
}
