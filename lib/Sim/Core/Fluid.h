//===- Fluid.h - Transfers that share L2 and HBM --------------------------===//
//
// Every transfer in flight has a rate: what its pipe can take, or its share of
// what moves them all where the sum of what they could take is too much: the port
// through which an AI core's cube core and vector cores read, HBM, and L2 (max-min
// fair). Rates are computed anew whenever a transfer starts or
// ends.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_FLUID_H
#define TILEKILN_LIB_SIM_CORE_FLUID_H

#include "tilekiln/Sim/Core/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace tilekiln::sim {

struct Flow {
  /// Who is told when it is done.
  unsigned id = 0;
  double bytes = 0;
  /// Bytes per cycle if nothing else moved.
  double cap = 1;
  /// HBM bytes per byte, and what HBM's bandwidth is for this kind.
  double hbmShare = 0, hbmCapacity = 0;
  bool writes = false;
  /// The AI core.
  unsigned port = 0;
  /// Where it begins, as a line of L2; reads of one line by several cores at a
  /// time are slower by `sameAddressFactor`.
  uint64_t line = 0;
  double sameAddressFactor = 1;
};

class Fluid {
public:
  explicit Fluid(const Timing &timing) : timing(timing) {}

  void start(const Flow &flow, Cycles now);
  /// When the next transfer ends; infinity if none is in flight.
  Cycles nextEnd() const { return nextEndTime; }
  /// Ends the transfer that nextEnd() is about and gives its id.
  unsigned finish();
  bool empty() const { return flows.empty(); }

private:
  struct Moving {
    Flow flow;
    double left = 0, rate = 0;
  };
  void advance(Cycles now);
  void share();
  /// Gives what is moved no more than `capacity` in all, where a flow counts by
  /// its weight.
  void limit(double capacity, llvm::function_ref<double(const Flow &)> weight);
  void sharePorts();
  void shareHbm();
  void shareL2();

  const Timing &timing;
  std::vector<Moving> flows;
  /// What the reads of an AI core could take, and of it from HBM.
  struct Port {
    double reads = 0, misses = 0;
  };
  std::vector<Port> ports;
  Cycles time = 0;
  Cycles nextEndTime = 1e300;
  size_t nextIndex = 0;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_FLUID_H
