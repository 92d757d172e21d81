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

#endif // TILEKILN_TRANSFORMS_PASSES_TD
