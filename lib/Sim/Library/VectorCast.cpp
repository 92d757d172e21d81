//===- VectorCast.cpp - Rows of vcast -------------------------------------===//
//
// Conversions are one instruction each. Flags become numbers by a select between
// 1 and 0. Narrowing of integers to bytes that keeps the low bits is made of
// transposes: a column of bytes of a transposed matrix is a row.
//
//===----------------------------------------------------------------------===//
#include "VectorCast.h"
#include "VectorFamilies.h"
#include "VectorSelect.h"
#include "VectorTranspose.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <cstring>

using namespace tilekiln::sim;
using llvm::StringRef;

/// "vcast.f32.f16" ...; entries of queues refer to it.
static StringRef getInstruction(ElementType from, ElementType to) {
  constexpr size_t count = size_t(ElementType::F64) + 1;
  static const auto *names = [] {
    auto *table = new std::array<std::array<std::string, count>, count>;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        (*table)[i][j] = ("vcast." + getName(ElementType(i)) + "." +
                          getName(ElementType(j)))
                             .str();
    return table;
  }();
  return (*names)[size_t(from)][size_t(to)];
}

static void describe(QueueOp &op, const Conversion &conversion,
                     const Buffer &dst, const Buffer &source) {
  op.reads(source).writes(dst).job(
      [conversion, dst, source](ValueContext &values) {
        forEachRow(values, {dst, source},
                   [&](const Row &row) { convertRow(conversion, row); });
        values.propagate(dst, {source});
      });
}

void tilekiln::sim::issueConversion(const Conversion &conversion,
                                    const Buffer &dst, const Buffer &source,
                                    Issue &issue) {
  if (source.isEmpty())
    return;
  VectorUnit unit(issue);
  StringRef name = getInstruction(conversion.from, conversion.to);
  int64_t bytes = std::max(getBytes(conversion.from), getBytes(conversion.to));
  // What is converted is as large as the source.
  Buffer to = reshape(dst, 0, source.shape(),
                      llvm::ArrayRef(dst.strides.data(), dst.rank));
  if (source.rank == 1) {
    describe(unit.count(name, size(source, 0), bytes), conversion, to, source);
    return;
  }
  int64_t repeats = size(source, 0) * ceilDiv(size(source, 1) * bytes, repeatBytes);
  describe(unit.repeat(name, double(repeats)), conversion, to, source);
}

//===----------------------------------------------------------------------===//
// Scalar loop
//===----------------------------------------------------------------------===//

/// Not every conversion has one, and not all give the instruction's result:
/// integers wrap instead of going to the nearest value.
static void issueScalarConversion(const Signature &signature,
                                  Conversion conversion, const Buffer &dst,
                                  const Buffer &source, Issue &issue) {
  if (conversion.from == ElementType::BF16 || conversion.to == ElementType::BF16) {
    issue.fault(FaultKind::Misaligned,
                llvm::formatv("{0} of operands that are not aligned to 32 bytes "
                              "does nothing: the library has no scalar form for "
                              "bf16",
                              signature.name)
                    .str());
    return;
  }
  if (conversion.from == ElementType::F32 && conversion.to == ElementType::F16) {
    issue.fault(FaultKind::Misaligned,
                llvm::formatv("{0} of operands that are not aligned to 32 bytes "
                              "traps: the library has no scalar form",
                              signature.name)
                    .str());
    return;
  }
  conversion.wraps = !isFloat(conversion.from) && !isFloat(conversion.to);
  VectorUnit unit(issue);
  if (source.rank == 1) {
    describe(unit.scalarLoop(size(source, 0)), conversion, dst, source);
    return;
  }
  for (int64_t i = 0; i < size(source, 0); ++i) {
    unit.barrier();
    describe(unit.scalarLoop(size(source, 1)), conversion, at(dst, 0, i),
             at(source, 0, i));
  }
}

static void issueWithMode(const Signature &signature,
                          const CallArguments &arguments, Issue &issue) {
  ElementType from = signature.types[0], to = signature.types[1];
  int64_t mode = arguments.integer(2);
  Buffer source = retype(arguments.buffer(0), from);
  Buffer dst = retype(arguments.buffer(1), to);
  if (source.isEmpty())
    return;
  if (!hasInstruction(from, to)) {
    issue.fault(FaultKind::Invalid,
                llvm::formatv("there is no instruction from {0} to {1}",
                              getName(from), getName(to))
                    .str());
    return;
  }
  bool ignoresMode = (isFloat(from) && to == ElementType::F32 && from != to) ||
                     from == ElementType::U8 || from == ElementType::I8 ||
                     (from == ElementType::I16 && to == ElementType::F32) ||
                     (!isFloat(from) && !isFloat(to));
  bool hasOdd = from == ElementType::F32 && to == ElementType::F16;
  if (!ignoresMode && (mode < 0 || mode > (hasOdd ? 5 : 4))) {
    issue.fault(FaultKind::Invalid,
                llvm::formatv("{0} with rounding mode {1} does nothing: there is "
                              "no such instruction",
                              signature.name, mode)
                    .str());
    return;
  }
  Conversion conversion{from, to,
                        ignoresMode ? Rounding::NearestEven : Rounding(mode),
                        (issue.state().control >> 59 & 1) != 0,
                        issue.state().saturatesFloats()};
  if (isVectorAligned(source) && isVectorAligned(dst))
    issueConversion(conversion, dst, source, issue);
  else
    issueScalarConversion(signature, conversion, dst, source, issue);
}

//===----------------------------------------------------------------------===//
// Flags to numbers
//===----------------------------------------------------------------------===//

/// 1 in the first block of scratch, 0 in the second.
static void issueFlagsToNumbers(const Signature &signature,
                                const CallArguments &arguments, Issue &issue) {
  ElementType to = signature.types[1];
  Buffer flags = arguments.buffer(0), dst = retype(arguments.buffer(1), to);
  Buffer tmp = retype(arguments.buffer(2), to);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  auto selectRow = [&](const Buffer &mask, const Buffer &out) {
    int64_t lanes = lanesPerBlock(to);
    Buffer ones = reshape(tmp, 0, {lanes}), zeros = reshape(tmp, lanes, {lanes});
    unit.dup(ones, toBytes(1, to));
    // Long masks are found through their address, others directly.
    constexpr int64_t direct = 252 * 64;
    bool isLong = size(out, 0) > direct;
    Buffer word = slice(reshape(tmp, 2 * lanes, {lanes}), 0, 0, isLong ? lanes / 4 : 1);
    if (!isLong)
      word = slice(zeros, 0, 0, 1);
    if (isLong)
      unit.dup(zeros, toBytes(0, to));
    unit.waitForVector();
    issue.scalar(issue.timing().scalarDependent)
        .writes(word)
        .job([word, mask, isLong](ValueContext &values) {
          int64_t value = isLong ? mask.addressBytes() : 0;
          std::memcpy(values.data(word), &value,
                      isLong ? sizeof value : size_t(getBytes(word.type)));
          values.setWritten(word);
        });
    unit.releaseVector();
    unit.barrier();
    issueSelectInstruction({mask, Source(toBytes(1, to)), Source(toBytes(0, to)), out},
                           unit, {ones, word});
  };
  bool fast = isVectorAligned(flags) && isVectorAligned(dst);
  auto convertRow = [&](const Buffer &mask, const Buffer &out) {
    if (fast)
      selectRow(mask, out);
    else
      issueSelectLoop({mask, Source(toBytes(1, to)), Source(toBytes(0, to)), out},
                      unit);
  };
  if (!fast && (to == ElementType::BF16 || flags.type != ElementType::I1)) {
    issue.fault(FaultKind::Misaligned,
                llvm::formatv("{0} of operands that are not aligned to 32 bytes "
                              "gives other results",
                              signature.name)
                    .str());
    return;
  }
  if (dst.rank == 1) {
    convertRow(flags, dst);
    return;
  }
  for (int64_t i = 0; i < size(dst, 0); ++i) {
    unit.barrier();
    convertRow(at(flags, 0, i), at(dst, 0, i));
  }
}

//===----------------------------------------------------------------------===//
// Narrowing that keeps the low bits
//===----------------------------------------------------------------------===//

/// Both two-dimensional, last stride 1.
static void issueNarrowing(const Buffer &dst, Buffer source, const Buffer &tmp,
                           bool copiesFirst, Issue &issue) {
  VectorUnit unit(issue);
  ElementType to = dst.type;
  int64_t factor = int64_t(getBytes(source.type) / getBytes(to));
  int64_t total = tmp.elementCount() * factor, head = 0, tail = total / 2;
  Buffer scratch = reshape(viewAs(tmp, to), 0, {total});
  int64_t perBlock = lanesPerBlock(to);
  if (copiesFirst) {
    head = total / 3;
    tail = total * 2 / 3;
    int64_t width = roundUp(size(source, 1), lanesPerBlock(source.type));
    Buffer copy = reshape(retype(tmp, source.type), 0, source.shape(), {width, 1});
    unit.copy("vcopy", copy, source,
              double(size(source, 0) * width * int64_t(getBytes(source.type))) /
                  repeatBytes);
    unit.barrier();
    source = copy;
  }
  // Row k of the transposed bytes is byte k % factor of element k / factor.
  Buffer bytes = viewAs(source, to);
  int64_t rows = size(bytes, 1), columns = size(bytes, 0);
  int64_t width = roundUp(columns, perBlock);
  Buffer turned = reshape(scratch, head, {rows, columns}, {width, 1});
  issueTranspose(turned, bytes, issue);
  unit.barrier();
  int64_t kept = rows / factor;
  Buffer low = reshape(scratch, head, {kept, width}, {factor * width, 1});
  Buffer packed = reshape(scratch, head, {kept, width}, {width, 1});
  unit.copy("vcopy", packed, low, double(kept * width) / repeatBytes);
  Buffer result = slice(packed, 1, 0, columns);
  unit.barrier();
  if (stride(dst, 0) == roundUp(size(dst, 1), perBlock)) {
    issueTranspose(dst, result, issue);
    return;
  }
  Buffer padded = reshape(scratch, tail, {size(dst, 0), size(dst, 1)},
                          {roundUp(size(dst, 1), perBlock), 1});
  issueTranspose(padded, result, issue);
  unit.barrier();
  unit.copy("vcopy", dst, padded, double(dst.elementCount()) / repeatBytes);
}

static void issueNarrowing1D(const Buffer &dst, const Buffer &source,
                             const Buffer &tmp, bool copiesFirst, Issue &issue) {
  int64_t count = size(source, 0), perBlock = lanesPerBlock(dst.type);
  int64_t rows = 1, columns = count;
  int64_t width = roundUp(count, lanesPerBlock(source.type));
  if (count > perBlock) {
    rows = ceilDiv(size(dst, 0), perBlock);
    columns = width = perBlock;
  }
  issueNarrowing(
      reshape(dst, 0, {rows, columns}, {roundUp(columns, perBlock), 1}),
      reshape(source, 0, {rows, columns}, {width, 1}), tmp, copiesFirst, issue);
}

static void issueWithOverflow(const Signature &signature,
                              const CallArguments &arguments, Issue &issue) {
  ElementType from = signature.types[0], to = signature.types[1];
  Buffer source = retype(arguments.buffer(0), from);
  Buffer dst = retype(arguments.buffer(1), to);
  Buffer tmp = retype(arguments.buffer(2), from);
  if (source.isEmpty())
    return;
  Conversion conversion{from, to, Rounding::NearestEven, true};
  if (!isVectorAligned(source) || !isVectorAligned(dst)) {
    issueScalarConversion(signature, conversion, dst, source, issue);
    return;
  }
  if (hasInstruction(from, to)) {
    // The control register's bit 59 around the instruction.
    issue.scalar(2 * issue.timing().scalarIssue);
    issueConversion(conversion, dst, source, issue);
    issue.scalar(2 * issue.timing().scalarIssue);
    return;
  }
  if (tmp.isEmpty()) {
    issue.fault(FaultKind::Invalid,
                llvm::formatv("{0} needs a scratch buffer", signature.name).str());
    return;
  }
  bool copiesFirst = signature.has("_no_size_align");
  if (source.rank == 1) {
    issueNarrowing1D(dst, source, tmp, copiesFirst, issue);
    return;
  }
  // Rows too far apart for one transpose are narrowed one by one.
  if (stride(source, 0) >= 1024 / lanesPerBlock(from)) {
    for (int64_t i = 0; i < size(source, 0); ++i) {
      issue.barrier(Pipe::V);
      issueNarrowing1D(at(dst, 0, i), at(source, 0, i), tmp, copiesFirst, issue);
    }
    return;
  }
  issueNarrowing(dst, source, tmp, copiesFirst, issue);
}

void tilekiln::sim::addVectorCastRows(LibraryTable &table) {
  table.add({
      {"vcast_{type}_to_{type}_{rank}d_with_mode", "bbs", issueWithMode},
      {"vcast_{type}_to_{type}_{rank}d_with_temp", "bbbs?", issueFlagsToNumbers},
      {"vcast_{type}_to_{type}_{rank}d_with_overflow[_no_size_align]", "bbbs",
       issueWithOverflow},
  });
}
