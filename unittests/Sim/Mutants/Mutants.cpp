//===- Mutants.cpp - A kernel with one piece of synchronisation wrong -----===//
#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace tilekiln::sim;

static bool isSync(const Instruction &in) {
  return in.opcode == Opcode::SetFlag || in.opcode == Opcode::WaitFlag ||
         in.opcode == Opcode::Barrier || in.opcode == Opcode::CrossSet ||
         in.opcode == Opcode::CrossWait;
}

/// Instructions whose order is more than that of registers.
static bool isDevice(const Instruction &in) {
  return isSync(in) || in.opcode == Opcode::Call || in.opcode == Opcode::Load ||
         in.opcode == Opcode::Store || in.opcode == Opcode::SetCtrl;
}

static bool isJump(const Instruction &in) {
  return in.opcode == Opcode::Jump || in.opcode == Opcode::JumpIfZero ||
         in.opcode == Opcode::ForNext || in.opcode == Opcode::Return;
}

/// Whether `in` may be carried over `over`: registers that it reads or writes are
/// not touched there.
static bool canPass(const Function &function, const Instruction &in,
                    const Instruction &over) {
  std::set<std::pair<bool, Register>> used;
  for (Register reg : {in.a, in.b, in.c})
    if (reg != noRegister)
      used.insert({in.opcode == Opcode::Load || in.opcode == Opcode::Store
                       ? reg == in.a
                       : false,
                   reg});
  if (in.opcode == Opcode::Call)
    for (const CallOperand &operand : function.calls[size_t(in.imm)].operands)
      used.insert({operand.kind == CallOperand::Kind::Buffer, operand.reg});
  if (in.opcode == Opcode::Load || in.opcode == Opcode::Store)
    for (unsigned i = 0; i < in.sub; ++i)
      used.insert({false, function.operands[size_t(in.imm) + i]});
  bool writesBuffer = over.opcode == Opcode::MakeBuffer ||
                      over.opcode == Opcode::BufferMove ||
                      over.opcode == Opcode::BufferSelect;
  if (over.dst != noRegister && used.count({writesBuffer, over.dst}))
    return false;
  // What a load gives must be there for whoever reads it: too much to follow.
  return in.opcode != Opcode::Load;
}

std::vector<Mutant> tilekiln::sim::findMutants(const Program &program) {
  std::vector<Mutant> mutants;
  for (Function *function : {program.aic.get(), program.aiv.get()}) {
    if (!function)
      continue;
    const std::vector<Instruction> &code = function->code;
    std::set<size_t> targets;
    for (const Instruction &in : code)
      if (isJump(in) && in.opcode != Opcode::Return)
        targets.insert(size_t(in.imm));

    std::map<std::tuple<Pipe, Pipe, int64_t>, std::vector<size_t>> events;
    for (auto [i, in] : llvm::enumerate(code)) {
      if (isSync(in))
        mutants.push_back({Mutant::Kind::Delete, function, i, 0, {}});
      if (in.opcode == Opcode::SetFlag || in.opcode == Opcode::WaitFlag)
        events[{in.pipe, in.otherPipe, in.a == noRegister ? in.imm : -1}].push_back(i);
      if (!isDevice(in))
        continue;
      for (size_t j = i + 1; j < code.size(); ++j) {
        if (targets.count(j) || isJump(code[j]) || !canPass(*function, in, code[j]))
          break;
        if (!isDevice(code[j]))
          continue;
        if (isSync(in) || isSync(code[j]))
          mutants.push_back({Mutant::Kind::Swap, function, i, j, {}});
        break;
      }
    }
    for (auto &[event, all] : events)
      mutants.push_back({Mutant::Kind::DropEvent, function, all.front(), 0, all});
  }
  return mutants;
}

std::vector<Instruction> Mutant::code() const {
  std::vector<Instruction> result = function->code;
  auto erase = [&](size_t i) {
    // A jump to what follows: nothing else has to move.
    Instruction nothing;
    nothing.opcode = Opcode::Jump;
    nothing.imm = int64_t(i + 1);
    nothing.line = result[i].line;
    result[i] = nothing;
  };
  switch (kind) {
  case Kind::Delete:
    erase(at);
    break;
  case Kind::Swap:
    std::rotate(result.begin() + ptrdiff_t(at), result.begin() + ptrdiff_t(at) + 1,
                result.begin() + ptrdiff_t(behind) + 1);
    break;
  case Kind::DropEvent:
    for (size_t i : all)
      erase(i);
    break;
  }
  return result;
}

static std::string describeInstruction(const Program &program, const Function &function,
                                       const Instruction &in) {
  std::string flag = in.a == noRegister ? std::to_string(in.imm) : "a computed one";
  std::string text;
  switch (in.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
    text = llvm::formatv("{0} from {1} to {2}, event {3}",
                         in.opcode == Opcode::SetFlag ? "set_flag" : "wait_flag",
                         getName(in.pipe), getName(in.otherPipe), flag);
    break;
  case Opcode::Barrier:
    text = llvm::formatv("pipe_barrier of {0}",
                         in.pipe == Pipe::All ? "all pipes" : getName(in.pipe));
    break;
  case Opcode::CrossSet:
  case Opcode::CrossWait:
    text = llvm::formatv("{0} of {1}, flag {2}",
                         in.opcode == Opcode::CrossSet ? "sync_block_set"
                                                       : "sync_block_wait",
                         getName(in.pipe), flag);
    break;
  case Opcode::Call:
    text = program.functions[function.calls[size_t(in.imm)].function].name;
    break;
  default:
    text = in.opcode == Opcode::Load    ? "a load"
           : in.opcode == Opcode::Store ? "a store"
                                        : "set_ctrl";
  }
  if (unsigned line = program.lines[in.line].line)
    text += llvm::formatv(" (line {0})", line);
  return text;
}

std::string Mutant::describe(const Program &program) const {
  std::string first = describeInstruction(program, *function, function->code[at]);
  std::string core = getName(function->core).str() + ": ";
  switch (kind) {
  case Kind::Delete:
    return core + "without " + first;
  case Kind::Swap:
    return core + first + " behind " +
           describeInstruction(program, *function, function->code[behind]);
  case Kind::DropEvent:
    return core + "without the event of " + first + ", raised and waited for";
  }
  return core;
}
