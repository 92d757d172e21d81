//===- Report.cpp - The report as a dictionary ----------------------------===//
#include "Collector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln;
using namespace tilekiln::sim;
using llvm::json::Object;

namespace {

/// Lower bounds of the kernel's time, from what the machine can do at most.
struct Roof {
  const char *name;
  double us;
};

std::vector<Roof> getRoofs(const Timing &timing, const PipeSums (*pipes)[pipeCount],
                           const SimResult &result) {
  double perUs = timing.hertz * 1e-6;
  auto spread = [&](CoreType kind, Pipe pipe) {
    double cores =
        kind == CoreType::AIC ? timing.aicCount : timing.aivCount;
    return pipes[unsigned(kind)][unsigned(pipe)].busyCycles / std::max(cores, 1.0) /
           perUs;
  };
  double moved = double(result.globalReadBytes + result.globalWriteBytes);
  return {
      {"cube", spread(CoreType::AIC, Pipe::M)},
      {"vector", spread(CoreType::AIV, Pipe::V)},
      {"mte1", spread(CoreType::AIC, Pipe::MTE1)},
      {"mte2", std::max(spread(CoreType::AIC, Pipe::MTE2),
                        spread(CoreType::AIV, Pipe::MTE2))},
      {"store", std::max(spread(CoreType::AIC, Pipe::FIX),
                         spread(CoreType::AIV, Pipe::MTE3))},
      {"l2", moved / timing.l2BytesPerCycle / perUs},
      {"hbm",
       double(result.hbmBytes) / timing.hbmContiguousBytesPerCycle / perUs},
  };
}

} // namespace

Object ReportCollector::report(const SimResult &result) const {
  Object report;
  llvm::Expected<Timing> timing = Timing::get(state->target);
  if (!timing) {
    llvm::consumeError(timing.takeError());
    return report;
  }
  double perUs = timing->hertz * 1e-6;
  double totalUs = result.totalCycles / perUs;
  double kernelUs = result.kernelCycles / perUs;
  double moved = double(result.globalReadBytes + result.globalWriteBytes);
  report["machine"] = state->target.vendorName;
  report["kernel"] = state->program.name;
  report["cores"] = int64_t(state->program.aic ? timing->aicCount : timing->aivCount);
  report["cores_used"] = int64_t(result.coresUsed);
  report["blocks"] = int64_t(result.blocks);
  report["predicted_us"] = totalUs;
  report["kernel_us"] = kernelUs;
  report["launch_us"] = totalUs - kernelUs;
  report["predicted_tflops"] = totalUs > 0 ? result.flops / totalUs * 1e-6 : 0.0;
  report["predicted_gbps"] = totalUs > 0 ? moved / totalUs * 1e-3 : 0.0;

  std::vector<Roof> roofs = getRoofs(*timing, state->pipes, result);
  Object roofTable;
  const Roof *highest = &roofs.front();
  for (const Roof &roof : roofs) {
    if (roof.us <= 0)
      continue;
    roofTable[roof.name] =
        Object{{"us", roof.us}, {"fraction", totalUs > 0 ? roof.us / totalUs : 0.0}};
    if (roof.us > highest->us)
      highest = &roof;
  }
  report["roofs"] = std::move(roofTable);
  report["bound"] = highest->us > 0 ? highest->name : "launch";
  report["bound_us"] = highest->us;

  Object pipes;
  for (unsigned kind = 0; kind < 2; ++kind) {
    double cores = double(result.coresUsed);
    if (kind == 1 && state->program.isMixed())
      cores *= state->program.aivPerBlock;
    double available = std::max(result.kernelCycles * cores, 1.0);
    for (unsigned pipe = 0; pipe < pipeCount; ++pipe) {
      const PipeSums &sums = state->pipes[kind][pipe];
      std::map<std::string, double> reasons = sums.waitedByReason();
      if (!sums.entries && reasons.empty())
        continue;
      Object waited, instructions;
      for (const auto &[reason, cycles] : reasons)
        waited[reason] = cycles / available;
      for (const InstructionSums &instruction : sums.instructions)
        instructions[instruction.name.str()] =
            Object{{"count", int64_t(instruction.count)},
                   {"busy_cycles", instruction.busyCycles / double(instruction.count)},
                   {"total_cycles", instruction.totalCycles / double(instruction.count)}};
      pipes[(getName(CoreType(kind)) + "." + getName(Pipe(pipe))).str()] = Object{
          {"busy_us", sums.busyCycles / cores / perUs},
          {"occupancy", sums.busyCycles / available},
          {"entries", int64_t(sums.entries)},
          {"global_bytes", int64_t(sums.globalBytes)},
          {"local_bytes", int64_t(sums.localBytes)},
          {"waited", std::move(waited)},
          {"instructions", std::move(instructions)}};
    }
  }
  report["pipes"] = std::move(pipes);
  report["bytes"] = Object{
      {"global_read", result.globalReadBytes},
      {"global_write", result.globalWriteBytes},
      {"hbm", result.hbmBytes},
      {"l1_to_l0",
       int64_t(state->pipes[0][unsigned(Pipe::MTE1)].localBytes)},
      {"l0c_out", int64_t(state->pipes[0][unsigned(Pipe::FIX)].localBytes)}};

  double waiting = 0;
  std::map<uint32_t, double> path = state->criticalPath(waiting);
  std::vector<std::pair<double, uint32_t>> order;
  for (const auto &[key, cycles] : path)
    order.push_back({-cycles, key});
  llvm::sort(order);
  llvm::json::Array steps;
  for (const auto &[cycles, number] : order) {
    const LineKey &key = state->keys[number];
    steps.push_back(Object{{"line", describe(state->program, key.line)},
                           {"pipe", getName(key.pipe)},
                           {"function", key.function.str()},
                           {"us", -cycles / perUs},
                           {"fraction", kernelUs > 0 ? -cycles / perUs / kernelUs : 0.0}});
  }
  report["critical_path"] = std::move(steps);
  report["critical_path_waiting_us"] = waiting / perUs;

  llvm::json::Array faults;
  for (const Fault &fault : result.faults)
    faults.push_back(Object{{"kind", getName(fault.kind)},
                            {"text", toString(fault, state->program, state->target)},
                            {"line", describe(state->program, fault.line)},
                            {"cycle", fault.cycle},
                            {"block", int64_t(fault.block)},
                            {"pipe", getName(fault.pipe)},
                            {"address", fault.addressBytes},
                            {"count", int64_t(fault.count)}});
  report["faults"] = std::move(faults);
  report["queue_entries"] = int64_t(result.queueEntries);
  report["scalar_instructions"] = int64_t(result.scalarInstructions);
  return report;
}
