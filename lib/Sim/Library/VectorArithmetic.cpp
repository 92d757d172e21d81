//===- VectorArithmetic.cpp - Rows of element-wise functions --------------===//
//
// vadd to vshrs, the unary functions and the bitwise ones. Bitwise instructions
// work on 16-bit lanes whatever the type; flags (bool) are 16 to a lane.
//
//===----------------------------------------------------------------------===//
#include "VectorElementwise.h"
#include "VectorFamilies.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;
using llvm::StringRef;

namespace {

struct Operation {
  LaneOp op;
  StringRef instruction;
};

} // namespace

static Operation getOperation(StringRef word) {
  return llvm::StringSwitch<Operation>(word)
      .Case("add", {LaneOp::Add, "vadd"})
      .Case("sub", {LaneOp::Sub, "vsub"})
      .Case("mul", {LaneOp::Mul, "vmul"})
      .Case("div", {LaneOp::Div, "vdiv"})
      .Case("max", {LaneOp::Max, "vmax"})
      .Case("min", {LaneOp::Min, "vmin"})
      .Case("adds", {LaneOp::Add, "vadds"})
      .Case("muls", {LaneOp::Mul, "vmuls"})
      .Case("maxs", {LaneOp::Max, "vmaxs"})
      .Case("mins", {LaneOp::Min, "vmins"})
      .Case("shls", {LaneOp::ShiftLeft, "vshl"})
      .Case("shrs", {LaneOp::ShiftRight, "vshr"})
      .Case("exp", {LaneOp::Exp, "vexp"})
      .Case("ln", {LaneOp::Ln, "vln"})
      .Case("sqrt", {LaneOp::Sqrt, "vsqrt"})
      .Case("rsqrt", {LaneOp::Rsqrt, "vrsqrt"})
      .Case("rec", {LaneOp::Rec, "vrec"})
      .Case("abs", {LaneOp::Abs, "vabs"})
      .Case("relu", {LaneOp::Relu, "vrelu"})
      .Case("and", {LaneOp::And, "vand"})
      .Case("or", {LaneOp::Or, "vor"})
      .Case("xor", {LaneOp::Xor, "vxor"})
      .Case("not", {LaneOp::Not, "vnot"})
      .Default({LaneOp::Add, "vadd"});
}

static Buffer getTmp(const CallArguments &arguments, size_t i, ElementType type) {
  return i < arguments.size() ? retype(arguments.buffer(i), type) : Buffer();
}

static void issueTwoBuffers(const Signature &signature,
                            const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Operation operation = getOperation(signature.words[0]);
  issueElementwise({operation.op, operation.instruction,
                    retype(arguments.buffer(2), type),
                    retype(arguments.buffer(0), type),
                    Source(retype(arguments.buffer(1), type)),
                    getTmp(arguments, 3, type), false},
                   issue);
}

static void issueScalarSecond(const Signature &signature,
                              const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  StringRef word = signature.words[0];
  Operation operation = getOperation(word);
  issueElementwise({operation.op, operation.instruction,
                    retype(arguments.buffer(2), type),
                    retype(arguments.buffer(0), type),
                    Source(toBytes(arguments[1], type)),
                    getTmp(arguments, 3, type), word.ends_with("s")},
                   issue);
}

static void issueScalarFirst(const Signature &signature,
                             const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Operation operation = getOperation(signature.words[0]);
  issueElementwise({operation.op, operation.instruction,
                    retype(arguments.buffer(2), type),
                    Source(toBytes(arguments[0], type)),
                    Source(retype(arguments.buffer(1), type)),
                    getTmp(arguments, 3, type), false},
                   issue);
}

static void issueOneBuffer(const Signature &signature,
                           const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Operation operation = getOperation(signature.words[0]);
  issueElementwise({operation.op, operation.instruction,
                    retype(arguments.buffer(1), type),
                    retype(arguments.buffer(0), type), std::nullopt,
                    getTmp(arguments, 2, type), false},
                   issue);
}

//===----------------------------------------------------------------------===//
// Bitwise
//===----------------------------------------------------------------------===//

/// Flags as 16-bit lanes. The library tests alignment as if a flag were a byte;
/// what passes that test but is not aligned traps, and the scalar loop it falls
/// back to would treat bits as bytes.
static std::optional<Buffer> getFlagLanes(const Buffer &flags, StringRef name,
                                          Issue &issue) {
  Buffer lanes = viewAs(flags, ElementType::I16);
  bool isGood = isBlockAligned(flags) && flags.strides[flags.rank - 1u] == 1;
  for (unsigned i = 0; i + 1 < flags.rank; ++i)
    isGood &= flags.strides[i] % 256 == 0 || flags.sizes[i] == 1;
  if (isGood)
    return lanes;
  issue.fault(FaultKind::Misaligned,
              llvm::formatv("{0} on flags takes rows of consecutive bits that "
                            "start at multiples of 256 bits",
                            name)
                  .str());
  return std::nullopt;
}

void tilekiln::sim::issueXor(const Elementwise &call, Issue &issue) {
  int64_t perBlock = lanesPerBlock(call.dst.type);
  Buffer both = call.dst;
  unsigned last = both.rank - 1u;
  llvm::SmallVector<int64_t, 3> strides(both.rank, 1);
  for (unsigned i = last; i-- > 0;)
    strides[i] = i + 1 == last
                     ? (last == 0 ? 1 : roundUp(call.dst.sizes[last], perBlock))
                     : strides[i + 1] * call.dst.sizes[i + 1];
  if (call.tmp.isEmpty()) {
    issue.fault(FaultKind::Invalid,
                "vxor needs a scratch buffer as large as its result");
    return;
  }
  both = reshape(call.tmp, 0, call.dst.shape(), strides);
  int64_t used = last == 0 ? call.dst.sizes[0] : strides[0] * call.dst.sizes[0];
  Buffer rest = reshape(call.tmp, used,
                        {std::max<int64_t>(call.tmp.elementCount() - used, 0)});
  VectorUnit unit(issue);
  issueElementwise({LaneOp::And, "vand", both, call.first, call.second, rest, false},
                   issue);
  unit.barrier();
  issueElementwise({LaneOp::Not, "vnot", both, both, std::nullopt, rest, false},
                   issue);
  unit.barrier();
  issueElementwise({LaneOp::Or, "vor", call.dst, call.first, call.second, rest, false},
                   issue);
  unit.barrier();
  issueElementwise({LaneOp::And, "vand", call.dst, both, Source(call.dst), rest, false},
                   issue);
}

static void issueBitwise(const Signature &signature,
                         const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Operation operation = getOperation(signature.words[0]);
  bool isUnaryOp = isUnary(operation.op);
  size_t dstIndex = isUnaryOp ? 1 : 2;
  auto take = [&](size_t i) -> std::optional<Buffer> {
    const Buffer &buffer = arguments.buffer(i);
    if (type != ElementType::I1)
      return retype(buffer, type);
    return getFlagLanes(buffer, operation.instruction, issue);
  };
  std::optional<Buffer> first = take(0), dst = take(dstIndex);
  std::optional<Buffer> second = isUnaryOp ? first : take(1);
  if (!first || !second || !dst)
    return;
  Buffer tmp;
  if (dstIndex + 1 < arguments.size()) {
    tmp = arguments.buffer(dstIndex + 1);
    tmp = type == ElementType::I1 ? viewAs(tmp, ElementType::I16)
                                  : retype(tmp, type);
  }
  std::optional<Source> secondSource;
  if (!isUnaryOp)
    secondSource = Source(*second);
  Elementwise call{operation.op, operation.instruction, *dst, *first,
                   secondSource,  tmp,                   false};
  if (operation.op == LaneOp::Xor)
    issueXor(call, issue);
  else
    issueElementwise(call, issue);
}

void tilekiln::sim::addVectorArithmeticRows(LibraryTable &table) {
  table.add({
      {"v{add|sub|mul|div|max|min}_{rank}d_{type}", "bbbb?", issueTwoBuffers},
      {"v{adds|muls|maxs|mins|shls|shrs|sub|div}_vs_{rank}d_{type}", "bsbb?",
       issueScalarSecond},
      {"v{sub|div}_sv_{rank}d_{type}", "sbbb?", issueScalarFirst},
      {"v{exp|ln|sqrt|rsqrt|rec|abs|relu}_{rank}d_{type}", "bbb?",
       issueOneBuffer},
      {"v{and|or|xor}_{rank}d_{type}", "bbbb?", issueBitwise},
      {"v{not}_{rank}d_{type}", "bbb?", issueBitwise},
  });
}
