//===- Passes.td - commonir to commonir -----------------------------------===//
#ifndef TILEKILN_TRANSFORMS_PASSES_TD
#define TILEKILN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PromoteTiles : Pass<"promote-tiles", "func::FuncOp"> {
  let summary = "Turn on-chip buffers into SSA tile values";
  let description = [{
    Carries every buffer as a value through loops (iter_args), branches and
    sub-tile reads and writes. A kernel whose tiles reach the vendor's compiler
    as mutable memrefs runs at a twentieth of the machine's speed: the
    accumulator makes a round trip through global memory on every k-step.

    Afterwards no on-chip memref is left.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect"];
}

def VectorizeElementwise
    : Pass<"vectorize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Turn element-wise loops into ops on whole tiles";
  let description = [{
    In buffer form, before promote-tiles. Loads and stores of a
    `commonir.elementwise` become `commonir.read` and `commonir.write` of on-chip
    buffers and copies through windows of global tensors; what is between becomes
    the same arith and math ops on tensors. A value is a tensor over just those
    indices that it depends on and broadcast where it meets a larger one. Branches
    on data are computed on both sides and merged.

    What has no such form runs as a loop nest of scalar ops, and a remark says why.
    Afterwards no `commonir.elementwise` is left.
  }];
  let options = [
    Option<"scalarOnly", "scalar-only", "bool", "false",
           "Make loop nests of all of them, for comparison">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // TILEKILN_TRANSFORMS_PASSES_TD
