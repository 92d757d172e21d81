//===- Device.cpp - Ops of the device itself ------------------------------===//
//
// Flags, barriers, cross-core flags, the control register, and who the core is.
//
//===----------------------------------------------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

/// The bit of the control register that says how vector masks are read.
constexpr int64_t maskModeBit = 56;

llvm::Error FunctionDecoder::readPipe(Operation *op, hivm::Pipe pipe, Pipe &out) {
  switch (pipe) {
  case hivm::Pipe::S:
    out = Pipe::S;
    break;
  case hivm::Pipe::V:
    out = Pipe::V;
    break;
  case hivm::Pipe::M:
    out = Pipe::M;
    break;
  case hivm::Pipe::MTE1:
    out = Pipe::MTE1;
    break;
  case hivm::Pipe::MTE2:
    out = Pipe::MTE2;
    break;
  case hivm::Pipe::MTE3:
    out = Pipe::MTE3;
    break;
  case hivm::Pipe::FIX:
    out = Pipe::FIX;
    break;
  case hivm::Pipe::ALL:
    out = Pipe::All;
    break;
  case hivm::Pipe::MTE4:
  case hivm::Pipe::MTE5:
  case hivm::Pipe::V2:
    return errorAt(op, "'" + op->getName().getStringRef() + "' names the pipe " +
                           hivm::stringifyPipe(pipe) +
                           ", which this machine does not have");
  }
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeFlag(Operation *op, Opcode opcode, hivm::Pipe from,
                                        hivm::Pipe to,
                                        std::optional<hivm::Event> constant,
                                        Value dynamic) {
  Instruction instruction;
  instruction.opcode = opcode;
  if (llvm::Error error = readPipe(op, from, instruction.pipe))
    return error;
  if (llvm::Error error = readPipe(op, to, instruction.otherPipe))
    return error;
  if (constant)
    instruction.imm = int64_t(*constant);
  else
    instruction.a = get(dynamic);
  builder.emit(instruction);
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeCrossFlag(Operation *op, Opcode opcode,
                                             hivm::Pipe pipe, IntegerAttr constant,
                                             Value dynamic, CrossMode mode) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.sub = uint8_t(mode);
  if (llvm::Error error = readPipe(op, pipe, instruction.pipe))
    return error;
  if (constant)
    instruction.imm = constant.getInt();
  else
    instruction.a = get(dynamic);
  builder.emit(instruction);
  return llvm::Error::success();
}

static CrossMode getMode(std::optional<hivm::SyncInstrMode> mode) {
  switch (mode.value_or(hivm::SyncInstrMode::IntraBlock)) {
  case hivm::SyncInstrMode::InterBlock:
    return CrossMode::InterBlock;
  case hivm::SyncInstrMode::InterSubblock:
    return CrossMode::InterSubblock;
  case hivm::SyncInstrMode::IntraBlock:
    return CrossMode::IntraBlock;
  }
  llvm_unreachable("all modes are named");
}

llvm::Error FunctionDecoder::decodeDevice(Operation *op) {
  auto query = [&](Opcode opcode) {
    define(op->getResult(0), pure(opcode, ElementType::I64, noRegister));
    return llvm::Error::success();
  };
  auto setControl = [&](int64_t bit, bool enable) {
    Instruction instruction;
    instruction.opcode = Opcode::SetCtrl;
    instruction.imm = bit;
    instruction.sub = enable;
    builder.emit(instruction);
    return llvm::Error::success();
  };
  if (auto set = dyn_cast<hivm::SetFlagOp>(op))
    return decodeFlag(op, Opcode::SetFlag, set.getSetPipe(), set.getWaitPipe(),
                      set.getStaticEventId(), set.getDynamicEventId());
  if (auto wait = dyn_cast<hivm::WaitFlagOp>(op))
    return decodeFlag(op, Opcode::WaitFlag, wait.getSetPipe(), wait.getWaitPipe(),
                      wait.getStaticEventId(), wait.getDynamicEventId());
  if (auto barrier = dyn_cast<hivm::PipeBarrierOp>(op)) {
    Pipe pipe;
    if (llvm::Error error = readPipe(op, barrier.getPipe(), pipe))
      return error;
    builder.barrier(pipe);
    return llvm::Error::success();
  }
  // A set runs in the first pipe, a wait holds the second.
  if (auto set = dyn_cast<hivm::SyncBlockSetOp>(op))
    return decodeCrossFlag(op, Opcode::CrossSet, set.getTpipe(),
                           set.getStaticFlagIdAttr(), set.getDynamicFlagId(),
                           getMode(set.getTsyncInstrMode()));
  if (auto wait = dyn_cast<hivm::SyncBlockWaitOp>(op))
    return decodeCrossFlag(op, Opcode::CrossWait, wait.getPipe(),
                           wait.getStaticFlagIdAttr(), wait.getDynamicFlagId(),
                           CrossMode::IntraBlock);
  if (isa<hivm::GetBlockIdxOp>(op))
    return query(Opcode::BlockIdx);
  if (isa<hivm::GetBlockNumOp>(op))
    return query(Opcode::BlockNum);
  if (isa<hivm::GetSubBlockIdxOp>(op))
    return query(Opcode::SubBlockIdx);
  if (isa<hivm::GetSubBlockNumOp>(op))
    return query(Opcode::SubBlockNum);
  if (isa<hivm::GetSysCntOp>(op)) {
    // Two reads differ: never the result of an earlier one.
    Instruction instruction;
    instruction.opcode = Opcode::SysCount;
    instruction.dst = builder.newScalar();
    define(op->getResult(0), builder.emit(instruction).dst);
    return llvm::Error::success();
  }
  if (auto cast = dyn_cast<hivm::PointerCastOp>(op))
    return decodePointerCast(cast);
  if (auto bitcast = dyn_cast<hivm::BitcastOp>(op))
    return decodeBitcast(bitcast);
  if (auto set = dyn_cast<hivm::SetCtrlOp>(op))
    return setControl(int64_t(set.getIdx()), set.getEnable());
  if (isa<hivm::SetMaskNormOp>(op))
    return setControl(maskModeBit, false);
  // Where flags of other cores are kept is the machine's business.
  if (isa<hivm::SetFftsBaseAddrOp>(op))
    return llvm::Error::success();
  // Addresses and lengths of texts for debug functions: the address is the number
  // of a text, from 1, wherever in it it points.
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
        op, address.getGlobalNameAttr());
    auto text = global ? dyn_cast_or_null<StringAttr>(global.getValueOrNull())
                       : StringAttr();
    program.texts.push_back(text ? text.str() : "");
    define(op->getResult(0), integer(int64_t(program.texts.size())));
    return llvm::Error::success();
  }
  if (auto element = dyn_cast<LLVM::GEPOp>(op)) {
    define(op->getResult(0), get(element.getBase()));
    return llvm::Error::success();
  }
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    define(op->getResult(0), integer(value ? value.getInt() : 0));
    return llvm::Error::success();
  }
  return unknown(op);
}
