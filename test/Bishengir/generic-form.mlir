// The vendor's generic form has the same attribute names.
// RUN: tilekiln-hivm --no-lint --print-module %s | FileCheck %s

// CHECK-LABEL: func.func @k
"func.func"() <{function_type = (i64) -> (), sym_name = "k"}> ({
^bb0(%ffts: i64):
  // CHECK: hivm.hir.pointer_cast(%arg0) : memref<64xf32, #hivm.address_space<ub>>
  %0 = "hivm.hir.pointer_cast"(%ffts) <{operandSegmentSizes = array<i32: 1, 0>}> : (i64) -> memref<64xf32, #hivm.address_space<ub>>
  // CHECK: hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
  "hivm.hir.set_flag"() <{set_pipe = #hivm.pipe<PIPE_V>, static_event_id = #hivm.event<EVENT_ID0>, wait_pipe = #hivm.pipe<PIPE_MTE3>}> : () -> ()
  // CHECK: hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %arg0
  "hivm.hir.sync_block_set"(%ffts) <{operandSegmentSizes = array<i32: 0, 1>, pipe = #hivm.pipe<PIPE_S>, static_flag_id = 0 : i64, tcore_type = #hivm.tcore_type<CUBE>, tpipe = #hivm.pipe<PIPE_FIX>}> : (i64) -> ()
  // CHECK: hivm.hir.set_ctrl true at ctrl[6]
  "hivm.hir.set_ctrl"() <{enable = true, idx = 6 : i64}> : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
