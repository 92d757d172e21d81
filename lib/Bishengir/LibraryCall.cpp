//===- LibraryCall.cpp - Calls into the vendor's device library -----------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "LibraryCall.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tilekiln::bishengir {

CallFamily getCallFamily(StringRef callee) {
  callee.consume_front("_mlir_ciface_");
  auto begins = [&](StringRef prefix) { return callee.starts_with(prefix); };
  if (begins("nd2nz_") || begins("load_gm_to_cbuf_"))
    return CallFamily::LoadL1;
  if (begins("set_l1_2d_"))
    return CallFamily::FillL1;
  if (begins("mma_tile_"))
    return CallFamily::Matmul;
  if (begins("fixpipe_"))
    return CallFamily::Fixpipe;
  if (begins("load_gm_to_ubuf_"))
    return CallFamily::LoadUB;
  if (begins("store_ubuf_to_gm_"))
    return CallFamily::StoreUB;
  if (begins("print_") || begins("assert_") || begins("init_debug") ||
      begins("finish_debug"))
    return CallFamily::Debug;
  constexpr StringLiteral computePrefixes[] = {"vcast_",
                                               "vcmp",
                                               "vsel_",
                                               "vadd",
                                               "vsub",
                                               "vmul",
                                               "vdiv",
                                               "vmax",
                                               "vmin",
                                               "vexp",
                                               "vln",
                                               "vsqrt",
                                               "vrsqrt",
                                               "vrec",
                                               "vabs",
                                               "vrelu",
                                               "vand",
                                               "vor",
                                               "vxor",
                                               "vnot",
                                               "vshl",
                                               "vshr",
                                               "vpow",
                                               "vgather",
                                               "reduce_",
                                               "enablevc",
                                               "transpose_",
                                               "gather_",
                                               "interleave_",
                                               "deinterleave_",
                                               "cumsum_",
                                               "cumprod_",
                                               "sort_",
                                               "flip_",
                                               "broadcast_1d",
                                               "broadcast_first_",
                                               "broadcast_middle_",
                                               "broadcast_last_",
                                               "copy_ubuf_to_ubuf_"};
  if (llvm::any_of(computePrefixes, begins))
    return CallFamily::Compute;
  return CallFamily::Other;
}

bool isLibraryCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee.isExternal();
}

SmallVector<func::CallOp> getLibraryCalls(Operation *root) {
  SmallVector<func::CallOp> calls;
  root->walk([&](func::CallOp call) {
    if (isLibraryCall(call))
      calls.push_back(call);
  });
  return calls;
}

std::optional<MatmulCall> MatmulCall::get(func::CallOp call) {
  if (getCallFamily(call.getCallee()) != CallFamily::Matmul)
    return std::nullopt;
  // A, B, init, m, k, n, [bias], C, seven flags, unit flag.
  constexpr unsigned plainCount = 15, biasCount = 16;
  OperandRange operands = call.getOperands();
  bool hasBias = operands.size() == biasCount;
  if (!hasBias && operands.size() != plainCount)
    return std::nullopt;
  MatmulCall matmul;
  matmul.call = call;
  matmul.a = operands[0];
  matmul.b = operands[1];
  matmul.init = operands[2];
  matmul.m = operands[3];
  matmul.k = operands[4];
  matmul.n = operands[5];
  if (hasBias)
    matmul.bias = operands[6];
  matmul.c = operands[hasBias ? 7 : 6];
  auto isBuffer = [](Value value) { return isa<MemRefType>(value.getType()); };
  if (!isBuffer(matmul.a) || !isBuffer(matmul.b) || !isBuffer(matmul.c))
    return std::nullopt;
  return matmul;
}

std::optional<TransferCall> TransferCall::get(func::CallOp call,
                                              CallFamily family) {
  if (getCallFamily(call.getCallee()) != family || call.getNumOperands() < 2)
    return std::nullopt;
  Value source = call.getOperand(0), destination = call.getOperand(1);
  if (!isa<MemRefType>(source.getType()) ||
      !isa<MemRefType>(destination.getType()))
    return std::nullopt;
  return TransferCall{call, source, destination};
}

} // namespace tilekiln::bishengir
