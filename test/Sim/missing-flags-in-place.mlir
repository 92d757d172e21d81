// A tensor is updated in place, twice, and the scalar unit works beside the vector
// unit on one buffer. A RUN line leaves out the lines that carry its name.

// DEFINE: %{sim} = tilekiln-sim - --target %targets/ascend910b3.json --arg bytes:256

// RUN: cat %s | %{sim} | FileCheck %s --check-prefix=GOOD
// GOOD: no faults

// RUN: grep -v "@mte2-mte3" %s | %{sim} | FileCheck %s --check-prefix=MTE2-MTE3
// MTE2-MTE3: race: {{reads|writes}} byte 0 of ub while pipe {{MTE2|MTE3}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@mte3-mte2" %s | %{sim} | FileCheck %s --check-prefix=MTE3-MTE2
// MTE3-MTE2: race: {{reads|writes}} byte 0 of tensor 'bytes:256' while pipe {{MTE2|MTE3}} of AIV 0 {{reads|writes}} it, and nothing orders the two

// RUN: grep -v "@s-v" %s | %{sim} | FileCheck %s --check-prefix=S-V
// S-V: race: {{reads|writes}} byte 512 of ub while pipe {{S|V}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@v-s" %s | %{sim} | FileCheck %s --check-prefix=V-S
// V-S: race: {{reads|writes}} byte 512 of ub while pipe {{S|V}} of AIV 0 {{reads|writes}} it, and nothing orders the two: a set_flag and wait_flag between the pipes is missing

// RUN: grep -v "@mte3-mte3" %s | %{sim} | FileCheck %s --check-prefix=MTE3-MTE3
// MTE3-MTE3: race: writes byte 0 of tensor 'bytes:256' while pipe MTE3 of AIV 0 writes it, and nothing orders the two: a barrier of the pipe is missing

!gm = memref<?xf32, #hivm.address_space<gm>>
!ub = memref<64xf32, #hivm.address_space<ub>>
!few = memref<8xf32, #hivm.address_space<ub>>
!none = memref<0xf32, #hivm.address_space<ub>>
module {
  func.func private @load_gm_to_ubuf_1d_float(!gm, !ub, i32, f32, index)
  func.func private @broadcast_scalar_float_to_1d(f32, !few)
  func.func private @vadds_vs_1d_float(!few, f32, !few, !none)
  func.func private @store_ubuf_to_gm_1d_float(!ub, !gm, i32)

  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: !gm, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %at0 = arith.constant 0 : i64
    %at256 = arith.constant 256 : i64
    %at512 = arith.constant 512 : i64
    %one = arith.constant 1.0 : f32
    %tile = hivm.hir.pointer_cast(%at0) : !ub
    %again = hivm.hir.pointer_cast(%at256) : !ub
    %few = hivm.hir.pointer_cast(%at512) : !few
    %tmp = hivm.hir.pointer_cast(%at0) : !none

    func.call @load_gm_to_ubuf_1d_float(%a, %tile, %i0, %one, %c0) : (!gm, !ub, i32, f32, index) -> ()
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>] // @mte2-mte3
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>] // @mte2-mte3
    func.call @store_ubuf_to_gm_1d_float(%tile, %a, %i0) : (!ub, !gm, i32) -> ()
    hivm.hir.pipe_barrier[<PIPE_MTE3>] // @mte3-mte3
    func.call @store_ubuf_to_gm_1d_float(%tile, %a, %i0) : (!ub, !gm, i32) -> ()
    hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>] // @mte3-mte2
    hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>] // @mte3-mte2
    func.call @load_gm_to_ubuf_1d_float(%a, %again, %i0, %one, %c0) : (!gm, !ub, i32, f32, index) -> ()

    func.call @broadcast_scalar_float_to_1d(%one, %few) : (f32, !few) -> ()
    hivm.hir.set_flag[<PIPE_V>, <PIPE_S>, <EVENT_ID0>] // @v-s
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_S>, <EVENT_ID0>] // @v-s
    %first = memref.load %few[%c0] : !few
    %next = arith.addf %first, %one : f32
    memref.store %next, %few[%c0] : !few
    hivm.hir.set_flag[<PIPE_S>, <PIPE_V>, <EVENT_ID0>] // @s-v
    hivm.hir.wait_flag[<PIPE_S>, <PIPE_V>, <EVENT_ID0>] // @s-v
    func.call @vadds_vs_1d_float(%few, %one, %few, %tmp) : (!few, f32, !few, !none) -> ()
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
