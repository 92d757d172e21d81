// The library ignores the strides of an operand: rows of a larger tile are
// loaded by themselves.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --lower-affine --canonicalize --cse | FileCheck %s

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @rows
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %{{.*}} to offset: [512], sizes: [32, 16], strides: [16, 1]
// CHECK: memref.copy %[[PART]], %[[A:.*]] :
// CHECK: %[[X:.*]] = bufferization.to_tensor %[[A]]
// Columns at a block of their own are found.
// CHECK: %[[Y:.*]] = tensor.extract_slice %{{.*}}[0, 32] [16, 32] [1, 1]
// CHECK: linalg.matmul {{.*}} ins(%[[X]], %[[Y]]
func.func @rows(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %B = commonir.tensor "B" %q [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %r [32, 32] strides [32, 1] : memref<?xf32> to memref<32x32xf32, strided<[32, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [64, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wb = commonir.window %B[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>
    %wc = commonir.window %C[0, 0] [32, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<32x32xf32, strided<[32, 1]>, #gm> to memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<64x16xf16>
    %a = commonir.copy ins(%wa : memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%ea : tensor<64x16xf16>) -> tensor<64x16xf16>
    %eb = tensor.empty() : tensor<16x64xf16>
    %b = commonir.copy ins(%wb : memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>) outs(%eb : tensor<16x64xf16>) -> tensor<16x64xf16>
    %pa = tensor.extract_slice %a[32, 0] [32, 16] [1, 1] : tensor<64x16xf16> to tensor<32x16xf16>
    %pb = tensor.extract_slice %b[0, 32] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
    %ec = tensor.empty() : tensor<32x32xf32>
    %c = commonir.gemm ins(%pa, %pb : tensor<32x16xf16>, tensor<16x32xf16>) outs(%ec : tensor<32x32xf32>) clear %true -> tensor<32x32xf32>
    commonir.copy ins(%c : tensor<32x32xf32>) outs(%wc : memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>)
  }
  return
}
