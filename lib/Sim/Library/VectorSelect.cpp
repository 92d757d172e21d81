//===- VectorSelect.cpp - Rows of vsel ------------------------------------===//
//
// The instruction finds its mask through an address that the scalar unit writes
// into scratch. 64-bit elements have no instruction: the scalar unit selects.
//
//===----------------------------------------------------------------------===//
#include "VectorSelect.h"
#include "VectorCast.h"
#include "VectorFamilies.h"
#include "VectorFlags.h"
#include <cstring>

using namespace tilekiln::sim;

namespace {

/// A source as rows see it.
struct Elements {
  const uint8_t *data;
  int64_t stride;
  Elements(const Source &source, ValueContext &values, int64_t bytes)
      : data(source.buffer ? values.data(*source.buffer) : source.scalar.bytes),
        stride(source.buffer ? source.buffer->strides[0] * bytes : 0) {}
};

} // namespace

template <typename T>
static void selectElements(const FlagReader &flags, const Elements &first,
                           const Elements &second, uint8_t *dst,
                           int64_t dstStride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, first.data + i * first.stride, sizeof a);
    std::memcpy(&b, second.data + i * second.stride, sizeof b);
    T chosen = flags[i] ? a : b;
    std::memcpy(dst + i * dstStride, &chosen, sizeof chosen);
  }
}

/// The flag bytes that element i reads, as an access.
static bool isFlagWritten(const Buffer &flags, int64_t i, ValueContext &values) {
  if (flags.type == ElementType::I1)
    return values.isWritten(slice(flags, 0, i, 1));
  return values.isWritten(slice(flags, 0, i / 8, 1));
}

static Buffer getMask(const Select &select) {
  int64_t count = size(select.dst, 0);
  if (select.flags.type == ElementType::I1)
    return slice(select.flags, 0, 0, count);
  return slice(select.flags, 0, 0, ceilDiv(count, 8));
}

static void computeSelect(const Select &select, ValueContext &values) {
  const Buffer &dst = select.dst;
  int64_t bytes = getBytes(dst.type), count = size(dst, 0);
  // Only the chosen element has to be written. Decided before the results
  // overwrite sources or flags.
  auto isWritten = [&](const Source &source) {
    return !source.buffer || values.isWritten(slice(*source.buffer, 0, 0, count));
  };
  FlagReader flags(values, select.flags);
  bool allWritten = values.isWritten(getMask(select)) &&
                    isWritten(select.first) && isWritten(select.second);
  std::vector<bool> good;
  if (!allWritten) {
    good.resize(size_t(count));
    for (int64_t i = 0; i < count; ++i) {
      const Source &chosen = flags[i] ? select.first : select.second;
      good[size_t(i)] =
          isFlagWritten(select.flags, i, values) &&
          (!chosen.buffer || values.isWritten(slice(*chosen.buffer, 0, i, 1)));
    }
  }
  Elements first(select.first, values, bytes);
  Elements second(select.second, values, bytes);
  uint8_t *out = values.data(dst);
  int64_t stride = dst.strides[0] * bytes;
  switch (bytes) {
  case 1:
    selectElements<uint8_t>(flags, first, second, out, stride, count);
    break;
  case 2:
    selectElements<uint16_t>(flags, first, second, out, stride, count);
    break;
  case 4:
    selectElements<uint32_t>(flags, first, second, out, stride, count);
    break;
  default:
    selectElements<uint64_t>(flags, first, second, out, stride, count);
    break;
  }
  if (allWritten) {
    values.setWritten(dst);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    values.setWritten(slice(dst, 0, i, 1), good[size_t(i)]);
}

static void declare(const Select &select, QueueOp &op) {
  op.reads(getMask(select)).writes(select.dst);
  for (const Source *source : {&select.first, &select.second})
    if (source->buffer)
      op.reads(*source->buffer);
  op.job([select](ValueContext &values) { computeSelect(select, values); });
}

QueueOp &tilekiln::sim::issueSelectInstruction(const Select &select,
                                               VectorUnit &unit,
                                               llvm::ArrayRef<Buffer> reads) {
  QueueOp &op =
      unit.count("vsel", size(select.dst, 0), getBytes(select.dst.type));
  declare(select, op);
  for (const Buffer &buffer : reads)
    op.reads(buffer);
  return op;
}

void tilekiln::sim::issueSelectLoop(const Select &select, VectorUnit &unit) {
  declare(select, unit.scalarLoop(size(select.dst, 0)));
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

/// The first block of scratch takes the mask's address, the next ones the
/// scalars.
static void issueSelect(Select select, Buffer tmp, Issue &issue) {
  if (select.dst.isEmpty())
    return;
  VectorUnit unit(issue);
  auto isAligned = [](const Source &source) {
    return !source.buffer || isVectorAligned(*source.buffer);
  };
  if (!isVectorAligned(select.flags) || !isVectorAligned(select.dst) ||
      !isAligned(select.first) || !isAligned(select.second)) {
    issueSelectLoop(select, unit);
    return;
  }
  if (getBits(select.dst.type) == 64) {
    issueSelectLoop(select, unit);
    return;
  }
  if (tmp.isEmpty()) {
    issue.fault(FaultKind::Invalid,
                "vsel keeps the address of its mask in a scratch buffer, and was "
                "given none");
    return;
  }
  int64_t lanes = lanesPerBlock(select.dst.type);
  int64_t used = lanes;
  llvm::SmallVector<Buffer, 2> scalars;
  for (const Source *source : {&select.first, &select.second}) {
    if (source->buffer)
      continue;
    Buffer block = reshape(retype(tmp, select.dst.type), used, {lanes});
    unit.dup(block, source->scalar);
    scalars.push_back(block);
    used += lanes;
  }
  Buffer address = viewAs(reshape(tmp, 0, {lanes}), ElementType::I64);
  address = slice(address, 0, 0, 1);
  unit.waitForVector();
  issue.scalar(issue.timing().scalarDependent)
      .writes(address)
      .job([address, mask = select.flags](ValueContext &values) {
        int64_t at = mask.addressBytes();
        std::memcpy(values.data(address), &at, sizeof at);
        values.setWritten(address);
      });
  unit.releaseVector();
  unit.barrier();
  scalars.push_back(address);
  issueSelectInstruction(select, unit, scalars);
}

/// 64-bit elements by bytes: every byte becomes two flags, and halves are
/// selected.
static void issueSelectByBytes(const Select &select, Buffer tmp, Issue &issue) {
  constexpr ElementType f16 = ElementType::F16, f32 = ElementType::F32,
                        i32 = ElementType::I32;
  Buffer condition = retype(select.flags, ElementType::I8);
  int64_t count = size(condition, 0);
  VectorUnit unit(issue);
  if (!isVectorAligned(condition) || !isVectorAligned(*select.first.buffer) ||
      !isVectorAligned(*select.second.buffer) || !isVectorAligned(select.dst)) {
    QueueOp &op = unit.scalarLoop(count);
    op.reads(condition).reads(*select.first.buffer).reads(*select.second.buffer);
    op.writes(select.dst).job([select, condition](ValueContext &values) {
      Buffer first = *select.first.buffer, second = *select.second.buffer;
      forEachRow(values, {select.dst, condition, first, second},
                 [](const Row &row) {
                   for (int64_t i = 0; i < row.count; ++i) {
                     int from = row.data[1][i * row.stride[1]] ? 2 : 3;
                     std::memcpy(row.data[0] + i * row.stride[0],
                                 row.data[from] + i * row.stride[from], 8);
                   }
                 });
      values.propagate(select.dst, {condition, first, second});
    });
    return;
  }
  int64_t words = roundUp(count, 8);
  Buffer numbers = reshape(viewAs(tmp, i32), 0, {words});
  Buffer halves = reshape(viewAs(tmp, f16), 2 * words, {count});
  Buffer some = slice(numbers, 0, 0, count);
  issueConversion({ElementType::I8, f16}, halves, condition, issue);
  unit.barrier();
  issueConversion({f16, i32}, some, halves, issue);
  unit.barrier();
  // 0x10001 in both halves of a word.
  issueLanes({LaneOp::Mul, "vmuls", some, some, Source(toBytes(65537, i32)),
              Buffer(), true},
             issue);
  unit.barrier();
  Buffer mask = Buffer::make(tmp.space, ElementType::I1,
                             numbers.addressBytes() + 4 * words, {2 * count});
  mask.tensor = tmp.tensor;
  mask.origin = tmp.origin;
  issueNotZero(mask, viewAs(some, f16), unit);
  issueSelect({mask, viewAs(*select.first.buffer, f32),
               viewAs(*select.second.buffer, f32), viewAs(select.dst, f32)},
              reshape(viewAs(tmp, f32), 0, {8}), issue);
}

static Buffer getTmp(const CallArguments &arguments, size_t i,
                     ElementType type) {
  return i < arguments.size() ? retype(arguments.buffer(i), type) : Buffer();
}

static Source getSource(const CallArguments &arguments, size_t i,
                        ElementType type) {
  if (arguments[i].buffer)
    return Source(retype(arguments.buffer(i), type));
  return Source(toBytes(arguments[i], type));
}

/// vsel_vv names the condition's type too.
static void issueSelectCall(const Signature &signature,
                            const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types.back();
  Select select{arguments.buffer(0), getSource(arguments, 1, type),
                getSource(arguments, 2, type), retype(arguments.buffer(3), type)};
  Buffer tmp = getTmp(arguments, 4, type);
  // Conditions of 64-bit elements are bytes that are 0 or not; others are masks
  // of bits also where the buffer says bytes.
  if (getBits(type) == 64 && select.flags.type != ElementType::I1)
    issueSelectByBytes(select, tmp, issue);
  else
    issueSelect(select, tmp, issue);
}

void tilekiln::sim::addVectorSelectRows(LibraryTable &table) {
  table.add({
      {"vsel_vv_1d_{type}_{type}", "bbbbb?", issueSelectCall},
      {"vsel_vs_1d_{type}", "bbsbb?", issueSelectCall},
      {"vsel_sv_1d_{type}", "bsbbb?", issueSelectCall},
      {"vsel_ss_1d_{type}", "bssbb?", issueSelectCall},
  });
}
