// If this breaks, later passes see more shapes of the same program.
// RUN: tilekiln-opt %s -canonicalize | FileCheck %s

#gm = #commonir.space<gm>

// Constant offsets and sizes become static; what check-bounds proved is kept.
// CHECK-LABEL: func.func @window
func.func @window(%a: memref<?xf16>, %b: memref<16x32xf16>, %i: index) {
  %A = commonir.tensor "A" %a [64, 64] strides [64, 1] : memref<?xf16> to memref<64x64xf16, strided<[64, 1]>, #gm>
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[W:.*]] = commonir.window %{{.*}}[8, %{{.*}}] [16, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, false>}
  // CHECK-SAME: to memref<16x32xf16, strided<[64, 1], offset: ?>, #commonir.space<gm>>
  %w = commonir.window %A[%c8, %i] [%c16, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, false>}
    : memref<64x64xf16, strided<[64, 1]>, #gm> to memref<?x32xf16, strided<[64, 1], offset: ?>, #gm>
  // CHECK: commonir.copy ins(%[[W]] : memref<16x32xf16,
  commonir.copy ins(%w : memref<?x32xf16, strided<[64, 1], offset: ?>, #gm>) outs(%b : memref<16x32xf16>)
  return
}

// A copy between tensors of one type is its source; a conversion stays.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<4xf16>,
func.func @copy(%a: tensor<4xf16>, %e: tensor<4xf16>, %f: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  %x = commonir.copy ins(%a : tensor<4xf16>) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  // CHECK: %[[Y:.*]] = commonir.copy ins(%[[A]] : tensor<4xf16>) outs(%{{.*}} : tensor<4xf32>)
  %y = commonir.copy ins(%x : tensor<4xf16>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[A]], %[[Y]]
  return %x, %y : tensor<4xf16>, tensor<4xf32>
}

// `clear` that is never set says nothing; one that is always set stays.
// CHECK-LABEL: func.func @clear
func.func @clear(%a: memref<4x4xf16>, %c: memref<4x4xf32>) {
  %false = arith.constant false
  %true = arith.constant true
  // CHECK: commonir.gemm ins({{.*}}) outs(%{{[a-z0-9]*}} : memref<4x4xf32>)
  // CHECK-NOT: clear
  commonir.gemm ins(%a, %a : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>) clear %false
  // CHECK: commonir.gemm {{.*}} clear %true
  commonir.gemm ins(%a, %a : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>) clear %true
  return
}
