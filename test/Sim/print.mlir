// What a kernel prints: the block, the text that the kernel gave, the value.
// RUN: tilekiln-sim %s --target %targets/ascend910b3.json --grid 2 --arg int:42 | FileCheck %s
// CHECK-DAG: block 0: n = 42
// CHECK-DAG: block 1: n = 42
// CHECK-DAG: block 0: tile: [1.500000,1.500000,1.500000,1.500000]
// CHECK-DAG: block 1: tile: [1.500000,1.500000,1.500000,1.500000]
// CHECK: no faults

!ub = memref<4xf32, #hivm.address_space<ub>>
module {
  llvm.mlir.global private constant @first("n = ") {addr_space = 0 : i32}
  llvm.mlir.global private constant @second("tile: and more") {addr_space = 0 : i32}
  func.func private @broadcast_scalar_float_to_1d(f32, !ub)
  func.func private @_mlir_ciface_print_scalar_int32_t_gm(!llvm.ptr, i64, i32, i8)
  func.func private @print_1d_float_ubuf(!llvm.ptr, i64, !ub, i8)
  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %n: i32, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %0 = llvm.mlir.addressof @first : !llvm.ptr
    %1 = llvm.mlir.addressof @second : !llvm.ptr
    %four = llvm.mlir.constant(4 : i64) : i64
    %six = llvm.mlir.constant(6 : i64) : i64
    %plain = arith.constant 0 : i8
    %at0 = arith.constant 0 : i64
    %value = arith.constant 1.5 : f32
    %tile = hivm.hir.pointer_cast(%at0) : !ub
    %2 = llvm.getelementptr %0[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x i8>
    call @_mlir_ciface_print_scalar_int32_t_gm(%2, %four, %n, %plain) : (!llvm.ptr, i64, i32, i8) -> ()
    call @broadcast_scalar_float_to_1d(%value, %tile) : (f32, !ub) -> ()
    %3 = llvm.getelementptr %1[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<14 x i8>
    call @print_1d_float_ubuf(%3, %six, %tile, %plain) : (!llvm.ptr, i64, !ub, i8) -> ()
    return
  }
}
