//===- AccessForm.h - The elements that a load or store touches -----------===//
//
// Over the whole iteration space, the indices of one memref.load or
// memref.store pick a box out of the buffer, perhaps strided, whose sides are
// counted by indices of the space. This says which box, or why there is none.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_ACCESSFORM_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_ACCESSFORM_H

#include "IndexAnalysis.h"
#include "llvm/Support/Error.h"

namespace tilekiln::elementwise {

/// The elements are used more than once along the index: (i + start) floordiv
/// `times` uses each one in turn, (i + start) mod n uses all, again and again.
struct Repetition {
  bool whole; ///< all of them again (mod), not each in turn (floordiv)
  int64_t times;
  mlir::AffineExpr start; ///< first use that counts
};

/// One dimension of the buffer.
struct AccessDim {
  mlir::AffineExpr first; ///< the lowest index, the same in all iterations
  int64_t count = 1;      ///< how many elements are picked
  int64_t stride = 1;     ///< distance between them
  llvm::SmallVector<unsigned> dims; ///< what counts them, outermost first
  std::optional<Repetition> repetition;

  bool isFixed() const { return dims.empty(); }
  int64_t span() const { return (count - 1) * stride + 1; }
};

struct Access {
  mlir::Value buffer;
  llvm::SmallVector<AccessDim> dims;

  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType());
  }
  /// The dimensions of the iteration space in the buffer's order.
  llvm::SmallVector<unsigned> order() const;
  DimMask mask() const;
  /// Buffer dimensions that are not fixed, and how many elements they have.
  llvm::SmallVector<int64_t> keptDims() const;
  llvm::SmallVector<int64_t> keptCounts() const;
  bool hasRepetition() const;
  /// Touches each element of a buffer of static shape.
  bool coversBuffer() const;
};

/// The box that `indices` pick, or an error that reads "its index ...".
llvm::Expected<Access> classifyAccess(IndexAnalysis &analysis,
                                      mlir::Value buffer,
                                      mlir::ValueRange indices);

/// What the author called the buffer, quoted.
std::string describeBuffer(mlir::Value buffer);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_ACCESSFORM_H
