// Two rounds through the same buffers: each flag and each barrier is needed. A RUN
// line leaves out the lines that carry its name. Which of the two is called the
// other one, nothing says.

// DEFINE: %{sim} = tilekiln-sim - --target %targets/ascend910b3.json --arg bytes:256 --arg bytes:256

// RUN: cat %s | %{sim} | FileCheck %s --check-prefix=GOOD
// GOOD: no faults

// RUN: grep -v "@mte2-v" %s | %{sim} | FileCheck %s --check-prefix=MTE2-V
// MTE2-V: race: {{reads|writes}} byte 0 of ub while pipe {{MTE2|V}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing; the other one is at -:{{[0-9]+}} {{.*}} on pipe {{MTE2|V}} of aiv 0, block 0

// RUN: grep -v "@v-mte3" %s | %{sim} | FileCheck %s --check-prefix=V-MTE3
// V-MTE3: race: {{reads|writes}} byte 1024 of ub while pipe {{V|MTE3}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing; the other one is at -:{{[0-9]+}} {{.*}} on pipe {{V|MTE3}} of aiv 0, block 0

// RUN: grep -v "@v-mte2" %s | %{sim} | FileCheck %s --check-prefix=V-MTE2
// V-MTE2: race: {{reads|writes}} byte 0 of ub while pipe {{V|MTE2}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing; the other one is at -:{{[0-9]+}} {{.*}} on pipe {{V|MTE2}} of aiv 0, block 0

// RUN: grep -v "@mte3-v" %s | %{sim} | FileCheck %s --check-prefix=MTE3-V
// MTE3-V: race: {{reads|writes}} byte 1024 of ub while pipe {{MTE3|V}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing; the other one is at -:{{[0-9]+}} {{.*}} on pipe {{MTE3|V}} of aiv 0, block 0

// RUN: grep -v "@v-v" %s | %{sim} | FileCheck %s --check-prefix=V-V
// V-V: race: {{reads|writes}} byte 1024 of ub while pipe V of AIV 0 {{reads|writes}} it, and nothing orders the two: a barrier of the pipe is missing; the other one is at -:{{[0-9]+}} {{.*}} on pipe V of aiv 0, block 0

!gm = memref<?xf32, #hivm.address_space<gm>>
!ub = memref<64xf32, #hivm.address_space<ub>>
!none = memref<0xf32, #hivm.address_space<ub>>
module {
  func.func private @load_gm_to_ubuf_1d_float(!gm, !ub, i32, f32, index)
  func.func private @vadds_vs_1d_float(!ub, f32, !ub, !none)
  func.func private @store_ubuf_to_gm_1d_float(!ub, !gm, i32)

  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: !gm, %b: !gm, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i0 = arith.constant 0 : i32
    %at0 = arith.constant 0 : i64
    %at1024 = arith.constant 1024 : i64
    %one = arith.constant 1.0 : f32
    %in = hivm.hir.pointer_cast(%at0) : !ub
    %out = hivm.hir.pointer_cast(%at1024) : !ub
    %tmp = hivm.hir.pointer_cast(%at0) : !none
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>] // @v-mte2
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>] // @mte3-v
    scf.for %i = %c0 to %c2 step %c1 {
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>] // @v-mte2
      func.call @load_gm_to_ubuf_1d_float(%a, %in, %i0, %one, %c0) : (!gm, !ub, i32, f32, index) -> ()
      hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>] // @mte2-v
      hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>] // @mte2-v
      hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>] // @mte3-v
      func.call @vadds_vs_1d_float(%in, %one, %out, %tmp) : (!ub, f32, !ub, !none) -> ()
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>] // @v-mte2
      hivm.hir.pipe_barrier[<PIPE_V>] // @v-v
      func.call @vadds_vs_1d_float(%out, %one, %out, %tmp) : (!ub, f32, !ub, !none) -> ()
      hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>] // @v-mte3
      hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>] // @v-mte3
      func.call @store_ubuf_to_gm_1d_float(%out, %b, %i0) : (!ub, !gm, i32) -> ()
      hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>] // @mte3-v
    }
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>] // @v-mte2
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>] // @mte3-v
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
