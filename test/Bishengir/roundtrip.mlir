// Every op that hivmc takes is printed as the vendor prints it.
// RUN: tilekiln-hivm --no-lint --print-module %s | FileCheck %s
// RUN: tilekiln-hivm --no-lint --print-module %s > %t.once
// RUN: tilekiln-hivm --no-lint --print-module %t.once | diff %t.once -

// CHECK: #dlti.target_system_spec<"NPU" : #hacc.target_device_spec<#dlti.dl_entry<"UB_SIZE", 1572864 : i32>>>
// CHECK-SAME: hivm.aic_bitcode = #hivm.aic_bitcode<"lib/meta_op.aic.bc">
// CHECK-SAME: hivm.module_core_type = #hivm.module_core_type<MIX>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" : #hacc.target_device_spec<#dlti.dl_entry<"UB_SIZE", 1572864 : i32>>>, hivm.aic_bitcode = #hivm.aic_bitcode<"lib/meta_op.aic.bc">, hivm.module_core_type = #hivm.module_core_type<MIX>, memref.memref_as_ptr} {
  // CHECK-LABEL: func.func @k
  // CHECK-SAME: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}
  // CHECK-SAME: {tt.divisibility = 16 : i32}
  func.func @k(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %a: memref<?xf16, #hivm.address_space<gm>> {tt.divisibility = 16 : i32}, %event: i64, %n: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
    %c0 = arith.constant 0 : i64
    // CHECK: hivm.hir.set_ffts_base_addr %arg0
    hivm.hir.set_ffts_base_addr %ffts
    // CHECK: hivm.hir.set_mask_norm
    hivm.hir.set_mask_norm
    // CHECK: hivm.hir.set_ctrl false at ctrl[10]
    hivm.hir.set_ctrl false at ctrl[10]
    // CHECK: hivm.hir.get_block_idx -> i64
    %b = hivm.hir.get_block_idx -> i64
    // CHECK: hivm.hir.get_block_num -> i64
    %bn = hivm.hir.get_block_num -> i64
    // CHECK: hivm.hir.get_sub_block_idx -> i64
    %s = hivm.hir.get_sub_block_idx -> i64
    // CHECK: hivm.hir.get_sub_block_num -> i64
    %sn = hivm.hir.get_sub_block_num -> i64
    // CHECK: hivm.hir.get_sys_cnt -> i64
    %t = hivm.hir.get_sys_cnt -> i64
    // CHECK: hivm.hir.pointer_cast(%c0_i64) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    %p = hivm.hir.pointer_cast(%c0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
    // CHECK: hivm.hir.pointer_cast(%c0_i64, %arg2) [%arg3] : memref<?xf32, #hivm.address_space<ub>>
    %q = hivm.hir.pointer_cast(%c0, %event) [%n] : memref<?xf32, #hivm.address_space<ub>>
    // CHECK: hivm.hir.bitcast %{{.*}} : memref<?xf32, #hivm.address_space<ub>> -> memref<?xi32, #hivm.address_space<ub>>
    %r = hivm.hir.bitcast %q : memref<?xf32, #hivm.address_space<ub>> -> memref<?xi32, #hivm.address_space<ub>>
    // CHECK: hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID3>]
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID3>]
    // CHECK: hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, %arg2]
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, %event]
    // CHECK: hivm.hir.pipe_barrier[<PIPE_ALL>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    // CHECK: hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 13 ffts_base_addr = %arg0{{$}}
    hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 13 ffts_base_addr = %ffts
    // CHECK: hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = %arg2 ffts_base_addr = %arg0 sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
    hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = %event ffts_base_addr = %ffts sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
    // CHECK: hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE3>, <PIPE_S>] flag = %arg2
    hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE3>, <PIPE_S>] flag = %event
    return
  }
}
