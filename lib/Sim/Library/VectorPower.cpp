//===- VectorPower.cpp - Rows of integer powers and long products ---------===//
//
// Functions that are composed of many instructions. An integer power squares as
// often as its largest exponent has bits; that is not known when instructions are
// issued, so time is that of the longest exponents.
//
//===----------------------------------------------------------------------===//
#include "VectorCast.h"
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include <cstring>
#include <limits>

using namespace tilekiln::sim;

/// Wraps; a negative exponent gives 0 unless the base is 1 or -1.
static int32_t power(int32_t base, int32_t exponent) {
  if (base == 1)
    return 1;
  if (base == -1)
    return exponent % 2 == 0 ? 1 : -1;
  if (exponent < 0)
    return 0;
  uint32_t result = 1, factor = uint32_t(base);
  for (uint32_t left = uint32_t(exponent); left > 0; left >>= 1) {
    if (left & 1)
      result *= factor;
    factor *= factor;
  }
  return int32_t(result);
}

static void computePower(const Buffer &dst, const Buffer &base,
                         const Buffer &exponent, ValueContext &values) {
  forEachRow(values, {dst, base, exponent}, [&](const Row &row) {
    for (int64_t i = 0; i < row.count; ++i) {
      int32_t b, e;
      std::memcpy(&b, row.data[1] + i * row.stride[1], sizeof b);
      std::memcpy(&e, row.data[2] + i * row.stride[2], sizeof e);
      int32_t result = power(b, e);
      std::memcpy(row.data[0] + i * row.stride[0], &result, sizeof result);
    }
  });
  values.propagate(dst, {base, exponent});
}

static void issuePower(const Signature &signature,
                       const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer base = retype(arguments.buffer(0), type);
  Buffer exponent = retype(arguments.buffer(1), type);
  Buffer dst = retype(arguments.buffer(2), type);
  if (dst.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t count = size(dst, 0), bytes = getBytes(type);
  auto isAligned = [](const Buffer &buffer) {
    return stride(buffer, 0) == 1 && isBlockAligned(buffer);
  };
  if (!isAligned(base) || !isAligned(exponent) || !isAligned(dst)) {
    // The inner loop takes a round per bit of the exponent.
    unit.scalarLoop(count * 31)
        .reads(base)
        .reads(exponent)
        .writes(dst)
        .job([dst, base, exponent](ValueContext &values) {
          computePower(dst, base, exponent, values);
        });
    return;
  }
  auto step = [&](llvm::StringRef instruction) -> QueueOp & {
    return unit.count(instruction, count, bytes);
  };
  auto select = [&] {
    unit.waitForVector();
    unit.releaseVector();
    unit.barrier();
    step("vsel");
  };
  // Exponents that have no negation, signs, and which results become 0.
  for (llvm::StringRef instruction : {"vcmps", "vdup"})
    step(instruction);
  unit.barrier();
  select();
  for (llvm::StringRef instruction :
       {"vcast.i32.f32", "vcmps", "vdup", "vmul"}) {
    unit.barrier();
    step(instruction);
  }
  select();
  for (llvm::StringRef instruction : {"vcmps", "vand", "vdup"}) {
    unit.barrier();
    step(instruction);
  }
  QueueOp &setUp = step("vdup").reads(base).reads(exponent).writes(exponent);
  (void)setUp;
  // As many as the largest exponent has bits. The program is issued before the
  // exponents are there, so a figure of the machine stands for them.
  auto rounds = int64_t(issue.timing().vectorPowerRounds);
  for (int64_t round = 0; round < rounds; ++round) {
    for (llvm::StringRef instruction : {"vand", "vcmps", "vmul"}) {
      unit.barrier();
      step(instruction);
    }
    select();
    for (llvm::StringRef instruction : {"vshr", "vadd"}) {
      unit.barrier();
      step(instruction);
    }
    // The scalar unit looks whether an exponent is left.
    unit.waitForVector();
    issue.scalar(issue.timing().scalarDependent);
    unit.releaseVector();
    step("vmul");
  }
  for (llvm::StringRef instruction :
       {"vcast.i32.f32", "vdup", "vdiv", "vcast.f32.i32"}) {
    unit.barrier();
    step(instruction);
  }
  unit.waitForVector();
  unit.releaseVector();
  unit.barrier();
  step("vsel")
      .reads(base)
      .reads(exponent)
      .writes(dst)
      .writes(base)
      .writes(exponent)
      .job([dst, base, exponent](ValueContext &values) {
        computePower(dst, base, exponent, values);
        // Both operands were used up.
        for (const Buffer &operand : {base, exponent})
          if (operand.addressBytes() != dst.addressBytes())
            values.setWritten(operand, false);
      });
}

//===----------------------------------------------------------------------===//
// Products of 16-bit integers in two halves
//===----------------------------------------------------------------------===//

static void issueMulExtended(const Signature &, const CallArguments &arguments,
                             Issue &issue) {
  constexpr ElementType i16 = ElementType::I16, i32 = ElementType::I32,
                        f32 = ElementType::F32;
  Buffer first = retype(arguments.buffer(0), i16);
  Buffer second = retype(arguments.buffer(1), i16);
  Buffer high = retype(arguments.buffer(2), i16);
  Buffer low = retype(arguments.buffer(3), i16);
  Buffer tmp = retype(arguments.buffer(4), i32);
  if (high.isEmpty())
    return;
  VectorUnit unit(issue);
  bool isAligned = true;
  for (const Buffer &buffer : {first, second, high, low})
    isAligned &= isBlockAligned(buffer) && stride(buffer, 0) == 1;
  if (!isAligned) {
    unit.scalarLoop(size(high, 0))
        .reads(first)
        .reads(second)
        .writes(high)
        .writes(low)
        .job([=](ValueContext &values) {
          forEachRow(values, {high, low, first, second}, [](const Row &row) {
            for (int64_t i = 0; i < row.count; ++i) {
              int16_t a, b;
              std::memcpy(&a, row.data[2] + i * row.stride[2], sizeof a);
              std::memcpy(&b, row.data[3] + i * row.stride[3], sizeof b);
              int32_t product = int32_t(a) * int32_t(b);
              int16_t upper = int16_t(product >> 16), lower = int16_t(product);
              std::memcpy(row.data[0] + i * row.stride[0], &upper, sizeof upper);
              std::memcpy(row.data[1] + i * row.stride[1], &lower, sizeof lower);
            }
          });
          values.propagate(high, {first, second});
          values.propagate(low, {first, second});
        });
    return;
  }
  int64_t count = size(first, 0), pitch = roundUp(count, 16);
  Buffer wide = reshape(tmp, 0, {count});
  Buffer products[2] = {reshape(tmp, pitch, {count}),
                        reshape(tmp, 2 * pitch, {count})};
  Buffer sources[2] = {first, second};
  for (int i = 0; i < 2; ++i) {
    issueConversion({i16, f32}, retype(wide, f32), sources[i], issue);
    unit.barrier();
    issueConversion({f32, i32}, products[i], retype(wide, f32), issue);
    if (i == 1)
      unit.barrier();
  }
  issueBinary(LaneOp::Mul, "vmul", wide, products[0], products[1], issue);
  unit.barrier();
  Buffer halves = viewAs(wide, i16);
  describeCopy(unit.count("vreducev2", 2 * count, 2), slice(high, 0, 0, count),
               reshape(halves, 1, {count}, {2}));
  describeCopy(unit.count("vreducev2", 2 * count, 2), slice(low, 0, 0, count),
               reshape(halves, 0, {count}, {2}));
}

void tilekiln::sim::addVectorPowerRows(LibraryTable &table) {
  table.add({
      {"vpow_1d_{type}", "bbbb?", issuePower},
      {"mul_extended_1d_{type}", "bbbbb", issueMulExtended},
  });
}
