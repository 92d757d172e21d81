//===- Access.h - What an op reads or writes of a tensor or buffer --------===//
//
// One description for all ops that address memory by indices, so that analyses
// need not know each of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_ACCESS_H
#define TILEKILN_ANALYSIS_ACCESS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace tilekiln {

/// A box of elements of a global tensor or on-chip buffer.
struct Access {
  enum class Kind {
    Tile,    ///< A window onto a global tensor, clamped at its end.
    Element, ///< One element.
    View     ///< A part of an on-chip buffer, which nothing clamps.
  };
  mlir::Operation *op = nullptr;
  mlir::Value memory;
  Kind kind = Kind::Element;
  /// First element, number of elements, distance between two of them, and the
  /// memory's extent: one each for every dimension of the memory.
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides, extents;
  /// "read", "written", "updated" or "accessed", for messages.
  llvm::StringRef verb = "accessed";
};

/// Describes windows, loads, stores and views of buffers; nothing for other ops.
std::optional<Access> describeAccess(mlir::Operation *op);

/// The author's name of a tensor or buffer, seen through views; empty if it has none.
llvm::StringRef authorName(mlir::Value memory);

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_ACCESS_H
