//===- ValueRunner.h - Computing values on host threads -------------------===//
//
// Each slot (the cores that run one block) has a queue of jobs that run one after
// the other; slots run in parallel. Ordered jobs (atomic updates of global
// memory) run in the order in which they were pushed, over all slots, so that
// float sums do not depend on the threads.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_VALUERUNNER_H
#define TILEKILN_LIB_SIM_CORE_VALUERUNNER_H

#include "FaultLog.h"
#include "tilekiln/Sim/Core/Memory.h"
#include "tilekiln/Sim/Core/QueueOp.h"
#include <condition_variable>
#include <deque>
#include <thread>

namespace tilekiln::sim {

/// The memories of one core.
struct CoreMemories {
  CoreMemories(CoreType kind, const int64_t *capacityBytes);
  ~CoreMemories();
  void forget();

  std::unique_ptr<Memory> l1, ub;
  std::unique_ptr<CubeMemory> cube;
};

struct ValueJob {
  Job work;
  /// Null: forgets what the memories hold.
  CoreMemories *memories = nullptr;
  bool isOrdered = false;
  /// Where faults of the job are.
  Fault place;
};

class ValueRunner {
public:
  /// `threads` 1: everything runs on the caller's thread when it has to.
  ValueRunner(unsigned threads, unsigned slots,
              std::vector<std::unique_ptr<Memory>> &tensors, FaultLog &faults);
  ~ValueRunner();

  void push(unsigned slot, ValueJob job);
  /// Returns when all jobs of a slot, or of all slots, are done.
  void drain(unsigned slot);
  void drainAll();

private:
  struct Slot {
    std::deque<ValueJob> jobs;
    /// Pushed, but not shown to the threads yet: saves locking.
    std::vector<ValueJob> fresh;
    std::deque<uint64_t> freshTickets, tickets;
    bool isRunning = false, isReady = false;
  };

  void publish(unsigned slot);
  void work();
  /// Runs some jobs of a slot; called and returns with the lock held.
  void runSome(unsigned slot, std::unique_lock<std::mutex> &lock);
  bool canRun(const Slot &slot) const;
  void makeReady(unsigned slot);
  void runJob(ValueJob &job);

  std::vector<std::unique_ptr<Memory>> &tensors;
  FaultLog &faults;
  std::vector<Slot> slots;
  std::deque<unsigned> ready;
  std::mutex mutex;
  std::condition_variable workAvailable, workDone;
  uint64_t nextTicket = 1, runTicket = 1;
  size_t pendingJobs = 0;
  bool isStopping = false;
  std::vector<std::thread> threads;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_VALUERUNNER_H
