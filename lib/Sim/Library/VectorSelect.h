//===- VectorSelect.h - One of two operands by a mask ---------------------===//
//
// The VSEL instruction as other functions use it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORSELECT_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORSELECT_H

#include "VectorElementwise.h"

namespace tilekiln::sim {

/// dst[i] = flags[i] ? first : second, i < size of dst; one-dimensional.
struct Select {
  /// I1, or bytes of eight flags each.
  Buffer flags;
  Source first, second;
  Buffer dst;
};

/// The instruction in counter mode; `reads` are buffers that stand for sources
/// which live in scratch.
QueueOp &issueSelectInstruction(const Select &select, VectorUnit &unit,
                                llvm::ArrayRef<Buffer> reads);
/// The same as a loop of the scalar unit.
void issueSelectLoop(const Select &select, VectorUnit &unit);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORSELECT_H
