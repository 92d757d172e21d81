// A kernel on both cores whose result leaves L0C through the workspace.
// RUN: tilekiln-hivm %s | FileCheck %s --check-prefix=FACTS
// RUN: tilekiln-opt %s --check-placement="unit=mix round-trips=1" -o /dev/null
// RUN: not tilekiln-opt %s --check-placement="unit=cube results=1" 2>&1 | FileCheck %s
// FACTS-DAG: "unit": "mix"
// FACTS-DAG: "globalRoundTrips": 1
// FACTS-DAG: "taskType": 32
// FACTS-DAG: "workspaceBytesPerBlock": 65536
// FACTS-DAG: "crossCoreSets": 1
// FACTS-DAG: "crossCoreWaits": 1
// CHECK: error: the kernel was to run on cube cores alone{{.*}}[placement-unit]
// CHECK: error: a cube kernel needs no workspace{{.*}}65536 bytes{{.*}}[placement-workspace]
// CHECK: error: 1 tile transfer(s) go through global memory{{.*}}from L0C{{.*}}[placement-round-trips]
// CHECK: error: a cube kernel has nobody to wait for{{.*}}[placement-cross-core]
// CHECK: error: 1 matrix result(s) are stored but 0 transfer(s){{.*}}[placement-fixpipe]

func.func private @fixpipe_nz2nd_float_to_float_4d_to_2d(memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8)

func.func @k_infer_workspace_shape_function() -> index attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
  %bytes = arith.constant 65536 : index
  return %bytes : index
}

func.func @k_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
  %type = arith.constant 32 : i8
  return %type : i8
}

func.func @k_mix_aic(%ffts: i64, %workspace: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>}, %c: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>, hivm.part_of_mix} {
  %c0 = arith.constant 0 : index
  %p0 = arith.constant 0 : i64
  %f = arith.constant false
  %u = arith.constant 0 : i8
  %view = memref.view %workspace[%c0][] : memref<?xi8, #hivm.address_space<gm>> to memref<128x128xf32, #hivm.address_space<gm>>
  %to = memref.cast %view : memref<128x128xf32, #hivm.address_space<gm>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  call @fixpipe_nz2nd_float_to_float_4d_to_2d(%c, %to, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %ffts
  return
}

func.func @k_mix_aiv(%ffts: i64) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.part_of_mix} {
  hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
  return
}
