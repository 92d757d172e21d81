// Beyond its operands' edges a product leaves a sum as it was, where that shows.
// RUN: tilekiln-opt %s --define-edges --split-input-file | FileCheck %s

#gm = #commonir.space<gm>

// Both stores end where the operands' tensors do.
// CHECK-LABEL: func.func @cut_off
// CHECK-NOT: arith.select
func.func @cut_off(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>, %m: index, %n: index) {
  %A = commonir.tensor "A" %p [%m, 16] strides [16, 1] : memref<?xf16> to memref<?x16xf16, strided<[16, 1]>, #gm>
  %B = commonir.tensor "B" %q [%n, 16] strides [16, 1] : memref<?xf16> to memref<?x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %r [%m, %n] strides [%n, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>, #gm>
  %true = arith.constant true
  commonir.launch (%bx, %by) in (%m, %n) {
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%bx)
    %column = affine.apply affine_map<(d0) -> (d0 * 32)>(%by)
    %wa = commonir.window %A[%row, 0] [32, 16] keep [0, 1] {commonir.in_bounds = array<i1: false, true>} : memref<?x16xf16, strided<[16, 1]>, #gm> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wb = commonir.window %B[%column, 0] [32, 16] keep [0, 1] {commonir.in_bounds = array<i1: false, true>} : memref<?x16xf16, strided<[16, 1]>, #gm> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x16xf16>
    %a = commonir.copy ins(%wa : memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<32x16xf16>) -> tensor<32x16xf16>
    %b = commonir.copy ins(%wb : memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<32x16xf16>) -> tensor<32x16xf16>
    %ec = tensor.empty() : tensor<32x32xf32>
    %c = commonir.gemm transpose_b ins(%a, %b : tensor<32x16xf16>, tensor<32x16xf16>) outs(%ec : tensor<32x32xf32>) clear %true -> tensor<32x32xf32>
    %wc = commonir.window %C[%row, %column] [32, 32] keep [0, 1] : memref<?x?xf32, strided<[?, 1]>, #gm> to memref<32x32xf32, strided<[?, 1], offset: ?>, #gm>
    commonir.copy ins(%c : tensor<32x32xf32>) outs(%wc : memref<32x32xf32, strided<[?, 1], offset: ?>, #gm>)
  }
  return
}

// -----
#gm = #commonir.space<gm>

// The rows are summed: columns beyond B's end have to be what they were before.
// CHECK-LABEL: func.func @summed
// CHECK-SAME: %[[N:[^ ]*]]: index, %[[OLD:.*]]: tensor<32x32xf32>
// CHECK: %[[C:.*]] = commonir.gemm
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[COUNT:.*]] = arith.minsi %[[ATLEAST]], %c32
// CHECK: %[[I:.*]] = commonir.iota : tensor<32xi32>
// CHECK: %[[BEFORE:.*]] = arith.cmpi slt, %[[I]]
// CHECK: %[[MASK:.*]] = linalg.broadcast ins(%[[BEFORE]] : tensor<32xi1>) {{.*}} dimensions = [0]
// CHECK: %[[DEFINED:.*]] = arith.select %[[MASK]], %[[C]], %[[OLD]]
// CHECK: commonir.reduce sum dim 1 ins(%[[DEFINED]]
func.func @summed(%q: memref<?xf16>, %r: memref<?xf32>, %n: index, %old: tensor<32x32xf32>, %a: tensor<32x16xf16>) {
  %B = commonir.tensor "B" %q [%n, 16] strides [16, 1] : memref<?xf16> to memref<?x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %r [32] strides [1] : memref<?xf32> to memref<32xf32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %wb = commonir.window %B[0, 0] [32, 16] keep [0, 1] {commonir.in_bounds = array<i1: false, true>} : memref<?x16xf16, strided<[16, 1]>, #gm> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x16xf16>
    %b = commonir.copy ins(%wb : memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<32x16xf16>) -> tensor<32x16xf16>
    %c = commonir.gemm transpose_b ins(%a, %b : tensor<32x16xf16>, tensor<32x16xf16>) outs(%old : tensor<32x32xf32>) -> tensor<32x32xf32>
    %es = tensor.empty() : tensor<32xf32>
    %s = commonir.reduce sum dim 1 ins(%c : tensor<32x32xf32>) outs(%es : tensor<32xf32>) -> tensor<32xf32>
    %wc = commonir.window %C[0] [32] keep [0] : memref<32xf32, strided<[1]>, #gm> to memref<32xf32, strided<[1], offset: ?>, #gm>
    commonir.copy ins(%s : tensor<32xf32>) outs(%wc : memref<32xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}
