// If this breaks, a kernel that reads foreign memory compiles, or the author is
// not told where.
// RUN: tilekiln-opt %s -check-bounds -split-input-file -verify-diagnostics
// RUN: sed -e 's/expected-error.*//' -e 's/expected-note.*//' %s \
// RUN:   | tilekiln-opt -check-bounds=out-of-bounds=zero -split-input-file \
// RUN:   | FileCheck %s --check-prefix=ZERO

#gm = #commonir.space<gm>

// The report's kernel: A is (M, K) = (48, 96), read as A[k, m].
// ZERO-LABEL: func.func @declared_the_wrong_way_round
func.func @declared_the_wrong_way_round(%a: memref<?xf16>, %b: memref<?xf16>) {
  // expected-note @below {{'A' is declared (48, 96) but read as if it were (96, 48): the declaration looks transposed}}
  %A = commonir.tensor "A" %a [48, 96] strides [96, 1] : memref<?xf16> to memref<48x96xf16, strided<[96, 1]>, #gm>
  // expected-note @below {{'B' is declared (96, 160) but read as if it were (160, 96)}}
  %B = commonir.tensor "B" %b [96, 160] strides [160, 1] : memref<?xf16> to memref<96x160xf16, strided<[160, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  commonir.launch (%bx, %by) in (%c2, %c1) {
    %s = commonir.alloc "A_shared" scope "shared" : memref<32x128xf16>
    %t = commonir.alloc "B_shared" scope "shared" : memref<128x32xf16>
    scf.for %k = %c0 to %c3 step %c1 {
      %k0 = affine.apply affine_map<(d0) -> (d0 * 32)>(%k)
      %m0 = affine.apply affine_map<(d0) -> (d0 * 128)>(%by)
      %n0 = affine.apply affine_map<(d0) -> (d0 * 128)>(%bx)
      // ZERO: commonir.window %A{{.*}} {commonir.in_bounds = array<i1: false, false>, commonir.start_in_bounds = array<i1: false, true>}
      // expected-error @below {{'A' is out of range in dimension 0 of extent 48: elements 0..95 are read (tiles of 32 start at up to 64)}}
      %w = commonir.window %A[%k0, %m0] [32, 128] keep [0, 1]
        : memref<48x96xf16, strided<[96, 1]>, #gm> to memref<32x128xf16, strided<[96, 1], offset: ?>, #gm>
      commonir.copy ins(%w : memref<32x128xf16, strided<[96, 1], offset: ?>, #gm>) outs(%s : memref<32x128xf16>)
      // expected-error @below {{'B' is out of range in dimension 0 of extent 96: elements 0..255 are read (tiles of 128 start at up to 128)}}
      %v = commonir.window %B[%n0, %k0] [128, 32] keep [0, 1]
        : memref<96x160xf16, strided<[160, 1]>, #gm> to memref<128x32xf16, strided<[160, 1], offset: ?>, #gm>
      commonir.copy ins(%v : memref<128x32xf16, strided<[160, 1], offset: ?>, #gm>) outs(%t : memref<128x32xf16>)
    }
  }
  return
}

// -----

#gm = #commonir.space<gm>

// A tile that starts below zero, and one that is written too far out.
func.func @below_zero(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [128] strides [1] : memref<?xf16> to memref<128xf16, strided<[1]>, #gm>
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c2) {
    %s = commonir.alloc "s" scope "shared" : memref<64xf16>
    %before = affine.apply affine_map<(d0) -> (d0 * 64 - 64)>(%bx)
    %after = affine.apply affine_map<(d0) -> (d0 * 64 + 64)>(%bx)
    // expected-error @below {{'A' is out of range in dimension 0 of extent 128: elements -64..63 are read (tiles of 64 start from -64)}}
    %w = commonir.window %A[%before] [64] keep [0]
      : memref<128xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%s : memref<64xf16>)
    // expected-error @below {{'A' is out of range in dimension 0 of extent 128: elements 64..191 are written (tiles of 64 start at up to 128)}}
    %v = commonir.window %A[%after] [64] keep [0]
      : memref<128xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    commonir.copy ins(%s : memref<64xf16>) outs(%v : memref<64xf16, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// The grid is symbolic; the extent that is exceeded is not, and no block avoids it.
func.func @static_dimension_of_symbolic_tensor(%a: memref<?xf16>, %m: index {commonir.symbol = "m"}) {
  %A = commonir.tensor "A" %a [%m, 48] strides [48, 1] : memref<?xf16> to memref<?x48xf16, strided<[48, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %g = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%m]
  commonir.launch (%bx) in (%g) {
    %row = affine.apply affine_map<(d0) -> (d0 * 64)>(%bx)
    scf.for %k = %c0 to %c3 step %c1 {
      %col = affine.apply affine_map<(d0) -> (d0 * 32)>(%k)
      // expected-error @below {{'A' is out of range in dimension 1 of extent 48: elements 0..95 are accessed (tiles of 32 start at up to 64)}}
      %w = commonir.window %A[%row, %col] [64, 32] keep [0, 1]
        : memref<?x48xf16, strided<[48, 1]>, #gm> to memref<64x32xf16, strided<[48, 1], offset: ?>, #gm>
    }
  }
  return
}

// -----

#gm = #commonir.space<gm>

// A condition narrows the range that the message gives, but does not save it.
func.func @narrowed(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [100] strides [1] : memref<?xf16> to memref<100xf16, strided<[1]>, #gm>
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  commonir.launch (%bx) in (%c8) {
    %in = arith.cmpi slt, %bx, %c3 : index
    scf.if %in {
      %start = affine.apply affine_map<(d0) -> (d0 * 64)>(%bx)
      // expected-error @below {{elements 0..191 are accessed (tiles of 64 start at up to 128)}}
      %w = commonir.window %A[%start] [64] keep [0]
        : memref<100xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    }
  }
  return
}
