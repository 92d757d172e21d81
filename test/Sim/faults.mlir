// One fault of each kind, put into a kernel that has none: a RUN line takes the
// lines that carry its name into the program.

// DEFINE: %{tag} =
// DEFINE: %{sim} = sed "s|^ *//@%{tag} ||" %s | tilekiln-sim - --target %targets/ascend910b3.json --arg bytes:256

// RUN: %{sim} | FileCheck %s --check-prefix=GOOD
// GOOD: no faults

// A wait without a set: who waits for what, since when.
// REDEFINE: %{tag} = no-set
// RUN: %{sim} | FileCheck %s --check-prefix=NO-SET
// NO-SET: -:{{[0-9]+}}: deadlock: pipe V waits for event 3 from pipe MTE2, which was raised 0 times and waited for 0 times before; it has waited since cycle {{[0-9]+}} and nothing is left that could raise it [wait_flag on pipe V of aiv 0, block 0, cycle {{[0-9]+}}]

// The second wait for a set that came once.
// REDEFINE: %{tag} = wait-twice
// RUN: %{sim} | FileCheck %s --check-prefix=WAIT-TWICE
// WAIT-TWICE: deadlock: pipe V waits for event 0 from pipe MTE2, which was raised 1 times and waited for 1 times before

// A flag set twice and waited for once.
// REDEFINE: %{tag} = set-twice
// RUN: %{sim} | FileCheck %s --check-prefix=SET-TWICE
// SET-TWICE: flag-left: event 0 from pipe MTE2 to pipe V is still raised at the end of the kernel: raised 2 times, waited for 1 times [set_flag on pipe MTE2 of aiv 0, block 0

// Two pipes that wait for each other.
// REDEFINE: %{tag} = circle
// RUN: %{sim} | FileCheck %s --check-prefix=CIRCLE
// CIRCLE-DAG: deadlock: pipe V waits for event 4 from pipe MTE3
// CIRCLE-DAG: deadlock: pipe MTE3 waits for event 4 from pipe V

// Global memory behind the tensor, and in front of it.
// REDEFINE: %{tag} = behind
// RUN: %{sim} | FileCheck %s --check-prefix=BEHIND
// BEHIND: out-of-range: reads bytes 128 to 383 of tensor 'bytes:256', which has 256 bytes [load_gm_to_ubuf_1d_float on pipe MTE2 of aiv 0
// REDEFINE: %{tag} = before
// RUN: %{sim} | FileCheck %s --check-prefix=BEFORE
// BEFORE: out-of-range: writes bytes -4 to 251 of tensor 'bytes:256', which has 256 bytes [store_ubuf_to_gm_1d_float on pipe MTE3 of aiv 0

// A buffer that does not fit into the unified buffer.
// REDEFINE: %{tag} = capacity
// RUN: %{sim} | FileCheck %s --check-prefix=CAPACITY
// CAPACITY: out-of-range: writes bytes 196480 to 196735 of ub, which has 196608 bytes

// Two live buffers that overlap.
// REDEFINE: %{tag} = overlap
// RUN: %{sim} | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: overlap: reads byte 128 of ub as buffer {{.*}}, but the last write there was through buffer {{.*}}: two live buffers overlap

// Memory that nothing wrote, on its way to a result and as a number of the program.
// REDEFINE: %{tag} = unwritten
// RUN: %{sim} | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: unwritten: the stored tile has bytes that nothing wrote [store_ubuf_to_gm_1d_float on pipe MTE3
// REDEFINE: %{tag} = unwritten-scalar
// RUN: %{sim} | FileCheck %s --check-prefix=UNWRITTEN-SCALAR
// UNWRITTEN-SCALAR: unwritten: loads an element that nothing wrote [memref.load on pipe S

// A workspace that is smaller than what the program uses of it.
// REDEFINE: %{tag} = workspace
// RUN: %{sim} | FileCheck %s --check-prefix=WORKSPACE
// WORKSPACE: out-of-range: writes bytes 0 to 255 of tensor 'workspace', which has 128 bytes [store_ubuf_to_gm_1d_float on pipe MTE3

// Blocks that write the same bytes.
// RUN: tilekiln-sim %s --target %targets/ascend910b3.json --arg bytes:256 --grid 2 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: race: {{reads|writes}} byte 0 of tensor 'bytes:256' that block {{0|1}} {{reads|writes}}; blocks run in no order

!gm = memref<?xf32, #hivm.address_space<gm>>
!moved = memref<64xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
!ub = memref<64xf32, #hivm.address_space<ub>>
!none = memref<0xf32, #hivm.address_space<ub>>
module {
  func.func @kernel_infer_workspace_shape_function() -> index
      attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
    %bytes = arith.constant 128 : index
    return %bytes : index
  }
  func.func private @load_gm_to_ubuf_1d_float(!moved, !ub, i32, f32, index)
  func.func private @vadds_vs_1d_float(!ub, f32, !ub, !none)
  func.func private @store_ubuf_to_gm_1d_float(!ub, !moved, i32)

  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %a: !gm, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %at0 = arith.constant 0 : i64
    %at128 = arith.constant 128 : i64
    %at1024 = arith.constant 1024 : i64
    %at4096 = arith.constant 4096 : i64
    %last = arith.constant 196480 : i64
    %one = arith.constant 1.0 : f32
    %ahead = arith.constant 32 : index
    %back = arith.constant -1 : index
    %none = hivm.hir.pointer_cast(%at0) : !none
    %in = hivm.hir.pointer_cast(%at0) : !ub
    %out = hivm.hir.pointer_cast(%at1024) : !ub
    %free = hivm.hir.pointer_cast(%at4096) : !ub
    %tile = memref.reinterpret_cast %a to offset: [%c0], sizes: [64], strides: [1] : !gm to !moved
    //@behind %behind = memref.reinterpret_cast %a to offset: [%ahead], sizes: [64], strides: [1] : !gm to !moved
    //@behind func.call @load_gm_to_ubuf_1d_float(%behind, %free, %i0, %one, %c0) : (!moved, !ub, i32, f32, index) -> ()
    //@capacity %edge = hivm.hir.pointer_cast(%last) : !ub
    //@capacity func.call @load_gm_to_ubuf_1d_float(%tile, %edge, %i0, %one, %c0) : (!moved, !ub, i32, f32, index) -> ()
    //@unwritten-scalar %some = memref.load %free[%c0] : !ub
    //@unwritten-scalar memref.store %some, %free[%c0] : !ub
    func.call @load_gm_to_ubuf_1d_float(%tile, %in, %i0, %one, %c0) : (!moved, !ub, i32, f32, index) -> ()
    //@overlap %other = hivm.hir.pointer_cast(%at128) : !ub
    //@overlap hivm.hir.pipe_barrier[<PIPE_MTE2>]
    //@overlap func.call @load_gm_to_ubuf_1d_float(%tile, %other, %i0, %one, %c0) : (!moved, !ub, i32, f32, index) -> ()
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    //@set-twice hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    //@wait-twice hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    //@no-set hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
    //@circle hivm.hir.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID4>]
    //@circle hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID4>]
    //@circle hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID4>]
    //@circle hivm.hir.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID4>]
    func.call @vadds_vs_1d_float(%in, %one, %out, %none) : (!ub, f32, !ub, !none) -> ()
    hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    //@before %before = memref.reinterpret_cast %a to offset: [%back], sizes: [64], strides: [1] : !gm to !moved
    //@before func.call @store_ubuf_to_gm_1d_float(%out, %before, %i0) : (!ub, !moved, i32) -> ()
    //@workspace %typed = memref.view %ws[%c0][] : memref<?xi8, #hivm.address_space<gm>> to memref<64xf32, #hivm.address_space<gm>>
    //@workspace %scratch = memref.reinterpret_cast %typed to offset: [%c0], sizes: [64], strides: [1] : memref<64xf32, #hivm.address_space<gm>> to !moved
    //@workspace func.call @store_ubuf_to_gm_1d_float(%out, %scratch, %i0) : (!ub, !moved, i32) -> ()
    func.call @store_ubuf_to_gm_1d_float(%out, %tile, %i0) : (!ub, !moved, i32) -> ()
    //@unwritten hivm.hir.pipe_barrier[<PIPE_MTE3>]
    //@unwritten func.call @store_ubuf_to_gm_1d_float(%free, %tile, %i0) : (!ub, !moved, i32) -> ()
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    return
  }
}
