// Ops that hivmc does not take are named, each at its line.
// RUN: not tilekiln-hivm %s 2>&1 >/dev/null | FileCheck %s

func.func private @atomic_user()
func.func @k(%a: memref<8xf32, #hivm.address_space<ub>>, %g: memref<?xf32, #hivm.address_space<gm>>, %x: f32, %c: i1, %b: memref<64x64xf16, #hivm.address_space<gm>>, %d: memref<4x4x16x16xf16, #hivm.address_space<cbuf>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'hivm.hir.vtanh' unlowered{{.*}}[unlowered-op]
  hivm.hir.vtanh ins(%a : memref<8xf32, #hivm.address_space<ub>>) outs(%a : memref<8xf32, #hivm.address_space<ub>>)
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'hivm.hir.nd2nz' unlowered
  hivm.hir.nd2nz {dst_continuous} ins(%b : memref<64x64xf16, #hivm.address_space<gm>>) outs(%d : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>) init_out_buffer = false
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'hivm.hir.mmadL1' unlowered
  hivm.hir.mmadL1 {fixpipe_for_result_already_inserted = true} ins(%d, %d, %c, %c0, %c0, %c0 : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>, memref<4x4x16x16xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%d : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>) sync_related_args(%c0, %c0 : index, index)
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: error: {{.*}}'memref.atomic_rmw'
  %0 = memref.atomic_rmw addf %x, %g[%c0] : (f32, memref<?xf32, #hivm.address_space<gm>>) -> f32
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: error: 'math.exp' on a single number{{.*}}[scalar-math]
  %1 = math.exp %x : f32
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: error: a buffer was left without an address{{.*}}[unplanned-buffer]
  %2 = memref.alloc() : memref<8xf32, #hivm.address_space<ub>>
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'memref.copy' unlowered
  memref.copy %a, %2 : memref<8xf32, #hivm.address_space<ub>> to memref<8xf32, #hivm.address_space<ub>>
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'cf.assert' unlowered
  cf.assert %c, "message"
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: error: {{.*}}'tensor.empty' unlowered
  %3 = tensor.empty() : tensor<8xf32>
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: warning: a bit cast stays{{.*}}[bitcast]
  %4 = hivm.hir.bitcast %a : memref<8xf32, #hivm.address_space<ub>> -> memref<8xi32, #hivm.address_space<ub>>
  // CHECK: leftovers.mlir:[[#@LINE+1]]:8: error: {{.*}}'hfusion.elemwise_unary' unlowered
  %5 = hfusion.elemwise_unary {fun = #hfusion.unary_fn<tanh>} ins(%3 : tensor<8xf32>) outs(%3 : tensor<8xf32>) -> tensor<8xf32>
  // Ops that we write ourselves are none for hivmc either.
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'hivm.hir.store' unlowered
  hivm.hir.store ins(%a : memref<8xf32, #hivm.address_space<ub>>) outs(%g : memref<?xf32, #hivm.address_space<gm>>) atomic = <add>
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'hfusion.print' unlowered
  hfusion.print "x" {hex = false} %x : f32
  // CHECK: leftovers.mlir:[[#@LINE+1]]:3: error: {{.*}}'annotation.mark' unlowered
  annotation.mark %a {hivm.multi_buffer = 2 : i32} : memref<8xf32, #hivm.address_space<ub>>
  return
}
