//===- CoreModel.h - One AIC or AIV ---------------------------------------===//
//
// The scalar unit, the in-order queues and the flags of a core. advance() moves
// everything that does not depend on other cores as far as it goes; transfers of
// global memory are left to the engine, which knows who else moves data.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_COREMODEL_H
#define TILEKILN_LIB_SIM_CORE_COREMODEL_H

#include "AccessMap.h"
#include "Clock.h"
#include "ScalarUnit.h"
#include "ValueRunner.h"
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Listener.h"
#include <deque>
#include <optional>

namespace tilekiln::sim {

class Engine;

/// A raised flag on its way to who waits for it.
struct Signal {
  Cycles time = 0;
  Clock clock;
  Pipe pipe = Pipe::S;
  LineId line = 0;
  /// The entry that it came after.
  uint64_t entry = 0;
};

/// Signals that nobody waited for yet, oldest first. Events count: nearly every
/// pipelined kernel of the vendor's compiler raises one again with nothing that
/// orders it behind the wait for the time before.
class SignalQueue {
public:
  bool empty() const { return head == signals.size(); }
  size_t size() const { return signals.size() - head; }
  const Signal &front() const { return signals[head]; }
  void push(Signal signal) { signals.push_back(std::move(signal)); }
  Signal pop();
  void clear();

  /// How often it was raised and waited for, for messages.
  uint64_t raised = 0, taken = 0;

private:
  std::vector<Signal> signals;
  size_t head = 0;
};

class CoreModel {
public:
  CoreModel(Engine &engine, unsigned slot, unsigned inBlock, CoreId id);

  /// Begins a block at a time; `cause` is the entry whose end that is.
  void start(const Function &function, unsigned block, Cycles time, uint64_t cause);
  bool isDone() const { return status == Status::Done; }
  Cycles endTime() const { return now; }
  /// The entry that the scalar unit waited for last.
  uint64_t lastCause() const { return scalarCause; }
  unsigned currentBlock() const { return state.block; }

  /// Moves all that can move; false if nothing did.
  bool advance();
  /// The transfer at the head of a pipe begins, or has moved its last byte.
  void startTransfer(Pipe pipe, Cycles time);
  void endTransfer(Pipe pipe, Cycles time);
  void raiseCross(unsigned flag, Signal signal);

  /// Faults for everything that waits, or was left raised.
  void reportDeadlock();
  void reportLeftFlags();

  CoreId id;
  std::unique_ptr<CoreMemories> memories;

private:
  friend class ScalarHost;

  /// Tiles of L0C that unit flags hand over.
  struct UnitState {
    SignalQueue filled, freed;
    /// A product was announced and the next one has not waited for its fetch.
    bool isOwed = false;
  };

  struct Entry {
    QueueOp op;
    Cycles issued = 0;
    /// The scalar unit's clock when it issued the entry, as an index.
    uint32_t issueClock = 0;
    /// What the scalar unit had waited for last.
    uint64_t issueCause = 0;
  };
  struct PipeState {
    std::deque<Entry> queue;
    Cycles freeAt = 0, lastBusyEnd = 0, lastFinish = 0;
    Clock clock;
    uint32_t sequence = 0, joinedClock = 0;
    /// A transfer is waiting for its start, or moving.
    bool inFlight = false;
    Cycles transferStart = 0;
    double transferLatency = 0, transferMinimumBusy = 0;
    EntryEvent transferEvent;
    /// What raised freeAt last.
    WaitCause cause = WaitCause::Pipe;
    Pipe causePipe = Pipe::S;
    uint64_t causeEntry = 0, lastEntry = 0;
    /// When the head left a full queue.
    std::optional<Cycles> released;
    uint64_t releasedBy = 0;
    LineId waitingLine = 0;
  };
  enum class Status : uint8_t { Running, Blocked, Done };

  PipeIndex index(Pipe pipe) const {
    return PipeIndex(inBlock * pipeCount + unsigned(pipe));
  }
  PipeState &pipeState(Pipe pipe) { return pipes[unsigned(pipe)]; }
  SignalQueue &flag(Pipe from, Pipe to, unsigned event) {
    return flags[(unsigned(from) * pipeCount + unsigned(to)) * 8 + (event & 7)];
  }

  // Queues.
  bool advancePipe(Pipe pipe);
  bool resolve(Pipe pipe, PipeState &state, Entry &entry);
  void resolveWork(Pipe pipe, PipeState &state, Entry &entry);
  void scheduleTransfer(Pipe pipe, PipeState &state, Entry &entry);
  void takeSignal(PipeState &state, const Signal &signal, WaitCause cause,
                  Cycles ready);
  Signal makeSignal(Pipe pipe, PipeState &state, Cycles ready, Cycles latency,
                    LineId line);
  bool waitForUnit(Pipe pipe, PipeState &state, const QueueOp &op);
  void setUnit(Pipe pipe, PipeState &state, const QueueOp &op);
  UnitState &unitOf(const QueueOp &op);
  void pop(PipeState &state, Cycles time);
  EntryEvent describe(Pipe pipe, const PipeState &state, const Entry &entry,
                      Cycles start) const;

  // Scalar unit.
  bool runScalar();
  bool handle(const Instruction &instruction);
  bool place(QueueOp &op);
  bool waitScalar(SignalQueue &signals, WaitCause cause, Pipe from, LineId line);
  bool waitForAll(LineId line, bool isEnd);
  void stall(WaitCause cause, Pipe from, Cycles until, LineId line,
             uint64_t causeEntry);
  void joinScalar(const Clock &clock);
  void call(const Instruction &instruction);
  void load(const Instruction &instruction);
  void store(const Instruction &instruction);
  bool elementAt(const Instruction &instruction, Buffer &element);
  bool checkRange(QueueOp &op);

  // Checks.
  void checkAccesses(QueueOp &op, Pipe pipe, const Clock &clock,
                     uint32_t sequence, Cycles time);
  void pushJob(QueueOp &op, Pipe pipe, Cycles time);
  Fault makeFault(FaultKind kind, Pipe pipe, LineId line, Cycles time,
                  llvm::StringRef instruction, std::string text) const;

  Engine &engine;
  unsigned slot, inBlock;
  Status status = Status::Done;
  IssueState state;
  std::optional<ScalarUnit> unit;
  /// The scalar unit's own time.
  Cycles now = 0;
  /// What the current instruction pushes, and how far it got.
  std::vector<QueueOp> pending;
  size_t nextPending = 0;
  bool isEnding = false;
  /// The entry whose end the scalar unit waited for last.
  uint64_t scalarCause = 0;
  Pipe blockedOn = Pipe::S;
  bool blockedOnSpace = false;
  LineId currentLine = 0;
  Clock scalarClock;
  uint32_t scalarSequence = 0;
  std::vector<Clock> issueClocks;
  std::array<PipeState, pipeCount> pipes;
  std::vector<SignalQueue> flags;
  std::array<SignalQueue, 16> crossFlags;
  /// By address.
  std::map<int64_t, UnitState> units;
  std::array<AccessMap, spaceCount> touched;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_COREMODEL_H
