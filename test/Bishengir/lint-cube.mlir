// Forms around a matrix multiplication that the vendor's compiler accepts and
// the library computes something else for.
// RUN: not tilekiln-hivm %s 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

func.func private @mma_tile_half_to_float(memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) attributes {hivm.func_core_type = #hivm.func_core_type<AIC>}
func.func private @nd2nz_half(memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) attributes {hivm.func_core_type = #hivm.func_core_type<AIC>}
func.func private @fixpipe_nz2nd_float_to_float_4d_to_2d(memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) attributes {hivm.func_core_type = #hivm.func_core_type<AIC>}

// Rows of a larger tile: strides are ignored.
func.func @strided_operand(%x: memref<64x64xf16, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  %s = memref.subview %a[0, 4, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<4x4x16x16xf16, strided<[2048, 256, 16, 1], offset: 1024>, #hivm.address_space<cbuf>>
  %ds = memref.cast %s : memref<4x4x16x16xf16, strided<[2048, 256, 16, 1], offset: 1024>, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  // CHECK: lint-cube.mlir:[[#@LINE+1]]:3: error: operand A {{.*}}[strided-operand]
  func.call @mma_tile_half_to_float(%ds, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  return
}

// Columns of a larger tile are contiguous: nothing to report.
func.func @column_slice(%x: memref<64x64xf16, #hivm.address_space<gm>>, %k: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  %s = memref.subview %a[%k, 0, 0, 0] [2, 8, 16, 16] [1, 1, 1, 1] : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<2x8x16x16xf16, strided<[2048, 256, 16, 1], offset: ?>, #hivm.address_space<cbuf>>
  %ds = memref.cast %s : memref<2x8x16x16xf16, strided<[2048, 256, 16, 1], offset: ?>, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  func.call @mma_tile_half_to_float(%ds, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  return
}

// A load across the storage order.
func.func @strided_load(%x: memref<64x64xf16, strided<[1, 64]>, #hivm.address_space<gm>>, %y: memref<64x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %across = memref.cast %x : memref<64x64xf16, strided<[1, 64]>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %along = memref.cast %y : memref<64x64xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  // CHECK: lint-cube.mlir:[[#@LINE+1]]:3: error: {{.*}}distance 64{{.*}}[strided-load]
  func.call @nd2nz_half(%across, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%along, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  return
}

// Clearing in the first iteration, which may be skipped.
func.func @conditional_init(%x: memref<64x64xf16, #hivm.address_space<gm>>, %m: memref<4xi1, #hivm.address_space<gm>>, %always: i1) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  scf.for %i = %c0 to %c4 step %c1 {
    %first = arith.cmpi eq, %i, %c0 : index
    %go = memref.load %m[%i] : memref<4xi1, #hivm.address_space<gm>>
    scf.if %go {
      // CHECK: lint-cube.mlir:[[#@LINE+1]]:7: error: {{.*}}[conditional-init]
      func.call @mma_tile_half_to_float(%da, %db, %first, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
    }
    // The same condition in every iteration.
    scf.if %always {
      func.call @mma_tile_half_to_float(%da, %db, %first, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
    }
  }
  return
}

// The loop may run zero times, the store happens.
func.func @zero_trip(%x: memref<64x64xf16, #hivm.address_space<gm>>, %o: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %n: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  }
  // CHECK: lint-cube.mlir:[[#@LINE+1]]:3: error: {{.*}}[zero-trip-accumulator]
  func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%dc, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  return
}

// Strips of a loop of nine steps: the last of them has one.
func.func @strips(%x: memref<64x64xf16, #hivm.address_space<gm>>, %o: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %n: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c9 = arith.constant 9 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  scf.for %s = %c0 to %c9 step %c4 {
    %most = affine.min affine_map<(d0) -> (-d0 + 9, 4)>(%s)
    scf.for %i = %c0 to %most step %c1 {
      func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
    }
  }
  func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%dc, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  return
}

// A branch that asks for the bound, and at least one iteration: both fine.
func.func @guarded(%x: memref<64x64xf16, #hivm.address_space<gm>>, %o: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %n: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    scf.for %i = %c0 to %n step %c1 {
      func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
    }
    func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%dc, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  }
  %least = affine.max affine_map<()[s0] -> (s0, 1)>()[%n]
  scf.for %i = %c0 to %least step %c1 {
    func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  }
  func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%dc, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  return
}

// A branch that asks for something else does not help.
func.func @wrongly_guarded(%x: memref<64x64xf16, #hivm.address_space<gm>>, %o: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %n: index, %other: i1) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<4x8x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<4x8x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  scf.if %other {
    scf.for %i = %c0 to %n step %c1 {
      func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
    }
    // CHECK: lint-cube.mlir:[[#@LINE+1]]:5: error: {{.*}}[zero-trip-accumulator]
    func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%dc, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  }
  return
}

// 4096 rows: not even one step of 16 fits L0A.
func.func @too_long(%x: memref<64x64xf16, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %gx = memref.cast %x : memref<64x64xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant true
  %f = arith.constant false
  %e = arith.constant -1 : i64
  %u = arith.constant 0 : i8
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 65536 : i64
  %a = hivm.hir.pointer_cast(%p0) : memref<1x256x16x16xf16, #hivm.address_space<cbuf>>
  %b = hivm.hir.pointer_cast(%p1) : memref<4x4x16x16xf16, #hivm.address_space<cbuf>>
  %c = hivm.hir.pointer_cast(%p0) : memref<4x4x16x16xf32, #hivm.address_space<cc>>
  %da = memref.cast %a : memref<1x256x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %db = memref.cast %b : memref<4x4x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
  %dc = memref.cast %c : memref<4x4x16x16xf32, #hivm.address_space<cc>> to memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>
  func.call @nd2nz_half(%gx, %da) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  func.call @nd2nz_half(%gx, %db) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> ()
  // CHECK: lint-cube.mlir:[[#@LINE+1]]:3: error: {{.*}}4096 rows{{.*}}[operand-too-long]
  func.call @mma_tile_half_to_float(%da, %db, %t, %c64, %c64, %c64, %dc, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  return
}
