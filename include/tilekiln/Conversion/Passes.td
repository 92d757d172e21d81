//===- Passes.td - From commonir to other IRs -----------------------------===//
#ifndef TILEKILN_CONVERSION_PASSES_TD
#define TILEKILN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertCommonIRToLinked
    : Pass<"convert-commonir-to-linked", "::mlir::ModuleOp"> {
  let summary = "Lower value form to the IR that the vendor's compiler takes";
  let description = [{
    Each launch becomes one entry function with the vendor's argument list;
    tiles become tensors, windows become clamped memory transfers. Only the forms
    that the vendor's compiler is known to compile rightly are made.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def AvoidVendorFaults : Pass<"avoid-vendor-faults", "::mlir::func::FuncOp"> {
  let summary = "Keep apart forms that the vendor's compiler gets wrong";
  let description = [{
    On linked IR, as the last pass: simplification would bring the forms back.
    Values do not change; each form costs one more vector op on a tile.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TILEKILN_CONVERSION_PASSES_TD
