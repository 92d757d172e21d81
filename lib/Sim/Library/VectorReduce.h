//===- VectorReduce.h - Reductions along one axis -------------------------===//
//
// The forms that all reductions of the library come down to: along the last axis
// of two (`ar`: rows stay) and along the first (`ra`: columns stay).
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORREDUCE_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORREDUCE_H

#include "VectorElementwise.h"

namespace tilekiln::sim {

struct Reduction {
  LaneOp op = LaneOp::Add;
  ElementType type = ElementType::F32;
  /// What scratch is filled with where an operand lacks.
  ScalarBytes init;
  /// By blocks of 32 bytes (enablevcg) rather than by halves.
  bool byBlocks = false;

  /// "vadd" ...
  llvm::StringRef instruction() const;
  /// Floats have instructions that reduce a repeat to one element.
  bool hasInstruction() const;
};

/// The value of one run, in the library's order: halves are added until a repeat
/// is left, then neighbours.
void reduceRun(const Reduction &reduction, const uint8_t *source,
               int64_t strideBytes, int64_t count, uint8_t *dst);

/// VCADD, VCMAX, VCMIN: every row of at most a repeat to one element; one
/// instruction and a barrier per 255 rows.
void issueRowInstruction(const Reduction &reduction, const Buffer &dst,
                         const Buffer &source, Issue &issue);

/// dst (a, 1) = source (a, r).
void issueReduceLast(const Reduction &reduction, const Buffer &dst,
                     const Buffer &source, const Buffer &tmp, Issue &issue);
/// The same by blocks (enablevcg).
void issueReduceByBlocks(const Reduction &reduction, const Buffer &dst,
                         const Buffer &source, const Buffer &tmp, Issue &issue);
/// dst (1) = source (r), with the result through the scalar unit.
void issueReduceRunInstruction(const Reduction &reduction, const Buffer &dst,
                               const Buffer &source, Issue &issue);
/// A scalar loop over a source of any rank; `axes` says which axes go.
void issueReduceLoop(const Reduction &reduction, const Buffer &dst,
                     const Buffer &source, unsigned axis, Issue &issue);

/// dst (1, a) = source (r, a).
void issueReduceFirst(const Reduction &reduction, const Buffer &dst,
                      const Buffer &source, const Buffer &tmp, Issue &issue);

/// One step between two-dimensional views; xor takes scratch.
void issueStep(const Reduction &reduction, const Buffer &dst, const Buffer &a,
               const Buffer &b, const Buffer &scratch, Issue &issue);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORREDUCE_H
