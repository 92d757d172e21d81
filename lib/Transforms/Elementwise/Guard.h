//===- Guard.h - The conditions in front of a statement -------------------===//
//
// A conjunction: what must hold for a statement of the body to run. Where it
// only compares indices it is also kept as affine tests, which can be weighed
// against a tensor's bounds or turned into a smaller box.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_GUARD_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_GUARD_H

#include "AccessForm.h"

namespace tilekiln::elementwise {

/// An i1 value, or its opposite.
struct Condition {
  mlir::Value value;
  bool negated = false;
};

struct Guard {
  llvm::SmallVector<Condition> terms;        ///< all conditions
  llvm::SmallVector<mlir::AffineExpr> tests; ///< parts: the expression is >= 0
  llvm::SmallVector<Condition> uniform;      ///< parts that no index decides
  bool isExact = true;   ///< tests and uniform say all that the terms say
  DimMask dims = 0;      ///< what the terms depend on
  bool inBranch = false; ///< a branch around the statement may leave it out

  bool always() const { return terms.empty(); }
  void add(IndexAnalysis &analysis, Condition condition);

private:
  void split(IndexAnalysis &analysis, Condition condition);
};

/// An element that is inside of the tensor passes the test anyhow.
bool isImpliedByBounds(IndexAnalysis &analysis, mlir::AffineExpr test,
                       const Access &access);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_GUARD_H
