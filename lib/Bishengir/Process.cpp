//===- Process.cpp - A subprocess with a time limit -----------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "Process.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace tilekiln::bishengir {

using llvm::StringRef;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ProcessResult runProcess(StringRef program,
                         llvm::ArrayRef<std::string> arguments,
                         llvm::ArrayRef<std::string> environment,
                         StringRef outputFile, StringRef errorFile,
                         double timeoutSeconds) {
  llvm::SmallVector<StringRef> argumentRefs{program};
  argumentRefs.append(arguments.begin(), arguments.end());
  llvm::SmallVector<StringRef> environmentRefs(environment.begin(),
                                               environment.end());
  // Standard input is empty: the vendor's compiler must not wait for a user.
  std::optional<StringRef> redirects[] = {StringRef(""), outputFile, errorFile};

  ProcessResult result;
  Clock::time_point start = Clock::now();
  bool failed = false;
  // Detached means a process group of its own, which can be ended as one.
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      program, argumentRefs, llvm::ArrayRef<StringRef>(environmentRefs),
      redirects, /*MemoryLimit=*/0, &result.reason, &failed,
      /*AffinityMask=*/nullptr, /*DetachProcess=*/true);
  if (failed || process.Pid == llvm::sys::ProcessInfo::InvalidPid) {
    result.end = ProcessResult::End::NotStarted;
    return result;
  }

  std::chrono::milliseconds pause(1);
  constexpr std::chrono::milliseconds longestPause(10);
  while (true) {
    llvm::sys::ProcessInfo state =
        llvm::sys::Wait(process, /*SecondsToWait=*/0u, &result.reason,
                        /*ProcStat=*/nullptr, /*Polling=*/true);
    if (state.Pid == process.Pid) {
      result.exitCode = state.ReturnCode;
      break;
    }
    if (secondsSince(start) > timeoutSeconds) {
      ::kill(-process.Pid, SIGKILL);
      std::string ignored;
      llvm::sys::Wait(process, std::nullopt, &ignored);
      result.end = ProcessResult::End::TimedOut;
      result.seconds = secondsSince(start);
      return result;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, longestPause);
  }
  result.seconds = secondsSince(start);
  // LLVM's codes: -1 could not be executed, -2 ended by a signal.
  if (result.exitCode == -1)
    result.end = ProcessResult::End::NotStarted;
  else if (result.exitCode < 0)
    result.end = ProcessResult::End::Crashed;
  return result;
}

std::vector<std::string>
getEnvironment(llvm::ArrayRef<std::pair<std::string, std::string>> changes) {
  std::vector<std::string> environment;
  for (char **entry = ::environ; entry && *entry; ++entry) {
    StringRef text(*entry);
    bool replaced = llvm::any_of(changes, [&](const auto &change) {
      return text.split('=').first == change.first;
    });
    if (!replaced)
      environment.push_back(text.str());
  }
  for (const auto &[name, value] : changes)
    environment.push_back(name + "=" + value);
  return environment;
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create(StringRef prefix) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory(prefix, path))
    return llvm::createStringError(
        error,
        "no temporary folder can be made at %s: %s; set TMPDIR to a "
        "folder that can be written",
        path.c_str(), error.message().c_str());
  return TemporaryFolder(path.str().str());
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder.empty())
    llvm::sys::fs::remove_directories(folder, /*IgnoreErrors=*/true);
}

std::string TemporaryFolder::pathOf(StringRef file) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return path.str().str();
}

llvm::Error writeFile(StringRef path, StringRef text) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
}

std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace tilekiln::bishengir
