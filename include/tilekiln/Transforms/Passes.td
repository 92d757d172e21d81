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

def HoistClear : Pass<"hoist-clear", "func::FuncOp"> {
  let summary = "A clear on a loop's first step becomes the loop's start";
  let description = [{
    `clear_accum = (k == 0)` and `if k == 0: T.clear(acc)` become a zero start of
    the loops whose first step the condition asks for, so that the sum stays on
    the cube. Runs on value form. An optimisation: values do not change.
  }];
}

def InferPlacement : Pass<"infer-placement", "func::FuncOp"> {
  let summary = "Give every tile a memory space and every launch its unit";
  let description = [{
    Placements follow from use: sums of products lie where the cube adds, operands
    of products where it reads, everything else in the vector unit's memory.
    A tile that is needed in two spaces gets an explicit transfer
    (`commonir.copy` between the two types). A sum that cannot stay on the cube is
    split into a product and an addition on the vector unit, with a warning that
    says why. Runs on value form, where each value of a buffer has its own
    place: a fragment may be a cube's sum in a loop and vector data after it.

    Afterwards every tensor type in a launch carries its space, and the launch
    says which units it uses (`commonir.unit`) and how many transfers have to go
    through global memory because the machine has no path (`commonir.round_trips`).
  }];
  let options = [
    Option<"assumeLoopsRun", "assume-loops-run", "bool", /*default=*/"false",
           "Take loops whose trip count is known at launch to run at least once; "
           "they are marked commonir.assumed_to_run for the launcher to check">];
}

#endif // TILEKILN_TRANSFORMS_PASSES_TD
