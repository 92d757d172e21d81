//===- FunctionDecoder.cpp - Registers, parameters and the walk -----------===//
#include "FunctionDecoder.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilekiln::sim {

std::optional<ElementType> getElementType(Type type) {
  if (type.isIndex())
    return ElementType::I64;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  // Pointers occur as arguments of debug functions alone.
  if (isa<LLVM::LLVMPointerType>(type))
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    case 64:
      return ElementType::I64;
    }
  return std::nullopt;
}

LineId FunctionDecoder::line(Location location) {
  Attribute key = location;
  auto known = lines.find(key);
  if (known != lines.end())
    return known->second;
  SourcePlace place;
  location->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    // The vendor marks its own ops as "internal", line 0.
    if (!position || position.getLine() == 0)
      return WalkResult::advance();
    place = {position.getFilename().str(), position.getLine(),
             position.getColumn()};
    return WalkResult::interrupt();
  });
  LineId id = 0;
  if (place.line) {
    while (id < program.lines.size() &&
           (program.lines[id].line != place.line ||
            program.lines[id].file != place.file))
      ++id;
    if (id == program.lines.size())
      program.lines.push_back(place);
  }
  return lines[key] = id;
}

void FunctionDecoder::problem(Operation *op, const Twine &text) {
  LineId id = line(op->getLoc());
  std::string where;
  if (id)
    where = program.lines[id].file + ":" + std::to_string(program.lines[id].line) +
            ": ";
  std::string message = where + text.str();
  if (!llvm::is_contained(problems, message))
    problems.push_back(std::move(message));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Register FunctionDecoder::make(Value value) {
  Register reg = isBuffer(value.getType()) ? code.newBuffer() : code.newScalar();
  set(value, reg);
  return reg;
}

Register FunctionDecoder::get(Value value) {
  auto found = registers.find(value);
  if (found != registers.end())
    return found->second;
  // Its op could not be decoded, which is a problem already.
  return make(value);
}

ElementType FunctionDecoder::typeOf(Value value) {
  Type type = value.getType();
  if (auto buffer = dyn_cast<MemRefType>(type))
    type = buffer.getElementType();
  std::optional<ElementType> element = getElementType(type);
  if (element)
    return *element;
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  Operation *at = value.getDefiningOp() ? value.getDefiningOp()
                                        : value.getParentBlock()->getParentOp();
  problem(at, "the simulator knows no values of type " + text);
  return ElementType::I64;
}

Register FunctionDecoder::constant(int64_t value) {
  auto [found, isNew] = constants.try_emplace(value, 0);
  if (isNew)
    found->second = code.constant(value);
  return found->second;
}

Register FunctionDecoder::emit(Opcode opcode, Value result,
                               ArrayRef<Register> operands, uint8_t sub) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.sub = sub;
  if (result) {
    instruction.type = typeOf(result);
    instruction.dst = make(result);
  }
  if (operands.size() > 0)
    instruction.a = operands[0];
  if (operands.size() > 1)
    instruction.b = operands[1];
  if (operands.size() > 2)
    instruction.c = operands[2];
  return code.emit(instruction).dst;
}

void FunctionDecoder::move(Register to, Register from, bool isBufferMove) {
  Instruction instruction;
  instruction.opcode = isBufferMove ? Opcode::BufferMove : Opcode::Move;
  instruction.dst = to;
  instruction.a = from;
  code.emit(instruction);
}

ShapeOperand FunctionDecoder::shape(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return ShapeOperand::value(cast<IntegerAttr>(attribute).getInt());
  return ShapeOperand::inRegister(get(cast<Value>(value)));
}

std::vector<ShapeOperand>
FunctionDecoder::shapes(ArrayRef<OpFoldResult> values) {
  std::vector<ShapeOperand> result;
  for (OpFoldResult value : values)
    result.push_back(shape(value));
  return result;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FunctionDecoder::decodeParameters(func::FuncOp entry) {
  unsigned count = entry.getNumArguments();
  unsigned user = 0;
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = entry.getArgument(i);
    Parameter parameter;
    parameter.isBuffer = isBuffer(argument.getType());
    parameter.type = typeOf(argument);
    StringRef role;
    if (auto attribute = entry.getArgAttr(i, "hacc.arg_type"))
      role = hivm::getVendorText(attribute, "arg_type").value_or("");
    if (role == "ffts_base_address")
      parameter.kind = Parameter::Kind::FftsBase;
    else if (role == "sync_block_lock")
      parameter.kind = Parameter::Kind::Lock;
    else if (role == "workspace")
      parameter.kind = Parameter::Kind::Workspace;
    else if (i + 3 >= count) // The grid comes last.
      parameter.kind = Parameter::Kind(unsigned(Parameter::Kind::GridX) +
                                       (i + 3 - count));
    else
      parameter.user = user++;
    if (auto buffer = dyn_cast<MemRefType>(argument.getType()))
      if (buffer.hasStaticShape())
        parameter.shape.assign(buffer.getShape().begin(), buffer.getShape().end());
    set(argument, code.parameter(parameter));
  }
  program.writtenArguments.resize(std::max<size_t>(program.writtenArguments.size(), user));
}

void FunctionDecoder::decode(func::FuncOp entry) {
  decodeParameters(entry);
  decodeBlock(entry.getBody().front());
  code.finish();
}

void FunctionDecoder::decodeBlock(Block &block) {
  for (Operation &op : block)
    decodeOp(&op);
}

void FunctionDecoder::decodeOp(Operation *op) {
  code.setLine(line(op->getLoc()));
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    if (inlineResults.empty())
      code.ret();
    else
      moveAll(ret.getOperands(), inlineResults.back());
    return;
  }
  if (decodeArith(op) || decodeMath(op) || decodeAffine(op) || decodeMemRef(op) ||
      decodeControl(op) || decodeDevice(op))
    return;
  StringRef name = op->getName().getStringRef();
  if (hivm::isUnloweredVendorOp(op) && op->getName().getDialectNamespace() != "annotation")
    return problem(op, "'" + name + "' is left unlowered by the vendor's compiler; "
                                    "it has no meaning on the device");
  if (op->getName().getDialectNamespace() == "annotation")
    return;
  problem(op, "the simulator does not know the op '" + name + "'");
}

void FunctionDecoder::decodeCall(func::CallOp call) {
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (callee && !callee.isDeclaration()) {
    // Functions of the module are put in place.
    if (++inlineDepth > 16)
      problem(call, "calls of functions are nested too deeply");
    else {
      SmallVector<Register> results;
      for (Value result : call.getResults())
        results.push_back(make(result));
      for (auto [argument, operand] :
           llvm::zip(callee.getArguments(), call.getOperands()))
        set(argument, get(operand));
      inlineResults.push_back(results);
      decodeBlock(callee.getBody().front());
      inlineResults.pop_back();
    }
    --inlineDepth;
    return;
  }
  if (call.getNumResults())
    return problem(call, "the simulator knows no library function with a result, as "
                         "'" + call.getCallee() + "' has");
  SmallVector<CallOperand> operands;
  for (Value operand : call.getOperands()) {
    CallOperand given;
    given.kind = isBuffer(operand.getType()) ? CallOperand::Kind::Buffer
                                             : CallOperand::Kind::Scalar;
    given.type = typeOf(operand);
    given.reg = get(operand);
    operands.push_back(given);
  }
  if (llvm::Error error = code.call(call.getCallee(), operands))
    problem(call, llvm::toString(std::move(error)));
  StringRef name = call.getCallee();
  bool onlyReads = name.starts_with("nd2nz_") || name.starts_with("load_gm_") ||
                   name.contains("print");
  if (!onlyReads)
    for (Value operand : call.getOperands())
      noteWritten(operand);
}

/// Marks the user arguments that a buffer may be a view of.
void FunctionDecoder::noteWritten(Value buffer) {
  if (!isBuffer(buffer.getType()))
    return;
  SmallVector<Value> worklist{buffer};
  llvm::SmallPtrSet<Value, 8> visited;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      // Views, selections, and results of loops and branches.
      for (Value operand : op->getOperands())
        if (isBuffer(operand.getType()))
          worklist.push_back(operand);
      op->walk([&](Operation *inner) {
        if (inner->hasTrait<OpTrait::IsTerminator>())
          for (Value operand : inner->getOperands())
            if (isBuffer(operand.getType()))
              worklist.push_back(operand);
      });
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (!isa<func::FuncOp>(parent)) {
      for (Value operand : parent->getOperands())
        if (isBuffer(operand.getType()))
          worklist.push_back(operand);
      continue;
    }
    for (const Parameter &parameter : function.parameters)
      if (parameter.kind == Parameter::Kind::User && parameter.isBuffer &&
          parameter.reg == get(value))
        program.writtenArguments[parameter.user] = true;
  }
}

} // namespace tilekiln::sim
