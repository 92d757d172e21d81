//===- IterationDomain.h - All iterations at which an op runs -------------===//
//
// The set of block indices, loop variables and symbols for which control reaches
// an op, as integer constraints. Upstream's ValueBounds models of the ops are
// used; added are loop steps, divisions and remainders, products, and the
// conditions of the branches around the op, which ValueBounds does not look at.
//
// The constraints may hold for too many iterations, never for too few: what is
// proven from them is true, and a counter-example must be tried out (Iteration).
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_ITERATIONDOMAIN_H
#define TILEKILN_ANALYSIS_ITERATIONDOMAIN_H

#include "tilekiln/Analysis/Iteration.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace tilekiln {

class IterationDomain : public mlir::ValueBoundsConstraintSet {
public:
  explicit IterationDomain(mlir::Operation *op);

  /// `value`, or `last element of a box`, as an expression over the domain.
  mlir::AffineExpr expr(mlir::OpFoldResult value) { return getExpr(value); }

  /// True where `a` < `b` at every iteration of the domain.
  bool isAlwaysLess(mlir::AffineExpr a, mlir::AffineExpr b);
  /// True where `a` <= `b` at every iteration of the domain.
  bool isAlwaysAtMost(mlir::AffineExpr a, mlir::AffineExpr b);

  /// An end of an expression's range, and an iteration that has it.
  struct Extreme {
    int64_t value;
    Iteration iteration;
  };
  /// Nothing where the domain is empty or does not bound the expression.
  std::optional<Extreme> maximum(mlir::AffineExpr expression);
  std::optional<Extreme> minimum(mlir::AffineExpr expression);

private:
  /// Adds what upstream's models do not say of `value`; true where that is all
  /// there is to say.
  bool model(mlir::Value value);
  bool modelDivision(mlir::Operation *op);
  void modelChoice(mlir::Value result, bool isSmallest,
                   llvm::ArrayRef<mlir::AffineExpr> choices);
  void modelProduct(mlir::Operation *op);
  void modelLoop(mlir::Value index);
  void addCondition(mlir::Value condition, bool holds);
  void addSurroundings(mlir::Operation *op);

  bool isAlwaysAtLeast(mlir::Value value, int64_t bound);
  /// A new column that equals `expression`.
  int64_t column(mlir::AffineExpr expression);
  bool isEmptyWith(mlir::AffineExpr atLeastZero);
  std::optional<Extreme> lowest(mlir::AffineExpr expression);
};

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_ITERATIONDOMAIN_H
