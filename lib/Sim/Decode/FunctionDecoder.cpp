//===- FunctionDecoder.cpp - One device function as register code ---------===//
//
// Parameters, values and constants, and which part decodes an op.
//
//===----------------------------------------------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

std::optional<ElementType> tilekiln::sim::getElementType(Type type) {
  if (type.isIndex() || type.isInteger(64))
    return ElementType::I64;
  if (type.isInteger(1))
    return ElementType::I1;
  if (type.isInteger(8))
    return ElementType::I8;
  if (type.isInteger(16))
    return ElementType::I16;
  if (type.isInteger(32))
    return ElementType::I32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  // Texts that debug functions print; nothing else has such a type.
  if (isa<LLVM::LLVMPointerType>(type))
    return ElementType::I64;
  return std::nullopt;
}

std::optional<Space> tilekiln::sim::getSpace(BaseMemRefType type) {
  std::optional<hivm::AddressSpace> space = hivm::getAddressSpace(type);
  if (!space)
    return std::nullopt;
  switch (*space) {
  case hivm::AddressSpace::GM:
    return Space::GM;
  case hivm::AddressSpace::L1:
    return Space::L1;
  case hivm::AddressSpace::L0A:
    return Space::L0A;
  case hivm::AddressSpace::L0B:
    return Space::L0B;
  case hivm::AddressSpace::L0C:
    return Space::L0C;
  case hivm::AddressSpace::UB:
    return Space::UB;
  case hivm::AddressSpace::Zero:
    return std::nullopt;
  }
  llvm_unreachable("all spaces are named");
}

//===----------------------------------------------------------------------===//
// The whole function
//===----------------------------------------------------------------------===//

llvm::Error FunctionDecoder::run(func::FuncOp entry) {
  if (!entry.getBody().hasOneBlock())
    return errorAt(entry, "'" + entry.getName() +
                              "' has branches between blocks; the simulator "
                              "takes structured control flow only");
  if (llvm::Error error = addParameters(entry))
    return error;
  callStack.push_back(entry);
  if (llvm::Error error = decodeBlock(entry.getBody().front()))
    return error;
  builder.setLine(places.get(entry));
  builder.ret();
  builder.finish();
  return llvm::Error::success();
}

static std::optional<Parameter::Kind> getParameterKind(Attribute attribute) {
  std::optional<StringRef> text = hivm::getVendorText(attribute, "arg_type");
  return llvm::StringSwitch<std::optional<Parameter::Kind>>(text.value_or("input"))
      .Case("ffts_base_address", Parameter::Kind::FftsBase)
      .Case("sync_block_lock", Parameter::Kind::Lock)
      .Case("workspace", Parameter::Kind::Workspace)
      .Cases("input", "output", "input_and_output", Parameter::Kind::User)
      .Default(std::nullopt);
}

/// The vendor's launcher adds ffts, lock and workspace in front of the kernel's
/// own arguments, and the grid behind them.
llvm::Error FunctionDecoder::addParameters(func::FuncOp entry) {
  constexpr Parameter::Kind grid[] = {Parameter::Kind::GridX, Parameter::Kind::GridY,
                                      Parameter::Kind::GridZ};
  unsigned count = entry.getNumArguments(), user = 0;
  if (count < 3 || !llvm::all_of(entry.getArgumentTypes().take_back(3),
                                 [](Type type) { return type.isInteger(32); }))
    return errorAt(entry, "'" + entry.getName() +
                              "' does not end with the grid's three i32: "
                              "compile it with "
                              "--enable-triton-kernel-compile=true");
  for (auto [index, argument] : llvm::enumerate(entry.getArguments())) {
    Attribute said = entry.getArgAttr(index, "hacc.arg_type");
    std::optional<Parameter::Kind> kind = getParameterKind(said);
    if (!kind) {
      std::string text;
      llvm::raw_string_ostream(text) << said;
      return errorAt(entry, "argument " + Twine(index) + " of '" + entry.getName() +
                                "' is a " + text +
                                ", which the simulator's launcher cannot give");
    }
    Parameter parameter;
    parameter.kind = *kind;
    parameter.user = user;
    if (index + 3 >= count)
      parameter.kind = grid[index + 3 - count];
    else if (*kind == Parameter::Kind::User)
      ++user;
    Type type = argument.getType();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      parameter.isBuffer = true;
      // A launcher passes an address: the last extent may be unknown, it is as
      // long as the tensor.
      if (memref.hasStaticShape())
        parameter.shape.assign(memref.getShape().begin(), memref.getShape().end());
      else if (memref.getRank() != 1)
        return errorAt(entry, "argument " + Twine(index) + " of '" + entry.getName() +
                                  "' has several unknown extents");
    }
    if (llvm::Error error = readType(entry, type, parameter.type))
      return error;
    define(argument, builder.parameter(parameter));
  }
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeBlock(Block &block) {
  Expressions::ScopeTy scope(expressions);
  for (Operation &op : block.without_terminator()) {
    if (isOpTriviallyDead(&op))
      continue;
    builder.setLine(places.get(&op));
    if (llvm::Error error = decode(&op))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decode(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (isa<arith::ConstantOp>(op)) {
    // Made where it is used; here only its type is judged.
    ElementType type;
    return readType(op, op->getResult(0).getType(), type);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return decodeSelect(select);
  if (dialect == "arith" || dialect == "math")
    return decodeScalar(op);
  if (dialect == "affine")
    return decodeAffine(op);
  if (dialect == "memref")
    return decodeMemRef(op);
  if (dialect == "scf" || dialect == "func" || dialect == "cf")
    return decodeControl(op);
  if (dialect == "hivm" || dialect == "llvm")
    return decodeDevice(op);
  // Hints, without effect.
  if (dialect == "annotation")
    return llvm::Error::success();
  return unknown(op);
}

llvm::Error FunctionDecoder::unknown(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (hivm::isUnloweredVendorOp(op))
    return errorAt(op, "the vendor's compiler left the op '" + name +
                           "' as it was, which neither hivmc nor the simulator "
                           "can run; write this part of the kernel otherwise");
  return errorAt(op, "the simulator does not know the op '" + name +
                         "' of the vendor's final IR");
}

llvm::Error FunctionDecoder::readType(Operation *op, Type type, ElementType &out) {
  Type element = type;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    element = memref.getElementType();
    if (memref.getRank() > int64_t(Buffer::maxRank))
      return errorAt(op, "'" + op->getName().getStringRef() + "' has " +
                             Twine(memref.getRank()) +
                             " dimensions; the simulator takes up to " +
                             Twine(Buffer::maxRank));
  }
  if (std::optional<ElementType> known = getElementType(element)) {
    out = *known;
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return errorAt(op, "the simulator does not know the type " + text + " of '" +
                         op->getName().getStringRef() + "'");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What a register holds for a constant.
static Scalar getContent(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute)) {
    APFloat value = real.getValue();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return Scalar::real(value.convertToDouble());
  }
  APInt value = cast<IntegerAttr>(attribute).getValue();
  return Scalar::integer(value.getBitWidth() == 1 ? int64_t(value.getZExtValue())
                                                  : value.getSExtValue());
}

Register FunctionDecoder::get(Value value) {
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    return constant(getContent(op.getValue()));
  auto found = registers.find(value);
  assert(found != registers.end() && "used before it is defined");
  return found->second;
}

std::vector<Register> FunctionDecoder::get(ValueRange values) {
  std::vector<Register> result;
  for (Value value : values)
    result.push_back(get(value));
  return result;
}

Register FunctionDecoder::newRegister(Type type) {
  return isa<BaseMemRefType>(type) ? builder.newBuffer() : builder.newScalar();
}

Register FunctionDecoder::constant(Scalar content) {
  auto [entry, isNew] = constants.try_emplace(content.i, noRegister);
  if (isNew)
    entry->second = builder.constant(content.i);
  return entry->second;
}

Register FunctionDecoder::pure(Instruction instruction) {
  Expression key = {int64_t(instruction.opcode) | int64_t(instruction.sub) << 8,
                    int64_t(instruction.type),
                    int64_t(instruction.from),
                    instruction.a,
                    instruction.b,
                    instruction.c,
                    instruction.imm,
                    0};
  if (expressions.count(key))
    return expressions.lookup(key);
  instruction.dst = builder.newScalar();
  builder.emit(instruction);
  expressions.insert(key, instruction.dst);
  return instruction.dst;
}

Register FunctionDecoder::pure(Opcode opcode, ElementType type, Register a,
                               Register b, Register c, uint8_t sub) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.type = instruction.from = type;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  instruction.sub = sub;
  return pure(instruction);
}

void FunctionDecoder::move(Type type, Register dst, Register src) {
  if (dst == src)
    return;
  if (!isa<BaseMemRefType>(type)) {
    builder.move(dst, src);
    return;
  }
  Instruction instruction;
  instruction.opcode = Opcode::BufferMove;
  instruction.dst = dst;
  instruction.a = src;
  builder.emit(instruction);
}

void FunctionDecoder::assign(TypeRange types, ArrayRef<Register> dsts,
                             ArrayRef<Register> srcs) {
  std::vector<Register> sources(srcs.begin(), srcs.end());
  // Scalar and buffer registers are numbered apart.
  auto isOverwritten = [&](size_t index) {
    bool isBuffer = isa<BaseMemRefType>(types[index]);
    for (size_t before = 0; before < index; ++before)
      if (dsts[before] == sources[index] && dsts[before] != srcs[before] &&
          isa<BaseMemRefType>(types[before]) == isBuffer)
        return true;
    return false;
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!isOverwritten(i))
      continue;
    Register copy = newRegister(types[i]);
    move(types[i], copy, sources[i]);
    sources[i] = copy;
  }
  for (size_t i = 0; i < sources.size(); ++i)
    move(types[i], dsts[i], sources[i]);
}
