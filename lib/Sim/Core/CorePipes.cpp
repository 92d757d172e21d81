//===- CorePipes.cpp - The queues of a core -------------------------------===//
//
// Entries leave a queue in order. An entry is resolved as soon as everything that
// it depends on has a time, which may be ahead of the engine's: only transfers of
// global memory depend on what other cores do meanwhile.
//
//===----------------------------------------------------------------------===//
#include "Engine.h"
#include "Transfers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;

Signal SignalQueue::pop() {
  ++taken;
  Signal signal = std::move(signals[head++]);
  if (head == signals.size()) {
    signals.clear();
    head = 0;
  } else if (head > 64) {
    signals.erase(signals.begin(), signals.begin() + ptrdiff_t(head));
    head = 0;
  }
  return signal;
}

void SignalQueue::clear() {
  signals.clear();
  head = 0;
  raised = taken = 0;
}

bool CoreModel::advance() {
  if (status == Status::Done)
    return false;
  bool any = false;
  for (bool moved = true; moved;) {
    moved = runScalar();
    for (unsigned pipe = 1; pipe < pipeCount; ++pipe)
      moved |= advancePipe(Pipe(pipe));
    any |= moved;
  }
  return any;
}

bool CoreModel::advancePipe(Pipe pipe) {
  PipeState &state = pipeState(pipe);
  bool moved = false;
  while (!state.queue.empty() && !state.inFlight) {
    Entry &entry = state.queue.front();
    if (entry.issueClock != state.joinedClock) {
      state.clock.join(issueClocks[entry.issueClock]);
      state.joinedClock = entry.issueClock;
    }
    if (!resolve(pipe, state, entry))
      break;
    moved = true;
  }
  return moved;
}

/// False where the entry has to wait for something that has no time yet.
bool CoreModel::resolve(Pipe pipe, PipeState &state, Entry &entry) {
  QueueOp &op = entry.op;
  Cycles ready = std::max(entry.issued, state.freeAt);
  const Timing &timing = engine.timing;
  bool timed = engine.options.time;
  switch (op.kind) {
  case QueueOp::Kind::Execute:
    if (!waitForUnit(pipe, state, op))
      return false;
    resolveWork(pipe, state, entry);
    return true;
  case QueueOp::Kind::Transfer:
    if (!waitForUnit(pipe, state, op))
      return false;
    scheduleTransfer(pipe, state, entry);
    return true;
  case QueueOp::Kind::SetFlag: {
    Signal signal = makeSignal(pipe, state, ready, timing.flagLatency, op.line);
    SignalQueue &queue = flag(pipe, op.otherPipe, op.flag);
    ++queue.raised;
    queue.push(std::move(signal));
    state.freeAt = ready + (timed ? timing.flagIssue : 0);
    pop(state, ready);
    return true;
  }
  case QueueOp::Kind::WaitFlag: {
    SignalQueue &queue = flag(op.otherPipe, pipe, op.flag);
    state.waitingLine = op.line;
    if (queue.empty())
      return false;
    takeSignal(state, queue.pop(), WaitCause::Flag, ready);
    pop(state, ready);
    return true;
  }
  case QueueOp::Kind::Barrier: {
    Cycles until = state.lastFinish;
    if (until > ready) {
      state.cause = WaitCause::Barrier;
      state.causePipe = pipe;
      state.causeEntry = state.lastEntry;
    }
    state.freeAt = std::max(ready, until) +
                   (timed && pipe == Pipe::V ? timing.barrierVector : 0);
    state.clock.at[index(pipe)] = state.sequence;
    pop(state, ready);
    return true;
  }
  case QueueOp::Kind::CrossSet:
    engine.crossSet(slot, inBlock, op.flag, op.crossMode,
                    makeSignal(pipe, state, ready, timing.crossCoreFlagLatency,
                               op.line));
    state.freeAt = ready + (timed ? timing.flagIssue : 0);
    pop(state, ready);
    return true;
  case QueueOp::Kind::CrossWait: {
    SignalQueue &queue = crossFlags[op.flag & 15];
    state.waitingLine = op.line;
    if (queue.empty())
      return false;
    takeSignal(state, queue.pop(), WaitCause::CrossFlag, ready);
    pop(state, ready);
    return true;
  }
  case QueueOp::Kind::Scalar:
    break;
  }
  pop(state, ready);
  return true;
}

//===----------------------------------------------------------------------===//
// Unit flags
//===----------------------------------------------------------------------===//

/// The tile that an instruction writes to or fetches a part of.
CoreModel::UnitState &CoreModel::unitOf(const QueueOp &op) {
  int64_t address = 0;
  for (const Access &access : op.accesses)
    if (access.space == Space::L0C)
      address = access.beginBytes;
  if (op.pipe != Pipe::FIX)
    return units[address];
  auto behind = units.upper_bound(address);
  return behind == units.begin() ? units[address] : std::prev(behind)->second;
}

/// False where the tile is not there, or not free, yet.
bool CoreModel::waitForUnit(Pipe pipe, PipeState &state, const QueueOp &op) {
  if (op.unitFlag == UnitFlag::Off)
    return true;
  UnitState &unit = unitOf(op);
  bool isFetch = pipe == Pipe::FIX;
  state.waitingLine = op.line;
  if (!isFetch && !unit.isOwed)
    return true;
  SignalQueue &signals = isFetch ? unit.filled : unit.freed;
  if (signals.empty())
    return false;
  Cycles ready = std::max(state.queue.front().issued, state.freeAt);
  // Not the queue but the instruction waits: no flag is taken from a counter.
  bool keeps = isFetch && op.unitFlag == UnitFlag::Check;
  takeSignal(state, keeps ? signals.front() : signals.pop(), WaitCause::Flag, ready);
  unit.isOwed &= isFetch;
  return true;
}

void CoreModel::setUnit(Pipe pipe, PipeState &state, const QueueOp &op) {
  if (op.unitFlag != UnitFlag::CheckAndSet)
    return;
  UnitState &unit = unitOf(op);
  bool isFetch = pipe == Pipe::FIX;
  (isFetch ? unit.freed : unit.filled)
      .push(makeSignal(pipe, state, state.freeAt, 0, op.line));
  unit.isOwed |= !isFetch;
}

void CoreModel::pop(PipeState &state, Cycles time) {
  if (blockedOnSpace && &state == &pipeState(blockedOn) && !state.released) {
    state.released = time;
    state.releasedBy = state.lastEntry;
  }
  state.queue.pop_front();
}

Signal CoreModel::makeSignal(Pipe pipe, PipeState &state, Cycles ready,
                             Cycles latency, LineId line) {
  Signal signal;
  signal.time = std::max(ready, state.lastFinish) +
                (engine.options.time ? latency : 0);
  signal.clock = state.clock;
  signal.clock.at[index(pipe)] = state.sequence;
  signal.pipe = pipe;
  signal.line = line;
  signal.entry = state.lastEntry;
  return signal;
}

void CoreModel::takeSignal(PipeState &state, const Signal &signal,
                           WaitCause cause, Cycles ready) {
  state.clock.join(signal.clock);
  if (signal.time > ready) {
    state.cause = cause;
    state.causePipe = signal.pipe;
    state.causeEntry = signal.entry;
  }
  state.freeAt = std::max(ready, signal.time) +
                 (engine.options.time ? engine.timing.flagIssue : 0);
}

EntryEvent CoreModel::describe(Pipe pipe, const PipeState &pipeState,
                               const Entry &entry, Cycles start) const {
  EntryEvent event;
  event.id = engine.nextEntryId();
  event.core = id;
  event.block = state.block;
  event.pipe = pipe;
  event.line = entry.op.line;
  event.function = entry.op.function;
  event.instruction = entry.op.instruction;
  event.issued = entry.issued;
  event.start = start;
  event.waited = start - pipeState.lastBusyEnd;
  event.flops = entry.op.flops;
  event.localBytes = entry.op.localBytes;
  if (entry.issued >= pipeState.freeAt) {
    event.waitedFor = WaitCause::Issue;
    event.cause = entry.issueCause;
  } else if (event.waited > 0) {
    event.waitedFor = pipeState.cause;
    event.waitedForPipe = pipeState.causePipe;
    event.cause = pipeState.causeEntry;
  } else {
    event.waitedFor = WaitCause::Pipe;
    event.waitedForPipe = pipe;
    event.cause = pipeState.lastEntry;
  }
  return event;
}

void CoreModel::resolveWork(Pipe pipe, PipeState &state, Entry &entry) {
  QueueOp &op = entry.op;
  bool timed = engine.options.time;
  Cycles start = std::max(entry.issued, state.freeAt);
  Cycles busyEnd = start + (timed ? op.busy : 0);
  Cycles finish = busyEnd + (timed ? op.latency : 0);
  ++state.sequence;
  checkAccesses(op, pipe, state.clock, state.sequence, start);
  EntryEvent event = describe(pipe, state, entry, start);
  event.busyEnd = busyEnd;
  event.finish = finish;
  engine.tell(event);
  pushJob(op, pipe, start);
  state.lastEntry = event.id;
  state.freeAt = state.lastBusyEnd = busyEnd;
  state.lastFinish = std::max(state.lastFinish, finish);
  state.cause = WaitCause::Pipe;
  state.causePipe = pipe;
  state.causeEntry = event.id;
  setUnit(pipe, state, op);
  pop(state, start);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void CoreModel::scheduleTransfer(Pipe pipe, PipeState &state, Entry &entry) {
  state.inFlight = true;
  engine.requestTransfer(slot, inBlock, pipe,
                         std::max(entry.issued, state.freeAt));
}

void CoreModel::startTransfer(Pipe pipe, Cycles time) {
  PipeState &state = pipeState(pipe);
  Entry &entry = state.queue.front();
  ++state.sequence;
  checkAccesses(entry.op, pipe, state.clock, state.sequence, time);
  TransferCost cost;
  if (engine.options.time)
    cost = getTransferCost(entry.op, id.kind, engine.timing, engine.cache());
  state.transferStart = time;
  state.transferLatency = cost.latency;
  state.transferMinimumBusy = cost.minimumBusy;
  state.transferEvent = describe(pipe, state, entry, time);
  state.transferEvent.globalReadBytes = cost.readBytes;
  state.transferEvent.globalWriteBytes = cost.writeBytes;
  state.transferEvent.missBytes = cost.hbmBytes;
  pushJob(entry.op, pipe, time);
  engine.startFlow(slot, inBlock, pipe, cost.flow);
}

void CoreModel::endTransfer(Pipe pipe, Cycles time) {
  PipeState &state = pipeState(pipe);
  EntryEvent &event = state.transferEvent;
  event.busyEnd = std::max(time, state.transferStart + state.transferMinimumBusy);
  // The gap to the next one keeps the pipe, not the data.
  event.finish = std::max(event.busyEnd, time + state.transferLatency);
  engine.tell(event);
  state.lastEntry = event.id;
  state.freeAt = state.lastBusyEnd = event.busyEnd;
  state.lastFinish = std::max(state.lastFinish, event.finish);
  state.cause = WaitCause::Pipe;
  state.causePipe = pipe;
  state.causeEntry = event.id;
  state.inFlight = false;
  setUnit(pipe, state, state.queue.front().op);
  pop(state, state.transferStart);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Fault CoreModel::makeFault(FaultKind kind, Pipe pipe, LineId line, Cycles time,
                           llvm::StringRef instruction, std::string text) const {
  Fault fault;
  fault.kind = kind;
  fault.cycle = time;
  fault.block = state.block;
  fault.coreKind = id.kind;
  fault.core = id.index;
  fault.pipe = pipe;
  fault.line = line;
  fault.instruction = instruction.str();
  fault.text = std::move(text);
  return fault;
}

static std::string describeConflict(const Conflict &conflict, const Access &access,
                                    const std::string &where, Pipe self,
                                    unsigned selfCore, const Program &program) {
  Pipe other = Pipe(conflict.other.pipe % pipeCount);
  unsigned otherCore = conflict.other.pipe / pipeCount;
  auto pipeText = [](Pipe pipe, unsigned core) {
    static constexpr const char *cores[] = {"the AIC", "AIV 0", "AIV 1"};
    return llvm::formatv("pipe {0} of {1}", getName(pipe), cores[core]).str();
  };
  auto originText = [&](uint32_t origin) {
    return origin < program.origins.size() ? program.origins[origin] : "?";
  };
  if (conflict.kind == Conflict::Kind::Overlap)
    return llvm::formatv(
               "reads {0} as buffer {1}, but the last write there was through "
               "buffer {2}: two live buffers overlap",
               where, originText(access.origin), originText(conflict.other.origin))
        .str();
  const char *mine = access.mode == Access::Mode::Read ? "reads" : "writes";
  const char *theirs =
      conflict.kind == Conflict::Kind::WriteAfterRead ? "reads" : "writes";
  const char *advice = conflict.other.pipe == selfCore * pipeCount + unsigned(self)
                           ? "a barrier of the pipe is missing"
                       : otherCore == selfCore
                           ? "a set_flag and wait_flag between the pipes is missing"
                           : "a cross-core flag between the cores is missing";
  return llvm::formatv("{0} {1} while {2} {3} it, and nothing orders the two: {4}",
                       mine, where, pipeText(other, otherCore), theirs, advice)
      .str();
}

static bool writesInto(const QueueOp &op, Space space, const UndefinedRange &range) {
  return llvm::any_of(op.accesses, [&](const Access &access) {
    return access.mode != Access::Mode::Read && access.space == space &&
           access.beginBytes < range.end && range.begin < access.endBytes();
  });
}

/// What was never written through a buffer is undefined to a job that reads it
/// there, and to nobody else: its owner may still need it.
static void makeUndefined(QueueOp &op, Space space, llvm::ArrayRef<UndefinedRange> ranges) {
  struct Range {
    Access bytes;
    bool isRestored;
  };
  std::vector<Range> hidden;
  for (const UndefinedRange &range : ranges) {
    Access bytes;
    bytes.space = space;
    bytes.beginBytes = range.begin;
    bytes.runBytes = range.end - range.begin;
    hidden.push_back({bytes, !writesInto(op, space, range)});
  }
  op.work = [work = std::move(op.work), space,
             hidden = std::move(hidden)](ValueContext &values) mutable {
    Memory &memory = values.memory(space, 0);
    for (Range &range : hidden) {
      range.isRestored &= memory.isWritten(range.bytes);
      memory.setWritten(range.bytes, false);
    }
    work(values);
    for (const Range &range : hidden)
      if (range.isRestored)
        memory.setWritten(range.bytes, true);
  };
}

void CoreModel::checkAccesses(QueueOp &op, Pipe pipe, const Clock &clock,
                              uint32_t sequence, Cycles time) {
  if (!engine.options.faults)
    return;
  Met met;
  for (const Access &access : op.accesses) {
    met.clear();
    Toucher self;
    self.pipe = index(pipe);
    self.sequence = sequence;
    self.line = op.line;
    self.origin = access.origin;
    std::optional<BlockConflict> blockConflict;
    if (access.space == Space::GM)
      engine.checkGlobal(slot, state.block, access, self, clock, met, blockConflict);
    else
      touched[unsigned(access.space)].access(access, self, clock, met);
    // An element that the scalar unit loads is no padding.
    if (pipe == Pipe::S && !op.work)
      for (const UndefinedRange &range : met.undefined)
        met.conflicts.push_back({Conflict::Kind::Overlap, range.writer, range.begin});
    else if (access.space != Space::GM && !met.undefined.empty() && op.work &&
             engine.values())
      makeUndefined(op, access.space, met.undefined);
    if (met.conflicts.empty() && !blockConflict)
      continue;
    auto where = [&](int64_t address) {
      std::string space =
          access.space == Space::GM
              ? llvm::formatv("tensor '{0}'", engine.tensorName(access.tensor)).str()
              : getName(access.space).str();
      return llvm::formatv("byte {0} of {1}", address, space).str();
    };
    for (const Conflict &conflict : met.conflicts) {
      bool isOverlap = conflict.kind == Conflict::Kind::Overlap;
      Fault fault = makeFault(
          isOverlap ? FaultKind::Overlap : FaultKind::Race, pipe, op.line, time,
          op.function,
          describeConflict(conflict, access, where(conflict.addressBytes), pipe,
                           inBlock, engine.program));
      fault.space = access.space;
      fault.addressBytes = conflict.addressBytes;
      fault.otherLine = conflict.other.line;
      engine.faults().add(std::move(fault));
    }
    if (blockConflict) {
      Fault fault = makeFault(
          FaultKind::Race, pipe, op.line, time, op.function,
          llvm::formatv("{0} {1} that block {2} {3}; blocks run in no order",
                        access.mode == Access::Mode::Read ? "reads" : "writes",
                        where(blockConflict->addressBytes),
                        blockConflict->otherBlock,
                        blockConflict->otherWrites ? "writes" : "reads")
              .str());
      fault.space = Space::GM;
      fault.addressBytes = blockConflict->addressBytes;
      fault.otherLine = blockConflict->otherLine;
      engine.faults().add(std::move(fault));
    }
  }
}

void CoreModel::pushJob(QueueOp &op, Pipe pipe, Cycles time) {
  if (!op.work || !engine.values())
    return;
  ValueJob job;
  job.work = std::move(op.work);
  job.memories = memories.get();
  for (const Access &access : op.accesses)
    job.isOrdered |=
        access.space == Space::GM && access.mode == Access::Mode::Atomic;
  job.place = makeFault(FaultKind::Unwritten, pipe, op.line, time, op.function, "");
  engine.values()->push(slot, std::move(job));
}
