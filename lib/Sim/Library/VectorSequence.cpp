//===- VectorSequence.cpp - Rows of aranges, scans and flips --------------===//
//
// Aranges start with a block from the scalar unit and double it. Scans run row by
// row; along the last axis the compiler writes scalar loops of its own.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include <cstring>

using namespace tilekiln::sim;

//===----------------------------------------------------------------------===//
// Aranges
//===----------------------------------------------------------------------===//

namespace {

/// dst(i, j, k) = offset + steps[0] * i + ..., in the type of dst.
struct Arange {
  Buffer dst;
  int64_t offset = 0;
  int64_t steps[3] = {};
};

} // namespace

static void computeArange(const Arange &arange, ValueContext &values) {
  const Buffer &dst = arange.dst;
  size_t bytes = getBytes(dst.type);
  llvm::SmallVector<int64_t, 3> index(dst.rank, 0);
  uint8_t *data = values.data(dst);
  for (int64_t left = dst.elementCount(); left > 0; --left) {
    int64_t value = arange.offset, at = 0;
    for (unsigned d = 0; d < dst.rank; ++d) {
      value += arange.steps[d] * index[d];
      at += dst.strides[d] * index[d];
    }
    ScalarBytes element;
    if (isFloat(dst.type))
      element = toBytes(double(value), dst.type);
    else
      std::memcpy(element.bytes, &value, sizeof value);
    std::memcpy(data + at * int64_t(bytes), element.bytes, bytes);
    for (unsigned d = dst.rank; d-- > 0;) {
      if (++index[d] < dst.sizes[d])
        break;
      index[d] = 0;
    }
  }
  values.setWritten(dst);
}

static void describeArange(QueueOp &op, const Arange &arange) {
  op.writes(arange.dst).job(
      [arange](ValueContext &values) { computeArange(arange, values); });
}

/// A dense run: a block by the scalar unit, then instructions that double it.
static void issueArangeRun(const Buffer &dst, int64_t offset, int64_t step,
                           Issue &issue) {
  VectorUnit unit(issue);
  int64_t count = size(dst, 0);
  int64_t done = std::min(lanesPerBlock(dst.type), count);
  describeArange(unit.scalarLoop(done), {slice(dst, 0, 0, done), offset, {step}});
  while (done < count) {
    int64_t more = std::min(done, count - done);
    Elementwise add{LaneOp::Add,
                    "vadds",
                    slice(dst, 0, done, more),
                    slice(dst, 0, 0, more),
                    Source(toBytes(double(done * step), dst.type)),
                    Buffer(),
                    true};
    if (getBits(dst.type) == 64) {
      QueueOp &op = unit.scalarLoop(more);
      op.reads(slice(dst, 0, 0, more));
      describeArange(op, {slice(dst, 0, done, more), offset + done * step, {step}});
    } else {
      issueLanes(add, issue);
    }
    done += more;
    if (done < count)
      unit.barrier();
  }
}

static void issueArange(const Signature &signature,
                        const CallArguments &arguments, Issue &issue) {
  Arange arange;
  arange.dst = retype(arguments.buffer(0), signature.types[0]);
  arange.offset = arguments.integer(1);
  unsigned rank = signature.rank;
  for (unsigned d = 0; d < rank; ++d)
    arange.steps[d] = arguments.integer(2 + d);
  const Buffer &dst = arange.dst;
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  if (rank == 1) {
    if (stride(dst, 0) == 1) {
      issueArangeRun(dst, arange.offset, arange.steps[0], issue);
      return;
    }
    // The library multiplies the offset by the buffer's stride.
    arange.offset *= stride(dst, 0);
    describeArange(unit.scalarLoop(size(dst, 0)), arange);
    return;
  }
  // The library's test for a dense run, which for three dimensions compares
  // another size than it should.
  int64_t inner = arange.steps[rank - 1], before = arange.steps[rank - 2];
  bool isDense = inner != 0 && size(dst, 1) == before / inner;
  if (isDense && rank == 3)
    isDense = size(dst, 1) * size(dst, 2) == arange.steps[0] / inner;
  double loop = 4 * issue.timing().scalarDependent * double(dst.elementCount());
  if (isDense) {
    issueArangeRun(reshape(dst, 0, {dst.elementCount()}), arange.offset, inner,
                   issue);
    // Then the scalar unit writes all elements again; where the run was right
    // they are the same, and nothing can see which.
    bool isRight = before / inner == size(dst, rank - 1) && dst.isDense();
    if (isRight) {
      issue.scalar(loop);
      return;
    }
  }
  // The loop over all elements has no flags of its own.
  describeArange(issue.scalar(loop), arange);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Along axis 0 of two dimensions or axis 1 of three, from either end.
static void issueScan(const Signature &signature, const CallArguments &arguments,
                      Issue &issue) {
  ElementType type = signature.types[0];
  bool isSum = signature.words[0] == "sum", isFlat = signature.words[1] == "ra";
  bool reverse = signature.has("_reverse");
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (source.isEmpty())
    return;
  VectorUnit unit(issue);
  unsigned axis = isFlat ? 0 : 1;
  int64_t rows = size(source, axis), bytes = getBytes(type);
  auto rowOf = [&](const Buffer &buffer, int64_t i) {
    return at(buffer, axis, reverse ? rows - 1 - i : i);
  };
  Buffer first = rowOf(source, 0), last = rowOf(dst, 0);
  // Whole blocks where rows of several planes are copied.
  int64_t width = size(source, source.rank - 1u);
  if (!isFlat) {
    width = roundUp(width, lanesPerBlock(type));
    first.sizes[1] = last.sizes[1] = width;
  }
  unit.copy("vcopy", last, first,
            double(first.elementCount() * bytes) / repeatBytes);
  unit.barrier();
  last = rowOf(dst, 0);
  for (int64_t i = 1; i < rows; ++i) {
    Buffer next = rowOf(dst, i);
    issueBinary(isSum ? LaneOp::Add : LaneOp::Mul, isSum ? "vadd" : "vmul", next,
                last, rowOf(source, i), issue);
    last = next;
    unit.barrier();
  }
}

//===----------------------------------------------------------------------===//
// Flips
//===----------------------------------------------------------------------===//

/// The library uses the source's stride for the result too.
static void issueFlip(const Signature &signature, const CallArguments &arguments,
                      Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (source.isEmpty())
    return;
  int64_t count = size(source, 0), step = stride(source, 0);
  VectorUnit unit(issue);
  Buffer turned = reshape(source, (count - 1) * step, {count}, {-step});
  Buffer result = reshape(dst, 0, {count}, {step});
  size_t bytes = getBytes(type);
  unit.scalarLoop(count).reads(source).writes(result).job(
      [turned, result, bytes](ValueContext &values) {
        forEachRow(values, {result, turned}, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i)
            std::memcpy(row.data[0] + i * row.stride[0],
                        row.data[1] + i * row.stride[1], bytes);
        });
        values.propagate(result, {turned});
      });
}

void tilekiln::sim::addVectorSequenceRows(LibraryTable &table) {
  table.add({
      {"arange_{rank}d_{type}", "bsss?s?", issueArange},
      {"cum{sum|prod}_{ra|ara}[_reverse]_{type}", "bb", issueScan},
      {"cum{sum|prod}_{ra|ara}_{type}[_reverse]", "bb", issueScan},
      {"flip_1d_{type}", "bb", issueFlip},
  });
}
