//===- Fit.h - Into how many parts a block's work is cut to fit -----------===//
//
// retile cuts; this decides. A cut costs time, so launches are cut only as far as
// the target's spaces ask for, and further where the vendor's compiler, with its
// own temporaries, runs out of room all the same.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DRIVER_FIT_H
#define TILEKILN_DRIVER_FIT_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Target/Target.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilekiln {

struct LaunchParts {
  int64_t rows = 1, steps = 1;

  /// Twice as many of those that relieve a space.
  LaunchParts cutMore(llvm::StringRef space, const Target &target) const;
  bool operator==(const LaunchParts &other) const {
    return rows == other.rows && steps == other.steps;
  }
};

/// What value form is lowered for.
struct LoweringOptions {
  const Target &target;
  /// Passes read the description themselves.
  llvm::StringRef targetFile;
  bool assumeLoopsRun = true;
  bool retile = true;
};

/// Value form, cut into at least the parts asked for, one entry a launch, or into as
/// many more as it takes to fit; `parts` gets what was taken. What cannot be made to
/// fit is left as it was asked for, for check-capacity to explain.
mlir::OwningOpRef<mlir::ModuleOp> fitOnChip(mlir::ModuleOp valueForm,
                                            const LoweringOptions &options,
                                            llvm::SmallVectorImpl<LaunchParts> &parts);

} // namespace tilekiln

#endif // TILEKILN_DRIVER_FIT_H
