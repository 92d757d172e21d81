//===- Passes.td - commonir to commonir -----------------------------------===//
#ifndef TILEKILN_TRANSFORMS_PASSES_TD
#define TILEKILN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckBounds : Pass<"check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Find accesses that leave their tensor, prove those that cannot";
  let description = [{
    Works out the range of every index from shapes, grid, loop bounds and the
    conditions around the access. A tile that starts outside of its tensor at an
    iteration that is certain to run is an error at the author's line; so is an
    access outside of an on-chip buffer, whatever the option says. A tile that
    only crosses the tensor's end is clamped, so it is right.

    What is proven is written down for the lowering, per dimension of the tensor:
    `commonir.in_bounds` (needs no clamp) on windows, loads and stores, and on
    windows `commonir.start_in_bounds`. An index that depends on data or cannot be
    bounded is no error: without the proof the lowering guards it.

    ```mlir
    %w = commonir.window %A[%row, 0] [64, 32] keep [0, 1]
        {commonir.in_bounds = array<i1: false, true>,
         commonir.start_in_bounds = array<i1: true, true>} : ...
    ```
  }];
  let options = [Option<"outOfBounds", "out-of-bounds", "std::string",
      /*default=*/"\"error\"",
      "what a tile is that starts outside of its tensor: `error`, or `zero` to "
      "compile it with guarded reads that give zero">];
}

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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ReloadSlices : Pass<"reload-slices", "func::FuncOp"> {
  let summary = "Load slices of tiles that the cube could not read in place";
  let description = [{
    An operand of a product that is a slice of a resident tile stays one if it is
    whole columns of fractals (all rows; columns that start and end at 32 bytes),
    which the cube's library reads in place. Any other slice becomes a load of its
    own from the tensor that the tile came from, if the kernel does not write that
    tensor; what the library cannot find then is refused by the lint of the final
    IR. An operand that a loop in front of the product loaded is loaded once more
    behind the loop. Runs on value form. Values do not change.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::tensor::TensorDialect"];
}

def DefineEdges : Pass<"define-edges", "func::FuncOp"> {
  let summary = "Keep a product what it is beyond its operands' edges";
  let description = [{
    An operand that crosses its tensor's edge is zero beyond it, so the product adds
    nothing there. The vendor's compiler multiplies only what was loaded and leaves
    the rest of the sum undefined. Where that part is looked at (the sum's rows are
    reduced, or stored into a longer tensor), a selection takes what the sum started
    from. Where every store ends at the same edge, nothing is done, and the kernel
    stays on the cube. Runs on value form.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def Retile : Pass<"retile", "func::FuncOp"> {
  let summary = "Do a block's work in parts, where its tiles do not fit on chip";
  let description = [{
    Runs on value form, before placement, on launches that carry what is asked for:
    `commonir.row_parts = n` puts the launch's work into a loop over at least n parts
    of the tile dimension that saves most, of those that no op of the launch looks
    across; `commonir.step_parts = n` computes products of loaded operands in at
    least n steps along K. Parts divide the extent evenly and keep the alignment
    of fractals. What cannot be cut is left, and a remark says what was. The sums of
    products are added in the same order as before.

    ```mlir
    commonir.launch (%bx) in (%n) { ... } {commonir.row_parts = 2 : i64}
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def InferPlacement : Pass<"infer-placement", "func::FuncOp"> {
  let summary = "Give every tile a memory space and every launch its unit";
  let description = [{
    Placements follow from use: sums of products lie where the cube adds, operands
    of products where it reads, everything else in the vector unit's memory.
    A tile that is needed in two spaces gets an explicit transfer
    (`commonir.copy` between the two types). A sum that cannot stay on the cube is
    split into a product and an addition on the vector unit, with a message that
    says why: a warning where the author can do something about it, else a remark.
    Runs on value form, where each value of a buffer has its own place: a fragment
    may be a cube's sum in a loop and vector data after it.

    The spaces and the paths between them are those of the target's description.

    Afterwards every tensor type in a launch carries its space, and the launch
    says which units it uses (`commonir.unit`) and how many transfers have to go
    through global memory because the machine has no path (`commonir.round_trips`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "The target's description, a file of share/targets">,
    Option<"assumeLoopsRun", "assume-loops-run", "bool", /*default=*/"false",
           "Take loops whose trip count is known at launch to run at least once; "
           "they are marked commonir.assumed_to_run for the launcher to check">];
}

def CheckCapacity : Pass<"check-capacity", "func::FuncOp"> {
  let summary = "Refuse kernels whose tiles cannot fit on chip together";
  let description = [{
    Runs on value form with placements. Compares what each space must hold at
    once, at the least, with its capacity in the target's description. A kernel
    that needs more is refused with every tile that is live at the peak, its bytes
    and an extent that would fit; what is only found to be too much by the vendor's
    compiler (its temporaries, second buffers) is reported by the driver with the
    same tiles.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "The target's description, a file of share/targets">];
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
