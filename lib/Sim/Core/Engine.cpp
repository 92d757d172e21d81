//===- Engine.cpp - The machine: cores, shared memory and time ------------===//
#include "Engine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;

Engine::Engine(const Program &program, const Timing &timing, const Launch &launch,
               const SimOptions &options)
    : program(program), timing(timing), launch(launch), options(options),
      fluid(timing) {}

Engine::~Engine() { runner.reset(); }

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

int64_t Engine::tensorBytes(unsigned tensor) const {
  return tensors[tensor]->size();
}

std::string Engine::tensorName(unsigned tensor) const {
  if (tensor == lockTensor)
    return "lock";
  if (tensor == workspaceTensor)
    return "workspace";
  const std::string &name = launch.arguments[tensor - firstUserTensor].name;
  return name.empty() ? llvm::formatv("argument {0}", tensor - firstUserTensor).str()
                      : name;
}

bool Engine::isWrittenTensor(unsigned tensor) const {
  unsigned user = tensor - firstUserTensor;
  return tensor < firstUserTensor || user >= program.writtenArguments.size() ||
         program.writtenArguments[user];
}

Scalar Engine::parameter(const Parameter &parameter, unsigned block) const {
  switch (parameter.kind) {
  case Parameter::Kind::GridX:
    return Scalar::integer(launch.gridX);
  case Parameter::Kind::GridY:
    return Scalar::integer(launch.gridY);
  case Parameter::Kind::GridZ:
    return Scalar::integer(launch.gridZ);
  case Parameter::Kind::User: {
    const SimArgument &argument = launch.arguments[parameter.user];
    bool isReal = argument.kind == SimArgument::Kind::Real;
    if (isFloat(parameter.type))
      return Scalar::real(isReal ? argument.real : double(argument.integer));
    return Scalar::integer(isReal ? int64_t(argument.real) : argument.integer);
  }
  default:
    return Scalar();
  }
}

llvm::Error Engine::prepare() {
  auto problem = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  if (!program.aic && !program.aiv)
    return problem("the program '" + program.name +
                   "' has no entry for any core; nothing can be simulated");
  blocks = launch.blockCount ? launch.blockCount
                             : launch.gridX * launch.gridY * launch.gridZ;
  if (blocks < 1)
    return problem("a launch of no blocks: every extent of the grid has to be at "
                   "least 1");
  for (const Function *function : {program.aic.get(), program.aiv.get()})
    for (const Parameter &parameter :
         function ? llvm::ArrayRef<Parameter>(function->parameters)
                  : llvm::ArrayRef<Parameter>()) {
      if (parameter.kind != Parameter::Kind::User)
        continue;
      if (parameter.user >= launch.arguments.size())
        return problem(llvm::formatv("kernel '{0}' takes argument {1}, but {2} "
                                     "are given",
                                     program.name, parameter.user,
                                     launch.arguments.size())
                           .str());
      const SimArgument &argument = launch.arguments[parameter.user];
      bool isTensor = argument.kind == SimArgument::Kind::Tensor;
      if (isTensor != parameter.isBuffer)
        return problem(llvm::formatv("argument {0} of kernel '{1}' is a {2}, but "
                                     "a {3} is given",
                                     parameter.user, program.name,
                                     parameter.isBuffer ? "tensor" : "number",
                                     isTensor ? "tensor" : "number")
                           .str());
      if (options.values && isTensor && !argument.data && argument.sizeBytes)
        return problem(llvm::formatv("argument {0} of kernel '{1}' has no data, "
                                     "which a run with values needs",
                                     parameter.user, program.name)
                           .str());
    }

  int64_t workspaceBytes = launch.workspaceBytes >= 0
                               ? launch.workspaceBytes
                               : program.workspaceBytesPerBlock * blocks;
  auto owned = [&](int64_t bytes) {
    return options.values ? std::make_unique<Memory>(bytes)
                          : std::make_unique<Memory>(nullptr, bytes);
  };
  tensors.push_back(owned(launch.lockBytes));
  if (options.values) {
    // Locks start at zero.
    std::fill_n(tensors.back()->data(), launch.lockBytes, uint8_t(0));
    Access all;
    all.runBytes = launch.lockBytes;
    tensors.back()->setWritten(all);
  }
  tensors.push_back(owned(workspaceBytes));
  for (const SimArgument &argument : launch.arguments)
    tensors.push_back(std::make_unique<Memory>(argument.data, argument.sizeBytes));

  std::vector<int64_t> sizes;
  conflicts.resize(tensors.size());
  for (unsigned i = 0; i < tensors.size(); ++i) {
    sizes.push_back(tensors[i]->size());
    if (options.faults && i >= firstUserTensor && isWrittenTensor(i) &&
        tensors[i]->size() > 0)
      conflicts[i].emplace(tensors[i]->size());
  }
  l2 = std::make_unique<Cache>(int64_t(timing.l2CapacityBytes), std::move(sizes));

  // Slots.
  unsigned vectors = program.aiv ? std::max(program.aivPerBlock, 1u) : 0;
  unsigned count = program.isMixed()
                       ? std::min(timing.aicCount, timing.aivCount / vectors)
                   : program.aic ? timing.aicCount
                                 : timing.aivCount;
  count = unsigned(std::min<int64_t>(count, blocks));
  if (count < 1)
    return problem("the target has no core for kernel '" + program.name + "'");
  slots.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    Slot &slot = slots[i];
    if (program.aic)
      slot.cores.push_back(
          std::make_unique<CoreModel>(*this, i, 0, CoreId{CoreType::AIC, i}));
    unsigned perSlot = program.isMixed() ? vectors : vectors ? 1 : 0;
    for (unsigned j = 0; j < perSlot; ++j)
      slot.cores.push_back(std::make_unique<CoreModel>(
          *this, i, 1 + j, CoreId{CoreType::AIV, i * perSlot + j}));
    slot.touched.resize(tensors.size());
  }
  if (options.values) {
    unsigned threads = options.threads ? options.threads
                                       : std::max(1u, std::thread::hardware_concurrency());
    runner = std::make_unique<ValueRunner>(threads, count, tensors, faultLog);
  }
  totals.blocks = unsigned(blocks);
  totals.coresUsed = count;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What cores ask for
//===----------------------------------------------------------------------===//

static unsigned flowId(unsigned slot, unsigned inBlock, Pipe pipe) {
  return (slot * coresPerBlock + inBlock) * 8 + unsigned(pipe);
}

static CoreModel &coreOf(std::vector<std::unique_ptr<CoreModel>> &cores,
                         const Program &program, unsigned inBlock) {
  return *cores[program.aic ? inBlock : inBlock - 1];
}

void Engine::requestTransfer(unsigned slot, unsigned inBlock, Pipe pipe,
                             Cycles when) {
  events.push({when, ++eventOrder, slot, inBlock, pipe});
}

void Engine::startFlow(unsigned slot, unsigned inBlock, Pipe pipe,
                       const Flow &flow) {
  if (flow.bytes <= 0 || !options.time) {
    coreOf(slots[slot].cores, program, inBlock).endTransfer(pipe, time);
    return;
  }
  Flow named = flow;
  named.id = flowId(slot, inBlock, pipe);
  // Blocks of one vector core each fill an AI core before the next.
  named.port = program.aic ? slot : slot / std::max(timing.aivPerAic, 1u);
  fluid.start(named, time);
}

void Engine::crossSet(unsigned slotIndex, unsigned inBlock, unsigned flag,
                      CrossMode mode, Signal signal) {
  Slot &slot = slots[slotIndex];
  flag &= 15;
  auto join = [](Signal &to, const Signal &from) {
    to.clock.join(from.clock);
    if (from.time > to.time) {
      to.time = from.time;
      to.pipe = from.pipe;
      to.line = from.line;
      to.entry = from.entry;
    }
  };
  if (mode == CrossMode::IntraBlock && inBlock == 0) {
    for (auto &core : slot.cores)
      if (core->id.kind == CoreType::AIV)
        core->raiseCross(flag, signal);
    return;
  }
  if (mode != CrossMode::InterBlock) {
    // The AIC counts when every AIV of the block has raised the flag; in mode 1
    // the AIVs do.
    auto &from = mode == CrossMode::IntraBlock ? slot.fromVector
                                               : slot.subBlockFlags;
    from[inBlock - 1][flag].push(std::move(signal));
    unsigned vectors = program.isMixed() ? program.aivPerBlock : 1;
    for (unsigned i = 0; i < vectors; ++i)
      if (from[i][flag].empty())
        return;
    Signal all = from[0][flag].pop();
    for (unsigned i = 1; i < vectors; ++i)
      join(all, from[i][flag].pop());
    for (auto &core : slot.cores)
      if ((core->id.kind == CoreType::AIC) == (mode == CrossMode::IntraBlock))
        core->raiseCross(flag, all);
    return;
  }
  // All cores of a kind meet.
  slot.allFlags[inBlock][flag].push(std::move(signal));
  CoreType kind = inBlock == 0 ? CoreType::AIC : CoreType::AIV;
  for (Slot &other : slots)
    for (auto &core : other.cores)
      if (core->id.kind == kind) {
        unsigned place = kind == CoreType::AIC ? 0
                         : program.aic ? unsigned(&core - &other.cores[0])
                                       : 1 + unsigned(&core - &other.cores[0]);
        if (other.allFlags[place][flag].empty())
          return;
      }
  Cycles latest = 0;
  for (Slot &other : slots)
    for (auto &flags : other.allFlags)
      if (!flags[flag].empty() && (&flags == &other.allFlags[0]) == (inBlock == 0))
        latest = std::max(latest, flags[flag].front().time);
  for (unsigned i = 0; i < slots.size(); ++i) {
    Slot &other = slots[i];
    for (auto &core : other.cores) {
      if (core->id.kind != kind)
        continue;
      unsigned place = kind == CoreType::AIC ? 0
                       : program.aic ? unsigned(&core - &other.cores[0])
                                     : 1 + unsigned(&core - &other.cores[0]);
      Signal own = other.allFlags[place][flag].pop();
      own.time = latest;
      core->raiseCross(flag, std::move(own));
    }
    dirtySlots.push_back(i);
  }
  // What blocks did before is in order with what they do from here on.
  for (auto &conflict : conflicts)
    if (conflict)
      conflict->forget();
  if (runner)
    runner->drainAll();
}

void Engine::checkGlobal(unsigned slot, unsigned block, const Access &access,
                         const Toucher &self, const Clock &clock, Met &met,
                         std::optional<BlockConflict> &blockConflict) {
  if (!isWrittenTensor(access.tensor))
    return;
  slots[slot].touched[access.tensor].access(access, self, clock, met);
  if (auto &map = conflicts[access.tensor])
    blockConflict = map->access(access, block, self.line);
}

void Engine::tell(EntryEvent &event) {
  totals.globalReadBytes += event.globalReadBytes;
  totals.globalWriteBytes += event.globalWriteBytes;
  totals.hbmBytes += event.missBytes;
  totals.flops += event.flops;
  for (EventListener *listener : options.listeners)
    listener->onEntry(event);
}

void Engine::tellStall(CoreId core, WaitCause cause, Pipe from, Cycles begin,
                       Cycles end, LineId line) {
  for (EventListener *listener : options.listeners)
    listener->onScalarStall(core, cause, from, begin, end, line);
}

void Engine::fail(LineId line, const std::string &what) {
  if (!failure.empty())
    return;
  const SourcePlace &place = program.lines[line];
  if (place.line)
    failure = llvm::formatv("{0}:{1}: ", place.file, place.line).str();
  failure += llvm::formatv("kernel '{0}' cannot be simulated: {1}", program.name,
                           what)
                 .str();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Engine::startBlock(unsigned index, Cycles when) {
  if (nextBlock >= blocks)
    return;
  Slot &slot = slots[index];
  slot.isBusy = true;
  slot.block = unsigned(nextBlock++);
  for (AccessMap &map : slot.touched)
    map.clear();
  for (auto *flags : {slot.fromVector, slot.subBlockFlags})
    for (unsigned i = 0; i < 2; ++i)
      for (SignalQueue &queue : flags[i])
        queue.clear();
  for (auto &core : slot.cores) {
    for (EventListener *listener : options.listeners)
      listener->onBlockStart(core->id, slot.block, when);
    core->start(core->id.kind == CoreType::AIC ? *program.aic : *program.aiv,
                slot.block, when, slot.lastCause);
  }
  dirtySlots.push_back(index);
}

void Engine::advance(unsigned index) {
  Slot &slot = slots[index];
  if (!slot.isBusy)
    return;
  for (bool moved = true; moved && failure.empty();) {
    moved = false;
    for (auto &core : slot.cores)
      moved |= core->advance();
  }
  for (auto &core : slot.cores)
    if (!core->isDone())
      return;
  endBlock(index);
}

void Engine::endBlock(unsigned index) {
  Slot &slot = slots[index];
  Cycles end = 0;
  for (auto &core : slot.cores) {
    if (core->endTime() >= end)
      slot.lastCause = core->lastCause();
    end = std::max(end, core->endTime());
    core->reportLeftFlags();
    for (EventListener *listener : options.listeners)
      listener->onBlockEnd(core->id, slot.block, core->endTime());
  }
  slot.isBusy = false;
  lastEnd = std::max(lastEnd, end);
  ++doneBlocks;
  if (options.progress)
    options.progress(uint64_t(doneBlocks), uint64_t(blocks));
  if (nextBlock < blocks)
    events.push({end, ++eventOrder, index, 0, Pipe::S});
}

void Engine::loop() {
  while (failure.empty()) {
    while (!dirtySlots.empty() && failure.empty()) {
      unsigned slot = dirtySlots.back();
      dirtySlots.pop_back();
      advance(slot);
    }
    bool hasEvent = !events.empty();
    if (!hasEvent && fluid.empty())
      return;
    if (!fluid.empty() && (!hasEvent || fluid.nextEnd() <= events.top().time)) {
      time = std::max(time, fluid.nextEnd());
      unsigned id = fluid.finish();
      unsigned slot = id / 8 / coresPerBlock;
      coreOf(slots[slot].cores, program, id / 8 % coresPerBlock)
          .endTransfer(Pipe(id % 8), time);
      advance(slot);
      continue;
    }
    Event event = events.top();
    events.pop();
    time = std::max(time, event.time);
    if (options.maxSeconds > 0 && time > options.maxSeconds * timing.hertz) {
      failure = llvm::formatv("kernel '{0}' runs for more than {1} simulated "
                              "seconds; {2} of {3} blocks are done",
                              program.name, options.maxSeconds, doneBlocks, blocks)
                    .str();
      return;
    }
    if (event.pipe == Pipe::S) {
      startBlock(event.slot, event.time);
      continue;
    }
    coreOf(slots[event.slot].cores, program, event.inBlock)
        .startTransfer(event.pipe, event.time);
    advance(event.slot);
  }
}

SimResult Engine::result() {
  totals.kernelCycles = lastEnd;
  totals.totalCycles =
      options.time ? lastEnd + (program.isMixed() ? timing.launchMixCycles
                                                  : timing.launchCycles)
                   : 0;
  totals.totalSeconds = totals.totalCycles / timing.hertz;
  totals.scalarInstructions = scalarInstructions;
  totals.queueEntries = entryCount;
  totals.faults = faultLog.take(options.maxFaults);
  return std::move(totals);
}

llvm::Expected<SimResult> Engine::run() {
  if (llvm::Error error = prepare())
    return error;
  for (unsigned i = 0; i < slots.size(); ++i)
    startBlock(i, 0);
  loop();
  if (runner)
    runner->drainAll();
  runner.reset();
  if (!failure.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), failure);
  for (Slot &slot : slots)
    if (slot.isBusy)
      for (auto &core : slot.cores) {
        core->reportDeadlock();
        lastEnd = std::max(lastEnd, core->endTime());
      }
  return result();
}
