//===- Compiler.h - The way from TIR to values and to the vendor's IR -----===//
//
// The one interface that tools and the Python package use. It knows all layers:
// import, transforms, conversion, the vendor's compiler and the executors.
// Text, bytes and plain structures cross it, never MLIR objects.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DRIVER_COMPILER_H
#define TILEKILN_DRIVER_COMPILER_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilekiln {

/// What a user can choose; the names are the Python API's keyword arguments.
struct CompileOptions {
  /// A file of share/targets without its suffix.
  std::string target = "ascend910b3";
  /// "cpu": values from the linked IR. "hivm": the vendor's final IR, no values.
  /// "sim": values and time from the vendor's final IR on the simulated machine.
  std::string device = "cpu";
  /// What an access that lies wholly outside a tensor is: "error" refuses the
  /// kernel, "zero" compiles it with guarded reads that give zero.
  std::string outOfBounds = "error";
  /// What a kernel that fell off the fast path is: "error", "warn" or "off".
  std::string checkPlacement = "error";
  /// Passes that are left out, by flag; only optimisations can be.
  std::vector<std::string> disabledPasses;
  /// Used as a location where the TIR carries none (0.1.7.post3).
  std::string fallbackFile;
  int fallbackLine = 0;
  /// The vendor's compiler and its library of device functions.
  std::string bishengirCompile;
  std::string deviceLibraryFolder;
  double vendorTimeoutSeconds = 60;
  /// Where a reproducer is written when the vendor's compiler crashes.
  std::string reproducerFolder;
  /// A stage's text read from a file instead of made: {"linked", "path"}.
  std::vector<std::pair<std::string, std::string>> replacedStages;
  /// Where share/targets is.
  std::string shareFolder;
};

/// One message for the author of the kernel.
struct Message {
  enum class Severity { Error, Warning, Remark, Note };
  Severity severity = Severity::Error;
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string text;
};

/// "error", "warning", "remark" or "note".
llvm::StringRef getName(Message::Severity severity);

/// A kernel that was refused: the messages say what, where, why and what to do.
class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  static char ID;
  explicit CompileError(std::vector<Message> messages)
      : messages(std::move(messages)) {}
  /// One "file:line: severity: text" a line.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
  std::vector<Message> messages;
};

/// One argument of a launch. Tensors are borrowed for the time of the call.
struct Argument {
  enum class Kind { Tensor, Integer, Float };
  Kind kind = Kind::Tensor;
  void *data = nullptr;
  /// In elements.
  std::vector<int64_t> shape, strides;
  /// TileLang's spelling: "float16", "bfloat16", "int8" ...
  std::string dtype;
  int64_t integer = 0;
  double real = 0;
};

/// How a kernel is profiled.
struct ProfileOptions {
  /// Compute values, in place. Without, tensors may be missing unless control
  /// flow reads them.
  bool values = true;
  /// "name=value": figures of the machine to replace, such as cores=24.
  std::vector<std::string> set;
  /// Host threads for values; 0: as many as the machine has.
  unsigned threads = 0;
  /// Where a Chrome trace is written for each launch; empty: none.
  std::string traceFile;
  /// Blocks that are done, of how many; of each launch in turn.
  std::function<void(uint64_t, uint64_t)> progress;
};

/// A compiled PrimFunc, which may hold several launches in a row.
class CompiledKernel {
public:
  virtual ~CompiledKernel();
  virtual std::string name() const = 0;
  /// The text of a stage: "commonir", "tiles", "linked" or "hivm".
  /// An error where the stage was not made or is unknown.
  virtual llvm::Expected<std::string> ir(llvm::StringRef stage) = 0;
  /// Unit, spaces, buffering, workspace bytes, global round trips, messages.
  virtual llvm::json::Value report() = 0;
  /// Parameters in order: {"name", "kind", "dtype", "shape", "strides"}; an
  /// unknown extent is the symbol's name.
  virtual llvm::json::Value parameters() = 0;
  /// Warnings and remarks of the compilation.
  virtual const std::vector<Message> &messages() const = 0;
  /// Runs on the executor of CompileOptions::device; outputs are written in
  /// place. An error names the argument that does not fit its declaration.
  virtual llvm::Error launch(llvm::ArrayRef<Argument> arguments) = 0;
  /// Runs on the simulated machine, whatever the device, and says what was
  /// predicted: "title" ("predicted (simulated ..., N cores)"), "predicted_us",
  /// "predicted_tflops", "predicted_gbps", "bound", "bound_us", "pipes",
  /// "bytes", "faults" and more, and the same of each of its "launches". Without
  /// arguments, shapes come from the declarations.
  virtual llvm::Expected<llvm::json::Value>
  profile(llvm::ArrayRef<Argument> arguments, const ProfileOptions &options) = 0;
};

/// A profile as tables for a person.
std::string profileText(const llvm::json::Value &report);

/// A kernel given as IR instead of as a PrimFunc, and one launch of it.
struct IRLaunch {
  std::string text;
  /// File name for messages.
  std::string name = "kernel.mlir";
  /// "linked": goes through the vendor's compiler first. "hivm": what that makes.
  std::string stage = "hivm";
  /// Extents x, y, z; those left out are 1.
  std::vector<int64_t> grid;
  /// In the order of the entry's own arguments. A tensor is its bytes: dtype
  /// "uint8", shape one extent; without data where no values are computed.
  std::vector<Argument> arguments;
};

/// CompiledKernel::profile for a kernel given as IR.
llvm::Expected<llvm::json::Value> profileIR(const IRLaunch &launch,
                                            const CompileOptions &options,
                                            const ProfileOptions &profile);

/// Compiles one PrimFunc given as `tilelang.tvm.ir.save_json` writes it.
llvm::Expected<std::unique_ptr<CompiledKernel>>
compile(llvm::StringRef tirJson, const CompileOptions &options);

} // namespace tilekiln

#endif // TILEKILN_DRIVER_COMPILER_H
