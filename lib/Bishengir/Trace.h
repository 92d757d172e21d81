//===- Trace.h - Where does a buffer of the final IR come from? -----------===//
//
// Views, double-buffer selection and loop-carried buffers lie between a call
// and the storage it works on. Used by the facts and by the lint.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_BISHENGIR_TRACE_H
#define TILEKILN_LIB_BISHENGIR_TRACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"

namespace tilekiln::bishengir {

/// All storage that a buffer value may be.
struct BufferRoots {
  llvm::SmallVector<hivm::PointerCastOp> casts;
  /// Of the function.
  llvm::SmallVector<mlir::BlockArgument> arguments;
  /// Allocations that should not be there, and what is not understood.
  llvm::SmallVector<mlir::Operation *> others;
};

BufferRoots traceRoots(mlir::Value buffer);

/// The value before `memref.cast`: its type knows shape and strides that the
/// library's signature has forgotten.
mlir::Value skipCasts(mlir::Value buffer);

/// Whether a function argument is the workspace that the launcher allocates.
bool isWorkspace(mlir::BlockArgument argument);

/// Whether any storage of `buffer` is the workspace.
bool reachesWorkspace(mlir::Value buffer);

/// The loop around an op, through branches; null where there is none.
mlir::scf::ForOp getInnermostLoop(mlir::Operation *op);

std::optional<int64_t> getConstant(mlir::Value value);

/// Byte range of a buffer at a constant address.
struct ByteRange {
  hivm::AddressSpace space;
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteRange &other) const {
    return space == other.space && begin < other.end && other.begin < end;
  }
};

/// One per address; empty where address or size are unknown.
llvm::SmallVector<ByteRange> getByteRanges(hivm::PointerCastOp cast);

/// Bytes of a shape; none where an extent is unknown.
std::optional<int64_t> getSizeBytes(mlir::MemRefType type);

} // namespace tilekiln::bishengir

#endif // TILEKILN_LIB_BISHENGIR_TRACE_H
