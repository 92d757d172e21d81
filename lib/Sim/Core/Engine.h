//===- Engine.h - The machine: cores, shared memory and time --------------===//
//
// Gives blocks to slots (an AIC, an AIV, or an AIC with its AIVs), carries
// cross-core flags, and moves time from one start or end of a transfer to the
// next. One thread; values are computed by a ValueRunner beside it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_ENGINE_H
#define TILEKILN_LIB_SIM_CORE_ENGINE_H

#include "BlockConflicts.h"
#include "Cache.h"
#include "CoreModel.h"
#include "FaultLog.h"
#include "Fluid.h"
#include "tilekiln/Sim/Core/Simulator.h"
#include <queue>

namespace tilekiln::sim {

/// Tensors are numbered: lock, workspace, then the user's arguments.
constexpr unsigned lockTensor = 0, workspaceTensor = 1, firstUserTensor = 2;

class Engine {
public:
  Engine(const Program &program, const Timing &timing, const Launch &launch,
         const SimOptions &options);
  ~Engine();

  llvm::Expected<SimResult> run();

  // For the cores.
  const Program &program;
  const Timing &timing;
  const Launch &launch;
  const SimOptions &options;

  /// Asks for a transfer to start.
  void requestTransfer(unsigned slot, unsigned inBlock, Pipe pipe, Cycles time);
  /// Starts it; gives what it costs. False: it takes no time.
  void startFlow(unsigned slot, unsigned inBlock, Pipe pipe, const Flow &flow);
  void crossSet(unsigned slot, unsigned inBlock, unsigned flag, CrossMode mode,
                Signal signal);
  void checkGlobal(unsigned slot, unsigned block, const Access &access,
                   const Toucher &self, const Clock &clock, Met &met,
                   std::optional<BlockConflict> &blockConflict);
  void tell(EntryEvent &event);
  void tellIssue(CoreId core, unsigned inBlock, unsigned block, const QueueOp &op) {
    for (EventListener *listener : options.listeners)
      listener->onIssue(core, inBlock, block, op);
  }
  void tellStall(CoreId core, WaitCause cause, Pipe from, Cycles begin, Cycles end,
                 LineId line);
  uint64_t nextEntryId() { return ++entryCount; }
  /// Stops the run with an error.
  void fail(LineId line, const std::string &what);

  Cache &cache() { return *l2; }
  FaultLog &faults() { return faultLog; }
  ValueRunner *values() { return runner.get(); }
  int64_t tensorBytes(unsigned tensor) const;
  std::string tensorName(unsigned tensor) const;
  /// Null in a run without values if nobody gave the data.
  Memory &tensor(unsigned index) { return *tensors[index]; }
  bool isWrittenTensor(unsigned tensor) const;
  Scalar parameter(const Parameter &parameter, unsigned block) const;
  unsigned blockCount() const { return unsigned(blocks); }
  unsigned coresInSlot() const { return unsigned(slots.front().cores.size()); }
  uint64_t scalarInstructions = 0;

private:
  struct Slot {
    std::vector<std::unique_ptr<CoreModel>> cores;
    bool isBusy = false;
    unsigned block = 0;
    /// What the end of the last block waited for, and so the start of the next.
    uint64_t lastCause = 0;
    /// Accesses of the current block, per tensor.
    std::vector<AccessMap> touched;
    /// Flags that one AIV of the block has raised and the others have not.
    std::array<SignalQueue, 16> fromVector[2], subBlockFlags[2];
    std::array<SignalQueue, 16> allFlags[3];
  };
  struct Event {
    Cycles time;
    uint64_t order;
    unsigned slot;
    unsigned inBlock;
    Pipe pipe; // S: a block starts.
    bool operator<(const Event &other) const {
      return std::tie(time, order) > std::tie(other.time, other.order);
    }
  };

  llvm::Error prepare();
  void startBlock(unsigned slot, Cycles time);
  void advance(unsigned slot);
  void endBlock(unsigned slot);
  void loop();
  SimResult result();

  std::vector<std::unique_ptr<Memory>> tensors;
  std::vector<std::optional<BlockConflicts>> conflicts;
  std::unique_ptr<Cache> l2;
  Fluid fluid;
  FaultLog faultLog;
  std::vector<Slot> slots;
  std::unique_ptr<ValueRunner> runner;
  std::priority_queue<Event> events;
  std::vector<unsigned> dirtySlots;
  uint64_t eventOrder = 0, entryCount = 0;
  int64_t blocks = 0, nextBlock = 0, doneBlocks = 0;
  Cycles time = 0, lastEnd = 0;
  std::string failure;
  SimResult totals;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_ENGINE_H
