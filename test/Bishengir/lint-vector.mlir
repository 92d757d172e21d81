// Vector calls without a right path for their operands, and buffers that
// nothing has filled.
// RUN: not tilekiln-hivm %s 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

func.func private @load_gm_to_ubuf_2d_float(memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index)
func.func private @store_ubuf_to_gm_2d_float(memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32)
func.func private @vcast_float_to_half_2d_with_mode(memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32)
func.func private @vcast_float_to_half_1d_with_mode(memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>, memref<?xf16, strided<[?], offset: ?>, #hivm.address_space<ub>>, i32)
func.func private @vexp_2d_float(memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>)
func.func private @broadcast_scalar_float_to_2d(f32, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>)

func.func @cast_of_columns(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  %y = hivm.hir.pointer_cast(%p1) : memref<64x64xf16, #hivm.address_space<ub>>
  %dy = memref.cast %y : memref<64x64xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  %s = memref.subview %x[0, 4] [64, 64] [1, 1] : memref<64x128xf32, #hivm.address_space<ub>> to memref<64x64xf32, strided<[128, 1], offset: 4>, #hivm.address_space<ub>>
  %ds = memref.cast %s : memref<64x64xf32, strided<[128, 1], offset: 4>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  // CHECK: lint-vector.mlir:[[#@LINE+1]]:3: error: {{.*}}stops the core{{.*}}[misaligned-slice]
  func.call @vcast_float_to_half_2d_with_mode(%ds, %dy, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32) -> ()
  return
}

func.func @aligned_columns(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %k: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  %y = hivm.hir.pointer_cast(%p1) : memref<64x64xf16, #hivm.address_space<ub>>
  %dy = memref.cast %y : memref<64x64xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  %s = memref.subview %x[0, 8] [64, 64] [1, 1] : memref<64x128xf32, #hivm.address_space<ub>> to memref<64x64xf32, strided<[128, 1], offset: 8>, #hivm.address_space<ub>>
  %ds = memref.cast %s : memref<64x64xf32, strided<[128, 1], offset: 8>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @vcast_float_to_half_2d_with_mode(%ds, %dy, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32) -> ()
  %m = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%k]
  %s2 = memref.subview %x[0, %m] [64, 64] [1, 1] : memref<64x128xf32, #hivm.address_space<ub>> to memref<64x64xf32, strided<[128, 1], offset: ?>, #hivm.address_space<ub>>
  %ds2 = memref.cast %s2 : memref<64x64xf32, strided<[128, 1], offset: ?>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @vcast_float_to_half_2d_with_mode(%ds2, %dy, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32) -> ()
  return
}

// Rows of 400 bytes that the call sees as one: nothing starts askew.
func.func @flattened_rows(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<16x100xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<16x100xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  %y = hivm.hir.pointer_cast(%p1) : memref<16x100xf16, #hivm.address_space<ub>>
  %fx = memref.collapse_shape %x [[0, 1]] : memref<16x100xf32, #hivm.address_space<ub>> into memref<1600xf32, #hivm.address_space<ub>>
  %fy = memref.collapse_shape %y [[0, 1]] : memref<16x100xf16, #hivm.address_space<ub>> into memref<1600xf16, #hivm.address_space<ub>>
  %dfx = memref.cast %fx : memref<1600xf32, #hivm.address_space<ub>> to memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>
  %dfy = memref.cast %fy : memref<1600xf16, #hivm.address_space<ub>> to memref<?xf16, strided<[?], offset: ?>, #hivm.address_space<ub>>
  func.call @vcast_float_to_half_1d_with_mode(%dfx, %dfy, %i0) : (memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>, memref<?xf16, strided<[?], offset: ?>, #hivm.address_space<ub>>, i32) -> ()
  return
}

func.func @unknown_columns(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %n: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  %y = hivm.hir.pointer_cast(%p1) : memref<64x64xf16, #hivm.address_space<ub>>
  %dy = memref.cast %y : memref<64x64xf16, #hivm.address_space<ub>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  %s = memref.subview %x[0, %n] [64, 64] [1, 1] : memref<64x128xf32, #hivm.address_space<ub>> to memref<64x64xf32, strided<[128, 1], offset: ?>, #hivm.address_space<ub>>
  %ds = memref.cast %s : memref<64x64xf32, strided<[128, 1], offset: ?>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  // CHECK: lint-vector.mlir:[[#@LINE+1]]:3: warning: {{.*}}may not start{{.*}}[misaligned-slice]
  func.call @vcast_float_to_half_2d_with_mode(%ds, %dy, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32) -> ()
  return
}

// A plain store has a slow but right path, an atomic one has none.
func.func @store_of_columns(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  %s = memref.subview %x[0, 4] [64, 64] [1, 1] : memref<64x128xf32, #hivm.address_space<ub>> to memref<64x64xf32, strided<[128, 1], offset: 4>, #hivm.address_space<ub>>
  %ds = memref.cast %s : memref<64x64xf32, strided<[128, 1], offset: 4>, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @store_ubuf_to_gm_2d_float(%ds, %g, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32) -> ()
  // CHECK: lint-vector.mlir:[[#@LINE+1]]:3: error: {{.*}}stores nothing{{.*}}[misaligned-slice]
  func.call @store_ubuf_to_gm_2d_float(%ds, %g, %i1) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32) -> ()
  return
}

func.func @never_filled(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  // CHECK: lint-vector.mlir:[[#@LINE+1]]:3: error: 'store_ubuf_to_gm_2d_float' reads{{.*}}[unfilled-buffer]
  func.call @store_ubuf_to_gm_2d_float(%dx, %g, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32) -> ()
  return
}

// In place: its own result does not fill what it reads.
func.func @filled_by_its_reader(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  // CHECK: lint-vector.mlir:[[#@LINE+1]]:3: error: 'vexp_2d_float' reads{{.*}}[unfilled-buffer]
  func.call @vexp_2d_float(%dx, %dx, %dx) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>) -> ()
  func.call @store_ubuf_to_gm_2d_float(%dx, %g, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32) -> ()
  return
}

func.func @filled_by_a_constant(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @broadcast_scalar_float_to_2d(%z, %dx) : (f32, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>) -> ()
  func.call @vexp_2d_float(%dx, %dx, %dx) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>) -> ()
  return
}

// The iteration before fills it.
func.func @filled_by_the_loop(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @store_ubuf_to_gm_2d_float(%dx, %g, %i0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i32) -> ()
    func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  }
  return
}

func.func @element_loop(%g: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %x = hivm.hir.pointer_cast(%p0) : memref<64x128xf32, #hivm.address_space<ub>>
  %dx = memref.cast %x : memref<64x128xf32, #hivm.address_space<ub>> to memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>
  func.call @load_gm_to_ubuf_2d_float(%g, %dx, %i0, %z, %c0) : (memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i32, f32, index) -> ()
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%c0, %i] : memref<64x128xf32, #hivm.address_space<ub>>
    %w = arith.addf %v, %v : f32
    // CHECK: lint-vector.mlir:[[#@LINE+1]]:5: warning: {{.*}}[element-loop]
    memref.store %w, %x[%c0, %i] : memref<64x128xf32, #hivm.address_space<ub>>
  }
  return
}
