//===- CoreScalar.cpp - The scalar unit of a core -------------------------===//
//
// Runs ahead of the queues until it has to wait for them: for a flag, for a
// barrier over all, for a cross-core flag, or for room in a queue.
//
//===----------------------------------------------------------------------===//
#include "ElementAccess.h"
#include "Engine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;

CoreModel::CoreModel(Engine &engine, unsigned slot, unsigned inBlock, CoreId id)
    : id(id), memories(engine.options.values
                           ? std::make_unique<CoreMemories>(
                                 id.kind, engine.timing.capacityBytes)
                           : nullptr),
      engine(engine), slot(slot), inBlock(inBlock),
      flags(pipeCount * pipeCount * 8) {}

void CoreModel::start(const Function &function, unsigned block, Cycles time,
                      uint64_t cause) {
  state = IssueState();
  state.core = id.kind;
  state.block = block;
  state.blockCount = engine.blockCount();
  state.subBlock = inBlock == 2 ? 1 : 0;
  state.wantsValues = engine.options.values;
  state.texts = engine.program.texts;
  unit.emplace(function, !engine.options.values);
  for (const Parameter &parameter : function.parameters) {
    if (!parameter.isBuffer) {
      unit->scalar(parameter.reg) = engine.parameter(parameter, block);
      continue;
    }
    unsigned tensor = parameter.kind == Parameter::Kind::Lock ? lockTensor
                      : parameter.kind == Parameter::Kind::Workspace
                          ? workspaceTensor
                          : firstUserTensor + parameter.user;
    int64_t elements =
        engine.tensorBytes(tensor) * 8 / int64_t(getBits(parameter.type));
    Buffer buffer = Buffer::make(
        Space::GM, parameter.type, 0,
        parameter.shape.empty() ? llvm::ArrayRef<int64_t>(elements)
                                : llvm::ArrayRef<int64_t>(parameter.shape));
    buffer.tensor = uint16_t(tensor);
    unit->buffer(parameter.reg) = buffer;
  }
  for (PipeState &pipe : pipes) {
    pipe = PipeState();
    pipe.freeAt = pipe.lastBusyEnd = pipe.lastFinish = time;
  }
  for (SignalQueue &queue : flags)
    queue.clear();
  for (SignalQueue &queue : crossFlags)
    queue.clear();
  units.clear();
  for (AccessMap &map : touched)
    map.clear();
  scalarClock = Clock();
  scalarSequence = 0;
  issueClocks.assign(1, scalarClock);
  pending.clear();
  nextPending = 0;
  isEnding = blockedOnSpace = false;
  scalarCause = cause;
  now = time;
  status = Status::Running;
  if (engine.values()) {
    ValueJob forget;
    forget.memories = memories.get();
    engine.values()->push(slot, std::move(forget));
  }
}

void CoreModel::raiseCross(unsigned flag, Signal signal) {
  SignalQueue &queue = crossFlags[flag & 15];
  ++queue.raised;
  if (int64_t(queue.size()) >= engine.timing.crossCoreFlagCount)
    engine.faults().add(makeFault(
        FaultKind::FlagOverflow, signal.pipe, signal.line, signal.time,
        "sync_block_set",
        llvm::formatv("cross-core flag {0} is raised more than {1} times before "
                      "it is waited for",
                      flag, engine.timing.crossCoreFlagCount)
            .str()));
  queue.push(std::move(signal));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool CoreModel::runScalar() {
  bool moved = false;
  while (status != Status::Done) {
    while (nextPending < pending.size()) {
      if (!place(pending[nextPending])) {
        status = Status::Blocked;
        return moved;
      }
      ++nextPending;
      moved = true;
    }
    status = Status::Running;
    pending.clear();
    nextPending = 0;
    if (isEnding) {
      if (!waitForAll(currentLine, true))
        return moved;
      status = Status::Done;
      return true;
    }
    const Instruction &instruction = unit->run();
    uint64_t count = unit->takeCount();
    engine.scalarInstructions += count;
    // Most scalar code is address arithmetic, each step of which needs the last.
    if (engine.options.time)
      now += double(count) * engine.timing.scalarDependent;
    currentLine = instruction.line;
    moved = true;
    if (!unit->failure().empty()) {
      engine.fail(instruction.line, unit->failure());
      status = Status::Done;
      return true;
    }
    if (!handle(instruction)) {
      status = Status::Done;
      return true;
    }
  }
  return moved;
}

/// False when the run has to stop.
bool CoreModel::handle(const Instruction &in) {
  auto push = [&](QueueOp::Kind kind) -> QueueOp & {
    QueueOp &op = pending.emplace_back();
    op.kind = kind;
    op.pipe = in.pipe;
    op.otherPipe = in.otherPipe;
    op.flag = uint8_t(in.a == noRegister ? in.imm : unit->scalar(in.a).i);
    op.line = in.line;
    return op;
  };
  switch (in.opcode) {
  case Opcode::SetFlag:
    push(QueueOp::Kind::SetFlag);
    break;
  case Opcode::WaitFlag: {
    QueueOp &op = push(QueueOp::Kind::WaitFlag);
    std::swap(op.pipe, op.otherPipe);
    break;
  }
  case Opcode::Barrier:
    push(QueueOp::Kind::Barrier);
    break;
  case Opcode::CrossSet:
    push(QueueOp::Kind::CrossSet).crossMode = CrossMode(in.sub);
    break;
  case Opcode::CrossWait:
    push(QueueOp::Kind::CrossWait);
    break;
  case Opcode::Call:
    call(in);
    break;
  case Opcode::Load:
    load(in);
    break;
  case Opcode::Store:
    store(in);
    break;
  case Opcode::BlockIdx:
    unit->scalar(in.dst).i = state.block;
    break;
  case Opcode::BlockNum:
    unit->scalar(in.dst).i = state.blockCount;
    break;
  case Opcode::SubBlockIdx:
    unit->scalar(in.dst).i = state.subBlock;
    break;
  case Opcode::SubBlockNum:
    unit->scalar(in.dst).i =
        engine.program.isMixed() ? engine.program.aivPerBlock : 1;
    break;
  case Opcode::SysCount:
    unit->scalar(in.dst).i = int64_t(now);
    break;
  case Opcode::SetCtrl: {
    uint64_t bit = 1ull << (in.imm & 63);
    state.control = in.sub ? state.control | bit : state.control & ~bit;
    break;
  }
  case Opcode::Assert:
    if (!unit->isUnknown(in.a) && !unit->scalar(in.a).i)
      engine.faults().add(makeFault(FaultKind::Assert, Pipe::S, in.line, now,
                                    "assert",
                                    engine.program.texts[size_t(in.imm)]));
    break;
  case Opcode::Return:
    isEnding = true;
    break;
  default:
    engine.fail(in.line, "an instruction that the scalar unit does not know");
    return false;
  }
  unit->skip();
  return true;
}

void CoreModel::call(const Instruction &in) {
  const CallSite &site = unit->function().calls[size_t(in.imm)];
  const LibraryCallee &callee = engine.program.functions[site.function];
  llvm::SmallVector<CallArgument, 16> arguments(site.operands.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const CallOperand &operand = site.operands[i];
    arguments[i].type = operand.type;
    if (operand.kind == CallOperand::Kind::Buffer) {
      arguments[i].buffer = &unit->buffer(operand.reg);
    } else {
      arguments[i].scalar = unit->scalar(operand.reg);
      arguments[i].isUnknown = unit->isUnknown(operand.reg);
    }
  }
  Issue issue(engine.timing, state);
  issue.ops().swap(pending);
  callee.function->issue(CallArguments(arguments), issue);
  pending.swap(issue.ops());
  for (QueueOp &op : pending) {
    op.line = in.line;
    op.function = callee.name;
  }
  for (Issue::IssueFault &fault : issue.faults())
    engine.faults().add(makeFault(fault.kind, Pipe::S, in.line, now, callee.name,
                                  std::move(fault.text)));
}

//===----------------------------------------------------------------------===//
// Pushing and waiting
//===----------------------------------------------------------------------===//

bool CoreModel::checkRange(QueueOp &op) {
  for (const Access &access : op.accesses) {
    int64_t limit = access.space == Space::GM
                        ? engine.tensorBytes(access.tensor)
                        : engine.timing.capacityBytes[unsigned(access.space)];
    if (access.beginBytes >= 0 && access.endBytes() <= limit)
      continue;
    std::string space =
        access.space == Space::GM
            ? llvm::formatv("tensor '{0}'", engine.tensorName(access.tensor)).str()
            : getName(access.space).str();
    Fault fault = makeFault(
        FaultKind::OutOfRange, op.pipe, op.line, now, op.function,
        llvm::formatv("{0} bytes {1} to {2} of {3}, which has {4} bytes",
                      access.mode == Access::Mode::Read ? "reads" : "writes",
                      access.beginBytes, access.endBytes() - 1, space, limit)
            .str());
    fault.space = access.space;
    fault.addressBytes = access.beginBytes < 0 ? access.beginBytes : limit;
    engine.faults().add(std::move(fault));
    op.accesses.clear();
    op.work = nullptr;
    return false;
  }
  return true;
}

void CoreModel::joinScalar(const Clock &clock) {
  scalarClock.join(clock);
  constexpr size_t many = 4096;
  bool allEmpty = llvm::all_of(
      pipes, [](const PipeState &state) { return state.queue.empty(); });
  if (issueClocks.size() > many && allEmpty) {
    issueClocks.clear();
    for (PipeState &state : pipes)
      state.joinedClock = ~0u;
  }
  issueClocks.push_back(scalarClock);
}

void CoreModel::stall(WaitCause cause, Pipe from, Cycles until, LineId line,
                      uint64_t causeEntry) {
  if (until <= now)
    return;
  scalarCause = causeEntry;
  engine.tellStall(id, cause, from, now, until, line);
  now = until;
}

bool CoreModel::waitScalar(SignalQueue &signals, WaitCause cause, Pipe from,
                           LineId line) {
  if (signals.empty())
    return false;
  Signal signal = signals.pop();
  stall(cause, signal.pipe, signal.time, line, signal.entry);
  if (engine.options.time)
    now += engine.timing.flagIssue;
  joinScalar(signal.clock);
  return true;
}

bool CoreModel::waitForAll(LineId line, bool isEnd) {
  Cycles until = now;
  uint64_t last = 0;
  for (PipeState &state : pipes) {
    if (!state.queue.empty() || state.inFlight)
      return false;
    Cycles end = std::max(state.lastFinish, state.freeAt);
    if (end > until) {
      until = end;
      last = state.lastEntry;
    }
  }
  stall(WaitCause::Barrier, Pipe::All, until, line, last);
  Clock all = scalarClock;
  for (unsigned pipe = 0; pipe < pipeCount; ++pipe) {
    all.join(pipes[pipe].clock);
    all.at[index(Pipe(pipe))] = pipes[pipe].sequence;
  }
  all.at[index(Pipe::S)] = scalarSequence;
  joinScalar(all);
  return true;
}

/// False where the scalar unit has to wait.
bool CoreModel::place(QueueOp &op) {
  bool timed = engine.options.time;
  auto tell = [&] { engine.tellIssue(id, inBlock, state.block, op); };
  if (op.pipe == Pipe::All) {
    if (!waitForAll(op.line, false))
      return false;
    tell();
    return true;
  }
  if (op.pipe != Pipe::S) {
    PipeState &to = pipeState(op.pipe);
    if (int64_t(to.queue.size()) >= engine.timing.queueDepth) {
      if (!blockedOnSpace)
        to.released.reset();
      blockedOnSpace = true;
      blockedOn = op.pipe;
      return false;
    }
    if (blockedOnSpace) {
      blockedOnSpace = false;
      if (to.released)
        stall(WaitCause::Pipe, op.pipe, *to.released, op.line, to.releasedBy);
    }
    checkRange(op);
    tell();
    to.queue.push_back(
        {std::move(op), now, uint32_t(issueClocks.size() - 1), scalarCause});
    if (timed)
      now += engine.timing.scalarIssue;
    return true;
  }
  switch (op.kind) {
  case QueueOp::Kind::WaitFlag:
    if (!waitScalar(flag(op.otherPipe, Pipe::S, op.flag), WaitCause::Flag,
                    op.otherPipe, op.line))
      return false;
    tell();
    return true;
  case QueueOp::Kind::CrossWait:
    if (!waitScalar(crossFlags[op.flag & 15], WaitCause::CrossFlag, Pipe::S,
                    op.line))
      return false;
    tell();
    return true;
  case QueueOp::Kind::SetFlag:
  case QueueOp::Kind::CrossSet: {
    bool crosses = op.kind == QueueOp::Kind::CrossSet;
    Signal signal;
    signal.time = now + (!timed    ? 0
                         : crosses ? engine.timing.crossCoreFlagLatency
                                   : engine.timing.flagLatency);
    signal.clock = scalarClock;
    signal.clock.at[index(Pipe::S)] = scalarSequence;
    signal.line = op.line;
    tell();
    if (crosses) {
      engine.crossSet(slot, inBlock, op.flag, op.crossMode, std::move(signal));
    } else {
      SignalQueue &queue = flag(Pipe::S, op.otherPipe, op.flag);
      ++queue.raised;
      queue.push(std::move(signal));
    }
    return true;
  }
  case QueueOp::Kind::Scalar:
  case QueueOp::Kind::Execute:
  case QueueOp::Kind::Transfer:
    checkRange(op);
    tell();
    ++scalarSequence;
    checkAccesses(op, Pipe::S, scalarClock, scalarSequence, now);
    pushJob(op, Pipe::S, now);
    if (timed)
      now += op.busy;
    return true;
  case QueueOp::Kind::Barrier:
    return true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The element as a buffer without dimensions; false where it is out of range.
bool CoreModel::elementAt(const Instruction &in, Buffer &element) {
  element = unit->buffer(in.a);
  for (unsigned i = 0; i < in.sub; ++i)
    element.offset +=
        unit->scalar(unit->function().operands[size_t(in.imm) + i]).i *
        element.strides[i];
  element.rank = 0;
  QueueOp op;
  op.line = in.line;
  op.pipe = Pipe::S;
  bool isLoad = in.opcode == Opcode::Load;
  op.function = op.instruction = isLoad ? "memref.load" : "memref.store";
  isLoad ? op.reads(element) : op.writes(element);
  if (!checkRange(op))
    return false;
  engine.tellIssue(id, inBlock, state.block, op);
  ++scalarSequence;
  checkAccesses(op, Pipe::S, scalarClock, scalarSequence, now);
  if (engine.options.time)
    now += engine.timing.scalarDependent;
  return true;
}

static Access accessOf(const Buffer &element, Access::Mode mode) {
  Accesses accesses;
  appendAccesses(element, mode, accesses);
  return accesses.front();
}

void CoreModel::load(const Instruction &in) {
  Buffer element;
  unit->scalar(in.dst) = Scalar();
  unit->setUnknown(in.dst, false);
  if (!elementAt(in, element))
    return;
  bool isGlobal = element.space == Space::GM;
  if (!engine.options.values) {
    bool canRead = isGlobal && engine.tensor(element.tensor).data() &&
                   !engine.isWrittenTensor(element.tensor);
    unit->setUnknown(in.dst, !canRead);
    if (canRead)
      unit->scalar(in.dst) =
          readElement(engine.tensor(element.tensor).data() + element.addressBytes(),
                      element.type, element.bitOffset());
    return;
  }
  if (isGlobal && engine.isWrittenTensor(element.tensor))
    engine.values()->drainAll();
  else
    engine.values()->drain(slot);
  Memory &memory = isGlobal ? engine.tensor(element.tensor)
                   : element.space == Space::L1 ? *memories->l1
                                                : *memories->ub;
  if (engine.options.faults &&
      !memory.isWritten(accessOf(element, Access::Mode::Read))) {
    Fault fault = makeFault(FaultKind::Unwritten, Pipe::S, in.line, now,
                            "memref.load", "loads an element that nothing wrote");
    fault.space = element.space;
    fault.addressBytes = element.addressBytes();
    engine.faults().add(std::move(fault));
  }
  unit->scalar(in.dst) = readElement(memory.data() + element.addressBytes(),
                                     element.type, element.bitOffset());
}

void CoreModel::store(const Instruction &in) {
  Buffer element;
  if (!elementAt(in, element) || !engine.options.values)
    return;
  engine.values()->drain(slot);
  Memory &memory = element.space == Space::GM ? engine.tensor(element.tensor)
                   : element.space == Space::L1 ? *memories->l1
                                                : *memories->ub;
  writeElement(memory.data() + element.addressBytes(), element.type,
               element.bitOffset(), unit->scalar(in.b));
  memory.setWritten(accessOf(element, Access::Mode::Write));
}

//===----------------------------------------------------------------------===//
// What is left at the end
//===----------------------------------------------------------------------===//

void CoreModel::reportDeadlock() {
  if (status == Status::Done)
    return;
  auto waiting = [&](const QueueOp &op, Cycles since) {
    std::string text;
    if (op.kind == QueueOp::Kind::WaitFlag) {
      const SignalQueue &queue = flag(op.otherPipe, op.pipe, op.flag);
      text = llvm::formatv("pipe {0} waits for event {1} from pipe {2}, which was "
                           "raised {3} times and waited for {4} times before",
                           getName(op.pipe), int(op.flag), getName(op.otherPipe),
                           queue.raised, queue.taken)
                 .str();
    } else if (op.kind == QueueOp::Kind::CrossWait) {
      const SignalQueue &queue = crossFlags[op.flag & 15];
      text = llvm::formatv("pipe {0} waits for cross-core flag {1}, which was "
                           "raised {2} times and waited for {3} times before",
                           getName(op.pipe), int(op.flag), queue.raised,
                           queue.taken)
                 .str();
    } else if (op.unitFlag != UnitFlag::Off) {
      text = llvm::formatv(
                 "pipe {0} waits by unit flag for {1}", getName(op.pipe),
                 op.pipe == Pipe::FIX ? "a product in the tile that it fetches"
                                      : "the fetch of what it overwrites")
                 .str();
    } else {
      text = "the scalar unit waits for its queues to empty";
    }
    engine.faults().add(makeFault(
        FaultKind::Deadlock, op.pipe, op.line, since,
        op.kind == QueueOp::Kind::CrossWait  ? llvm::StringRef("sync_block_wait")
        : op.kind == QueueOp::Kind::WaitFlag ? llvm::StringRef("wait_flag")
        : op.unitFlag != UnitFlag::Off       ? op.function
                                             : "pipe_barrier",
        text + llvm::formatv("; it has waited since cycle {0:F0} and nothing is "
                             "left that could raise it",
                             since)
                   .str()));
  };
  bool pipeWaits = false;
  for (unsigned pipe = 1; pipe < pipeCount; ++pipe) {
    PipeState &state = pipes[pipe];
    if (state.queue.empty() || state.inFlight)
      continue;
    waiting(state.queue.front().op,
            std::max(state.freeAt, state.queue.front().issued));
    pipeWaits = true;
  }
  if (nextPending < pending.size() && pending[nextPending].pipe == Pipe::S)
    waiting(pending[nextPending], now);
  else if (!pipeWaits && nextPending < pending.size())
    waiting(pending[nextPending], now);
}

void CoreModel::reportLeftFlags() {
  for (unsigned from = 0; from < pipeCount; ++from)
    for (unsigned to = 0; to < pipeCount; ++to)
      for (unsigned event = 0; event < 8; ++event) {
        SignalQueue &queue = flag(Pipe(from), Pipe(to), event);
        if (queue.empty())
          continue;
        engine.faults().add(makeFault(
            FaultKind::FlagLeft, Pipe(from), queue.front().line, now, "set_flag",
            llvm::formatv("event {0} from pipe {1} to pipe {2} is still raised at "
                          "the end of the kernel: raised {3} times, waited for "
                          "{4} times",
                          event, getName(Pipe(from)), getName(Pipe(to)),
                          queue.raised, queue.taken)
                .str()));
      }
  for (auto &[address, unit] : units)
    if (!unit.filled.empty())
      engine.faults().add(makeFault(
          FaultKind::FlagLeft, Pipe::M, unit.filled.front().line, now, "unit flag",
          llvm::formatv("the tile at byte {0} of l0c is announced by unit flag and "
                        "never fetched by one",
                        address)
              .str()));
  for (unsigned event = 0; event < crossFlags.size(); ++event) {
    SignalQueue &queue = crossFlags[event];
    if (queue.empty())
      continue;
    engine.faults().add(makeFault(
        FaultKind::FlagLeft, Pipe::S, queue.front().line, now, "sync_block_set",
        llvm::formatv("cross-core flag {0} is still raised at the end of the "
                      "kernel: raised {1} times, waited for {2} times",
                      event, queue.raised, queue.taken)
            .str()));
  }
}
