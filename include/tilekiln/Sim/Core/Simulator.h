//===- Simulator.h - Running a program on the simulated machine -----------===//
//
// Blocks go to the target's cores in waves; values are computed on host threads
// while one thread moves time. The result is the same for any number of threads.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_SIMULATOR_H
#define TILEKILN_SIM_CORE_SIMULATOR_H

#include "tilekiln/Sim/Core/Fault.h"
#include "tilekiln/Sim/Core/Listener.h"
#include "tilekiln/Sim/Core/Program.h"
#include "tilekiln/Target/Target.h"
#include <functional>

namespace tilekiln::sim {

/// One user argument, in the order of the kernel's parameters.
struct SimArgument {
  enum class Kind : uint8_t { Tensor, Integer, Real };
  Kind kind = Kind::Integer;
  /// For faults.
  std::string name;
  /// Borrowed. May be null in a run without values whose control flow does not
  /// read the tensor.
  void *data = nullptr;
  int64_t sizeBytes = 0;
  int64_t integer = 0;
  double real = 0;

  static SimArgument tensor(void *data, int64_t sizeBytes, std::string name = "");
  static SimArgument scalar(int64_t value);
  static SimArgument scalar(double value);
};

struct Launch {
  int64_t gridX = 1, gridY = 1, gridZ = 1;
  /// 0: gridX * gridY * gridZ.
  int64_t blockCount = 0;
  std::vector<SimArgument> arguments;
  /// Of all blocks; negative: what the program asks for.
  int64_t workspaceBytes = -1;
  int64_t lockBytes = 4096;
};

struct SimOptions {
  /// Compute values. Without, loads of the scalar unit give unknown numbers and
  /// control flow that needs one is an error.
  bool values = true;
  /// Move time. Without, every instruction takes no time.
  bool time = true;
  /// Look for races, overlaps and unwritten memory; ranges are always checked.
  bool faults = true;
  /// Different faults kept; 0: all.
  unsigned maxFaults = 100;
  /// Host threads for values; 0: as many as the machine has.
  unsigned threads = 0;
  /// An error when the simulated time exceeds it; 0: no limit.
  double maxSeconds = 0;
  std::vector<EventListener *> listeners;
  /// Blocks that are done, of how many; called from the simulating thread.
  std::function<void(uint64_t, uint64_t)> progress;
};

struct SimResult {
  /// Without the launch's cost, and with it.
  Cycles kernelCycles = 0, totalCycles = 0;
  double totalSeconds = 0;
  unsigned blocks = 0;
  /// Cores of the kind that the kernel was spread over.
  unsigned coresUsed = 0;
  int64_t globalReadBytes = 0, globalWriteBytes = 0, hbmBytes = 0;
  double flops = 0;
  uint64_t scalarInstructions = 0, queueEntries = 0;
  /// Sorted by cycle, block, core and pipe.
  std::vector<Fault> faults;
};

/// An error is about the launch (a missing argument, control flow that needs
/// values); what is wrong with the kernel is in SimResult::faults.
llvm::Expected<SimResult> simulate(const Program &program, const Target &target,
                                   const Launch &launch,
                                   const SimOptions &options = {});

/// "script.py:12: race: ...", for people.
std::string toString(const Fault &fault, const Program &program,
                     const Target &target);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_SIMULATOR_H
