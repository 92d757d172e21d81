//===- Program.cpp - Writing a register program ---------------------------===//
#include "tilekiln/Sim/Core/Library.h"

using namespace tilekiln::sim;

Register FunctionBuilder::parameter(Parameter parameter) {
  parameter.reg = parameter.isBuffer ? newBuffer() : newScalar();
  function.parameters.push_back(parameter);
  return parameter.reg;
}

FunctionBuilder::Label FunctionBuilder::newLabel() {
  labels.push_back(-1);
  return {unsigned(labels.size() - 1)};
}

void FunctionBuilder::bind(Label label) {
  labels[label.id] = int64_t(function.code.size());
}

Instruction &FunctionBuilder::emit(Instruction instruction) {
  instruction.line = currentLine;
  function.code.push_back(instruction);
  return function.code.back();
}

Register FunctionBuilder::constant(int64_t value, ElementType) {
  Register reg = newScalar();
  function.constants.push_back({reg, Scalar::integer(value)});
  return reg;
}

Register FunctionBuilder::realConstant(double value, ElementType) {
  Register reg = newScalar();
  function.constants.push_back({reg, Scalar::real(value)});
  return reg;
}

Register FunctionBuilder::binary(Opcode opcode, Register a, Register b,
                                 ElementType type) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.type = type;
  instruction.dst = newScalar();
  instruction.a = a;
  instruction.b = b;
  return emit(instruction).dst;
}

Register FunctionBuilder::compare(IntPredicate predicate, Register a,
                                  Register b) {
  Instruction instruction;
  instruction.opcode = Opcode::CmpI;
  instruction.sub = uint8_t(predicate);
  instruction.dst = newScalar();
  instruction.a = a;
  instruction.b = b;
  return emit(instruction).dst;
}

void FunctionBuilder::move(Register dst, Register src) {
  Instruction instruction;
  instruction.opcode = Opcode::Move;
  instruction.dst = dst;
  instruction.a = src;
  emit(instruction);
}

void FunctionBuilder::jump(Label label) {
  Instruction instruction;
  instruction.opcode = Opcode::Jump;
  instruction.imm = label.id;
  emit(instruction);
}

void FunctionBuilder::jumpIfZero(Register condition, Label label) {
  Instruction instruction;
  instruction.opcode = Opcode::JumpIfZero;
  instruction.a = condition;
  instruction.imm = label.id;
  emit(instruction);
}

void FunctionBuilder::forNext(Register iv, Register step, Register upper,
                              Label label) {
  Instruction instruction;
  instruction.opcode = Opcode::ForNext;
  instruction.a = iv;
  instruction.b = step;
  instruction.c = upper;
  instruction.imm = label.id;
  emit(instruction);
}

Register FunctionBuilder::makeBuffer(BufferRecipe recipe, Register source) {
  function.recipes.push_back(std::move(recipe));
  Instruction instruction;
  instruction.opcode = Opcode::MakeBuffer;
  instruction.dst = newBuffer();
  instruction.a = source;
  instruction.imm = int64_t(function.recipes.size() - 1);
  return emit(instruction).dst;
}

Register FunctionBuilder::pointer(Space space, ElementType type,
                                  int64_t addressBytes,
                                  llvm::ArrayRef<int64_t> sizes) {
  BufferRecipe recipe;
  recipe.kind = BufferRecipe::Kind::Pointer;
  recipe.space = space;
  recipe.type = type;
  recipe.origin = uint32_t(program.origins.size());
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  program.origins.push_back(text + getName(type).str() + " at byte " +
                            std::to_string(addressBytes));
  recipe.offsets.push_back(ShapeOperand::value(addressBytes));
  for (int64_t size : sizes)
    recipe.sizes.push_back(ShapeOperand::value(size));
  return makeBuffer(std::move(recipe));
}

Register FunctionBuilder::load(Register buffer, llvm::ArrayRef<Register> indices,
                               ElementType type) {
  Instruction instruction;
  instruction.opcode = Opcode::Load;
  instruction.type = type;
  instruction.dst = newScalar();
  instruction.a = buffer;
  instruction.imm = int64_t(function.operands.size());
  instruction.sub = uint8_t(indices.size());
  function.operands.insert(function.operands.end(), indices.begin(), indices.end());
  return emit(instruction).dst;
}

void FunctionBuilder::store(Register value, Register buffer,
                            llvm::ArrayRef<Register> indices, ElementType type) {
  Instruction instruction;
  instruction.opcode = Opcode::Store;
  instruction.type = type;
  instruction.a = buffer;
  instruction.b = value;
  instruction.imm = int64_t(function.operands.size());
  instruction.sub = uint8_t(indices.size());
  function.operands.insert(function.operands.end(), indices.begin(), indices.end());
  emit(instruction);
}

llvm::Error FunctionBuilder::call(llvm::StringRef callee,
                                  llvm::ArrayRef<CallOperand> operands) {
  unsigned index = 0;
  while (index < program.functions.size() &&
         program.functions[index].name != callee)
    ++index;
  if (index == program.functions.size()) {
    auto found = LibraryTable::get().find(callee);
    if (!found)
      return found.takeError();
    program.functions.push_back({callee.str(), *found});
  }
  if (llvm::Error error =
          program.functions[index].function->checkOperands(operands))
    return error;
  function.calls.push_back({index, {operands.begin(), operands.end()}});
  Instruction instruction;
  instruction.opcode = Opcode::Call;
  instruction.imm = int64_t(function.calls.size() - 1);
  emit(instruction);
  return llvm::Error::success();
}

static Instruction flagInstruction(Opcode opcode, Pipe pipe, Pipe other,
                                   int64_t event, Register reg) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.pipe = pipe;
  instruction.otherPipe = other;
  instruction.imm = event;
  instruction.a = reg;
  return instruction;
}

void FunctionBuilder::setFlag(Pipe from, Pipe to, int event) {
  emit(flagInstruction(Opcode::SetFlag, from, to, event, noRegister));
}
void FunctionBuilder::setFlag(Pipe from, Pipe to, Register event) {
  emit(flagInstruction(Opcode::SetFlag, from, to, 0, event));
}
void FunctionBuilder::waitFlag(Pipe from, Pipe to, int event) {
  emit(flagInstruction(Opcode::WaitFlag, from, to, event, noRegister));
}
void FunctionBuilder::waitFlag(Pipe from, Pipe to, Register event) {
  emit(flagInstruction(Opcode::WaitFlag, from, to, 0, event));
}

void FunctionBuilder::barrier(Pipe pipe) {
  emit(flagInstruction(Opcode::Barrier, pipe, pipe, 0, noRegister));
}

void FunctionBuilder::crossSet(Pipe pipe, int flag, CrossMode mode) {
  emit(flagInstruction(Opcode::CrossSet, pipe, Pipe::S, flag, noRegister)).sub =
      uint8_t(mode);
}

void FunctionBuilder::crossWait(Pipe pipe, int flag) {
  emit(flagInstruction(Opcode::CrossWait, pipe, Pipe::S, flag, noRegister));
}

void FunctionBuilder::ret() { emit(Instruction()); }

void FunctionBuilder::finish() {
  for (Instruction &instruction : function.code)
    if (instruction.opcode == Opcode::Jump ||
        instruction.opcode == Opcode::JumpIfZero ||
        instruction.opcode == Opcode::ForNext)
      instruction.imm = labels[size_t(instruction.imm)];
}
