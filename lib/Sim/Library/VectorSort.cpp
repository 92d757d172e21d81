//===- VectorSort.cpp - Rows of sorts -------------------------------------===//
//
// Blocks of 32 are sorted, then lists are merged four at a time. The instructions
// sort downwards; upwards the library flips signs before and after. The source is
// padded in place to a multiple of 32, and results are as long.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilekiln::sim;

namespace {

constexpr int64_t sortBlock = 32;
/// A value with its index.
constexpr int64_t proposalBytes = 8;

struct Sort {
  ElementType type;
  Buffer source, dst;
  std::optional<Buffer> index;
  bool descending;
};

} // namespace

/// NaN is the largest; with its sign flipped the smallest.
static bool isAbove(float a, float b, bool descending) {
  auto key = [&](float x) {
    return std::isnan(x) ? std::numeric_limits<float>::infinity() : x;
  };
  if (std::isnan(a) != std::isnan(b) && key(a) == key(b))
    return std::isnan(a) == descending;
  return descending ? key(a) > key(b) : key(a) < key(b);
}

/// Where the sorted elements come from.
static std::vector<int32_t> getOrder(const Sort &sort, ValueContext &values) {
  int64_t count = size(sort.source, 0), bytes = getBytes(sort.type);
  std::vector<float> keys(static_cast<size_t>(count));
  loadLanes(sort.type, values.data(sort.source), bytes, count, keys.data());
  std::vector<int32_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    order[size_t(i)] = int32_t(i);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return isAbove(keys[size_t(a)], keys[size_t(b)], sort.descending);
  });
  return order;
}

static void computeIndices(const Sort &sort, ValueContext &values) {
  std::vector<int32_t> order = getOrder(sort, values);
  std::memcpy(values.data(*sort.index), order.data(), order.size() * 4);
  values.setWritten(slice(*sort.index, 0, 0, int64_t(order.size())),
                    values.isWritten(sort.source));
}

static void computeValues(const Sort &sort, ValueContext &values) {
  std::vector<int32_t> order = getOrder(sort, values);
  size_t bytes = getBytes(sort.type);
  const uint8_t *source = values.data(sort.source);
  std::vector<uint8_t> sorted(order.size() * bytes);
  for (size_t i = 0; i < order.size(); ++i)
    std::memcpy(sorted.data() + i * bytes, source + size_t(order[i]) * bytes,
                bytes);
  std::memcpy(values.data(sort.dst), sorted.data(), sorted.size());
  values.setWritten(slice(sort.dst, 0, 0, int64_t(order.size())),
                    values.isWritten(sort.source));
}

static void issueSort(const Sort &sort, const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  int64_t count = size(sort.source, 0), bytes = getBytes(sort.type);
  if (count == 0)
    return;
  if (count == 1) {
    if (sort.index)
      unit.dup(slice(*sort.index, 0, 0, 1), toBytes(0, ElementType::I32));
    unit.copy("vcopy", slice(sort.dst, 0, 0, 1), sort.source, 1);
    return;
  }
  int64_t padded = roundUp(count, sortBlock);
  Buffer all = reshape(sort.source, 0, {padded});
  Buffer result = reshape(sort.dst, 0, {padded});
  Buffer proposals = reshape(tmp, 0, {2 * padded * proposalBytes / bytes});

  // The indices: a block from the scalar unit, doubled by instructions.
  Buffer numbers = sort.index ? reshape(*sort.index, 0, {padded})
                              : viewAs(reshape(tmp, 0, {padded * 4 / bytes}),
                                       ElementType::I32);
  Buffer head = slice(numbers, 0, 0, 8);
  unit.scalarLoop(8).writes(head);
  for (int64_t done = 8; done < padded; done *= 2) {
    int64_t more = std::min(done, padded - done);
    unit.count("vadds", more, 4)
        .reads(slice(numbers, 0, 0, more))
        .writes(slice(numbers, 0, done, more));
    unit.barrier();
  }

  Buffer pad = reshape(sort.source, count, {padded - count});
  if (!pad.isEmpty()) {
    float filler = sort.descending ? -std::numeric_limits<float>::infinity()
                                   : std::numeric_limits<float>::quiet_NaN();
    ScalarBytes value = toBytes(double(filler), sort.type);
    unit.scalarLoop(padded - count)
        .writes(pad)
        .job([pad, value, bytes](ValueContext &values) {
          uint8_t *data = values.data(pad);
          for (int64_t i = 0; i < size(pad, 0); ++i)
            std::memcpy(data + i * bytes, value.bytes, size_t(bytes));
          values.setWritten(pad);
        });
  } else {
    unit.waitForVector();
    unit.releaseVector();
  }
  if (!sort.descending)
    unit.count("vadds", padded, bytes).reads(all).writes(reshape(tmp, 0, {padded}));
  unit.barrier();
  unit.repeat("vsort32", double(padded / sortBlock)).reads(all).writes(proposals);
  unit.barrier();
  for (int64_t list = sortBlock; list < padded; list *= 4) {
    unit.barrier();
    unit.repeat("vmrgsort4", double(ceilDiv(padded, 4 * sortBlock)))
        .reads(proposals)
        .writes(proposals);
  }
  unit.barrier();
  if (sort.index)
    unit.count("vreducev2", 2 * padded, 4)
        .reads(proposals)
        .writes(numbers)
        .job([sort](ValueContext &values) { computeIndices(sort, values); });
  unit.count("vreducev2", padded * proposalBytes / bytes, bytes)
      .reads(proposals)
      .writes(result)
      .job([sort](ValueContext &values) { computeValues(sort, values); });
  if (!sort.descending) {
    unit.barrier();
    unit.count("vadds", padded, bytes).reads(result).writes(result);
  }
}

static void issueSortCall(const Signature &signature,
                          const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  bool withIndex = !signature.words.empty();
  size_t next = withIndex ? 3 : 2;
  Sort sort{type, retype(arguments.buffer(0), type),
            retype(arguments.buffer(1), type), std::nullopt,
            arguments.integer(next + 1) != 0};
  if (withIndex)
    sort.index = retype(arguments.buffer(2), ElementType::I32);
  issueSort(sort, retype(arguments.buffer(next), type), issue);
}

void tilekiln::sim::addVectorSortRows(LibraryTable &table) {
  table.add({
      {"sort_{with_index}_1d_{type}", "bbbbs", issueSortCall},
      {"sort_1d_{type}", "bbbs", issueSortCall},
  });
}
