//===- Passes.td - Linked IR to code for the host -------------------------===//
//
// The passes that upstream does not have on the way from linked IR to LLVM IR.
// buildCpuPipeline (Pipeline.h) puts them in order, among upstream's.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CPU_PASSES
#define TILEKILN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuLowerVendorOps : Pass<"cpu-lower-vendor-ops", "mlir::ModuleOp"> {
  let summary = "Express the vendor's operations by upstream ones and run-time calls";
  let description = [{
    Linked IR may hold a few operations of BiShengIR in generic form: `hfusion.arange`,
    `cast`, `elemwise_unary`, `elemwise_binary`, `gather`, `cumsum`, `cumprod`, `print` and
    `hivm.hir.store`. Element-wise ones become `linalg.generic`; scans, prints and atomic
    stores become calls of TileKiln's run-time library. Any other unregistered operation
    is an error.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::func::FuncDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::tensor::TensorDialect"];
}

def CpuMatmulToF32 : Pass<"cpu-matmul-to-f32", "mlir::func::FuncOp"> {
  let summary = "Bring matrix products to the f32 form that BLAS computes";
  let description = [{
    f16 and bf16 operands are widened and results narrowed around a `linalg.matmul` of f32;
    i8 products are exact in f32 as long as no sum reaches 2^24, so K is cut at 1024 and
    the pieces are added as i32. A transposed operand becomes `linalg.matmul_transpose_a`
    or `_b`. An accumulator that is `tensor.empty` starts at zero, as on the cube unit.
    All of it on tensors, so that the conversions fuse with what made the operand.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def CpuFuseElementwise : Pass<"cpu-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Fuse element-wise operations where that computes nothing twice";
  let description = [{
    Fills, broadcasts, transposes and reductions are generalised, element-wise producers
    are fused into their only consumer unless a broadcast would repeat their work, and
    each result reuses an operand's storage where bufferization finds that it may.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def CpuCallRuntime : Pass<"cpu-call-runtime", "mlir::ModuleOp"> {
  let summary = "Call BLAS for f32 matrix products, and make copies loops";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
}

def CpuLegalizeScalars : Pass<"cpu-legalize-scalars", "mlir::ModuleOp"> {
  let summary = "Give scalar operations a value for every operand";
  let description = [{
    Division by zero gives 0 (remainder: the dividend), the smallest integer divided by -1
    wraps, a float that does not fit an integer saturates and NaN becomes 0. Padded edges of
    a tile compute such values although nobody reads them, and the host would trap.
    log1p and expm1 are called in libm: upstream computes log(1 + x) and exp(x) - 1.
    Results in f16 are rounded after every operation, as on the device, although upstream's
    widening to f32 would allow otherwise; bf16 stays f32 within an expression, as it does there.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::math::MathDialect", "mlir::LLVM::LLVMDialect"];
}

#endif // TILEKILN_CPU_PASSES
