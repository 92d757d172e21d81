// If this breaks, the lowering clamps transfers that need none (slow), or leaves
// out a clamp that is needed (reads foreign memory).
// RUN: tilekiln-opt %s -check-bounds | FileCheck %s

#gm = #commonir.space<gm>
#floor = affine_map<(d0) -> (d0 * 64)>

// All sizes are multiples of their tiles: nothing is clamped.
// CHECK-LABEL: func.func @exact
func.func @exact(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [128, 192] strides [192, 1] : memref<?xf16> to memref<128x192xf16, strided<[192, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  commonir.launch (%bx) in (%c2) {
    scf.for %k = %c0 to %c3 step %c1 {
      %row = affine.apply #floor(%bx)
      %col = affine.apply #floor(%k)
      // CHECK: commonir.window %A
      // CHECK-SAME: {commonir.in_bounds = array<i1: true, true>, commonir.start_in_bounds = array<i1: true, true>}
      %w = commonir.window %A[%row, %col] [64, 64] keep [0, 1]
        : memref<128x192xf16, strided<[192, 1]>, #gm> to memref<64x64xf16, strided<[192, 1], offset: ?>, #gm>
    }
  }
  return
}

// The last tile crosses the end of dimension 0 only.
// CHECK-LABEL: func.func @ragged
func.func @ragged(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [100, 64] strides [64, 1] : memref<?xf16> to memref<100x64xf16, strided<[64, 1]>, #gm>
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c2) {
    %row = affine.apply #floor(%bx)
    // CHECK: commonir.window %A
    // CHECK-SAME: {commonir.in_bounds = array<i1: false, true>, commonir.start_in_bounds = array<i1: true, true>}
    %w = commonir.window %A[%row, 0] [64, 64] keep [0, 1]
      : memref<100x64xf16, strided<[64, 1]>, #gm> to memref<64x64xf16, strided<[64, 1], offset: ?>, #gm>
  }
  return
}

// ceildiv(m, 64) blocks of 64 start inside of m, whatever m is.
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%a: memref<?xf16>, %m: index {commonir.symbol = "m"}) {
  %A = commonir.tensor "A" %a [%m, 64] strides [64, 1] : memref<?xf16> to memref<?x64xf16, strided<[64, 1]>, #gm>
  %g = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%m]
  commonir.launch (%bx) in (%g) {
    %row = affine.apply #floor(%bx)
    // CHECK: commonir.window %A
    // CHECK-SAME: {commonir.in_bounds = array<i1: false, true>, commonir.start_in_bounds = array<i1: true, true>}
    %w = commonir.window %A[%row, 0] [64, 64] keep [0, 1]
      : memref<?x64xf16, strided<[64, 1]>, #gm> to memref<64x64xf16, strided<[64, 1], offset: ?>, #gm>
  }
  return
}

// floordiv(m, 64) blocks hold whole tiles only.
// CHECK-LABEL: func.func @symbolic_whole_tiles
func.func @symbolic_whole_tiles(%a: memref<?xf16>, %m: index {commonir.symbol = "m"}) {
  %A = commonir.tensor "A" %a [%m, 64] strides [64, 1] : memref<?xf16> to memref<?x64xf16, strided<[64, 1]>, #gm>
  %c64 = arith.constant 64 : index
  %g = arith.floordivsi %m, %c64 : index
  commonir.launch (%bx) in (%g) {
    %row = arith.muli %bx, %c64 : index
    // CHECK: commonir.window %A
    // CHECK-SAME: commonir.in_bounds = array<i1: true, true>
    %w = commonir.window %A[%row, 0] [64, 64] keep [0, 1]
      : memref<?x64xf16, strided<[64, 1]>, #gm> to memref<64x64xf16, strided<[64, 1], offset: ?>, #gm>
  }
  return
}

// A symbol that is not the extent's: nothing can be proven, nothing is an error.
// CHECK-LABEL: func.func @other_symbol
func.func @other_symbol(%a: memref<?xf16>, %m: index {commonir.symbol = "m"}, %n: index {commonir.symbol = "n"}) {
  %A = commonir.tensor "A" %a [%m] strides [1] : memref<?xf16> to memref<?xf16, strided<[1]>, #gm>
  %g = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%n]
  commonir.launch (%bx) in (%g) {
    %row = affine.apply #floor(%bx)
    // CHECK: commonir.window %A
    // CHECK-SAME: {commonir.in_bounds = array<i1: false>, commonir.start_in_bounds = array<i1: false>}
    %w = commonir.window %A[%row] [64] keep [0]
      : memref<?xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
  }
  return
}

// A loop of step 64 below 100 ends at 64, not at 99.
// CHECK-LABEL: func.func @stepped_loop
func.func @stepped_loop(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [128] strides [1] : memref<?xf16> to memref<128xf16, strided<[1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  commonir.launch (%bx) in (%c1) {
    scf.for %k = %c0 to %c100 step %c64 {
      // CHECK: commonir.window %A
      // CHECK-SAME: commonir.in_bounds = array<i1: true>
      %w = commonir.window %A[%k] [64] keep [0]
        : memref<128xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    }
  }
  return
}

// Conditions around an access count, on both sides of the branch.
// CHECK-LABEL: func.func @conditions
func.func @conditions(%a: memref<?xf16>, %flag: i1) {
  %A = commonir.tensor "A" %a [100] strides [1] : memref<?xf16> to memref<100xf16, strided<[1]>, #gm>
  %c4 = arith.constant 4 : index
  %c36 = arith.constant 36 : index
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c4) {
    %start = affine.apply #floor(%bx)
    %low = arith.cmpi sle, %start, %c36 : index
    %not_first = arith.cmpi sge, %bx, %c1 : index
    scf.if %low {
      // CHECK: commonir.window %A
      // CHECK-SAME: commonir.in_bounds = array<i1: true>
      %w = commonir.window %A[%start] [64] keep [0]
        : memref<100xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    } else {
      // Blocks 2 and 3 would be an error here, but whether they come is data.
      scf.if %flag {
        // CHECK: commonir.window %A
        // CHECK-SAME: {commonir.in_bounds = array<i1: false>, commonir.start_in_bounds = array<i1: false>}
        %w = commonir.window %A[%start] [64] keep [0]
          : memref<100xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
      }
    }
    %both = arith.andi %low, %not_first : i1
    scf.if %both {
      // Never reached: 64 <= start <= 36.
      %far = affine.apply affine_map<(d0) -> (d0 + 1000)>(%start)
      %w = commonir.window %A[%far] [64] keep [0]
        : memref<100xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    }
  }
  return
}

// A loop that never runs reads nothing.
// CHECK-LABEL: func.func @empty_loop
func.func @empty_loop(%a: memref<?xf16>, %b: memref<?xf16>) {
  %A = commonir.tensor "A" %a [64, 0] strides [1, 1] : memref<?xf16> to memref<64x0xf16, strided<[1, 1]>, #gm>
  %B = commonir.tensor "B" %b [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    scf.for %k = %c0 to %c0 step %c1 {
      %w = commonir.window %A[0, %k] [64, 32] keep [0, 1]
        : memref<64x0xf16, strided<[1, 1]>, #gm> to memref<64x32xf16, strided<[1, 1], offset: ?>, #gm>
      %v = commonir.window %B[512] [32] keep [0]
        : memref<64xf16, strided<[1]>, #gm> to memref<32xf16, strided<[1], offset: ?>, #gm>
    }
  }
  return
}

// An index read from memory bounds nothing; arithmetic on it still may.
// CHECK-LABEL: func.func @data_dependent
func.func @data_dependent(%a: memref<?xf16>, %t: memref<?xi32>) {
  %A = commonir.tensor "A" %a [96] strides [1] : memref<?xf16> to memref<96xf16, strided<[1]>, #gm>
  %T = commonir.tensor "T" %t [8] strides [1] : memref<?xi32> to memref<8xi32, strided<[1]>, #gm>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  commonir.launch (%bx) in (%c8) {
    // CHECK: memref.load %T[%{{.*}}] {commonir.in_bounds = array<i1: true>}
    %x = memref.load %T[%bx] : memref<8xi32, strided<[1]>, #gm>
    %i = arith.index_cast %x : i32 to index
    // CHECK: commonir.window %A
    // CHECK-SAME: commonir.in_bounds = array<i1: false>
    %w = commonir.window %A[%i] [32] keep [0]
      : memref<96xf16, strided<[1]>, #gm> to memref<32xf16, strided<[1], offset: ?>, #gm>
    %low = arith.maxsi %i, %c0 : index
    %clamped = arith.minsi %low, %c64 : index
    // CHECK: commonir.window %A
    // CHECK-SAME: {commonir.in_bounds = array<i1: true>
    %v = commonir.window %A[%clamped] [32] keep [0]
      : memref<96xf16, strided<[1]>, #gm> to memref<32xf16, strided<[1], offset: ?>, #gm>
  }
  return
}

// Swizzled blocks: quotient and remainder of one index.
// CHECK-LABEL: func.func @quotient_and_remainder
func.func @quotient_and_remainder(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [128, 192] strides [192, 1] : memref<?xf16> to memref<128x192xf16, strided<[192, 1]>, #gm>
  %c6 = arith.constant 6 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  commonir.launch (%b) in (%c6) {
    %q = arith.divsi %b, %c3 : index
    %r = arith.remsi %b, %c3 : index
    %row = arith.muli %q, %c64 : index
    %col = arith.muli %r, %c64 : index
    // CHECK: commonir.window %A
    // CHECK-SAME: commonir.in_bounds = array<i1: true, true>
    %w = commonir.window %A[%row, %col] [64, 64] keep [0, 1]
      : memref<128x192xf16, strided<[192, 1]>, #gm> to memref<64x64xf16, strided<[192, 1], offset: ?>, #gm>
  }
  return
}

// A product of two loop variables is bounded by the product of their ends.
// CHECK-LABEL: func.func @product
func.func @product(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [16] strides [1] : memref<?xf16> to memref<16xf16, strided<[1]>, #gm>
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  commonir.launch (%bx, %by) in (%c4, %c6) {
    %p = arith.muli %bx, %by : index
    // CHECK: memref.load %A[%{{.*}}] {commonir.in_bounds = array<i1: true>}
    %x = memref.load %A[%p] : memref<16xf16, strided<[1]>, #gm>
  }
  return
}

// Single elements outside of a tensor are guarded, even where they are certain.
// CHECK-LABEL: func.func @elements
func.func @elements(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [2, 64] strides [64, 1] : memref<?xf16> to memref<2x64xf16, strided<[64, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  commonir.launch (%bx) in (%c1) {
    %s = commonir.alloc "s" scope "shared" : memref<64xf16>
    commonir.elementwise (%i) in (%c64) {
      // CHECK: memref.load %A[%{{.*}}] {commonir.in_bounds = array<i1: false, true>}
      %x = memref.load %A[%c2, %i] : memref<2x64xf16, strided<[64, 1]>, #gm>
      // CHECK: memref.store %{{.*}}, %s[%{{[a-z0-9]*}}] : memref<64xf16>
      memref.store %x, %s[%i] : memref<64xf16>
      // CHECK: memref.store %{{.*}}, %A[%{{.*}}] {commonir.in_bounds = array<i1: true, true>}
      memref.store %x, %A[%c1, %i] : memref<2x64xf16, strided<[64, 1]>, #gm>
    }
  }
  return
}
