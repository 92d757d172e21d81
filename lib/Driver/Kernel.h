//===- Kernel.h - A compiled kernel and its launches ----------------------===//
#ifndef TILEKILN_DRIVER_KERNEL_H
#define TILEKILN_DRIVER_KERNEL_H

#include "Variant.h"
#include "tilekiln/Target/Target.h"
#include "mlir/IR/MLIRContext.h"

namespace tilekiln {

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

private:
  llvm::Error readTarget();
  llvm::Error import(llvm::StringRef tirJson);
  llvm::Error transform();
  llvm::Error checkVendor();
  /// `values` of the declaration's arguments for those of a variant's kernel.
  HostValues valuesIn(Variant &variant, HostValues &values);
  /// The variant whose assumptions the symbols meet.
  llvm::Expected<Variant *> choose(HostValues &values);
  mlir::func::FuncOp declaration() const;
  /// Judges the arguments against their declarations and fills `values`.
  llvm::Error bind(llvm::ArrayRef<Argument> arguments, HostValues &values,
                   std::vector<KernelArgument> &passed);
  llvm::json::Value reportUnit(LaunchUnit &unit);

  CompileOptions options;
  std::string targetFile;
  std::optional<Target> target;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> bufferForm, valueForm;
  std::unique_ptr<Variant> main, fallback;
  std::vector<Message> said;
  std::vector<std::pair<std::string, double>> timingsMs;
};

} // namespace tilekiln

#endif // TILEKILN_DRIVER_KERNEL_H
