//===- Library.cpp - Matching names with rows of the library table --------===//
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Library/Rows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln::sim;
using llvm::StringRef;

bool Signature::has(StringRef option) const {
  return llvm::is_contained(options, option);
}

double CallArguments::number(size_t i) const {
  return isFloat(arguments[i].type) ? arguments[i].scalar.f
                                    : double(arguments[i].scalar.i);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

QueueOp &Issue::execute(Pipe pipe, StringRef instruction, double busy,
                        double latency) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::Execute;
  op.pipe = pipe;
  op.instruction = instruction;
  op.busy = busy;
  op.latency = latency;
  return op;
}

QueueOp &Issue::transfer(Pipe pipe, StringRef instruction, TransferKind kind) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::Transfer;
  op.pipe = pipe;
  op.instruction = instruction;
  op.transferKind = kind;
  return op;
}

void Issue::setFlag(Pipe from, Pipe to, int event) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::SetFlag;
  op.pipe = from;
  op.otherPipe = to;
  op.flag = uint8_t(event);
}

void Issue::waitFlag(Pipe from, Pipe to, int event) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::WaitFlag;
  op.pipe = to;
  op.otherPipe = from;
  op.flag = uint8_t(event);
}

void Issue::barrier(Pipe pipe) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::Barrier;
  op.pipe = pipe;
}

QueueOp &Issue::scalar(double cycles) {
  QueueOp &op = ops_.emplace_back();
  op.kind = QueueOp::Kind::Scalar;
  op.pipe = Pipe::S;
  op.instruction = "scalar";
  op.busy = cycles;
  return op;
}

void Issue::fault(FaultKind kind, std::string text) {
  faults_.push_back({kind, std::move(text)});
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Matches a name with a pattern from some position on; tries alternatives in
/// order, the longest first.
class Matcher {
public:
  Matcher(StringRef name, Signature &out) : out(out) { out.name = name.str(); }

  bool match(StringRef pattern, StringRef name) {
    if (pattern.empty())
      return name.empty();
    if (pattern.consume_front("{type}"))
      return matchType(pattern, name);
    if (pattern.consume_front("{rank}"))
      return matchRank(pattern, name);
    if (pattern.front() == '{') {
      auto [inside, rest] = pattern.drop_front().split('}');
      return matchWord(inside, rest, name);
    }
    if (pattern.front() == '[') {
      auto [inside, rest] = pattern.drop_front().split(']');
      return matchOption(inside, rest, name);
    }
    size_t length = pattern.find_first_of("{[");
    StringRef text = pattern.take_front(length);
    return name.consume_front(text) && match(pattern.drop_front(text.size()), name);
  }

private:
  bool matchType(StringRef rest, StringRef name) {
    for (size_t length = name.size(); length > 0; --length) {
      std::optional<ElementType> type = parseLibraryType(name.take_front(length));
      if (!type)
        continue;
      out.types.push_back(*type);
      if (match(rest, name.drop_front(length)))
        return true;
      out.types.pop_back();
    }
    return false;
  }

  bool matchRank(StringRef rest, StringRef name) {
    if (name.empty() || name.front() < '1' || name.front() > '9')
      return false;
    unsigned before = out.rank;
    out.rank = unsigned(name.front() - '0');
    if (match(rest, name.drop_front()))
      return true;
    out.rank = before;
    return false;
  }

  bool matchWord(StringRef words, StringRef rest, StringRef name) {
    llvm::SmallVector<StringRef, 16> choices;
    words.split(choices, '|');
    for (StringRef word : choices) {
      if (!name.starts_with(word))
        continue;
      out.words.push_back(word.str());
      if (match(rest, name.drop_front(word.size())))
        return true;
      out.words.pop_back();
    }
    return false;
  }

  bool matchOption(StringRef option, StringRef rest, StringRef name) {
    if (name.starts_with(option)) {
      out.options.push_back(option.str());
      if (match(rest, name.drop_front(option.size())))
        return true;
      out.options.pop_back();
    }
    return match(rest, name);
  }

  Signature &out;
};

} // namespace

llvm::Error
LibraryFunction::checkOperands(llvm::ArrayRef<CallOperand> operands) const {
  StringRef kinds = row.operands;
  size_t used = 0;
  bool good = true;
  while (!kinds.empty()) {
    char kind = kinds.front();
    kinds = kinds.drop_front();
    bool optional = kinds.consume_front("?");
    if (used == operands.size()) {
      good &= optional;
      continue;
    }
    bool isBuffer = operands[used++].kind == CallOperand::Kind::Buffer;
    good &= isBuffer == (kind == 'b');
  }
  if (good && used == operands.size())
    return llvm::Error::success();
  std::string given;
  for (const CallOperand &operand : operands)
    given += operand.kind == CallOperand::Kind::Buffer ? 'b' : 's';
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("library function '{0}' is called with operands '{1}' but "
                    "takes '{2}' (b: buffer, s: scalar); is the final IR from "
                    "bishengir-compile 1.2?",
                    signature_.name, given, row.operands)
          .str());
}

const LibraryTable &LibraryTable::get() {
  static const LibraryTable *table = [] {
    auto *rows = new LibraryTable;
    addCubeLoadRows(*rows);
    addMmaRows(*rows);
    addFixpipeRows(*rows);
    addDmaRows(*rows);
    addVectorRows(*rows);
    return rows;
  }();
  return *table;
}

void LibraryTable::add(llvm::ArrayRef<LibraryRow> rows) {
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

llvm::Expected<std::shared_ptr<const LibraryFunction>>
LibraryTable::find(StringRef name) const {
  StringRef plain = name;
  plain.consume_front("_mlir_ciface_");
  for (const LibraryRow &row : rows_) {
    Signature signature;
    if (Matcher(plain, signature).match(row.pattern, plain))
      return std::make_shared<const LibraryFunction>(std::move(signature), row);
  }
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("the simulator does not know the library function '{0}'; it "
                    "takes a row of the library table (Sim/Core/Library.h says "
                    "how)",
                    name)
          .str());
}
