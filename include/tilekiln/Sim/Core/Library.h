//===- Library.h - The device library as the simulator knows it -----------===//
//
// One table says what every library function means: a pattern of names, its
// operands, and a function that issues what the call does.
//
// To add a row:
//  1. Write `static void issueMine(const Signature &signature,
//     const CallArguments &arguments, Issue &issue)`. It pushes entries into the
//     core's queues, in program order:
//
//       const Buffer &a = arguments.buffer(0), &out = arguments.buffer(1);
//       issue.execute(Pipe::V, "vabs", issue.vectorCycles("vabs", repeats))
//           .reads(a).writes(out)
//           .job([a, out](ValueContext &values) { ...compute...; 
//                values.propagate(out, {a}); });
//
//     Declare everything that the hardware touches, also what it writes beyond
//     the buffer: this is what races, overlaps and ranges are judged by. The job
//     runs later, on another thread, only when values are wanted; capture copies
//     (Buffer is a value), never references. Flags and barriers that the library
//     function has inside are issued in between: issue.setFlag(Pipe::V,
//     Pipe::S, 7); issue.waitFlag(Pipe::V, Pipe::S, 7) makes the scalar unit
//     wait. An operand that the instruction cannot take: issue.fault().
//  2. Add `{"vabs_{rank}d_{type}", "bbb", issueMine}` to a
//     `void addMyRows(LibraryTable &table)` declared in Sim/Library/Rows.h and
//     called in LibraryTable::get(). Patterns: `{type}` is a type as the library
//     spells it, `{rank}` a digit, `{a|b}` one of some words, `[_tb]` may be
//     absent. Operands: b buffer, s scalar, `?` behind one that may be absent at
//     the end.
//  3. Add a test to unittests/Sim.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_LIBRARY_H
#define TILEKILN_SIM_CORE_LIBRARY_H

#include "tilekiln/Sim/Core/Memory.h"
#include "tilekiln/Sim/Core/Program.h"
#include "tilekiln/Sim/Core/QueueOp.h"
#include "tilekiln/Sim/Core/Timing.h"

namespace tilekiln::sim {

/// What a name said.
struct Signature {
  std::string name;
  /// `{type}`s, `{a|b}` words and `[...]` parts that were there, in order.
  llvm::SmallVector<ElementType, 3> types;
  llvm::SmallVector<std::string, 2> words;
  llvm::SmallVector<std::string, 2> options;
  /// `{rank}`; 0 without one.
  unsigned rank = 0;

  bool has(llvm::StringRef option) const;
};

struct CallArgument {
  const Buffer *buffer = nullptr;
  Scalar scalar;
  ElementType type = ElementType::I64;
  /// Of a scalar that came from memory in a run without values.
  bool isUnknown = false;
};

class CallArguments {
public:
  explicit CallArguments(llvm::ArrayRef<CallArgument> arguments)
      : arguments(arguments) {}
  size_t size() const { return arguments.size(); }
  const Buffer &buffer(size_t i) const { return *arguments[i].buffer; }
  int64_t integer(size_t i) const { return arguments[i].scalar.i; }
  double real(size_t i) const { return arguments[i].scalar.f; }
  /// A scalar as a number, whatever its type.
  double number(size_t i) const;
  const CallArgument &operator[](size_t i) const { return arguments[i]; }

private:
  llvm::ArrayRef<CallArgument> arguments;
};

/// State of the core that a call may depend on, as of its issue.
struct IssueState {
  CoreType core = CoreType::AIC;
  unsigned block = 0, blockCount = 1, subBlock = 0;
  /// The control register: atomic type (bits 6-8) and operation (9-10), float
  /// saturation (48), mask mode (56), narrowing casts (59).
  uint64_t control = 1ull << floatSpecialsBit;
  bool wantsValues = true;
  /// Program::texts, which operands that are addresses of texts number from 1.
  llvm::ArrayRef<std::string> texts;

  /// Set, as the runtime leaves it: conversions to narrower floats give infinity
  /// and keep NaN. Clear: the largest number and 0.
  static constexpr unsigned floatSpecialsBit = 48;
  bool saturatesFloats() const { return !(control >> floatSpecialsBit & 1); }
};

/// Takes what a library call does, in program order.
class Issue {
public:
  Issue(const Timing &timing, const IssueState &state)
      : timing_(timing), state_(state) {}

  const Timing &timing() const { return timing_; }
  const IssueState &state() const { return state_; }
  /// Cycles of a vector instruction.
  double vectorCycles(llvm::StringRef instruction, double repeats) const {
    VectorCost cost = timing_.vector(instruction);
    return cost.startup + cost.perRepeat * repeats;
  }

  /// An instruction that keeps its pipe for `busy` cycles; what it wrote can be
  /// seen `latency` later. `instruction` must outlive the run: a literal.
  QueueOp &execute(Pipe pipe, llvm::StringRef instruction, double busy,
                   double latency = 0);
  /// An instruction that moves data from or to global memory; its time follows
  /// from its accesses there and from what other cores move meanwhile.
  QueueOp &transfer(Pipe pipe, llvm::StringRef instruction, TransferKind kind);
  void setFlag(Pipe from, Pipe to, int event);
  void waitFlag(Pipe from, Pipe to, int event);
  void barrier(Pipe pipe);
  /// The scalar unit works for `cycles` and touches what is declared.
  QueueOp &scalar(double cycles);
  /// The call cannot mean anything on the hardware, or traps.
  void fault(FaultKind kind, std::string text);

  std::vector<QueueOp> &ops() { return ops_; }
  struct IssueFault {
    FaultKind kind;
    std::string text;
  };
  std::vector<IssueFault> &faults() { return faults_; }

private:
  const Timing &timing_;
  const IssueState &state_;
  std::vector<QueueOp> ops_;
  std::vector<IssueFault> faults_;
};

using IssueFunction = void (*)(const Signature &, const CallArguments &, Issue &);

struct LibraryRow {
  llvm::StringRef pattern;
  llvm::StringRef operands;
  IssueFunction issue;
};

/// A row matched with a name.
class LibraryFunction {
public:
  LibraryFunction(Signature signature, const LibraryRow &row)
      : signature_(std::move(signature)), row(row) {}
  const Signature &signature() const { return signature_; }
  /// An error says what the function takes.
  llvm::Error checkOperands(llvm::ArrayRef<CallOperand> operands) const;
  void issue(const CallArguments &arguments, Issue &out) const {
    row.issue(signature_, arguments, out);
  }

private:
  Signature signature_;
  LibraryRow row;
};

class LibraryTable {
public:
  static const LibraryTable &get();

  void add(llvm::ArrayRef<LibraryRow> rows);
  /// An error names a function that no row knows.
  llvm::Expected<std::shared_ptr<const LibraryFunction>>
  find(llvm::StringRef name) const;
  llvm::ArrayRef<LibraryRow> rows() const { return rows_; }

private:
  std::vector<LibraryRow> rows_;
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_LIBRARY_H
