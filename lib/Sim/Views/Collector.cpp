//===- Collector.cpp - Listening to a run ---------------------------------===//
#include "Collector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln;
using namespace tilekiln::sim;

std::string tilekiln::sim::describe(const Program &program, LineId line) {
  if (line >= program.lines.size() || !program.lines[line].line)
    return "";
  return llvm::formatv("{0}:{1}", program.lines[line].file, program.lines[line].line)
      .str();
}

static std::string describeWait(WaitCause cause, Pipe pipe) {
  switch (cause) {
  case WaitCause::Issue:
    return "issue";
  case WaitCause::Pipe:
    return "pipe";
  case WaitCause::Flag:
    return ("flag from " + getName(pipe)).str();
  case WaitCause::CrossFlag:
    return "other core";
  case WaitCause::Barrier:
    return "barrier";
  }
  return "";
}

std::map<std::string, double> PipeSums::waitedByReason() const {
  std::map<std::string, double> result;
  for (unsigned cause = 0; cause < causeCount; ++cause)
    for (unsigned pipe = 0; pipe <= pipeCount; ++pipe)
      if (double cycles = waitedCycles[cause][pipe])
        result[describeWait(WaitCause(cause), Pipe(pipe))] += cycles;
  return result;
}

InstructionSums &PipeSums::instruction(llvm::StringRef name) {
  auto is = [&](const InstructionSums &sums) { return sums.name == name; };
  if (lastInstruction >= instructions.size() || !is(instructions[lastInstruction]))
    lastInstruction = size_t(llvm::find_if(instructions, is) - instructions.begin());
  if (lastInstruction == instructions.size())
    instructions.push_back({name});
  return instructions[lastInstruction];
}

ReportCollector::ReportCollector(const Program &program, const Target &target)
    : state(std::make_unique<State>(program, target)) {}

ReportCollector::~ReportCollector() = default;

void ReportCollector::onBlockStart(CoreId, unsigned, Cycles) {}
void ReportCollector::onBlockEnd(CoreId, unsigned, Cycles) {}

void ReportCollector::onEntry(const EntryEvent &entry) {
  PipeSums &pipe = state->pipes[unsigned(entry.core.kind)][unsigned(entry.pipe)];
  double busy = entry.busyEnd - entry.start;
  pipe.busyCycles += busy;
  ++pipe.entries;
  InstructionSums &instruction = pipe.instruction(entry.instruction);
  ++instruction.count;
  instruction.busyCycles += busy;
  instruction.totalCycles += entry.finish - entry.start;
  pipe.globalBytes += double(entry.globalReadBytes + entry.globalWriteBytes);
  pipe.localBytes += double(entry.localBytes);
  if (entry.waited > 0)
    pipe.waitedCycles[unsigned(entry.waitedFor)][unsigned(entry.waitedForPipe)] +=
        entry.waited;
  if (!state->keepsSteps)
    return;
  if (entry.id > State::maxSteps) {
    state->keepsSteps = false;
    state->steps = {};
    return;
  }
  LineKey key{entry.line, entry.pipe, entry.function};
  auto [number, isNew] =
      state->keyNumbers.try_emplace(key, uint32_t(state->keys.size()));
  if (isNew)
    state->keys.push_back(key);
  if (state->steps.size() <= entry.id)
    state->steps.resize(entry.id + 1);
  state->steps[entry.id] = {entry.cause, entry.start, entry.busyEnd, entry.finish,
                            number->second};
}

void ReportCollector::onScalarStall(CoreId core, WaitCause cause, Pipe waitedFor,
                                    Cycles from, Cycles to, LineId) {
  state->pipes[unsigned(core.kind)][unsigned(Pipe::S)]
      .waitedCycles[unsigned(cause)][unsigned(waitedFor)] += to - from;
}

std::map<uint32_t, double>
ReportCollector::State::criticalPath(double &waiting) const {
  std::map<uint32_t, double> cycles;
  uint64_t last = 0;
  for (uint64_t id = 1; id < steps.size(); ++id)
    if (steps[id].finish > steps[last].finish)
      last = id;
  // Backwards: what an entry began for ended before it, and the time between is
  // latency or the scalar unit.
  Cycles until = last ? steps[last].finish : 0;
  for (uint64_t id = last; id;) {
    const Step &step = steps[id];
    cycles[step.key] += std::max(0.0, std::min(step.busyEnd, until) - step.start);
    waiting += std::max(0.0, until - step.busyEnd);
    until = std::min(until, step.start);
    if (step.cause >= id)
      break;
    id = step.cause;
  }
  waiting += until;
  return cycles;
}
