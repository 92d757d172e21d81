//===- Passes.td - Checks of the vendor's final IR ------------------------===//
#ifndef TILEKILN_BISHENGIR_PASSES_TD
#define TILEKILN_BISHENGIR_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckPlacement : Pass<"check-placement", "::mlir::ModuleOp"> {
  let summary = "Prove that a kernel came out where CommonIR placed it";
  let description = [{
    Reads the module that the vendor's compiler hands to hivmc and compares it
    with what was meant: the cores it runs on, tiles that go through global
    memory, double buffering, one fixpipe a result. What differs is an error at
    the author's line. Nothing is changed.

    The vendor prints a few types that upstream's verifier refuses; text that has
    them is read with `--mlir-very-unsafe-disable-verifier-on-parsing` and
    `--verify-each=false`.
  }];
  let options = [
    Option<"unit", "unit", "::tilekiln::bishengir::Unit",
           /*default=*/"::tilekiln::bishengir::Unit::Unknown", "the cores that it runs on",
           [{::llvm::cl::values(
             clEnumValN(::tilekiln::bishengir::Unit::Unknown, "any", "not checked"),
             clEnumValN(::tilekiln::bishengir::Unit::Cube, "cube", "cube cores alone"),
             clEnumValN(::tilekiln::bishengir::Unit::Vector, "vector", "vector cores alone"),
             clEnumValN(::tilekiln::bishengir::Unit::Mix, "mix", "both"))}]>,
    Option<"roundTrips", "round-trips", "int64_t", /*default=*/"-1",
           "tiles that may leave a core through global memory; -1: any number">,
    Option<"results", "results", "int64_t", /*default=*/"-1",
           "matrix results that the kernel stores; -1: any number">,
    Option<"doubleBuffer", "double-buffer", "bool", /*default=*/"false",
           "operands loaded in a loop are double-buffered in L1">];
}

#endif // TILEKILN_BISHENGIR_PASSES_TD
