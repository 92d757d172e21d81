//===- BufferLiveness.h - Which buffers a region hands on -----------------===//
//
// On-chip buffers are few and named, and their lives are long: a tile that each
// step loads anew is still declared outside of the loop. What a loop or branch
// has to hand on is only what somebody reads later; the rest would be moved
// along for nothing, and keep the vendor's compiler from placing it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_BUFFERLIVENESS_H
#define TILEKILN_ANALYSIS_BUFFERLIVENESS_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tilekiln {

bool isOnChip(mlir::Value value);

/// The buffer that a chain of views looks at; null if there is none.
mlir::Value bufferOf(mlir::Value memref);

/// The buffers declared outside of `op` that something inside of it writes.
llvm::SetVector<mlir::Value> buffersWrittenIn(mlir::Operation *op);

/// True where a tile op's result depends on what its destination held before.
bool readsDestination(mlir::DestinationStyleOpInterface op);

class BufferLiveness {
public:
  explicit BufferLiveness(commonir::LaunchOp launch);

  /// True where the op writes the buffer, and somebody reads it after the op or in
  /// another run of the op's own body.
  bool isHandedOn(mlir::Operation *op, mlir::Value buffer) const;

private:
  using Buffers = llvm::SetVector<mlir::Value>;
  /// What is live before the block, given what is live after it.
  Buffers before(mlir::Block &block, Buffers live);
  void step(mlir::Operation *op, Buffers &live);

  llvm::DenseMap<mlir::Operation *, Buffers> handedOn;
};

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_BUFFERLIVENESS_H
