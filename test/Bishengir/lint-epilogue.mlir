// What may follow a matrix multiplication on the cube core.
// RUN: not tilekiln-hivm %s 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

func.func private @mma_tile_with_float_bias_half_to_float(memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8)
func.func private @load_all(memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<cbuf>>)
func.func private @fixpipe_nz2nd_int32_t_to_int8_t_4d_to_2d(memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xi8, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8)
func.func private @fixpipe_nz2nd_int32_t_to_int32_t_4d_to_2d(memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xi32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8)
func.func private @fixpipe_nz2nd_float_to_float_4d_to_2d(memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i64, i64, i1, i8)

// 512 columns of bias need 2 KiB of a table of 1 KiB; 256 fit.
func.func @bias(%a: memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, %bias: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<cbuf>>, %c: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
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
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  // CHECK: lint-epilogue.mlir:[[#@LINE+1]]:3: error: {{.*}}512 columns{{.*}}[bias-too-wide]
  func.call @mma_tile_with_float_bias_half_to_float(%a, %a, %t, %c64, %c64, %c512, %bias, %c, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  func.call @mma_tile_with_float_bias_half_to_float(%a, %a, %t, %c64, %c64, %c256, %bias, %c, %e, %e, %e, %e, %e, %e, %e, %u) : (memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>, i1, index, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<cbuf>>, memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, i64, i64, i64, i64, i64, i64, i64, i8) -> ()
  return
}

func.func @quantise(%c: memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, %o: memref<?x?xi8, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, %w: memref<?x?xi32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
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
  // CHECK: lint-epilogue.mlir:[[#@LINE+1]]:3: error: {{.*}}[unscaled-quantisation]
  func.call @fixpipe_nz2nd_int32_t_to_int8_t_4d_to_2d(%c, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xi8, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  func.call @fixpipe_nz2nd_int32_t_to_int32_t_4d_to_2d(%c, %w, %p0, %p0, %f, %u) : (memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xi32, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, i64, i64, i1, i8) -> ()
  return
}

func.func @to_ub(%c: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, %o: memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
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
  // CHECK: lint-epilogue.mlir:[[#@LINE+1]]:3: error: {{.*}}[on-chip-fixpipe]
  func.call @fixpipe_nz2nd_float_to_float_4d_to_2d(%c, %o, %p0, %p0, %f, %u) : (memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cc>>, memref<?x?xf32, strided<[?, ?], offset: ?>, #hivm.address_space<ub>>, i64, i64, i1, i8) -> ()
  return
}
