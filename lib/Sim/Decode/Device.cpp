//===- Device.cpp - The vendor's ops that hivmc is given ------------------===//
#include "FunctionDecoder.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilekiln::sim {

static std::optional<Pipe> getPipe(hivm::Pipe pipe) {
  switch (pipe) {
  case hivm::Pipe::S:
    return Pipe::S;
  case hivm::Pipe::V:
    return Pipe::V;
  case hivm::Pipe::M:
    return Pipe::M;
  case hivm::Pipe::MTE1:
    return Pipe::MTE1;
  case hivm::Pipe::MTE2:
    return Pipe::MTE2;
  case hivm::Pipe::MTE3:
    return Pipe::MTE3;
  case hivm::Pipe::FIX:
    return Pipe::FIX;
  case hivm::Pipe::ALL:
    return Pipe::All;
  default:
    return std::nullopt;
  }
}

bool FunctionDecoder::decodeDevice(Operation *op) {
  auto pipe = [&](hivm::Pipe vendor) {
    std::optional<Pipe> known = getPipe(vendor);
    if (!known)
      problem(op, "the target has no pipe '" + hivm::stringifyPipe(vendor) + "'");
    return known.value_or(Pipe::S);
  };
  auto flag = [&](auto flagOp, Opcode opcode) {
    Instruction in;
    in.opcode = opcode;
    in.pipe = pipe(flagOp.getSetPipe());
    in.otherPipe = pipe(flagOp.getWaitPipe());
    if (Value event = flagOp.getDynamicEventId())
      in.a = get(event);
    else
      in.imm = int64_t(*flagOp.getStaticEventId());
    code.emit(in);
    return true;
  };
  if (auto setOp = dyn_cast<hivm::SetFlagOp>(op))
    return flag(setOp, Opcode::SetFlag);
  if (auto waitOp = dyn_cast<hivm::WaitFlagOp>(op))
    return flag(waitOp, Opcode::WaitFlag);
  if (auto barrier = dyn_cast<hivm::PipeBarrierOp>(op)) {
    code.barrier(pipe(barrier.getPipe()));
    return true;
  }
  if (auto setOp = dyn_cast<hivm::SyncBlockSetOp>(op)) {
    Instruction in;
    in.opcode = Opcode::CrossSet;
    in.pipe = pipe(setOp.getTpipe());
    if (Value dynamic = setOp.getDynamicFlagId())
      in.a = get(dynamic);
    else
      in.imm = setOp.getStaticFlagIdAttr().getInt();
    in.sub = uint8_t(CrossMode::IntraBlock);
    if (auto mode = setOp.getTsyncInstrMode())
      in.sub = uint8_t(*mode);
    code.emit(in);
    return true;
  }
  if (auto waitOp = dyn_cast<hivm::SyncBlockWaitOp>(op)) {
    Instruction in;
    in.opcode = Opcode::CrossWait;
    in.pipe = pipe(waitOp.getPipe());
    if (Value dynamic = waitOp.getDynamicFlagId())
      in.a = get(dynamic);
    else
      in.imm = waitOp.getStaticFlagIdAttr().getInt();
    code.emit(in);
    return true;
  }
  auto query = [&](Opcode opcode) {
    emit(opcode, op->getResult(0), {});
    return true;
  };
  if (isa<hivm::GetBlockIdxOp>(op))
    return query(Opcode::BlockIdx);
  if (isa<hivm::GetBlockNumOp>(op))
    return query(Opcode::BlockNum);
  if (isa<hivm::GetSubBlockIdxOp>(op))
    return query(Opcode::SubBlockIdx);
  if (isa<hivm::GetSubBlockNumOp>(op))
    return query(Opcode::SubBlockNum);
  if (isa<hivm::GetSysCntOp>(op))
    return query(Opcode::SysCount);
  if (auto control = dyn_cast<hivm::SetCtrlOp>(op)) {
    Instruction in;
    in.opcode = Opcode::SetCtrl;
    in.sub = control.getEnable();
    in.imm = int64_t(control.getIdx());
    code.emit(in);
    return true;
  }
  // No effect on what is simulated.
  if (isa<hivm::SetFftsBaseAddrOp, hivm::SetMaskNormOp>(op))
    return true;
  // Addresses of texts, for debug functions alone.
  if (isa<LLVM::AddressOfOp, LLVM::GEPOp, LLVM::ConstantOp>(op)) {
    set(op->getResult(0), constant(0));
    return true;
  }
  return false;
}

} // namespace tilekiln::sim
