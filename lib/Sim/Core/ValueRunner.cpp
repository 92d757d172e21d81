//===- ValueRunner.cpp - Computing values on host threads -----------------===//
#include "ValueRunner.h"
#include "tilekiln/Sim/Library/CubeMemory.h"

using namespace tilekiln::sim;

CoreMemories::CoreMemories(CoreType kind, const int64_t *capacityBytes) {
  if (kind == CoreType::AIC) {
    l1 = std::make_unique<Memory>(capacityBytes[unsigned(Space::L1)]);
    cube = std::make_unique<CubeMemory>();
  } else {
    ub = std::make_unique<Memory>(capacityBytes[unsigned(Space::UB)]);
  }
}

CoreMemories::~CoreMemories() = default;

void CoreMemories::forget() {
  if (l1)
    l1->forget();
  if (ub)
    ub->forget();
  if (cube)
    cube->forget();
}

namespace {

class Context : public ValueContext {
public:
  Context(CoreMemories &memories, std::vector<std::unique_ptr<Memory>> &tensors,
          FaultLog &faults, const Fault &place)
      : memories(memories), tensors(tensors), faults(faults), place(place) {}

  Memory &memory(Space space, unsigned tensor) override {
    if (space == Space::GM)
      return *tensors[tensor];
    return space == Space::L1 ? *memories.l1 : *memories.ub;
  }
  CubeMemory &cube() override { return *memories.cube; }
  void fault(FaultKind kind, Space space, int64_t addressBytes,
             std::string text) override {
    Fault fault = place;
    fault.kind = kind;
    fault.space = space;
    fault.addressBytes = addressBytes;
    fault.text = std::move(text);
    faults.add(std::move(fault));
  }

private:
  CoreMemories &memories;
  std::vector<std::unique_ptr<Memory>> &tensors;
  FaultLog &faults;
  const Fault &place;
};

} // namespace

ValueRunner::ValueRunner(unsigned threadCount, unsigned slotCount,
                         std::vector<std::unique_ptr<Memory>> &tensors,
                         FaultLog &faults)
    : tensors(tensors), faults(faults), slots(slotCount) {
  if (threadCount > 1)
    for (unsigned i = 0; i < threadCount; ++i)
      threads.emplace_back([this] { work(); });
}

ValueRunner::~ValueRunner() {
  {
    std::lock_guard<std::mutex> guard(mutex);
    isStopping = true;
  }
  workAvailable.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void ValueRunner::runJob(ValueJob &job) {
  if (!job.work) {
    job.memories->forget();
    return;
  }
  Context context(*job.memories, tensors, faults, job.place);
  job.work(context);
}

void ValueRunner::push(unsigned slot, ValueJob job) {
  Slot &to = slots[slot];
  to.freshTickets.push_back(job.isOrdered ? nextTicket++ : 0);
  to.fresh.push_back(std::move(job));
  constexpr size_t batch = 16, backlog = 20000;
  if (to.fresh.size() < batch)
    return;
  std::unique_lock<std::mutex> lock(mutex);
  publish(slot);
  // The simulating thread helps when the others fall behind, which also bounds
  // the memory of the queues. An ordered job may wait for one that is not
  // published yet.
  if (pendingJobs > backlog) {
    for (unsigned i = 0; i < slots.size(); ++i)
      publish(i);
    while (pendingJobs > backlog / 2) {
      if (ready.empty()) {
        workDone.wait(lock);
        continue;
      }
      unsigned next = ready.front();
      ready.pop_front();
      runSome(next, lock);
    }
  }
}

bool ValueRunner::canRun(const Slot &slot) const {
  return !slot.isRunning && !slot.jobs.empty() &&
         (slot.tickets.front() == 0 || slot.tickets.front() == runTicket);
}

void ValueRunner::makeReady(unsigned slot) {
  if (slots[slot].isReady || !canRun(slots[slot]))
    return;
  slots[slot].isReady = true;
  ready.push_back(slot);
  workAvailable.notify_one();
}

void ValueRunner::publish(unsigned slot) {
  Slot &to = slots[slot];
  pendingJobs += to.fresh.size();
  for (size_t i = 0; i < to.fresh.size(); ++i) {
    to.jobs.push_back(std::move(to.fresh[i]));
    to.tickets.push_back(to.freshTickets[i]);
  }
  to.fresh.clear();
  to.freshTickets.clear();
  makeReady(slot);
}

void ValueRunner::runSome(unsigned index, std::unique_lock<std::mutex> &lock) {
  constexpr unsigned atOnce = 16;
  Slot &slot = slots[index];
  slot.isReady = false;
  if (!canRun(slot))
    return;
  slot.isRunning = true;
  for (unsigned i = 0; i < atOnce && !slot.jobs.empty(); ++i) {
    uint64_t ticket = slot.tickets.front();
    if (ticket && ticket != runTicket)
      break;
    ValueJob job = std::move(slot.jobs.front());
    slot.jobs.pop_front();
    slot.tickets.pop_front();
    lock.unlock();
    runJob(job);
    job = ValueJob();
    lock.lock();
    --pendingJobs;
    if (ticket) {
      ++runTicket;
      for (unsigned other = 0; other < slots.size(); ++other)
        if (other != index)
          makeReady(other);
    }
  }
  slot.isRunning = false;
  makeReady(index);
  workDone.notify_all();
}

void ValueRunner::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    workAvailable.wait(lock, [&] { return isStopping || !ready.empty(); });
    if (ready.empty())
      return;
    unsigned slot = ready.front();
    ready.pop_front();
    runSome(slot, lock);
  }
}

void ValueRunner::drain(unsigned slot) {
  Slot &wanted = slots[slot];
  std::unique_lock<std::mutex> lock(mutex);
  publish(slot);
  if (wanted.jobs.empty() && !wanted.isRunning)
    return;
  for (unsigned i = 0; i < slots.size(); ++i)
    publish(i);
  while (!wanted.jobs.empty() || wanted.isRunning) {
    if (canRun(wanted)) {
      runSome(slot, lock);
    } else if (!ready.empty()) {
      unsigned next = ready.front();
      ready.pop_front();
      runSome(next, lock);
    } else {
      workDone.wait(lock);
    }
  }
}

void ValueRunner::drainAll() {
  for (unsigned slot = 0; slot < slots.size(); ++slot)
    drain(slot);
}
