//===- Process.h - A subprocess with a time limit -------------------------===//
//
// LLVM's ExecuteAndWait keeps time with SIGALRM, which in a process with
// several threads may interrupt another one, and kills the child alone. This
// waits by polling and ends the child's whole process group.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_BISHENGIR_PROCESS_H
#define TILEKILN_LIB_BISHENGIR_PROCESS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilekiln::bishengir {

struct ProcessResult {
  enum class End { Exited, Crashed, TimedOut, NotStarted };
  End end = End::Exited;
  int exitCode = 0;
  /// Why it crashed or did not start: "Segmentation fault".
  std::string reason;
  double seconds = 0;
};

/// Runs `program`; output goes to the two files.
ProcessResult runProcess(llvm::StringRef program,
                         llvm::ArrayRef<std::string> arguments,
                         llvm::ArrayRef<std::string> environment,
                         llvm::StringRef outputFile, llvm::StringRef errorFile,
                         double timeoutSeconds);

/// This process's environment with some variables set anew.
std::vector<std::string>
getEnvironment(llvm::ArrayRef<std::pair<std::string, std::string>> changes);

/// A folder of its own, removed with all its content at the end.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder &&other) : folder(std::move(other.folder)) {
    other.folder.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  const std::string &path() const { return folder; }
  std::string pathOf(llvm::StringRef file) const;

private:
  explicit TemporaryFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder;
};

/// Writes a file whole or not at all.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// Content of a file; empty where it cannot be read.
std::string readFile(llvm::StringRef path);

} // namespace tilekiln::bishengir

#endif // TILEKILN_LIB_BISHENGIR_PROCESS_H
