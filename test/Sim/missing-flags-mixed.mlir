// A block of two halves: the cube multiplies two tiles twice and hands each product
// over, the vector unit takes it. A RUN line leaves out the lines that carry its
// name.

// DEFINE: %{sim} = tilekiln-sim - --target %targets/ascend910b3.json --arg bytes:512 --arg bytes:512 --arg bytes:1024

// RUN: cat %s | %{sim} | FileCheck %s --check-prefix=GOOD
// GOOD: no faults

// RUN: grep -v "@mte2-mte1" %s | %{sim} | FileCheck %s --check-prefix=MTE2-MTE1
// MTE2-MTE1: race: {{reads|writes}} byte 0 of l1 while pipe {{MTE2|MTE1}} of the AIC {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@mte1-mte2" %s | %{sim} | FileCheck %s --check-prefix=MTE1-MTE2
// MTE1-MTE2: race: {{reads|writes}} byte 0 of l1 while pipe {{MTE2|MTE1}} of the AIC {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@m-fix" %s | %{sim} | FileCheck %s --check-prefix=M-FIX
// M-FIX: race: {{reads|writes}} byte 0 of l0c while pipe {{M|FIX}} of the AIC {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@fix-m$" %s | %{sim} | FileCheck %s --check-prefix=FIX-M
// FIX-M: race: {{reads|writes}} byte 0 of l0c while pipe {{M|FIX}} of the AIC {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@fix-mte2" %s | %{sim} | FileCheck %s --check-prefix=FIX-MTE2
// FIX-MTE2: race: {{reads|writes}} byte 0 of tensor 'workspace' while pipe {{FIX of the AIC|MTE2 of AIV 0}} {{reads|writes}} it, and nothing orders the two: a cross-core flag between the cores is missing

// RUN: grep -v "@mte2-fix" %s | %{sim} | FileCheck %s --check-prefix=MTE2-FIX
// MTE2-FIX: race: {{reads|writes}} byte 0 of tensor 'workspace' while pipe {{FIX of the AIC|MTE2 of AIV 0}} {{reads|writes}} it, and nothing orders the two: a cross-core flag between the cores is missing

// The halves disagree on the number of handshakes.

// RUN: grep -v "@aiv-takes" %s | %{sim} | FileCheck %s --check-prefix=FEWER-WAITS
// FEWER-WAITS: flag-left: cross-core flag 0 is still raised at the end of the kernel: raised 2 times, waited for 0 times [sync_block_set on pipe S of aiv 0, block 0, cycle {{[0-9]+}}, 2 times]

// RUN: grep -v "@aic-gives" %s | %{sim} | FileCheck %s --check-prefix=FEWER-SETS
// FEWER-SETS: deadlock: pipe S waits for cross-core flag 0, which was raised 0 times and waited for 0 times before; it has waited since cycle {{[0-9]+}} and nothing is left that could raise it [sync_block_wait on pipe S of aiv 0, block 0

// Two AIVs give a slot back, but one of them only in the second round: the AIC
// counts the first round when both have.

// RUN: sed "s|: index // upper|: index|; s|%c0 to %c2 step %c1 { // vector|%begin to %c2 step %c1 {|" %s | %{sim} | FileCheck %s --check-prefix=ONE-OF-TWO
// ONE-OF-TWO: deadlock: pipe S waits for cross-core flag 1, which was raised 2 times and waited for 2 times before

!gmh = memref<?xf16, #hivm.address_space<gm>>
!gmh2 = memref<16x16xf16, strided<[16, 1], offset: ?>, #hivm.address_space<gm>>
!gmf2 = memref<16x16xf32, #hivm.address_space<gm>>
!gmf = memref<?xf32, #hivm.address_space<gm>>
!l1 = memref<1x1x16x16xf16, #hivm.address_space<cbuf>>
!l0c = memref<1x1x16x16xf32, #hivm.address_space<cc>>
!ub = memref<16x16xf32, #hivm.address_space<ub>>
!half = memref<8x16xf32, strided<[16, 1], offset: ?>, #hivm.address_space<gm>>
!ubhalf = memref<8x16xf32, #hivm.address_space<ub>>
module {
  func.func @kernel_infer_task_type_function() -> i8
      attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
    %mixed = arith.constant 32 : i8
    return %mixed : i8
  }
  func.func @kernel_infer_workspace_shape_function() -> index
      attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
    %bytes = arith.constant 1024 : index
    return %bytes : index
  }
  func.func private @nd2nz_half(!gmh2, !l1)
  func.func private @mma_tile_half_to_float(!l1, !l1, i1, index, index, index, !l0c, i64, i64, i64, i64, i64, i64, i64, i8)
  func.func private @fixpipe_nz2nd_float_to_float_4d_to_2d(!l0c, !gmf2, i64, i64, i1, i8)
  func.func private @load_gm_to_ubuf_2d_float(!half, !ubhalf, i32, f32, index)
  func.func private @store_ubuf_to_gm_2d_float(!ubhalf, !half, i32)

  func.func @kernel_mix_aic(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: !gmh, %b: !gmh, %c: !gmf, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %true = arith.constant true
    %false = arith.constant false
    %productUnit = arith.constant 0 : i8
    %fetchUnit = arith.constant 0 : i8
    %none = arith.constant -1 : i64
    %e0 = arith.constant 0 : i64
    %e1 = arith.constant 1 : i64
    %at512 = arith.constant 512 : i64
    %l1a = hivm.hir.pointer_cast(%e0) : !l1
    %l1b = hivm.hir.pointer_cast(%at512) : !l1
    %sum = hivm.hir.pointer_cast(%e0) : !l0c
    %aTile = memref.reinterpret_cast %a to offset: [%c0], sizes: [16, 16], strides: [16, 1] : !gmh to !gmh2
    %bTile = memref.reinterpret_cast %b to offset: [%c0], sizes: [16, 16], strides: [16, 1] : !gmh to !gmh2
    %out = memref.view %ws[%c0][] : memref<?xi8, #hivm.address_space<gm>> to !gmf2
    hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>] // @mte1-mte2
    hivm.hir.set_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>] // @fix-m
    scf.for %i = %c0 to %c2 step %c1 {
      hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>] // @mte1-mte2
      func.call @nd2nz_half(%aTile, %l1a) : (!gmh2, !l1) -> ()
      func.call @nd2nz_half(%bTile, %l1b) : (!gmh2, !l1) -> ()
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>] // @mte2-mte1
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>] // @mte2-mte1
      hivm.hir.wait_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>] // @fix-m
      func.call @mma_tile_half_to_float(%l1a, %l1b, %true, %c16, %c16, %c16, %sum, %none, %none, %none, %none, %none, %none, %none, %productUnit) : (!l1, !l1, i1, index, index, index, !l0c, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
      hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>] // @mte1-mte2
      hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>] // @m-fix
      hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>] // @m-fix
      hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE2>, <PIPE_S>] flag = 1 // @mte2-fix
      func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%sum, %out, %e0, %e0, %false, %fetchUnit) : (!l0c, !gmf2, i64, i64, i1, i8) -> ()
      hivm.hir.set_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>] // @fix-m
      hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %ffts // @fix-mte2 @aic-gives
    }
    hivm.hir.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID0>] // @mte1-mte2
    hivm.hir.wait_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>] // @fix-m
    hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE2>, <PIPE_S>] flag = 1 // @mte2-fix
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }

  func.func @kernel_mix_aiv(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: !gmh, %b: !gmh, %c: !gmf, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %i0 = arith.constant 0 : i32
    %at0 = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %id = hivm.hir.get_sub_block_idx -> i64
    %which = arith.index_cast %id : i64 to index
    %begin = arith.addi %which, %c0 : index // upper
    %offset = arith.muli %which, %c128 : index
    %tile = hivm.hir.pointer_cast(%at0) : !ubhalf
    %all = memref.view %ws[%c0][] : memref<?xi8, #hivm.address_space<gm>> to !gmf2
    %in = memref.reinterpret_cast %all to offset: [%offset], sizes: [8, 16], strides: [16, 1] : !gmf2 to !half
    %out = memref.reinterpret_cast %c to offset: [%offset], sizes: [8, 16], strides: [16, 1] : !gmf to !half
    hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE2>, <PIPE_S>] flag = 1 ffts_base_addr = %ffts // @mte2-fix
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    scf.for %i = %c0 to %c2 step %c1 { // vector
      hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0 // @fix-mte2 @aiv-takes
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
      func.call @load_gm_to_ubuf_2d_float(%in, %tile, %i0, %zero, %c0) : (!half, !ubhalf, i32, f32, index) -> ()
      hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE2>, <PIPE_S>] flag = 1 ffts_base_addr = %ffts // @mte2-fix
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
      func.call @store_ubuf_to_gm_2d_float(%tile, %out, %i0) : (!ubhalf, !half, i32) -> ()
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    }
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
