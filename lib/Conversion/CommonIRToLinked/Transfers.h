//===- Transfers.h - Where a tile or an element lies in memory ------------===//
//
// What copies, stores and atomic updates of global memory have in common: the
// part of a window that exists, the place of one element.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CONVERSION_TRANSFERS_H
#define TILEKILN_CONVERSION_TRANSFERS_H

#include "Lowering.h"

namespace tilekiln {

/// The part of `tile` that lies inside of the tensor, and where it goes.
std::pair<mlir::Value, mlir::Value> storePart(commonir::WindowOp window,
                                              mlir::Value tile, mlir::Location loc,
                                              mlir::RewriterBase &rewriter);

/// The place of one element.
struct GlobalElement {
  /// Null where the memref is not a whole global tensor.
  commonir::TensorOp tensor;
  /// The i1 that says that the element exists; null where that is proven.
  mlir::Value inside;
};
GlobalElement elementOf(mlir::Value memref, mlir::ValueRange indices,
                        mlir::Operation *op, mlir::RewriterBase &rewriter);

/// One element as a buffer of one.
mlir::Value viewOfElement(commonir::TensorOp tensor, mlir::ValueRange indices,
                          mlir::Location loc, mlir::RewriterBase &rewriter);

} // namespace tilekiln

#endif // TILEKILN_CONVERSION_TRANSFERS_H
