//===- Iteration.h - One iteration of a kernel's blocks and loops ---------===//
//
// Gives values to block indices and loop variables, and from them, by MLIR's own
// folders, to everything that is computed from them. It decides whether an op
// surely runs at this iteration: what a message to the author rests on.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_ITERATION_H
#define TILEKILN_ANALYSIS_ITERATION_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tilekiln {

class Iteration {
public:
  void set(mlir::Value index, int64_t value) { known[index] = value; }

  /// The integer that `value` has at this iteration; nothing where it depends on
  /// data or on a symbol.
  std::optional<int64_t> evaluate(mlir::OpFoldResult value);

  /// True where `op` is certain to run at this iteration: all indices lie in
  /// their loops and all conditions around it hold.
  bool reaches(mlir::Operation *op);

private:
  std::optional<int64_t> evaluateResult(mlir::OpResult result);
  /// Runs the body of `parent`, which contains `op`.
  bool enters(mlir::Operation *parent, mlir::Operation *op);

  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known;
};

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_ITERATION_H
