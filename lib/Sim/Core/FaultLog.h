//===- FaultLog.h - Collecting faults from all threads --------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_FAULTLOG_H
#define TILEKILN_LIB_SIM_CORE_FAULTLOG_H

#include "tilekiln/Sim/Core/Fault.h"
#include <map>
#include <mutex>
#include <tuple>

namespace tilekiln::sim {

/// Faults that differ in time or place alone are one; the earliest is kept, so
/// that the result does not depend on the order of the threads.
class FaultLog {
public:
  void add(Fault fault);
  /// Sorted; at most `limit` (0: all).
  std::vector<Fault> take(unsigned limit);

private:
  using Key = std::tuple<FaultKind, LineId, LineId, Pipe, CoreType, std::string>;
  std::mutex mutex;
  std::map<Key, Fault> faults;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_FAULTLOG_H
