//===- Report.h - What a run says to a person -----------------------------===//
//
// A listener that adds up a run, and the report made of it: predicted time, what
// bounds it, what each pipe did and waited for, bytes per memory, the critical
// path by source line. Also as text and as a Chrome trace.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_VIEWS_REPORT_H
#define TILEKILN_SIM_VIEWS_REPORT_H

#include "tilekiln/Sim/Core/Simulator.h"
#include "llvm/Support/JSON.h"

namespace tilekiln::sim {

/// Collects what the report needs; give it to SimOptions::listeners.
class ReportCollector : public EventListener {
public:
  ReportCollector(const Program &program, const Target &target);
  ~ReportCollector() override;
  void onBlockStart(CoreId core, unsigned block, Cycles time) override;
  void onBlockEnd(CoreId core, unsigned block, Cycles time) override;
  void onEntry(const EntryEvent &entry) override;
  void onScalarStall(CoreId core, WaitCause cause, Pipe waitedFor, Cycles from,
                     Cycles to, LineId line) override;

  /// {"predicted_us", "predicted_tflops", "predicted_gbps", "bound",
  /// "bound_us", "pipes", "bytes", "faults", ...}.
  llvm::json::Object report(const SimResult &result) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The report as tables that a person reads. Every figure is said to be
/// predicted.
std::string toText(const llvm::json::Object &report);

/// Writes every entry as a Chrome trace event for Perfetto.
class TraceWriter : public EventListener {
public:
  TraceWriter(llvm::raw_ostream &os, const Program &program, const Target &target);
  ~TraceWriter() override;
  void onBlockStart(CoreId core, unsigned block, Cycles time) override;
  void onBlockEnd(CoreId core, unsigned block, Cycles time) override;
  void onEntry(const EntryEvent &entry) override;
  void onScalarStall(CoreId core, WaitCause cause, Pipe waitedFor, Cycles from,
                     Cycles to, LineId line) override;
  /// Closes the JSON text; also done by the destructor.
  void finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_VIEWS_REPORT_H
