//===- Kernel.h - A compiled kernel and its launches ----------------------===//
#ifndef TILEKILN_DRIVER_KERNEL_H
#define TILEKILN_DRIVER_KERNEL_H

#include "Variant.h"
#include "tilekiln/Sim/Core/Simulator.h"
#include "mlir/IR/MLIRContext.h"

namespace tilekiln {

/// TileLang's spelling of an element type; what the author declared where the
/// importer kept it (integers have no sign in MLIR).
std::string dtypeOf(mlir::Type type, mlir::DictionaryAttr attributes);
/// The declaration of a parameter as a tensor; null for a number.
commonir::TensorOp tensorOf(mlir::BlockArgument argument);

/// Whether the author declared the argument: no symbol, no scratch memory.
bool isDeclared(mlir::BlockArgument argument);

/// "simulated Ascend 910B3, 20 cores": those of the kind that the program uses.
std::string describeMachine(const Target &target, const sim::Program &program);

/// Simulates one launch and appends its report.
llvm::Error profileLaunch(const sim::Program &program, const Target &machine,
                          const sim::Launch &launch, const ProfileOptions &profile,
                          llvm::json::Array &launches);

class Kernel : public CompiledKernel {
public:
  explicit Kernel(const CompileOptions &options);

  /// From TIR to what CompileOptions::device needs.
  llvm::Error build(llvm::StringRef tirJson);

  std::string name() const override;
  llvm::Expected<std::string> ir(llvm::StringRef stage) override;
  llvm::json::Value report() override;
  llvm::json::Value parameters() override;
  const std::vector<Message> &messages() const override { return said; }
  llvm::Error launch(llvm::ArrayRef<Argument> arguments) override;
  llvm::Expected<llvm::json::Value>
  profile(llvm::ArrayRef<Argument> arguments, const ProfileOptions &options) override;

private:
  llvm::Error readTarget();
  llvm::Error import(llvm::StringRef tirJson);
  llvm::Error transform();
  /// Cut to fit on chip, placed and lowered.
  std::unique_ptr<Variant> lower(bool assumeLoopsRun);
  llvm::Error compileForVendor();
  llvm::Error checkVendor();
  llvm::Error decodeForSim();
  /// `values` of the declaration's arguments for those of a variant's kernel.
  HostValues valuesIn(Variant &variant, HostValues &values);
  /// The variant whose assumptions the symbols meet, compiled for a device.
  llvm::Expected<Variant *> choose(HostValues &values, llvm::StringRef device);
  mlir::func::FuncOp declaration() const;
  /// Judges the arguments against their declarations and fills `values`.
  llvm::Error bind(llvm::ArrayRef<Argument> arguments, HostValues &values,
                   std::vector<KernelArgument> &passed);
  /// Memory for T.alloc_global's tensors, which `passed` then points to; it lasts
  /// for one call.
  llvm::Expected<std::vector<std::vector<char>>>
  allocateScratch(HostValues &values, std::vector<KernelArgument> &passed);
  /// Calls `run` for each launch that has blocks, in order, with the arguments
  /// of its entry and the number of blocks.
  using RunLaunch = llvm::function_ref<llvm::Error(
      LaunchUnit &, llvm::ArrayRef<KernelArgument>, int64_t)>;
  llvm::Error forEachLaunch(llvm::ArrayRef<Argument> arguments,
                            llvm::StringRef device, RunLaunch run);
  llvm::json::Value reportUnit(LaunchUnit &unit);

  // Simulation.cpp and Profile.cpp.
  llvm::Error launchOnSim(llvm::ArrayRef<Argument> arguments);
  llvm::Expected<std::vector<Argument>> declaredArguments();
  std::vector<sim::SimArgument>
  getSimArguments(llvm::ArrayRef<KernelArgument> passed);

  CompileOptions options;
  std::string targetFile;
  std::optional<Target> target;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> bufferForm, valueForm;
  std::unique_ptr<Variant> main, fallback;
  llvm::SmallVector<LaunchParts> parts;
  std::vector<Message> said;
  std::vector<std::pair<std::string, double>> timingsMs;
};

} // namespace tilekiln

#endif // TILEKILN_DRIVER_KERNEL_H
