//===- VectorReduceIndex.cpp - Maxima and minima with their places --------===//
//
// Along the last axis the instruction gives the first place, whatever the name
// says; along the first axis `right` means the last one. A NaN is the extreme.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "VectorReduce.h"
#include "VectorSelect.h"
#include <cmath>
#include <cstring>

using namespace tilekiln::sim;

namespace {

struct IndexedReduction {
  bool isMax = true;
  /// Among equals the last one.
  bool takesLast = false;
  ElementType type = ElementType::F32;
};

} // namespace

static bool isBetter(const IndexedReduction &r, float value, float best) {
  if (std::isnan(best))
    return false;
  if (std::isnan(value))
    return true;
  if (r.takesLast)
    return r.isMax ? value >= best : value <= best;
  return r.isMax ? value > best : value < best;
}

/// Along `axis` of two dimensions; value and index keep one element of it.
static void computeIndexed(const IndexedReduction &r, const Buffer &value,
                           const Buffer &index, const Buffer &source,
                           unsigned axis, ValueContext &values) {
  int64_t bytes = getBytes(r.type), count = size(source, axis);
  Buffer starts = slice(source, axis, 0, 1), to = slice(value, axis, 0, 1);
  Buffer place = slice(index, axis, 0, 1);
  bool isWritten = values.isWritten(source);
  int64_t step = stride(source, axis) * bytes;
  forEachRow(values, {to, starts, place}, [&](const Row &row) {
    for (int64_t i = 0; i < row.count; ++i) {
      const uint8_t *run = row.data[1] + i * row.stride[1];
      float best = 0;
      int32_t at = 0;
      for (int64_t k = 0; k < count; ++k) {
        float element;
        loadLanes(r.type, run + k * step, 0, 1, &element);
        if (k == 0 || isBetter(r, element, best)) {
          best = element;
          at = int32_t(k);
        }
      }
      std::memcpy(row.data[0] + i * row.stride[0], run + at * step, size_t(bytes));
      std::memcpy(row.data[2] + i * row.stride[2], &at, sizeof at);
    }
  });
  values.setWritten(to);
  values.setWritten(place);
  for (int64_t k = 0; !isWritten && k < count; ++k) {
    Buffer layer = slice(source, axis, k, 1);
    values.propagate(to, {to, layer});
    values.propagate(place, {place, layer});
  }
}

static void describeIndexed(QueueOp &op, const IndexedReduction &r,
                            const Buffer &value, const Buffer &index,
                            const Buffer &source, unsigned axis) {
  op.reads(source).writes(slice(value, axis, 0, 1)).writes(slice(index, axis, 0, 1));
  op.job([=](ValueContext &values) {
    computeIndexed(r, value, index, source, axis, values);
  });
}

//===----------------------------------------------------------------------===//
// Last axis
//===----------------------------------------------------------------------===//

/// (r) to one element: the register that counts holds value and place.
static void issueIndexedRun(const IndexedReduction &r, const Buffer &value,
                            const Buffer &index, const Buffer &source,
                            const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  if (stride(source, 0) != 1 || !isBlockAligned(source)) {
    describeIndexed(unit.scalarLoop(size(source, 0)), r, value, index, source, 0);
    return;
  }
  QueueOp &op = unit.count(r.isMax ? "vcmax" : "vcmin", size(source, 0),
                           getBytes(r.type))
                    .reads(source);
  if (!tmp.isEmpty())
    op.writes(reshape(tmp, 0, {1}));
  unit.waitForVector();
  describeIndexed(issue.scalar(2 * issue.timing().scalarDependent), r, value,
                  index, source, 0);
  unit.releaseVector();
}

static void issueIndexedLast(const IndexedReduction &r, const Buffer &value,
                             const Buffer &index, const Buffer &source,
                             const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t rows = size(source, 0), columns = size(source, 1);
  bool isUnit = columns == 1 && stride(source, 0) == 1 &&
                stride(value, 0) == 1 && stride(index, 0) == 1;
  bool fits = (isUnit && isBlockAligned(source) && isBlockAligned(value) &&
               isBlockAligned(index)) ||
              (stride(source, 0) % lanesPerBlock(r.type) == 0 &&
               isBlockAligned(source));
  if (!fits) {
    describeIndexed(unit.scalarLoop(source.elementCount()), r, value, index,
                    source, 1);
    return;
  }
  if (columns > lanesPerRepeat(r.type)) {
    for (int64_t i = 0; i < rows; ++i)
      issueIndexedRun(r, at(value, 0, i), at(index, 0, i), at(source, 0, i), tmp,
                      issue);
    return;
  }
  if (isUnit) {
    Buffer from = reshape(source, 0, {rows}), to = reshape(value, 0, {rows});
    unit.copy("vcopy", to, from,
              double(rows * int64_t(getBytes(r.type))) / repeatBytes);
    unit.dup(reshape(index, 0, {rows}), toBytes(0, ElementType::I32));
    return;
  }
  bool isPacked = stride(value, 0) == 1 && stride(index, 0) == 1;
  int64_t step = isPacked ? maxRepeats : 1;
  for (int64_t row = 0; row < rows; row += step) {
    int64_t count = std::min(step, rows - row);
    unit.barrier();
    QueueOp &op = unit.repeat(r.isMax ? "vcmax" : "vcmin", double(count));
    // One instruction for values, one for places.
    op.busy *= 2;
    describeIndexed(op, r, slice(value, 0, row, count),
                    slice(index, 0, row, count), slice(source, 0, row, count), 1);
  }
}

//===----------------------------------------------------------------------===//
// First axis
//===----------------------------------------------------------------------===//

/// Row by row: compare, take the better one, select its row number.
static void issueIndexedFirst(const IndexedReduction &r, const Buffer &value,
                              const Buffer &index, const Buffer &source,
                              const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t rows = size(source, 0), columns = size(source, 1);
  bool fits = stride(source, 0) % lanesPerBlock(r.type) == 0 &&
              stride(source, 1) == 1 && stride(value, 1) == 1 &&
              stride(index, 1) == 1 && isBlockAligned(source) &&
              isBlockAligned(value) && isBlockAligned(index);
  if (!fits) {
    describeIndexed(unit.scalarLoop(source.elementCount()), r, value, index,
                    source, 0);
    return;
  }
  int64_t numbers = roundUp(columns * 4, repeatBytes) / 4;
  Buffer scratch = retype(tmp, ElementType::I32);
  Buffer rowNumber = reshape(scratch, 0, {columns});
  int64_t maskWords = ceilDiv(columns, 8 * blockBytes) * blockBytes / 4;
  Buffer mask = reshape(scratch, numbers, {maskWords});
  Buffer address = reshape(scratch, numbers + maskWords, {2});
  unit.waitForVector();
  issue.scalar(issue.timing().scalarDependent).writes(address);
  unit.releaseVector();
  unit.barrier();
  Buffer best = reshape(value, 0, {1, columns}), first = slice(source, 0, 0, 1);
  Buffer place = reshape(index, 0, {1, columns});
  int64_t bytes = getBytes(r.type);
  unit.copy("vcopy", best, first,
            double(roundUp(columns * bytes, blockBytes)) / repeatBytes);
  unit.barrier();
  unit.dup(reshape(place, 0, {columns}), toBytes(0, ElementType::I32));
  for (int64_t i = 1; i < rows; ++i) {
    Buffer row = slice(source, 0, i, 1);
    unit.barrier();
    unit.count("vcmp", columns, bytes).reads(row).reads(best).writes(mask);
    Buffer line = reshape(best, 0, {columns}), from = reshape(row, 0, {columns});
    issueBinary(r.isMax ? LaneOp::Max : LaneOp::Min, r.isMax ? "vmax" : "vmin",
                line, line, from, issue);
    unit.barrier();
    unit.dup(rowNumber, toBytes(double(i), ElementType::I32));
    unit.barrier();
    unit.count("vsel", columns, 4).reads(mask).reads(rowNumber).reads(place).writes(
        place);
  }
  // Values are those of the whole loop; its last entry computes the places. The
  // compare is the instruction's: with a NaN nothing is better.
  issue.ops().back().job([r, place, source, rows, columns](ValueContext &values) {
    int64_t step = int64_t(getBytes(r.type));
    int32_t *out = values.data<int32_t>(place);
    const uint8_t *data = values.data(source);
    for (int64_t c = 0; c < columns; ++c) {
      float best;
      loadLanes(r.type, data + c * step, 0, 1, &best);
      out[c] = 0;
      for (int64_t i = 1; i < rows; ++i) {
        float element;
        loadLanes(r.type, data + (i * stride(source, 0) + c) * step, 0, 1, &element);
        bool better = r.takesLast ? (r.isMax ? best <= element : best >= element)
                                  : (r.isMax ? best < element : best > element);
        if (better)
          out[c] = int32_t(i);
        if (std::isnan(element) || std::isnan(best))
          best = std::nanf("");
        else
          best = r.isMax ? std::max(best, element) : std::min(best, element);
      }
    }
    values.setWritten(place, values.isWritten(source));
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Places become what a buffer of indices holds there.
static void issueLookup(const Buffer &index, const Buffer &indices,
                        unsigned axis, Issue &issue) {
  VectorUnit unit(issue);
  Buffer place = slice(index, axis, 0, 1);
  unit.scalarLoop(place.elementCount())
      .reads(indices)
      .writes(place)
      .job([place, indices, axis](ValueContext &values) {
        bool isWritten = values.isWritten(indices);
        Buffer starts = slice(indices, axis, 0, 1);
        int64_t step = stride(indices, axis) * 4, count = size(indices, axis);
        forEachRow(values, {place, starts}, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i) {
            int32_t at;
            std::memcpy(&at, row.data[0] + i * row.stride[0], sizeof at);
            if (at < 0 || at >= count)
              continue;
            std::memcpy(row.data[0] + i * row.stride[0],
                        row.data[1] + i * row.stride[1] + at * step, sizeof at);
          }
        });
        if (!isWritten)
          values.setWritten(place, false);
      });
}

static void issueIndexed(const Signature &signature,
                         const CallArguments &arguments, Issue &issue) {
  llvm::StringRef axes = signature.words.back();
  bool isFirstAxis = axes == "ra";
  IndexedReduction r;
  r.isMax = signature.words[0] == "max";
  r.takesLast = isFirstAxis && signature.words[1] == "right";
  r.type = signature.types[0];
  bool looksUp = signature.has("_with_specified_index");
  size_t next = looksUp ? 2 : 1;
  Buffer source = retype(arguments.buffer(0), r.type);
  Buffer value = retype(arguments.buffer(next), r.type);
  Buffer index = retype(arguments.buffer(next + 1), ElementType::I32);
  Buffer tmp = arguments.buffer(next + 2);
  if (source.isEmpty())
    return;
  unsigned axis = axes == "ar" ? 1 : 0;
  if (axes == "r")
    issueIndexedRun(r, value, index, source, retype(tmp, r.type), issue);
  else if (isFirstAxis)
    issueIndexedFirst(r, value, index, source, tmp, issue);
  else
    issueIndexedLast(r, value, index, source, retype(tmp, r.type), issue);
  if (looksUp)
    issueLookup(index, retype(arguments.buffer(1), ElementType::I32), axis, issue);
}

void tilekiln::sim::addVectorReduceIndexRows(LibraryTable &table) {
  table.add({
      {"reduce_{max|min}_with_index_{left|right}_{ra}_{type}", "bbbb",
       issueIndexed},
      {"reduce_{max|min}_with_index_{left|right}_{ar|r}_{type}", "bbbbs",
       issueIndexed},
      {"reduce_{max|min}_with_index_{left|right}[_with_specified_index]_{ra}_"
       "{type}",
       "bbbbb", issueIndexed},
      {"reduce_{max|min}_with_index_{left|right}[_with_specified_index]_{ar|r}_"
       "{type}",
       "bbbbbs", issueIndexed},
  });
}
