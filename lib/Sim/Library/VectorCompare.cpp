//===- VectorCompare.cpp - Rows of vcmp and vcmps -------------------------===//
//
// A compare has no mask: it runs in whole repeats and writes a bit per lane of
// them, also for what follows the sources. Comparisons are IEEE's: with a NaN
// only `ne` is true.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include "VectorFlags.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace tilekiln::sim;

namespace {

enum class Relation { EQ, NE, LT, GT, GE, LE };

struct Compare {
  Relation relation;
  ElementType type;
  /// One-dimensional; `b` or a scalar.
  Buffer a;
  std::optional<Buffer> b;
  ScalarBytes scalar;
  Buffer dst;
};

} // namespace

Buffer tilekiln::sim::getFlagBytes(const Buffer &flags, int64_t count) {
  Buffer bytes =
      Buffer::make(flags.space, ElementType::I8, flags.addressBytes(),
                   {ceilDiv(int64_t(flags.bitOffset()) + count, 8)});
  bytes.tensor = flags.tensor;
  bytes.origin = flags.origin;
  return bytes;
}

FlagReader::FlagReader(ValueContext &values, const Buffer &flags)
    : bytes(values.data(flags)), firstBit(flags.bitOffset()),
      stride(flags.rank ? flags.strides[flags.rank - 1u] : 1),
      packsBytes(flags.type != ElementType::I1) {}

template <typename T> static bool compare(Relation relation, T a, T b) {
  switch (relation) {
  case Relation::EQ:
    return a == b;
  case Relation::NE:
    return a != b;
  case Relation::LT:
    return a < b;
  case Relation::GT:
    return a > b;
  case Relation::GE:
    return a >= b;
  case Relation::LE:
    return a <= b;
  }
  return false;
}

/// Up to 64 elements at once; bit i of the result is that of element i.
template <typename T>
static uint64_t compareLanes(Relation relation, const T *a, const T *b,
                             int64_t count) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits |= uint64_t(compare(relation, a[i], b[i])) << i;
  return bits;
}

static uint64_t compareChunk(const Compare &call, const uint8_t *a,
                             int64_t strideA, const uint8_t *b, int64_t strideB,
                             int64_t count) {
  if (isFloat(call.type)) {
    float x[64], y[64];
    loadLanes(call.type, a, strideA, count, x);
    loadLanes(call.type, b, strideB, count, y);
    return compareLanes(call.relation, x, y, count);
  }
  int64_t x[64], y[64];
  loadLanes(call.type, a, strideA, count, x);
  loadLanes(call.type, b, strideB, count, y);
  return compareLanes(call.relation, x, y, count);
}

/// Compares `count` elements, of which `meant` are the call's; others are what
/// memory holds behind the sources.
static void computeMask(const Compare &call, int64_t meant, int64_t count,
                        ValueContext &values) {
  int64_t bytes = getBytes(call.type);
  const uint8_t *a = values.data(call.a);
  const uint8_t *b = call.b ? values.data(*call.b) : call.scalar.bytes;
  int64_t strideA = call.a.strides[0] * bytes;
  int64_t strideB = call.b ? call.b->strides[0] * bytes : 0;
  uint8_t *mask = values.data(call.dst);
  int64_t firstBit = call.dst.bitOffset(), stride = call.dst.strides[0];
  for (int64_t begin = 0; begin < count; begin += 64) {
    int64_t n = std::min<int64_t>(count - begin, 64);
    uint64_t bits = compareChunk(call, a + begin * strideA, strideA,
                                 b + begin * strideB, strideB, n);
    if (stride == 1 && firstBit == 0 && n == 64) {
      std::memcpy(mask + begin / 8, &bits, sizeof bits);
      continue;
    }
    for (int64_t i = 0; i < n; ++i)
      setFlag(mask, firstBit + (begin + i) * stride, (bits >> i) & 1);
  }

  Buffer target = slice(call.dst, 0, 0, meant);
  bool isGood = values.isWritten(slice(call.a, 0, 0, meant)) &&
                (!call.b || values.isWritten(slice(*call.b, 0, 0, meant)));
  if (isGood) {
    values.setWritten(slice(call.dst, 0, 0, count));
    return;
  }
  for (int64_t i = 0; i < meant; i += 8) {
    int64_t n = std::min<int64_t>(meant - i, 8);
    bool ok = values.isWritten(slice(call.a, 0, i, n)) &&
              (!call.b || values.isWritten(slice(*call.b, 0, i, n)));
    values.setWritten(slice(target, 0, i, n), ok);
  }
}

static void issueScalarCompare(const Compare &call, int64_t begin,
                               int64_t count, VectorUnit &unit) {
  Compare part = call;
  part.a = slice(call.a, 0, begin, count);
  if (call.b)
    part.b = slice(*call.b, 0, begin, count);
  part.dst = slice(call.dst, 0, begin, count);
  QueueOp &op = unit.scalarLoop(count).reads(part.a).writes(part.dst);
  if (part.b)
    op.reads(*part.b);
  op.job([part, count](ValueContext &values) {
    computeMask(part, count, count, values);
  });
}

/// Whole repeats over `count` elements; 64 or 128 flags each.
static void issueVectorCompare(const Compare &call, int64_t count,
                               VectorUnit &unit) {
  int64_t lanes = lanesPerRepeat(call.type), repeats = ceilDiv(count, lanes);
  Buffer mask = getFlagBytes(call.dst, repeats * lanes);
  // What is read beyond the sources changes flags that nobody means to use.
  Buffer a = slice(call.a, 0, 0, count);
  double least = call.b ? unit.bankCycles(call.a, *call.b) : 0;
  QueueOp &op = unit.repeat(call.b ? "vcmp" : "vcmps", double(repeats), least)
                    .reads(a)
                    .writes(mask);
  if (call.b)
    op.reads(slice(*call.b, 0, 0, count));
  op.job([call, count, total = repeats * lanes](ValueContext &values) {
    computeMask(call, count, total, values);
  });
}

void tilekiln::sim::issueNotZero(const Buffer &mask, const Buffer &source,
                                 VectorUnit &unit) {
  issueVectorCompare({Relation::NE, source.type, source, std::nullopt,
                      ScalarBytes(), mask},
                     size(source, 0), unit);
}

/// Whether whole repeats stay inside UB.
static bool hasRoom(const Buffer &buffer, const Timing &timing) {
  int64_t bytes = size(buffer, 0) * int64_t(getBytes(buffer.type));
  return buffer.addressBytes() + roundUp(bytes, repeatBytes) <=
         timing.capacityBytes[unsigned(Space::UB)];
}

static void issueCompare(Compare call, Issue &issue) {
  if (call.dst.isEmpty() || call.a.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t count = size(call.a, 0);
  if (!isVectorAligned(call.a) || (call.b && !isVectorAligned(*call.b)) ||
      !isVectorAligned(call.dst)) {
    issueScalarCompare(call, 0, count, unit);
    return;
  }
  // There is no instruction for `ne` of integers.
  bool inverts = call.relation == Relation::NE && !isFloat(call.type);
  bool fits = hasRoom(call.a, issue.timing()) &&
              (!call.b || hasRoom(*call.b, issue.timing()));
  int64_t main =
      fits ? count : count / lanesPerRepeat(call.type) * lanesPerRepeat(call.type);
  if (main > 0) {
    Compare direct = call;
    if (inverts)
      direct.relation = Relation::EQ;
    issueVectorCompare(direct, main, unit);
    if (inverts) {
      unit.barrier();
      Buffer lanes = viewAs(slice(call.dst, 0, 0, main), ElementType::I16);
      issueLanes({LaneOp::Not, "vnot", lanes, lanes, std::nullopt, Buffer(), false},
                 issue);
    }
  }
  if (main == count)
    return;
  if (main > 0)
    unit.barrier();
  issueScalarCompare(call, main, count - main, unit);
}

static Relation getRelation(llvm::StringRef word) {
  return llvm::StringSwitch<Relation>(word)
      .Case("eq", Relation::EQ)
      .Case("ne", Relation::NE)
      .Case("lt", Relation::LT)
      .Case("gt", Relation::GT)
      .Case("ge", Relation::GE)
      .Default(Relation::LE);
}

static void issueCompareBuffers(const Signature &signature,
                                const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  issueCompare({getRelation(signature.words[0]), type,
                retype(arguments.buffer(0), type),
                retype(arguments.buffer(1), type), ScalarBytes(),
                arguments.buffer(2)},
               issue);
}

static void issueCompareScalar(const Signature &signature,
                               const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  issueCompare({getRelation(signature.words[0]), type,
                retype(arguments.buffer(0), type), std::nullopt,
                toBytes(arguments[1], type), arguments.buffer(2)},
               issue);
}

void tilekiln::sim::addVectorCompareRows(LibraryTable &table) {
  table.add({
      {"vcmp_{eq|ne|lt|gt|ge|le}_1d_{type}", "bbb", issueCompareBuffers},
      {"vcmps_{eq|ne|lt|gt|ge|le}_1d_{type}", "bsb", issueCompareScalar},
  });
}
