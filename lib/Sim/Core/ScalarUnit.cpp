//===- ScalarUnit.cpp - Interpreter of a core's register code -------------===//
#include "ScalarUnit.h"
#include "BufferOps.h"
#include "ScalarMath.h"
#include <cmath>
#include <cstdlib>

using namespace tilekiln::sim;

ScalarUnit::ScalarUnit(const Function &function, bool tracksUnknown)
    : code(function), tracksUnknown(tracksUnknown),
      scalars(function.scalarRegisters), buffers(function.bufferRegisters),
      unknown(tracksUnknown ? function.scalarRegisters : 0) {
  for (const auto &[reg, value] : function.constants)
    scalars[reg] = value;
}

const Instruction &ScalarUnit::run() {
  for (;;) {
    const Instruction &instruction = code.code[size_t(pc)];
    ++count;
    if (tracksUnknown) {
      trackUnknown(instruction);
      if (!failed.empty())
        return instruction;
    }
    if (!execute(instruction))
      return instruction;
  }
}

/// False where the core has to go on.
bool ScalarUnit::execute(const Instruction &in) {
  switch (in.opcode) {
  case Opcode::Const:
    scalars[in.dst].i = in.imm;
    break;
  case Opcode::Move:
    scalars[in.dst] = scalars[in.a];
    break;
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::DivS:
  case Opcode::DivU:
  case Opcode::RemS:
  case Opcode::RemU:
  case Opcode::FloorDivS:
  case Opcode::CeilDivS:
  case Opcode::CeilDivU:
  case Opcode::Mod:
  case Opcode::MinS:
  case Opcode::MaxS:
  case Opcode::MinU:
  case Opcode::MaxU:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Shl:
  case Opcode::ShrS:
  case Opcode::ShrU:
    if (const char *problem =
            computeInteger(in.opcode, in.type, scalars[in.a].i, scalars[in.b].i,
                           scalars[in.dst].i)) {
      failed = problem;
      return false;
    }
    break;
  case Opcode::CmpI:
    scalars[in.dst].i = compareIntegers(IntPredicate(in.sub), in.type,
                                        scalars[in.a].i, scalars[in.b].i);
    break;
  case Opcode::CmpF:
    scalars[in.dst].i = compareFloats(FloatPredicate(in.sub), scalars[in.a].f,
                                      scalars[in.b].f);
    break;
  case Opcode::Select:
    scalars[in.dst] = scalars[in.a].i ? scalars[in.b] : scalars[in.c];
    break;
  case Opcode::ExtS:
  case Opcode::ExtU:
  case Opcode::Trunc:
  case Opcode::SIToFP:
  case Opcode::UIToFP:
  case Opcode::FPToSI:
  case Opcode::FPToUI:
  case Opcode::FPCast:
  case Opcode::Bitcast:
    scalars[in.dst] = convert(in.opcode, in.from, in.type, scalars[in.a]);
    break;
  case Opcode::FAdd:
  case Opcode::FSub:
  case Opcode::FMul:
  case Opcode::FDiv:
  case Opcode::FRem:
  case Opcode::FNeg:
  case Opcode::FMaximum:
  case Opcode::FMinimum:
  case Opcode::FMaxNum:
  case Opcode::FMinNum:
    scalars[in.dst].f =
        computeFloat(in.opcode, in.type, scalars[in.a].f,
                     in.b == noRegister ? 0 : scalars[in.b].f);
    break;
  case Opcode::Math:
    if (MathFunction(in.sub) == MathFunction::AbsInt)
      scalars[in.dst].i = std::llabs(scalars[in.a].i);
    else
      scalars[in.dst].f = computeMath(
          MathFunction(in.sub), in.type, scalars[in.a].f,
          in.b == noRegister ? 0 : scalars[in.b].f,
          in.c == noRegister ? 0 : scalars[in.c].f);
    break;
  case Opcode::MakeBuffer: {
    static const Buffer none;
    if (const char *problem =
            makeBuffer(code.recipes[size_t(in.imm)],
                       in.a == noRegister ? none : buffers[in.a], scalars.data(),
                       buffers[in.dst])) {
      failed = problem;
      return false;
    }
    break;
  }
  case Opcode::BufferMove:
    buffers[in.dst] = buffers[in.a];
    break;
  case Opcode::BufferSelect:
    buffers[in.dst] = scalars[in.a].i ? buffers[in.b] : buffers[in.c];
    break;
  case Opcode::BufferField: {
    const Buffer &buffer = buffers[in.a];
    switch (BufferField(in.sub)) {
    case BufferField::Size:
      scalars[in.dst].i = buffer.sizes[size_t(in.imm)];
      break;
    case BufferField::Stride:
      scalars[in.dst].i = buffer.strides[size_t(in.imm)];
      break;
    case BufferField::Offset:
      scalars[in.dst].i = buffer.offset;
      break;
    case BufferField::AddressBytes:
      scalars[in.dst].i = buffer.baseBytes;
      break;
    }
    break;
  }
  case Opcode::Jump:
    pc = in.imm;
    return true;
  case Opcode::JumpIfZero:
    pc = scalars[in.a].i ? pc + 1 : in.imm;
    return true;
  case Opcode::ForNext:
    scalars[in.a].i += scalars[in.b].i;
    pc = scalars[in.a].i < scalars[in.c].i ? in.imm : pc + 1;
    return true;
  default:
    return false;
  }
  ++pc;
  return true;
}

void ScalarUnit::trackUnknown(const Instruction &in) {
  auto isUnknownIn = [&](Register reg) {
    return reg != noRegister && reg < unknown.size() && unknown[reg];
  };
  auto refuse = [&](const char *what) {
    failed = std::string(what) +
             " depends on a value in memory, which a run without values does "
             "not have; run with values";
  };
  switch (in.opcode) {
  case Opcode::Const:
    unknown[in.dst] = 0;
    return;
  case Opcode::Select:
    unknown[in.dst] = isUnknownIn(in.a) ||
                      isUnknownIn(scalars[in.a].i ? in.b : in.c);
    return;
  case Opcode::JumpIfZero:
    if (isUnknownIn(in.a))
      refuse("a branch");
    return;
  case Opcode::ForNext:
    if (isUnknownIn(in.a) || isUnknownIn(in.b) || isUnknownIn(in.c))
      refuse("the number of iterations");
    return;
  case Opcode::BufferSelect:
    if (isUnknownIn(in.a))
      refuse("the choice of a buffer");
    return;
  case Opcode::MakeBuffer: {
    const BufferRecipe &recipe = code.recipes[size_t(in.imm)];
    for (const auto *list : {&recipe.offsets, &recipe.sizes, &recipe.strides})
      for (const ShapeOperand &operand : *list)
        if (isUnknownIn(operand.reg)) {
          refuse("the place or the size of a buffer");
          return;
        }
    return;
  }
  case Opcode::BufferField:
    unknown[in.dst] = 0;
    return;
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::CrossSet:
  case Opcode::CrossWait:
    if (isUnknownIn(in.a))
      refuse("a flag");
    return;
  case Opcode::DivS:
  case Opcode::DivU:
  case Opcode::RemS:
  case Opcode::RemU:
  case Opcode::FloorDivS:
  case Opcode::CeilDivS:
  case Opcode::CeilDivU:
  case Opcode::Mod:
    // An unknown divisor must not stop the run.
    if (isUnknownIn(in.b))
      scalars[in.b].i = 1;
    break;
  default:
    break;
  }
  if (in.dst != noRegister && in.opcode < Opcode::MakeBuffer)
    unknown[in.dst] =
        isUnknownIn(in.a) || isUnknownIn(in.b) || isUnknownIn(in.c);
}
