//===- Variant.h - One way of compiling a kernel --------------------------===//
//
// A kernel is compiled under assumptions about its symbols (a loop over a
// symbolic K runs at least once: only then can the sum stay on the cube). Where
// they do not hold, the launcher takes a second variant, compiled without them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DRIVER_VARIANT_H
#define TILEKILN_DRIVER_VARIANT_H

#include "Fit.h"
#include "HostValues.h"
#include "tilekiln/Bishengir/Placement.h"
#include "tilekiln/Bishengir/Bishengir.h"
#include "tilekiln/Cpu/Executor.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Driver/Compiler.h"
#include "tilekiln/Sim/Core/Program.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilekiln {

/// One launch region: its linked IR and what was made of it.
struct LaunchUnit {
  commonir::LaunchOp launch;
  std::string entryName;
  mlir::OwningOpRef<mlir::ModuleOp> linked;
  std::unique_ptr<Executor> executor;
  std::optional<bishengir::VendorResult> vendor;
  /// For the simulated machine, decoded from the vendor's final IR.
  std::unique_ptr<sim::Program> program;
};

class Variant {
public:
  /// Lowers `valueForm`, which is cloned; `parts` as in fitOnChip. The diagnostics
  /// of the passes are the caller's to collect.
  static std::unique_ptr<Variant> create(mlir::ModuleOp valueForm,
                                         const LoweringOptions &options,
                                         llvm::SmallVectorImpl<LaunchParts> &parts);
  /// From linked IR that somebody edited, instead of lowering.
  llvm::Error replaceLinked(llvm::StringRef text);
  /// From final IR that somebody edited, instead of the vendor's compiler: the
  /// text that vendorText() gave. It is not checked for findings.
  llvm::Error replaceFinalIR(llvm::StringRef text);

  bool holds(HostValues &values);
  bool hasAssumptions();
  llvm::Error compileForCpu();
  /// Runs the vendor's compiler on each launch, once.
  llvm::Error compileForVendor(const CompileOptions &options);
  /// And decodes what it made for the simulated machine.
  llvm::Error compileForSim(const CompileOptions &options);

  mlir::func::FuncOp kernel();
  std::string tilesText();
  std::string linkedText();
  /// After compileForVendor.
  std::string vendorText();

  std::vector<LaunchUnit> units;

private:
  mlir::OwningOpRef<mlir::ModuleOp> tiles;
};

/// What the vendor's compiler should make of a launch.
bishengir::ExpectedPlacement expectedPlacement(commonir::LaunchOp launch);

/// The text of a module; `locations` as the vendor's compiler repeats them.
std::string printModule(mlir::ModuleOp module, bool locations);

} // namespace tilekiln

#endif // TILEKILN_DRIVER_VARIANT_H
