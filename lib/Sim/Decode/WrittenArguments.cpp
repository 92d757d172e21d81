//===- WrittenArguments.cpp - Which arguments a program writes to ---------===//
#include "WrittenArguments.h"
#include "llvm/ADT/BitVector.h"

using namespace tilekiln::sim;
using llvm::BitVector;

/// Library functions that only read the global memory that they are given; of
/// others, a store's or an atomic's, each operand there may be written.
static bool onlyReadsGlobal(llvm::StringRef callee) {
  return callee.starts_with("load_gm_to_") || callee.starts_with("nd2nz_") ||
         callee.starts_with("print_");
}

static void addWritten(const Program &program, const Function &function,
                       BitVector &written) {
  // For each buffer register, the arguments that it may be a view of.
  std::vector<BitVector> origins(function.bufferRegisters, BitVector(written.size()));
  for (const Parameter &parameter : function.parameters)
    if (parameter.isBuffer && parameter.kind == Parameter::Kind::User)
      origins[parameter.reg].set(parameter.user);

  bool changed = true;
  auto flows = [&](Register dst, Register src) {
    if (src == noRegister || !origins[src].test(origins[dst]))
      return;
    origins[dst] |= origins[src];
    changed = true;
  };
  // A loop carries buffers backwards, hence until nothing changes.
  while (changed) {
    changed = false;
    for (const Instruction &instruction : function.code) {
      if (instruction.opcode == Opcode::MakeBuffer ||
          instruction.opcode == Opcode::BufferMove) {
        flows(instruction.dst, instruction.a);
      } else if (instruction.opcode == Opcode::BufferSelect) {
        flows(instruction.dst, instruction.b);
        flows(instruction.dst, instruction.c);
      }
    }
  }

  for (const Instruction &instruction : function.code) {
    if (instruction.opcode == Opcode::Store)
      written |= origins[instruction.a];
    if (instruction.opcode != Opcode::Call)
      continue;
    const CallSite &site = function.calls[size_t(instruction.imm)];
    if (onlyReadsGlobal(program.functions[site.function].name))
      continue;
    for (const CallOperand &operand : site.operands)
      if (operand.kind == CallOperand::Kind::Buffer)
        written |= origins[operand.reg];
  }
}

std::vector<bool> tilekiln::sim::getWrittenArguments(const Program &program) {
  unsigned count = 0;
  for (const Function *function : {program.aic.get(), program.aiv.get()})
    if (function)
      for (const Parameter &parameter : function->parameters)
        if (parameter.kind == Parameter::Kind::User)
          count = std::max(count, parameter.user + 1);
  BitVector written(count);
  for (const Function *function : {program.aic.get(), program.aiv.get()})
    if (function)
      addWritten(program, *function, written);
  std::vector<bool> result(count);
  for (unsigned i : written.set_bits())
    result[i] = true;
  return result;
}
