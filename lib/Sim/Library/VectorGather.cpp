//===- VectorGather.cpp - Rows of gathers and (de)interleaves -------------===//
//
// Elements by index, by mask or by their place among channels.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include "VectorFlags.h"
#include "VectorSelect.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace tilekiln::sim;

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

/// The hardware checks no index; one outside of the source is a finding, and the
/// element stays unwritten.
static void computeGather(const Buffer &dst, const Buffer &source,
                          const Buffer &indices, ValueContext &values) {
  size_t bytes = getBytes(dst.type);
  int64_t count = size(indices, 0), limit = size(source, 0);
  const uint8_t *from = values.data(source);
  const uint8_t *places = values.data(indices);
  uint8_t *to = values.data(dst);
  bool allWritten = values.isWritten(source) && values.isWritten(indices);
  bool reported = false;
  for (int64_t i = 0; i < count; ++i) {
    int32_t index;
    std::memcpy(&index, places + i * stride(indices, 0) * 4, sizeof index);
    bool isKnown =
        allWritten || values.isWritten(slice(indices, 0, i, 1));
    bool good = isKnown && index >= 0 && index < limit;
    if (good)
      std::memcpy(to + i * stride(dst, 0) * int64_t(bytes),
                  from + index * stride(source, 0) * int64_t(bytes), bytes);
    if (isKnown && !good && !reported) {
      reported = true;
      values.fault(FaultKind::OutOfRange, source.space, source.addressBytes(),
                   llvm::formatv("gather reads element {0} of {1}; its indices "
                                 "must be clamped, nothing checks them",
                                 index, limit)
                       .str());
    }
    good = good && (allWritten || values.isWritten(slice(source, 0, index, 1)));
    if (!allWritten || !good)
      values.setWritten(slice(dst, 0, i, 1), good);
  }
  if (allWritten && !reported)
    values.setWritten(slice(dst, 0, 0, count));
}

static void issueGather(const Signature &signature,
                        const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer indices = retype(arguments.buffer(1), ElementType::I32);
  Buffer dst = retype(arguments.buffer(2), type);
  Buffer tmp = retype(arguments.buffer(3), ElementType::I32);
  if (indices.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t count = size(indices, 0);
  auto describe = [&](QueueOp &op) {
    op.reads(source).writes(slice(dst, 0, 0, count));
    op.job([dst, source, indices](ValueContext &values) {
      computeGather(dst, source, indices, values);
    });
  };
  bool isAligned = isBlockAligned(indices) && isBlockAligned(dst) &&
                   stride(indices, 0) == 1 && stride(dst, 0) == 1;
  if (!isAligned) {
    QueueOp &op = unit.scalarLoop(count).reads(indices);
    describe(op);
    return;
  }
  if (size(source, 0) == 1) {
    // Whatever the indices say.
    describeCopy(unit.scalarLoop(count), slice(dst, 0, 0, count), source);
    return;
  }
  Buffer addresses = reshape(tmp, 0, {count});
  ScalarBytes bytes = toBytes(double(getBytes(type)), ElementType::I32);
  issueElementwise({LaneOp::Mul, "vmuls", addresses, indices, Source(bytes),
                    Buffer(), true},
                   issue);
  unit.barrier();
  ScalarBytes base = toBytes(double(source.addressBytes()), ElementType::I32);
  issueElementwise({LaneOp::Add, "vadds", addresses, addresses, Source(base),
                    Buffer(), true},
                   issue);
  unit.barrier();
  QueueOp &op = unit.count("vgather", count, getBytes(type)).reads(addresses);
  describe(op);
}

//===----------------------------------------------------------------------===//
// By mask
//===----------------------------------------------------------------------===//

/// Elements whose flag is set, packed; their number.
static void issueGatherMask(const Signature &signature,
                            const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer mask = arguments.buffer(1);
  Buffer dst = retype(arguments.buffer(2), type);
  Buffer number = retype(arguments.buffer(3), ElementType::I64);
  VectorUnit unit(issue);
  int64_t count = size(source, 0);
  if (count <= 0 || count != size(mask, 0)) {
    issue.fault(FaultKind::Invalid,
                "vgathermask takes as many flags as elements; otherwise it "
                "leaves a flag raised");
    return;
  }
  Buffer packed = slice(dst, 0, 0, count), total = slice(number, 0, 0, 1);
  auto found = std::make_shared<int64_t>(0);
  auto pack = [source, mask, dst, found, count](ValueContext &values) {
    int64_t bytes = getBytes(source.type), next = 0;
    FlagReader flags(values, mask);
    const uint8_t *from = values.data(source);
    uint8_t *to = values.data(dst);
    bool isWritten = values.isWritten(source) && values.isWritten(mask);
    for (int64_t i = 0; i < count; ++i)
      if (flags[i])
        std::memmove(to + next++ * stride(dst, 0) * bytes,
                     from + i * stride(source, 0) * bytes, size_t(bytes));
    values.setWritten(slice(dst, 0, 0, next), isWritten);
    *found = next;
  };
  auto store = [total, mask, found](ValueContext &values) {
    std::memcpy(values.data(total), found.get(), sizeof(int64_t));
    values.setWritten(total, values.isWritten(mask));
  };
  bool isAligned = isVectorAligned(source) && isVectorAligned(dst) &&
                   isVectorAligned(mask);
  if (!isAligned) {
    unit.scalarLoop(count).reads(source).reads(mask).writes(packed).job(pack);
    issue.scalar(issue.timing().scalarIssue).writes(total).job(store);
    return;
  }
  unit.count("vreducev2", count, getBytes(type))
      .reads(source)
      .reads(mask)
      .writes(packed)
      .job(pack);
  unit.waitForVector();
  issue.scalar(issue.timing().scalarDependent).writes(total).job(store);
  unit.releaseVector();
  unit.barrier();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// dst[2i] = first[i], dst[2i + 1] = second[i]: both doubled, then selected.
static void issueInterleave(const Signature &signature,
                            const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer first = retype(arguments.buffer(0), type);
  Buffer second = retype(arguments.buffer(1), type);
  Buffer dst = retype(arguments.buffer(2), type);
  Buffer tmp = retype(arguments.buffer(3), type);
  if (first.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t count = size(first, 0), lanes = lanesPerBlock(type);
  Buffer even = reshape(dst, 0, {count}, {2 * stride(dst, 0)});
  Buffer odd = reshape(dst, stride(dst, 0), {count}, {2 * stride(dst, 0)});
  auto compute = [=](ValueContext &values) {
    for (auto [to, from] : {std::pair(even, first), std::pair(odd, second)}) {
      QueueOp op;
      describeCopy(op, to, from);
      op.work(values);
    }
  };
  bool isAligned = true;
  for (const Buffer &buffer : {first, second, dst})
    isAligned &= isBlockAligned(buffer) && stride(buffer, 0) == 1;
  if (!isAligned) {
    unit.scalarLoop(2 * count).reads(first).reads(second).writes(dst).job(compute);
    return;
  }
  Buffer blocks = reshape(tmp, 0, {roundUp(count, 8) * lanes});
  Buffer doubled = reshape(tmp, roundUp(count, 8) * lanes, {count, 2});
  Buffer target = reshape(dst, 0, {count, 2});
  for (auto [to, from] : {std::pair(doubled, first), std::pair(target, second)}) {
    unit.broadcastBlocks(from, blocks);
    unit.barrier();
    unit.copy("vreducev2", to, reshape(blocks, 0, {count, 2}, {lanes, 1}),
              double(count));
    unit.barrier();
    unit.barrier();
  }
  // Every other flag of the mask is set; its address is in the first block.
  Buffer mask = viewAs(reshape(tmp, lanes, {lanes}), ElementType::I8);
  mask = reshape(mask, 0, {ceilDiv(2 * count, 16) * 2});
  ScalarBytes pattern;
  std::memset(pattern.bytes, 0x55, sizeof pattern.bytes);
  unit.dup(viewAs(mask, ElementType::U16), pattern);
  unit.barrier();
  Buffer address = slice(viewAs(reshape(tmp, 0, {lanes}), ElementType::I64), 0, 0, 1);
  unit.waitForVector();
  issue.scalar(issue.timing().scalarDependent).writes(address);
  unit.releaseVector();
  unit.barrier();
  issueSelectInstruction({mask, Source(reshape(doubled, 0, {2 * count})),
                          Source(reshape(dst, 0, {2 * count})),
                          reshape(dst, 0, {2 * count})},
                         unit, {address});
}

/// One of two channels; also of strided sources, whose gaps go along.
static void issueDeinterleaveTwo(const Signature &signature,
                                 const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  int64_t channel = signature.words[0] == "0" ? 0 : 1;
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t count = size(dst, 0), step = stride(source, 0);
  Buffer taken = reshape(source, channel * step, {count}, {2 * step});
  bool isAligned = isBlockAligned(source) && isBlockAligned(dst) && step == 1 &&
                   stride(dst, 0) == 1;
  if (!isAligned) {
    describeCopy(unit.scalarLoop(count), dst, taken);
    return;
  }
  describeCopy(unit.count("vreducev2", size(source, 0), getBytes(type)), dst, taken);
}

/// The first of channels that are whole blocks apart.
static void issueDeinterleaveMany(const Signature &signature,
                                  const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t perBlock = lanesPerBlock(type);
  auto refuse = [&] {
    issue.fault(FaultKind::Misaligned,
                llvm::formatv("{0} takes channels that are whole blocks of 32 "
                              "bytes apart",
                              signature.name)
                    .str());
  };
  if (signature.rank == 1) {
    int64_t step = stride(source, 0), count = size(source, 0);
    if (step % perBlock != 0) {
      refuse();
      return;
    }
    if (count == size(dst, 0) && step == stride(dst, 0)) {
      describeCopy(unit.count("vcopy", count, getBytes(type)), dst, source);
      return;
    }
    unit.copy("vreducev2", reshape(dst, 0, {count}), source, double(count));
    return;
  }
  int64_t pitch = stride(dst, 0), step = stride(source, 1);
  int64_t count = size(source, 0) * pitch;
  if (step == 1)
    step = pitch != 0 && stride(source, 0) % pitch == 0 ? stride(source, 0) / pitch
                                                        : 1;
  else if (stride(source, 0) != pitch * step)
    step = 1;
  if (step % perBlock != 0) {
    refuse();
    return;
  }
  unit.copy("vreducev2", reshape(dst, 0, {count}),
            reshape(source, 0, {count}, {step}), double(count));
}

void tilekiln::sim::addVectorGatherRows(LibraryTable &table) {
  table.add({
      {"gather_1d_{type}", "bbbb", issueGather},
      {"vgathermask_1d_{type}", "bbbb", issueGatherMask},
      {"interleave_1d_{type}", "bbbb", issueInterleave},
      {"deinterleave_channel_{0|1}_from_2_channels_1d_{type}", "bb",
       issueDeinterleaveTwo},
      {"deinterleave_channel_0_from_n_channels_{rank}d_{type}", "bb",
       issueDeinterleaveMany},
  });
}
