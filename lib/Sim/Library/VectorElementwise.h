//===- VectorElementwise.h - One operation on whole buffers ---------------===//
//
// How the library runs an element-wise operation: broadcasting operands in line,
// whole repeats and tails, and the scalar loop for what is not aligned. Other
// families (reductions, scans, powers) are written with it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORELEMENTWISE_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORELEMENTWISE_H

#include "VectorLanes.h"
#include <optional>

namespace tilekiln::sim {

/// A source: a buffer, or a scalar.
struct Source {
  std::optional<Buffer> buffer;
  ScalarBytes scalar;
  Source(Buffer buffer) : buffer(std::move(buffer)) {}
  Source(ScalarBytes scalar) : scalar(scalar) {}
};

struct Elementwise {
  LaneOp op;
  llvm::StringRef instruction;
  Buffer dst;
  Source first;
  std::optional<Source> second;
  /// Where broadcast operands go; may be empty where none needs it.
  Buffer tmp;
  /// Whether the instruction takes a scalar as its second operand.
  bool takesScalar = false;
};

/// The whole library function of rank 1 to 3.
void issueElementwise(Elementwise call, Issue &issue);

/// The instructions alone: operands are aligned and need no copies. One
/// dimension runs in counter mode, more run in repeats over rows and columns.
void issueLanes(const Elementwise &call, Issue &issue);

/// dst = op(a, b) between aligned buffers, as a part of other functions.
void issueBinary(LaneOp op, llvm::StringRef instruction, const Buffer &dst,
                 const Buffer &a, const Buffer &b, Issue &issue);

/// a ^ b = ~(a & b) & (a | b), with ~(a & b) in scratch: four instructions.
void issueXor(const Elementwise &call, Issue &issue);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORELEMENTWISE_H
