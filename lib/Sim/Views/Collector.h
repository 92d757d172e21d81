//===- Collector.h - Sums that a report is made of ------------------------===//
#ifndef TILEKILN_LIB_SIM_VIEWS_COLLECTOR_H
#define TILEKILN_LIB_SIM_VIEWS_COLLECTOR_H

#include "tilekiln/Sim/Core/Timing.h"
#include "tilekiln/Sim/Views/Report.h"
#include <map>

namespace tilekiln::sim {

/// One instruction of a pipe: "mad", "nd2nz" ...
struct InstructionSums {
  llvm::StringRef name;
  uint64_t count = 0;
  /// What the pipe was taken for, and what passed until the results could be seen.
  double busyCycles = 0, totalCycles = 0;
};

/// What the pipes of one kind of core did.
struct PipeSums {
  static constexpr unsigned causeCount = unsigned(WaitCause::Barrier) + 1;

  double busyCycles = 0;
  uint64_t entries = 0;
  double globalBytes = 0, localBytes = 0;
  /// Idle cycles by cause and the pipe that was waited for.
  double waitedCycles[causeCount][pipeCount + 1] = {};
  /// A pipe has few; the last that was told is looked at first.
  std::vector<InstructionSums> instructions;
  size_t lastInstruction = 0;

  InstructionSums &instruction(llvm::StringRef name);
  /// By reason: "issue", "flag from MTE2" ...
  std::map<std::string, double> waitedByReason() const;
};

/// One instruction at one line, on the critical path.
struct LineKey {
  LineId line;
  Pipe pipe;
  llvm::StringRef function;
  bool operator<(const LineKey &other) const {
    return std::tie(line, pipe, function) <
           std::tie(other.line, other.pipe, other.function);
  }
};

struct ReportCollector::State {
  State(const Program &program, const Target &target)
      : program(program), target(target) {}

  const Program &program;
  const Target &target;
  PipeSums pipes[2][pipeCount];

  /// Entries as the critical path needs them; given up beyond a limit, which
  /// keeps long runs small.
  struct Step {
    uint64_t cause = 0;
    Cycles start = 0, busyEnd = 0, finish = 0;
    uint32_t key = 0;
  };
  static constexpr size_t maxSteps = 6000000;
  std::vector<Step> steps;
  bool keepsSteps = true;
  std::map<LineKey, uint32_t> keyNumbers;
  std::vector<LineKey> keys;

  /// Cycles per key on the path to the last result, waiting between its entries
  /// under `waiting`.
  std::map<uint32_t, double> criticalPath(double &waiting) const;
};

std::string describe(const Program &program, LineId line);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_VIEWS_COLLECTOR_H
