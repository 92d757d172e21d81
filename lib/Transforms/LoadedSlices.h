//===- LoadedSlices.h - Parts of tiles that were loaded -------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_LOADEDSLICES_H
#define TILEKILN_LIB_TRANSFORMS_LOADEDSLICES_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// Whether an index is proven to be a multiple of `factor`.
bool isMultipleOf(mlir::OpFoldResult index, int64_t factor);

/// The load of a tile from a window of a tensor that nothing in the kernel stores
/// to, so that it can be done again anywhere; null where it is none.
commonir::CopyOp getRepeatableLoad(mlir::Value tile);

/// The part of `window` that starts `starts` into the tile that it fills and is
/// `sizes` large, clamped as the window is. Dimensions in `dropped` are left out.
commonir::WindowOp narrowWindow(commonir::WindowOp window,
                                llvm::ArrayRef<mlir::OpFoldResult> starts,
                                llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                const llvm::SmallBitVector &dropped,
                                mlir::RewriterBase &rewriter);

/// Gives an operand that is a slice of a repeatable load a load of its own. False
/// where it is none.
bool reloadSlice(mlir::OpOperand &operand, mlir::RewriterBase &rewriter);

/// Gives an operand that is what a loop loaded last, by a repeatable load, a load
/// of its own behind the loop, which all readers then share. False where it is none, or where the loop might not
/// run and the tile had a value before.
bool reloadLastStep(mlir::OpOperand &operand, mlir::RewriterBase &rewriter);

} // namespace tilekiln

#endif // TILEKILN_LIB_TRANSFORMS_LOADEDSLICES_H
