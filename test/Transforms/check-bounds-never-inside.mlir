// If this breaks, an element access that can never be inside its tensor, which is
// guarded and so quietly reads zeros, is not told to the author; or one that is
// inside now and then is.
// RUN: tilekiln-opt %s -check-bounds -verify-diagnostics
// RUN: tilekiln-opt %s -check-bounds=out-of-bounds=zero 2>&1 | FileCheck %s
// CHECK-NOT: warning

#gm = #commonir.space<gm>

func.func @reads_behind_the_end(%a: memref<?xf32>, %b: memref<?xf32>) {
  %A = commonir.tensor "A" %a [256] strides [1] : memref<?xf32> to memref<256xf32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %b [256] strides [1] : memref<?xf32> to memref<256xf32, strided<[1]>, #gm>
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c2) {
    %behind = affine.apply affine_map<(d0) -> (d0 * 128 + 256)>(%bx)
    %partly = affine.apply affine_map<(d0) -> (d0 * 128 + 128)>(%bx)
    %before = affine.apply affine_map<(d0) -> (d0 - 2)>(%bx)
    // expected-warning @below {{'A' is never in range in dimension 0 of extent 256: elements 256..384 are read; each reads as zero, as in TileLang: check the index}}
    %x = memref.load %A[%behind] : memref<256xf32, strided<[1]>, #gm>
    %y = memref.load %A[%partly] : memref<256xf32, strided<[1]>, #gm>
    %z = arith.addf %x, %y : f32
    // expected-warning @below {{'B' is never in range in dimension 0 of extent 256: elements -2..-1 are written; nothing is written}}
    memref.store %z, %B[%before] : memref<256xf32, strided<[1]>, #gm>
  }
  return
}
