//===- VectorUnit.h - What the vector library is written with -------------===//
//
// Shorthands for the rows of vector functions: views of buffers, instructions of
// the vector pipe with their cost, and the scalar loops that the library falls
// back to. An instruction is written with buffers: dimensions of size 1 where
// the destination is larger are broadcast, as block strides of 0 do.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORUNIT_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORUNIT_H

#include "tilekiln/Sim/Core/Library.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilekiln::sim {

/// The unit of vector addresses and strides.
constexpr int64_t blockBytes = 32;
/// What one repeat of a vector instruction covers.
constexpr int64_t repeatBytes = 256;
constexpr int64_t maxRepeats = 255;
/// The event that the library keeps to itself.
constexpr int libraryEvent = 7;

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }
inline int64_t lanesPerBlock(ElementType type) { return blockBytes / getBytes(type); }
inline int64_t lanesPerRepeat(ElementType type) {
  return repeatBytes / getBytes(type);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The same elements under a type of the same width.
Buffer retype(Buffer buffer, ElementType type);
/// The same bytes under another type: the last dimension shrinks (rounded up) or
/// grows.
Buffer viewAs(Buffer buffer, ElementType type);
/// `size` elements of a dimension from `begin` on.
Buffer slice(Buffer buffer, unsigned dim, int64_t begin, int64_t size);
/// Without a dimension, at an index of it.
Buffer at(const Buffer &buffer, unsigned dim, int64_t index);
/// Another shape from an element of a buffer on; strides default to dense.
Buffer reshape(Buffer buffer, int64_t offset, llvm::ArrayRef<int64_t> sizes,
               llvm::ArrayRef<int64_t> strides = {});
/// Blocks (32 B, rounded up) that hold a run of bytes, as a buffer of bytes.
Buffer wholeBlocks(const Buffer &buffer);

inline int64_t size(const Buffer &b, unsigned dim) { return b.sizes[dim]; }
inline int64_t stride(const Buffer &b, unsigned dim) { return b.strides[dim]; }
bool isBlockAligned(const Buffer &buffer);
/// The library's test for its fast paths: aligned start, unit stride in the last
/// dimension, aligned stride in the one before.
bool isVectorAligned(const Buffer &buffer);

/// A scalar as an element of a type, in memory's form.
struct ScalarBytes {
  uint8_t bytes[8] = {};
};
ScalarBytes toBytes(const CallArgument &argument, ElementType type);
ScalarBytes toBytes(double value, ElementType type);

//===----------------------------------------------------------------------===//
// Rows of elements, in jobs
//===----------------------------------------------------------------------===//

/// A run of elements of up to four operands; strides in bytes.
struct Row {
  uint8_t *data[4] = {};
  int64_t stride[4] = {};
  int64_t count = 0;
};

/// Calls `body` for the longest runs over the shape of operands[0]; others are
/// broadcast where their size is 1. Not for I1.
void forEachRow(ValueContext &values, llvm::ArrayRef<Buffer> operands,
                llvm::function_ref<void(const Row &)> body);

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Makes an entry copy the elements of a buffer of the same or a broadcast shape.
void describeCopy(QueueOp &op, const Buffer &dst, const Buffer &source);

class VectorUnit {
public:
  explicit VectorUnit(Issue &issue) : issue(issue) {}

  /// An instruction of `repeats` repeats. Its startup is latency: instructions
  /// that follow without a barrier pay it once.
  QueueOp &repeat(llvm::StringRef instruction, double repeats,
                  double leastPerRepeat = 0);
  /// An instruction in counter mode on `elements` elements of `bytes` bytes.
  QueueOp &count(llvm::StringRef instruction, int64_t elements, int64_t bytes,
                 double leastPerRepeat = 0);
  void barrier() { issue.barrier(Pipe::V); }
  /// The scalar unit waits until the vector pipe is empty.
  void waitForVector();
  /// Instructions of the vector pipe wait for the scalar unit.
  void releaseVector();
  /// A scalar loop over elements between those flags.
  QueueOp &scalarLoop(int64_t elements);

  /// Fills `dst` (whole runs) with a scalar; one instruction.
  QueueOp &dup(const Buffer &dst, ScalarBytes value);
  /// The scalar unit reads element 0 of `source`; then its value fills `dst`.
  void dupElement(const Buffer &source, const Buffer &dst);
  /// VBRCB: element i of `source` (1-D, dense) fills block i of `dst`, which is
  /// in blocks rows from its offset on. Eight elements a repeat, also those
  /// beyond the end.
  void broadcastBlocks(const Buffer &source, const Buffer &dst);
  /// Copies rows; `instruction` says with what.
  QueueOp &copy(llvm::StringRef instruction, const Buffer &dst,
                const Buffer &source, double repeats);

  /// Cycles per repeat of reading two operands at once: the banks that they are
  /// in may collide.
  double bankCycles(const Buffer &a, const Buffer &b) const;

  Issue &issue;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORUNIT_H
