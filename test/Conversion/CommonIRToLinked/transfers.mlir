// Windows become strided views; what is not proven to lie inside is clamped.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --lower-affine --canonicalize --cse | FileCheck %s

#gm = #commonir.space<gm>

// A window that is proven to lie inside is one transfer each way, and a tensor
// holds the values between: a kernel without any crashes the vendor's compiler.
// CHECK-LABEL: func.func @inside
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [32, 64], strides: [128, 1]
// CHECK: %[[TILE:.*]] = memref.alloc() : memref<32x64xf16>
// CHECK-NOT: linalg.fill
// CHECK: memref.copy %[[VIEW]], %[[TILE]]
// CHECK: %[[X:.*]] = bufferization.to_tensor %[[TILE]] restrict writable
// CHECK: bufferization.materialize_in_destination %[[X]] in writable
func.func @inside(%p: memref<?xf16>, %q: memref<?xf16>) {
  %A = commonir.tensor "A" %p [256, 128] strides [128, 1] : memref<?xf16> to memref<256x128xf16, strided<[128, 1]>, #gm>
  %B = commonir.tensor "B" %q [256, 64] strides [64, 1] : memref<?xf16> to memref<256x64xf16, strided<[64, 1]>, #gm>
  %c8 = arith.constant 8 : index
  commonir.launch (%b) in (%c8) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%b)
    %w = commonir.window %A[%row, 64] [32, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>}
      : memref<256x128xf16, strided<[128, 1]>, #gm> to memref<32x64xf16, strided<[128, 1], offset: ?>, #gm>
    %v = commonir.window %B[%row, 0] [32, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>}
      : memref<256x64xf16, strided<[64, 1]>, #gm> to memref<32x64xf16, strided<[64, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x64xf16>
    %x = commonir.copy ins(%w : memref<32x64xf16, strided<[128, 1], offset: ?>, #gm>) outs(%e : tensor<32x64xf16>) -> tensor<32x64xf16>
    commonir.copy ins(%x : tensor<32x64xf16>) outs(%v : memref<32x64xf16, strided<[64, 1], offset: ?>, #gm>)
  }
  return
}

// Rows past the end give the pad value; the edge is told to be rare.
// CHECK-LABEL: func.func @edge
// CHECK: %[[PAD:.*]] = arith.constant 7.000000e+00 : f32
// CHECK: %[[LEFT:.*]] = arith.addi %{{.*}}, %c100 : index
// CHECK: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %c32 : index
// CHECK: %[[MISSING:.*]] = arith.cmpi slt, %[[ROWS]], %c32
// CHECK: scf.if %[[MISSING]] {
// CHECK:   linalg.fill ins(%[[PAD]] : f32)
// CHECK: } {hivm.unlikely_condition}
// CHECK: memref.subview %{{.*}}[0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK: memref.copy
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK: bufferization.materialize_in_destination %[[PART]] in writable
func.func @edge(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [100, 8] strides [8, 1] pad (7.0 : f32) : memref<?xf32> to memref<100x8xf32, strided<[8, 1]>, #gm>
  %c4 = arith.constant 4 : index
  commonir.launch (%b) in (%c4) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%b)
    %w = commonir.window %A[%row, 0] [32, 8] keep [0, 1]
      {commonir.in_bounds = array<i1: false, true>, commonir.start_in_bounds = array<i1: true, true>}
      : memref<100x8xf32, strided<[8, 1]>, #gm> to memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x8xf32>
    %x = commonir.copy ins(%w : memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
    commonir.copy ins(%x : tensor<32x8xf32>) outs(%w : memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>)
  }
  return
}

// A window may start before its tensor: the part begins later.
// CHECK-LABEL: func.func @before
// CHECK: %[[START:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: memref.subview %{{.*}}[%[[START]]] [%{{.*}}] [1]
func.func @before(%p: memref<?xf32>, %q: memref<?xf32>) {
  %A = commonir.tensor "A" %p [100] strides [1] : memref<?xf32> to memref<100xf32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [128] strides [1] : memref<?xf32> to memref<128xf32, strided<[1]>, #gm>
  %c4 = arith.constant 4 : index
  commonir.launch (%b) in (%c4) {
    %start = affine.apply affine_map<(d0) -> (d0 * 32 - 3)>(%b)
    %to = affine.apply affine_map<(d0) -> (d0 * 32)>(%b)
    %w = commonir.window %A[%start] [32] keep [0]
      : memref<100xf32, strided<[1]>, #gm> to memref<32xf32, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[%to] [32] keep [0] {commonir.in_bounds = array<i1: true>}
      : memref<128xf32, strided<[1]>, #gm> to memref<32xf32, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32xf32>
    %x = commonir.copy ins(%w : memref<32xf32, strided<[1], offset: ?>, #gm>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    commonir.copy ins(%x : tensor<32xf32>) outs(%v : memref<32xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// A single element outside reads the pad value and is not written.
// CHECK-LABEL: func.func @elements
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[VALUE:.*]] = scf.if %[[INSIDE]] -> (f32) {
// CHECK:   memref.load
// CHECK: } else {
// CHECK:   scf.yield %cst
// CHECK: scf.if %[[INSIDE]] {
// CHECK:   memref.store %[[VALUE]]
func.func @elements(%p: memref<?xf32>, %i: index) {
  %A = commonir.tensor "A" %p [100] strides [1] : memref<?xf32> to memref<100xf32, strided<[1]>, #gm>
  %c4 = arith.constant 4 : index
  commonir.launch (%b) in (%c4) {
    %x = memref.load %A[%i] : memref<100xf32, strided<[1]>, #gm>
    memref.store %x, %A[%i] : memref<100xf32, strided<[1]>, #gm>
  }
  return
}

// Elements that are neighbours in memory come last in a transfer.
// CHECK-LABEL: func.func @by_columns
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8, 64], strides: [64, 1]
// CHECK: %[[X:.*]] = bufferization.to_tensor %{{.*}} : memref<8x64xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<8x64xf32>) outs(%{{.*}} : tensor<64x8xf32>) permutation = [1, 0]
// CHECK: %[[Y:.*]] = arith.negf %[[T]]
// CHECK: %[[BACK:.*]] = linalg.transpose ins(%[[Y]] : tensor<64x8xf32>)
// CHECK: bufferization.materialize_in_destination %[[BACK]]
func.func @by_columns(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 8] strides [1, 64] : memref<?xf32> to memref<64x8xf32, strided<[1, 64]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0, 0] [64, 8] keep [0, 1] {commonir.in_bounds = array<i1: true, true>}
      : memref<64x8xf32, strided<[1, 64]>, #gm> to memref<64x8xf32, strided<[1, 64], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64x8xf32>
    %x = commonir.copy ins(%w : memref<64x8xf32, strided<[1, 64], offset: ?>, #gm>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
    %y = arith.negf %x : tensor<64x8xf32>
    commonir.copy ins(%y : tensor<64x8xf32>) outs(%w : memref<64x8xf32, strided<[1, 64], offset: ?>, #gm>)
  }
  return
}

// Rows of elements that lie apart, which cross an edge: rows of one element each.
// CHECK-LABEL: func.func @every_second
// CHECK: %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} sizes: [32, 8, 1], strides: [16, 2, 1]
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<32x8x1xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[FROM]][0, 0, 0] [%{{.*}}, 8, 1] [1, 1, 1]
// CHECK: %[[TO:.*]] = memref.subview %[[BUFFER]][0, 0, 0] [%{{.*}}, 8, 1] [1, 1, 1]
// CHECK: memref.copy %[[PART]], %[[TO]]
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<32x8x1xf32> into tensor<32x8xf32>
func.func @every_second(%p: memref<?xf32>, %q: memref<?xf32>) {
  %A = commonir.tensor "A" %p [100, 8] strides [16, 2] : memref<?xf32> to memref<100x8xf32, strided<[16, 2]>, #gm>
  %B = commonir.tensor "B" %q [128, 8] strides [8, 1] : memref<?xf32> to memref<128x8xf32, strided<[8, 1]>, #gm>
  %c4 = arith.constant 4 : index
  commonir.launch (%b) in (%c4) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%b)
    %w = commonir.window %A[%row, 0] [32, 8] keep [0, 1]
      {commonir.in_bounds = array<i1: false, true>, commonir.start_in_bounds = array<i1: true, true>}
      : memref<100x8xf32, strided<[16, 2]>, #gm> to memref<32x8xf32, strided<[16, 2], offset: ?>, #gm>
    %v = commonir.window %B[%row, 0] [32, 8] keep [0, 1] {commonir.in_bounds = array<i1: true, true>}
      : memref<128x8xf32, strided<[8, 1]>, #gm> to memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x8xf32>
    %x = commonir.copy ins(%w : memref<32x8xf32, strided<[16, 2], offset: ?>, #gm>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
    commonir.copy ins(%x : tensor<32x8xf32>) outs(%v : memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>)
  }
  return
}
