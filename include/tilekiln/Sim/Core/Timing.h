//===- Timing.h - The target's timing constants, resolved -----------------===//
//
// Looked up once by name in the target's description; a constant that is missing
// there is an error that names it. Nothing in the simulator has a figure of its
// own.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_TIMING_H
#define TILEKILN_SIM_CORE_TIMING_H

#include "tilekiln/Sim/Core/Types.h"
#include "tilekiln/Target/Target.h"
#include "llvm/ADT/StringMap.h"

namespace tilekiln::sim {

/// An instruction of the vector pipe: startup + perRepeat * repeats.
struct VectorCost {
  double perRepeat = 1, startup = 0;
};

struct Timing {
  static llvm::Expected<Timing> get(const Target &target);

  double hertz = 0;
  unsigned aicCount = 0, aivCount = 0, aivPerAic = 2;
  int64_t capacityBytes[spaceCount] = {};

  double mmadCyclesPerFractal, mmadCyclesPerFractalF32, mmadIssueGap,
      mmadResultLatency;
  double mte1L0aBytesPerCycle, mte1L0bBytesPerCycle, mte1IssueGap, mte1PairSync;
  double mte2IssueGap, mte2LatencyL1, mte2LatencyUb, mte2MissLatency,
      mte2BytesPerCycleL1, mte2BytesPerCycleUb;
  double nd2nzCyclesPerRow, nd2nzBytesPerCycle;
  /// L2: what an AI core's port takes, and what all of them together do.
  double l2CapacityBytes, l2SectorBytes, l2PortBytesPerCycle,
      l2WriteBytesPerCyclePerCore, l2BytesPerCycle, l2WriteBytesPerCycle;
  /// For the whole machine, in bytes per cycle.
  double hbmContiguousBytesPerCycle, hbmNd2nzBytesPerCycle,
      hbmReadWriteBytesPerCycle;
  /// Per AI core, and of it per vector core.
  double hbmAicBytesPerCycle, hbmAivBytesPerCycle;
  double unalignedFactorUb, unalignedFactorNd2nz;
  double sameAddressFactorAic, sameAddressFactorAiv;
  double fixLatency, fixBytesPerCycle, fixBytesPerCycleAllCores;
  double mte3Latency, mte3BytesPerCycle;
  double vectorBytesPerRepeat, vectorCountMode, vectorBankConflictFactor,
      vectorPowerRounds;
  double scalarIssue, scalarDependent, scalarLoopBody;
  double flagIssue, flagLatency, barrierVector, crossCoreFlagLatency;
  double launchCycles, launchMixCycles;
  int64_t crossCoreFlagCount, crossCoreFlagIds, eventIds, queueDepth;

  /// "vadd", "vcast.f32.f16" ...: what the description has under `vector.`; an
  /// instruction without an entry costs what vadd does.
  VectorCost vector(llvm::StringRef instruction) const;

  llvm::StringMap<VectorCost> vectorCosts;
};

/// Applies `--set name=value` to a description: "cores=24" (AIC, with as many
/// AIVs per AIC as before), "clock=1850" (MHz), or the name of a timing constant
/// or limit. An error lists names that are near.
llvm::Error setFigure(Target &target, llvm::StringRef assignment);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_TIMING_H
