//===- VectorBroadcast.cpp - Rows of broadcasts ---------------------------===//
//
// Scalars are filled in, rows are copied, columns are spread over blocks first.
// Results whose rows do not start at blocks are made in scratch and squeezed.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "VectorFlags.h"
#include "VectorUnit.h"
#include <cstring>

using namespace tilekiln::sim;

static bool startsAtBlock(const Buffer &buffer) {
  return buffer.offset == 0 || isBlockAligned(buffer);
}

static bool hasBlockRows(const Buffer &buffer) {
  return stride(buffer, 0) % lanesPerBlock(buffer.type) == 0;
}

/// Fills with a scalar through the scalar unit.
static void issueFillLoop(const Buffer &dst, ScalarBytes value, VectorUnit &unit) {
  size_t bytes = getBytes(dst.type);
  unit.scalarLoop(dst.elementCount())
      .writes(dst)
      .job([dst, value, bytes](ValueContext &values) {
        forEachRow(values, dst, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i)
            std::memcpy(row.data[0] + i * row.stride[0], value.bytes, bytes);
        });
        values.setWritten(dst);
      });
}

/// One dense run by instructions: bytes go in pairs, 64-bit elements in halves.
static void issueFillRun(const Buffer &dst, ScalarBytes value, VectorUnit &unit) {
  int64_t count = size(dst, 0);
  if (getBits(dst.type) == 8) {
    if (count % 2) {
      // The last byte is the scalar unit's.
      Buffer last = slice(dst, 0, count - 1, 1);
      unit.issue.scalar(unit.issue.timing().scalarIssue)
          .writes(last)
          .job([last, value](ValueContext &values) {
            *values.data(last) = value.bytes[0];
            values.setWritten(last);
          });
      unit.issue.setFlag(Pipe::S, Pipe::V, libraryEvent);
    }
    ScalarBytes pair;
    pair.bytes[0] = pair.bytes[1] = value.bytes[0];
    if (count >= 2)
      unit.dup(viewAs(slice(dst, 0, 0, count / 2 * 2), ElementType::U16), pair);
    if (count % 2)
      unit.issue.waitFlag(Pipe::S, Pipe::V, libraryEvent);
    return;
  }
  if (getBits(dst.type) == 64) {
    // Two masked instructions, high halves and low halves, that touch no common
    // byte: the second one is declared to write all of it.
    double repeats = double(ceilDiv(count * 8, repeatBytes));
    unit.repeat("vdup", repeats);
    unit.repeat("vdup", repeats).writes(dst).job([dst, value](ValueContext &values) {
      uint8_t *data = values.data(dst);
      for (int64_t i = 0; i < size(dst, 0); ++i)
        std::memcpy(data + i * 8, value.bytes, 8);
      values.setWritten(dst);
    });
    return;
  }
  unit.dup(dst, value);
}

static void issueFillFlags(Buffer dst, bool value, VectorUnit &unit) {
  ScalarBytes lane;
  lane.bytes[0] = lane.bytes[1] = value ? 0xff : 0;
  Buffer lanes = viewAs(dst, ElementType::U16);
  if (lanes.rank == 1) {
    unit.dup(lanes, lane);
    return;
  }
  for (int64_t i = 0; i < size(lanes, 0); ++i)
    unit.dup(at(lanes, 0, i), lane);
}

static void issueFill(const Buffer &dst, ScalarBytes value, Issue &issue) {
  VectorUnit unit(issue);
  if (dst.isEmpty())
    return;
  if (dst.type == ElementType::I1) {
    issueFillFlags(dst, value.bytes[0] & 1, unit);
    return;
  }
  if (!startsAtBlock(dst) || (dst.rank == 2 && !hasBlockRows(dst))) {
    issueFillLoop(dst, value, unit);
    return;
  }
  if (dst.rank == 1) {
    issueFillRun(dst, value, unit);
    return;
  }
  int64_t rows = size(dst, 0), columns = size(dst, 1);
  unsigned bits = getBits(dst.type);
  if (bits == 8) {
    // Whole pitches, gaps included.
    issueFillRun(reshape(dst, 0, {rows * stride(dst, 0)}), value, unit);
    return;
  }
  if (bits != 64 && columns <= lanesPerRepeat(dst.type)) {
    // Rows are repeats of one instruction.
    QueueOp &op = unit.dup(dst, value);
    Issue plain(issue.timing(), issue.state());
    op.busy = VectorUnit(plain).repeat("vdup", double(rows)).busy;
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    issueFillRun(at(dst, 0, i), value, unit);
}

static void issueScalarToBuffer(const Signature &signature,
                                const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  issueFill(retype(arguments.buffer(1), type), toBytes(arguments[0], type), issue);
}

/// dst(n) = source(1): the scalar unit reads, an instruction fills.
static void issueOneElement(const Signature &signature,
                            const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  if (type == ElementType::I1) {
    // The library tests the byte, not the bit.
    issue.fault(FaultKind::Invalid,
                "broadcast_1d of a flag takes its neighbours for it: the library "
                "reads a byte");
    return;
  }
  unit.dupElement(source, dst);
  unit.waitForVector();
  unit.releaseVector();
}

//===----------------------------------------------------------------------===//
// First and middle axis
//===----------------------------------------------------------------------===//

/// Types that VCOPY takes: others are seen as wider or narrower ones.
static Buffer asCopied(const Buffer &buffer) {
  switch (getBits(buffer.type)) {
  case 1:
  case 8:
    return viewAs(buffer, ElementType::U16);
  case 64:
    return viewAs(buffer, ElementType::U32);
  default:
    return buffer;
  }
}

static double copyRepeats(const Buffer &dst) {
  unsigned last = dst.rank - 1u;
  int64_t rows = 1;
  for (unsigned i = 0; i < last; ++i)
    rows *= dst.sizes[i];
  return double(rows * ceilDiv(dst.sizes[last], lanesPerRepeat(dst.type)));
}

/// Rows made in scratch, a pitch of whole blocks apart, move together.
static void issueSqueeze(const Buffer &dst, const Buffer &padded,
                         VectorUnit &unit) {
  Buffer run = reshape(dst, 0, {size(padded, 0), size(padded, 1)},
                       {size(padded, 1), 1});
  unit.barrier();
  unit.copy("vreducev2", run, padded, copyRepeats(padded));
}

static void issueFirstAxis(const Buffer &dst, const Buffer &source,
                           VectorUnit &unit) {
  unit.copy("vcopy", dst, source, copyRepeats(dst));
}

static void issueFirstAxisUnaligned(const Buffer &dst, const Buffer &source,
                                    const Buffer &tmp, Issue &issue) {
  VectorUnit unit(issue);
  if (size(dst, 1) == 1 && stride(dst, 0) == 1) {
    unit.dupElement(source, reshape(dst, 0, {size(dst, 0)}));
    return;
  }
  int64_t width = roundUp(size(dst, 1), lanesPerBlock(dst.type));
  Buffer padded = reshape(retype(tmp, dst.type), 0, {size(dst, 0), size(dst, 1)},
                          {width, 1});
  issueFirstAxis(asCopied(padded), asCopied(source), unit);
  issueSqueeze(asCopied(dst), asCopied(padded), unit);
}

static void issueFirst(const Signature &signature,
                       const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  llvm::StringRef form = signature.words[0];
  if (type == ElementType::I1) {
    source = asCopied(source);
    dst = asCopied(dst);
  }
  if (!startsAtBlock(source)) {
    describeCopy(unit.scalarLoop(dst.elementCount()), dst, source);
    return;
  }
  if (signature.rank == 3) {
    bool fuses = stride(source, 1) == stride(dst, 1);
    if (form == "align" && !fuses) {
      issueFirstAxis(asCopied(dst), asCopied(source), unit);
      return;
    }
    // Planes as rows, gaps included.
    auto flatten = [](const Buffer &buffer) {
      return reshape(buffer, 0,
                     {size(buffer, 0), size(buffer, 1) * stride(buffer, 1)},
                     {stride(buffer, 0), 1});
    };
    source = flatten(source);
    dst = flatten(dst);
  }
  if (form == "align" || (form == "unknown_align" && hasBlockRows(dst)))
    issueFirstAxis(asCopied(dst), asCopied(source), unit);
  else
    issueFirstAxisUnaligned(dst, source, arguments.buffer(2), issue);
}

static void issueMiddle(const Signature &signature,
                        const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  if (type != ElementType::I1 && !startsAtBlock(source)) {
    describeCopy(unit.scalarLoop(dst.elementCount()), dst, source);
    return;
  }
  unit.copy("vcopy", asCopied(dst), asCopied(source), copyRepeats(asCopied(dst)));
}

//===----------------------------------------------------------------------===//
// Last axis
//===----------------------------------------------------------------------===//

/// One fill per row.
static void issueLastByRows(const Buffer &dst, const Buffer &source,
                            VectorUnit &unit) {
  for (int64_t i = 0; i < size(dst, 0); ++i)
    unit.dupElement(at(source, 0, i), at(dst, 0, i));
}

/// Columns over blocks in scratch, then over rows.
static Buffer issueSpread(const Buffer &source, const Buffer &tmp,
                          VectorUnit &unit) {
  int64_t rows = size(source, 0), lanes = lanesPerBlock(source.type);
  Buffer blocks = reshape(retype(tmp, source.type), 0, {roundUp(rows, 8) * lanes});
  unit.broadcastBlocks(reshape(source, 0, {rows}), blocks);
  unit.barrier();
  return reshape(blocks, 0, {rows, 1}, {lanes, 1});
}

static void issueLastFlags(const Buffer &dst, const Buffer &source,
                           Issue &issue) {
  VectorUnit unit(issue);
  Buffer lanes = viewAs(dst, ElementType::U16);
  int64_t rows = size(dst, 0);
  unit.waitForVector();
  unit.releaseVector();
  QueueOp &op = unit.repeat("vdup", double(rows) * double(ceilDiv(
                                                      size(lanes, 1) * 2, repeatBytes)));
  op.reads(source).writes(lanes).job([lanes, source, rows](ValueContext &values) {
    for (int64_t i = 0; i < rows; ++i) {
      Buffer flag = at(source, 0, i), row = at(lanes, 0, i);
      bool value = getFlag(values.data(flag), int64_t(flag.bitOffset()));
      std::memset(values.data(row), value ? 0xff : 0, size_t(size(row, 0) * 2));
      values.setWritten(row, values.isWritten(flag));
    }
  });
}

/// Rows are made in scratch, whole blocks apart, and squeezed.
static void issueLastUnaligned(const Buffer &dst, const Buffer &source,
                               const Buffer &tmp, VectorUnit &unit) {
  int64_t rows = size(dst, 0), columns = size(dst, 1);
  int64_t lanes = lanesPerBlock(dst.type), width = roundUp(columns, lanes);
  Buffer padded = reshape(retype(tmp, dst.type), 0, {rows, columns}, {width, 1});
  if (getBits(dst.type) == 64) {
    issueLastByRows(padded, source, unit);
    issueSqueeze(asCopied(dst), asCopied(padded), unit);
    return;
  }
  if (columns > lanes) {
    // The result holds the blocks meanwhile.
    Buffer blocks = issueSpread(source, reshape(dst, 0, {rows * columns}), unit);
    unit.copy("vcopy", padded, blocks, copyRepeats(padded));
    issueSqueeze(dst, padded, unit);
  } else {
    Buffer blocks = issueSpread(source, tmp, unit);
    issueSqueeze(dst, reshape(blocks, 0, {rows, columns}, {lanes, 1}), unit);
  }
  unit.barrier();
}

static void issueLast(const Signature &signature, const CallArguments &arguments,
                      Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  const Buffer &tmp = arguments.buffer(2);
  llvm::StringRef form = signature.words[0];
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  if (type == ElementType::I1) {
    issueLastFlags(dst, source, issue);
    return;
  }
  if (!startsAtBlock(source)) {
    describeCopy(unit.scalarLoop(dst.elementCount()), dst, source);
    return;
  }
  int64_t rows = size(dst, 0), columns = size(dst, 1);
  bool aligned = form == "align" || (form == "unknown_align" && hasBlockRows(dst));
  bool isOneRow = rows == 1 && stride(source, 0) == 1;
  if (isOneRow || (aligned && getBits(type) == 64)) {
    issueLastByRows(dst, source, unit);
    return;
  }
  if (!aligned) {
    issueLastUnaligned(dst, source, tmp, unit);
    return;
  }
  if (stride(source, 0) != 1 || stride(dst, 0) != columns) {
    issueLastByRows(dst, source, unit);
    return;
  }
  if (rows % 8 == 0 && columns == lanesPerBlock(type)) {
    unit.broadcastBlocks(reshape(source, 0, {rows}), dst);
    unit.barrier();
    return;
  }
  Buffer blocks = issueSpread(source, tmp, unit);
  unit.copy("vcopy", dst, blocks, copyRepeats(dst));
  unit.barrier();
}

void tilekiln::sim::addVectorBroadcastRows(LibraryTable &table) {
  table.add({
      {"broadcast_scalar_{type}_to_{rank}d", "sb", issueScalarToBuffer},
      {"broadcast_1d_{type}", "bb", issueOneElement},
      {"broadcast_first_axis_{align|unalign|unknown_align}_{rank}d_{type}", "bbb?",
       issueFirst},
      {"broadcast_middle_axis_{align}_3d_{type}", "bb", issueMiddle},
      {"broadcast_last_axis_{align|unalign|unknown_align}_2d_{type}", "bbb?",
       issueLast},
  });
}
