//===- VectorReduceValues.cpp - What reductions compute -------------------===//
//
// Sums are not associative: the order is the library's, by halves down to one
// repeat and then between neighbours. The order inside an instruction is not
// published; neighbours are what the library's scalar form takes.
//
//===----------------------------------------------------------------------===//
#include "VectorReduce.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <cstring>

using namespace tilekiln::sim;

llvm::StringRef Reduction::instruction() const {
  switch (op) {
  case LaneOp::Max:
    return "vmax";
  case LaneOp::Min:
    return "vmin";
  case LaneOp::Mul:
    return "vmul";
  case LaneOp::And:
    return "vand";
  case LaneOp::Or:
    return "vor";
  case LaneOp::Xor:
    return "vxor";
  default:
    return "vadd";
  }
}

bool Reduction::hasInstruction() const {
  return (type == ElementType::F16 || type == ElementType::F32) &&
         (op == LaneOp::Add || op == LaneOp::Max || op == LaneOp::Min);
}

/// out[i] = a[i] op b[i]; strides in bytes.
static void combine(const Reduction &reduction, uint8_t *out, int64_t outStride,
                    uint8_t *a, int64_t aStride, uint8_t *b, int64_t bStride,
                    int64_t count) {
  Row row;
  row.data[0] = out;
  row.data[1] = a;
  row.data[2] = b;
  row.stride[0] = outStride;
  row.stride[1] = aStride;
  row.stride[2] = bStride;
  row.count = count;
  applyToRow(reduction.op, reduction.type, row);
}

/// Neighbours of floats, at most a repeat of them.
template <typename F>
static void reduceNeighbours(ElementType type, const uint8_t *source,
                             int64_t strideBytes, int64_t count, uint8_t *dst,
                             F f) {
  float lanes[128];
  uint16_t halves[128];
  loadLanes(type, source, strideBytes, count, lanes);
  while (count > 1) {
    int64_t pairs = count / 2;
    for (int64_t i = 0; i < pairs; ++i)
      lanes[i] = f(lanes[2 * i], lanes[2 * i + 1]);
    if (count % 2)
      lanes[pairs] = lanes[count - 1];
    count = pairs + count % 2;
    if (type == ElementType::F16) {
      toF16(lanes, halves, size_t(count));
      fromF16(halves, lanes, size_t(count));
    }
  }
  storeLanes(type, lanes, 1, dst, 0);
}

static void reduceNeighbours(const Reduction &reduction, const uint8_t *source,
                             int64_t strideBytes, int64_t count, uint8_t *dst) {
  auto run = [&](auto f) {
    reduceNeighbours(reduction.type, source, strideBytes, count, dst, f);
  };
  switch (reduction.op) {
  case LaneOp::Max:
    return run([](float x, float y) {
      return x != x ? x : y != y ? y : x > y ? x : y;
    });
  case LaneOp::Min:
    return run([](float x, float y) {
      return x != x ? x : y != y ? y : x < y ? x : y;
    });
  default:
    return run([](float x, float y) { return x + y; });
  }
}

void tilekiln::sim::reduceRun(const Reduction &reduction, const uint8_t *source,
                              int64_t strideBytes, int64_t count, uint8_t *dst) {
  int64_t bytes = getBytes(reduction.type);
  if (count <= 0)
    return;
  if (reduction.hasInstruction() && count <= lanesPerRepeat(reduction.type)) {
    reduceNeighbours(reduction, source, strideBytes, count, dst);
    return;
  }
  llvm::SmallVector<uint8_t, 1024> copy(size_t(count * bytes));
  uint8_t *run = copy.data();
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(run + i * bytes, source + i * strideBytes, size_t(bytes));

  bool byNeighbours = reduction.hasInstruction();
  int64_t target = byNeighbours ? lanesPerRepeat(reduction.type) : 1;
  if (count > target) {
    int64_t main = 1;
    while (main * 2 <= count)
      main *= 2;
    // What is behind the largest power of two is added in pieces of half of it.
    int64_t half = main / 2, tail = count - main;
    combine(reduction, run, bytes, run, bytes, run + half * bytes, bytes, half);
    for (int64_t done = 0; done < tail; done += half)
      combine(reduction, run, bytes, run, bytes, run + (main + done) * bytes,
              bytes, std::min(half, tail - done));
    for (count = half; count > target; count /= 2)
      combine(reduction, run, bytes, run, bytes, run + count / 2 * bytes, bytes,
              count / 2);
  }
  if (byNeighbours)
    reduceNeighbours(reduction, run, bytes, count, dst);
  else
    std::memcpy(dst, run, size_t(bytes));
}

/// Results along `axis`, of which `dst` keeps one element.
static void computeReduction(const Reduction &reduction, const Buffer &dst,
                             const Buffer &source, unsigned axis,
                             ValueContext &values) {
  int64_t bytes = getBytes(reduction.type), count = size(source, axis);
  Buffer starts = source, results = dst;
  starts.sizes[axis] = 1;
  results.sizes[axis] = 1;
  int64_t runStride = stride(source, axis) * bytes;
  forEachRow(values, {results, starts}, [&](const Row &row) {
    for (int64_t i = 0; i < row.count; ++i)
      reduceRun(reduction, row.data[1] + i * row.stride[1], runStride, count,
                row.data[0] + i * row.stride[0]);
  });
  if (values.isWritten(source)) {
    values.setWritten(results);
    return;
  }
  values.setWritten(results);
  for (int64_t i = 0; i < count; ++i) {
    // A result is written if all of its run is.
    Buffer layer = slice(source, axis, i, 1);
    values.propagate(results, {results, layer});
  }
}

void tilekiln::sim::issueReduceLoop(const Reduction &reduction,
                                    const Buffer &dst, const Buffer &source,
                                    unsigned axis, Issue &issue) {
  VectorUnit unit(issue);
  Buffer results = slice(dst, axis, 0, 1);
  unit.scalarLoop(source.elementCount())
      .reads(source)
      .writes(results)
      .job([reduction, dst, source, axis](ValueContext &values) {
        computeReduction(reduction, dst, source, axis, values);
      });
}

static llvm::StringRef getRowInstruction(LaneOp op) {
  return op == LaneOp::Max ? "vcmax" : op == LaneOp::Min ? "vcmin" : "vcadd";
}

void tilekiln::sim::issueRowInstruction(const Reduction &reduction,
                                        const Buffer &dst, const Buffer &source,
                                        Issue &issue) {
  VectorUnit unit(issue);
  // Results that do not follow each other take an instruction each.
  int64_t rows = size(source, 0), step = stride(dst, 0) == 1 ? maxRepeats : 1;
  for (int64_t row = 0; row < rows; row += step) {
    int64_t count = std::min(step, rows - row);
    Buffer from = slice(source, 0, row, count);
    Buffer to = reshape(dst, row * stride(dst, 0), {count, 1}, {stride(dst, 0), 1});
    unit.barrier();
    unit.repeat(getRowInstruction(reduction.op), double(count))
        .reads(from)
        .writes(to)
        .counts(double(from.elementCount()))
        .job([reduction, to, from](ValueContext &values) {
          computeReduction(reduction, to, from, 1, values);
        });
  }
}

void tilekiln::sim::issueReduceRunInstruction(const Reduction &reduction,
                                              const Buffer &dst,
                                              const Buffer &source,
                                              Issue &issue) {
  VectorUnit unit(issue);
  Buffer to = reshape(dst, 0, {1});
  unit.count(getRowInstruction(reduction.op), size(source, 0),
             getBytes(reduction.type))
      .reads(source)
      .writes(to)
      .counts(double(source.elementCount()))
      .job([reduction, to, source](ValueContext &values) {
        computeReduction(reduction, to, source, 0, values);
      });
  // The scalar unit takes the result from a register and writes it again.
  unit.waitForVector();
  issue.scalar(issue.timing().scalarDependent).writes(to);
  unit.releaseVector();
}
