//===- Lint.h - Silent errors of the vendor's compiler --------------------===//
//
// Forms of which the vendor's compiler makes code that computes something else,
// with exit code 0. Only those that leave a trace in the final IR are found
// here; the others (a dropped initial value of a reduction, signed code for an
// unsigned shift ...) must never be written by our own lowering.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_LINT_H
#define TILEKILN_BISHENGIR_LINT_H

#include "tilekiln/Bishengir/Finding.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilekiln::bishengir {

struct LintOptions {
  /// The launcher refuses a launch in which a loop would run zero times, so
  /// loops with bounds known at launch only are no reason for a finding.
  bool loopsRun = false;
  /// Lines of loops that were proven to run before the vendor's compiler took the
  /// block indices apart.
  std::vector<SourceLine> runningLoops;
};

/// All of the below.
std::vector<Finding> lintFinalIR(mlir::ModuleOp module,
                                 const LintOptions &options = {});

/// Ops that hivmc does not take, and entries that it would not find.
void lintLeftovers(mlir::ModuleOp module, std::vector<Finding> &findings);

/// Matrix multiplications: operands the library would misread, accumulators
/// that are not initialised, conversions without a scale.
void lintCube(mlir::ModuleOp module, const LintOptions &options,
              std::vector<Finding> &findings);

/// Vector calls: misaligned slices, buffers stored but never filled, loops
/// over single elements.
void lintVector(mlir::ModuleOp module, std::vector<Finding> &findings);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_LINT_H
