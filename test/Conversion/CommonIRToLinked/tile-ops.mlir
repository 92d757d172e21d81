// Work on tiles takes the forms that the vendor's compiler gets right.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --lower-affine --canonicalize --cse -split-input-file | FileCheck %s

#gm = #commonir.space<gm>

// Any start of a reduction but the identity is dropped by the vendor's
// compiler: an old content is combined afterwards. So is any op in the body but
// the combining one.
// CHECK-LABEL: func.func @reduce
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ABS:.*]] = math.absf
// CHECK: %[[START:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[R:.*]] = linalg.reduce ins(%[[ABS]] : tensor<16x64xf32>) outs(%[[START]] : tensor<16xf32>) dimensions = [1]
// CHECK-NEXT: (%[[X:.*]]: f32, %[[Y:.*]]: f32) {
// CHECK-NEXT:   arith.maximumf %[[X]], %[[Y]]
// CHECK-NEXT:   linalg.yield
// CHECK: arith.maximumf %{{.*}}, %[[R]] : tensor<16xf32>
func.func @reduce(%p: memref<?xf32>, %q: memref<?xf32>) {
  %A = commonir.tensor "A" %p [16, 64] strides [64, 1] : memref<?xf32> to memref<16x64xf32, strided<[64, 1]>, #gm>
  %B = commonir.tensor "B" %q [16] strides [1] : memref<?xf32> to memref<16xf32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf32, strided<[64, 1]>, #gm> to memref<16x64xf32, strided<[64, 1], offset: ?>, #gm>
    %v = commonir.window %B[0] [16] keep [0] {commonir.in_bounds = array<i1: true>} : memref<16xf32, strided<[1]>, #gm> to memref<16xf32, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<16x64xf32>
    %x = commonir.copy ins(%w : memref<16x64xf32, strided<[64, 1], offset: ?>, #gm>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %f = tensor.empty() : tensor<16xf32>
    %old = commonir.copy ins(%v : memref<16xf32, strided<[1], offset: ?>, #gm>) outs(%f : tensor<16xf32>) -> tensor<16xf32>
    %r = commonir.reduce absmax dim 1 accumulate ins(%x : tensor<16x64xf32>) outs(%old : tensor<16xf32>) -> tensor<16xf32>
    commonir.copy ins(%r : tensor<16xf32>) outs(%v : memref<16xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// Sums of 16-bit floats are kept in f32.
// CHECK-LABEL: func.func @sum
// CHECK: arith.extf %{{.*}} : tensor<64xf16> to tensor<64xf32>
// CHECK: linalg.reduce ins(%{{.*}} : tensor<1x64xf32>) outs(%{{.*}} : tensor<1xf32>) dimensions = [1]
// CHECK: arith.truncf %{{.*}} : tensor<1xf32> to tensor<1xf16>
func.func @sum(%p: memref<?xf16>, %q: memref<?xf16>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [1] strides [1] : memref<?xf16> to memref<1xf16, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [1] keep [0] {commonir.in_bounds = array<i1: true>} : memref<1xf16, strided<[1]>, #gm> to memref<1xf16, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xf16>
    %x = commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xf16>) -> tensor<64xf16>
    %f = tensor.empty() : tensor<1xf16>
    %r = commonir.reduce sum dim 0 ins(%x : tensor<64xf16>) outs(%f : tensor<1xf16>) -> tensor<1xf16>
    commonir.copy ins(%r : tensor<1xf16>) outs(%v : memref<1xf16, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// A scan along rows turns the tile, so that each step is one vector op.
// CHECK-LABEL: func.func @scan
// CHECK: linalg.transpose
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c1
// CHECK:   %[[ROW:.*]] = arith.subi %c63, %[[I]]
// CHECK:   %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[ROW]], 0] [1, 16] [1, 1]
// CHECK:   %[[Y:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK:   tensor.insert_slice %[[Y]] into %{{.*}}[%[[ROW]], 0] [1, 16] [1, 1]
// CHECK: linalg.transpose
func.func @scan(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [16, 64] strides [64, 1] : memref<?xf32> to memref<16x64xf32, strided<[64, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf32, strided<[64, 1]>, #gm> to memref<16x64xf32, strided<[64, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<16x64xf32>
    %x = commonir.copy ins(%w : memref<16x64xf32, strided<[64, 1], offset: ?>, #gm>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %r = commonir.scan sum dim 1 reverse ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    commonir.copy ins(%r : tensor<16x64xf32>) outs(%w : memref<16x64xf32, strided<[64, 1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// The cube gives f32, which becomes narrower afterwards; a transposed operand folds
// into the product.
// CHECK-LABEL: func.func @gemm
// CHECK: %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<32x16xf16>)
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32)
// CHECK: %[[P:.*]] = linalg.matmul {input_precision = "ieee"} ins(%[[T]], %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16>) outs(%[[ZERO]] : tensor<16x16xf32>)
// CHECK: arith.truncf %[[P]] : tensor<16x16xf32> to tensor<16x16xf16>
func.func @gemm(%p: memref<?xf16>, %q: memref<?xf16>) {
  %A = commonir.tensor "A" %p [32, 16] strides [16, 1] : memref<?xf16> to memref<32x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %q [16, 16] strides [16, 1] : memref<?xf16> to memref<16x16xf16, strided<[16, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0, 0] [32, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<32x16xf16, strided<[16, 1]>, #gm> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
    %v = commonir.window %C[0, 0] [16, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x16xf16>
    %x = commonir.copy ins(%w : memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<32x16xf16>) -> tensor<32x16xf16>
    %f = tensor.empty() : tensor<16x16xf16>
    %true = arith.constant true
    %r = commonir.gemm transpose_a ins(%x, %x : tensor<32x16xf16>, tensor<32x16xf16>) outs(%f : tensor<16x16xf16>) clear %true -> tensor<16x16xf16>
    commonir.copy ins(%r : tensor<16x16xf16>) outs(%v : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>)
  }
  return
}
