//===- Listener.h - What a run tells those who make reports ---------------===//
//
// The scheduler calls a listener from one thread. Times are final when it is
// told them; entries of one pipe come in order, entries of different pipes and
// cores need not.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_LISTENER_H
#define TILEKILN_SIM_CORE_LISTENER_H

#include "tilekiln/Sim/Core/Types.h"

namespace tilekiln::sim {

struct QueueOp;

/// A core of the machine.
struct CoreId {
  CoreType kind = CoreType::AIC;
  unsigned index = 0;
};

/// Why an entry did not start earlier.
enum class WaitCause : uint8_t {
  /// The scalar unit had not issued it.
  Issue,
  /// Its own pipe was busy.
  Pipe,
  /// A flag of another pipe of the core.
  Flag,
  /// A flag of another core.
  CrossFlag,
  /// A barrier on its own pipe or on all.
  Barrier
};

/// One entry of a queue that did work (flags and barriers are told as the cause
/// of the next entry).
struct EntryEvent {
  /// Numbered through the run, from 1.
  uint64_t id = 0;
  /// The entry whose end was the reason for the start of this one (where the
  /// scalar unit issued it late: what that waited for last); 0: none.
  uint64_t cause = 0;
  WaitCause waitedFor = WaitCause::Issue;
  /// The pipe that raised the flag, for WaitCause::Flag and CrossFlag.
  Pipe waitedForPipe = Pipe::S;
  CoreId core;
  unsigned block = 0;
  Pipe pipe = Pipe::S;
  LineId line = 0;
  /// The library function and the instruction: "mma_tile_half_to_float", "mad".
  llvm::StringRef function, instruction;
  /// When the scalar unit issued it, when the pipe took it, when the pipe could
  /// take the next one, when its results could be seen.
  Cycles issued = 0, start = 0, busyEnd = 0, finish = 0;
  /// What the pipe idled before it for the given reason.
  Cycles waited = 0;
  /// Moved to or from global memory, and how much of it came from or went past
  /// the L2 cache.
  int64_t globalReadBytes = 0, globalWriteBytes = 0, missBytes = 0;
  /// Moved between memories of the core (L1 to L0A and so on).
  int64_t localBytes = 0;
  /// Multiply-adds times two of a matrix instruction; lanes of a vector one.
  double flops = 0;
};

class EventListener {
public:
  virtual ~EventListener();
  virtual void onBlockStart(CoreId core, unsigned block, Cycles time) {}
  virtual void onBlockEnd(CoreId core, unsigned block, Cycles time) {}
  /// The scalar unit issued something to a queue or did it itself: work, a flag or
  /// a barrier, with the bytes that it touches. Everything of a core comes in the
  /// order of its program; cores take turns in any order. `inBlock` is 0 for the
  /// AIC, 1 and 2 for the AIVs.
  virtual void onIssue(CoreId core, unsigned inBlock, unsigned block,
                       const QueueOp &op) {}
  virtual void onEntry(const EntryEvent &entry) {}
  /// The scalar unit of a core stood still.
  virtual void onScalarStall(CoreId core, WaitCause cause, Pipe waitedFor,
                             Cycles from, Cycles to, LineId line) {}
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_LISTENER_H
