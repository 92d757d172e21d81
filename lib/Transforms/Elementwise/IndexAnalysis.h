//===- IndexAnalysis.h - What values say about the indices ----------------===//
//
// For one commonir.elementwise: which of its indices each value in the body
// depends on, and each integer as an affine expression of them. Dimensions of
// an expression are indices of the iteration space, symbols are values that are
// the same in all iterations. Reads the IR and changes nothing.
//
// An index whose extent is 1 is the constant 0 and no dimension.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_INDEXANALYSIS_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_INDEXANALYSIS_H

#include "mlir/IR/AffineExpr.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tilekiln::elementwise {

/// A set of dimensions, one bit each.
using DimMask = uint32_t;
/// The members in ascending order.
llvm::SmallVector<unsigned> listDims(DimMask mask);

/// sum(coefficients[d] * index d) + uniform, the latter over symbols only.
struct LinearForm {
  llvm::SmallVector<int64_t> coefficients;
  mlir::AffineExpr uniform;
  DimMask dims() const;
};

struct IndexRange {
  int64_t min, max;
};

class IndexAnalysis {
public:
  /// `extents` are those of the op, all static and positive.
  IndexAnalysis(commonir::ElementwiseOp op, llvm::ArrayRef<int64_t> extents);

  mlir::MLIRContext *getContext() { return op.getContext(); }
  /// Extents of the dimensions (the indices that take more than one value; the
  /// innermost one where there is none).
  llvm::ArrayRef<int64_t> getExtents() const { return extents; }
  DimMask allDims() const { return (DimMask(1) << extents.size()) - 1; }

  /// The dimensions that the value depends on.
  DimMask dimsOf(mlir::Value value) const { return dependence.lookup(value); }
  bool isUniform(mlir::Value value) const { return dimsOf(value) == 0; }

  /// The integer as an expression of the indices; null where it is none.
  mlir::AffineExpr affineOf(mlir::Value value);
  mlir::AffineExpr affineOf(mlir::OpFoldResult value);
  /// What the symbols of those expressions stand for.
  llvm::ArrayRef<mlir::Value> getSymbols() const { return symbols; }

  /// Splits an expression; fails where it is not linear in the indices over the
  /// whole iteration space.
  std::optional<LinearForm> linearOf(mlir::AffineExpr expr);
  /// The values that the index-dependent part takes.
  IndexRange rangeOf(const LinearForm &form) const;
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;

private:
  bool dependsOnDims(mlir::AffineExpr expr) const;
  void propagateDependence();
  mlir::AffineExpr computeAffine(mlir::Value value);
  std::optional<LinearForm> divide(const LinearForm &form, int64_t divisor,
                                   bool remainder);

  commonir::ElementwiseOp op;
  llvm::SmallVector<int64_t> extents;
  llvm::DenseMap<mlir::Value, DimMask> dependence;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> affine;
  llvm::SmallVector<mlir::Value> symbols;
};

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_INDEXANALYSIS_H
