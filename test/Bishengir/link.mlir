// Every called function must be defined in the library of the calling core.
// RUN: rm -rf %t && mkdir %t
// RUN: llvm-as %S/Inputs/aic.ll -o %t/meta_op.aic.bc
// RUN: llvm-as %S/Inputs/aiv.ll -o %t/meta_op.aiv.bc
// RUN: not tilekiln-hivm %s --no-lint --library %t 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error:
// RUN: not tilekiln-hivm %s --no-lint --library %t/none 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE
// RUN: tilekiln-hivm %s --no-lint
// NONE: none/meta_op.aic.bc cannot be read{{.*}}ascendnpu-ir

func.func private @nd2nz_half()
func.func private @only_declared()
func.func private @vadd_1d_float()
func.func private @_mlir_ciface_init_debug()

func.func private @helper() {
  return
}

func.func @cube() attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  call @nd2nz_half() : () -> ()
  call @helper() : () -> ()
  // CHECK: link.mlir:[[#@LINE+1]]:3: error: the final IR calls 'only_declared'{{.*}}for cube cores
  call @only_declared() : () -> ()
  // CHECK: link.mlir:[[#@LINE+1]]:3: error: the final IR calls 'vadd_1d_float'{{.*}}for cube cores
  call @vadd_1d_float() : () -> ()
  return
}

func.func @vector() attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  call @vadd_1d_float() : () -> ()
  call @_mlir_ciface_init_debug() : () -> ()
  // CHECK: link.mlir:[[#@LINE+1]]:3: error: the final IR calls 'nd2nz_half'{{.*}}for vector cores
  call @nd2nz_half() : () -> ()
  return
}
