//===- Bishengir.h - Driving the vendor's compiler ------------------------===//
//
// Runs bishengir-compile on linked IR as a subprocess and takes the module that
// it would hand to hivmc. The subprocess may crash, hang or succeed with a
// broken module; each of these is an error or a finding here, never silence.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_BISHENGIR_H
#define TILEKILN_BISHENGIR_BISHENGIR_H

#include "tilekiln/Bishengir/ModuleFacts.h"
#include "llvm/Support/Error.h"

namespace tilekiln::bishengir {

struct VendorOptions {
  /// Path of bishengir-compile; empty: looked for on PATH.
  std::string compiler;
  std::string target = "Ascend910B3";
  /// Double buffers in loops; the vendor's own default is off.
  bool multiBuffer = true;
  /// Appended to the command line as they are.
  std::vector<std::string> extraFlags;
  double timeoutSeconds = 60;
  /// See LintOptions::loopsRun.
  bool loopsRun = false;
  /// See LintOptions::runningLoops.
  std::vector<SourceLine> runningLoops;
  /// Where the linked IR is kept when the vendor's compiler crashes or hangs;
  /// empty: nowhere.
  std::string reproducerFolder;
  /// File name for positions in the linked IR itself, which are given where it
  /// carries no lines of a script.
  std::string linkedName = "linked.mlir";
  /// The kernel's name, and where it is written; a function of the library must
  /// not have it. Empty: not checked.
  std::string entryName;
  SourceLine entrySource;
  /// Folder of meta_op.*.bc; empty: `../lib` of the compiler.
  std::string deviceLibraryFolder;
};

/// One line that the vendor's compiler printed.
struct VendorMessage {
  /// "error", "warning", "note", "remark".
  std::string severity;
  std::string text;
  SourceLine source;
};

/// A memory that is too small for the kernel's tiles.
struct Overflow {
  /// "ub", "l1", "l0c".
  std::string space;
  int64_t neededBytes = 0;
  int64_t availableBytes = 0;
  SourceLine source;
};

struct VendorResult {
  std::string finalIR;
  ModuleFacts facts;
  /// Everything the vendor's compiler said.
  std::vector<VendorMessage> messages;
  /// Lines of the form `[NOTE] ...`: a retry with optimisations switched off.
  std::vector<std::string> notes;
  /// Lint, link check and notes. The placement is the caller's to check.
  std::vector<Finding> findings;
  std::vector<std::string> commandLine;
  double seconds = 0;
};

/// Why there is no final IR.
class VendorError : public llvm::ErrorInfo<VendorError> {
public:
  enum class Kind {
    NotInstalled,
    Rejected,
    Overflow,
    Crash,
    Timeout,
    NoFinalIR,
    Unreadable
  };

  static char ID;
  VendorError(Kind kind, std::string text)
      : kind(kind), text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  Kind kind;
  /// One sentence or more for the author of the kernel, without location.
  std::string text;
  SourceLine source;
  std::vector<VendorMessage> messages;
  std::vector<Overflow> overflows;
  /// The last lines that the vendor's compiler printed.
  std::string vendorTail;
  /// The saved linked IR; empty where none was saved.
  std::string reproducer;
};

/// `compiler` itself, or what PATH has; an error says what to install.
llvm::Expected<std::string> findBishengirCompile(llvm::StringRef compiler);

/// The folder of the device library that belongs to a compiler.
std::string getDeviceLibraryFolder(llvm::StringRef compiler);

llvm::Expected<VendorResult> runBishengir(llvm::StringRef linkedText,
                                          const VendorOptions &options);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_BISHENGIR_H
