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
    "::mlir::tensor::TensorDialect", "::tilekiln::hfusion::HFusionDialect",
    "::tilekiln::hivm::HIVMDialect"];
}

def LegalizeLinked : Pass<"legalize-linked", "::mlir::func::FuncOp"> {
  let summary = "Replace what the vendor's compiler refuses or gets wrong";
  let description = [{
    Element-wise ops on tiles that bishengir-compile rejects, or that it compiles
    into something else without a word, become ones that it compiles rightly:
    comparisons with a NaN on the true side, unsigned arithmetic, shifts and
    divisions by a tile, conversions without an instruction, rounding,
    mathematics on scalars, loops that start elsewhere than at 0. Values do not
    change. Runs after the last
    canonicalization, which would bring some of the forms back.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::tilekiln::hfusion::HFusionDialect"];
}

def AvoidVendorFaults : Pass<"avoid-vendor-faults", "::mlir::func::FuncOp"> {
  let summary = "Keep apart forms that the vendor's compiler gets wrong";
  let description = [{
    On linked IR, as the last pass: simplification would bring the forms back.
    Values do not change; each form costs one more vector op on a tile, or
    leaves the second vector core of a block idle. `commonir.step_order` on the
    function asks for a compilation that leaves the steps of loops together.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::tilekiln::hivm::AnnotationDialect"];
}

#endif // TILEKILN_CONVERSION_PASSES_TD
