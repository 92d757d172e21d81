// A block's work in parts: rows of a softmax, steps of a product.
// RUN: tilekiln-opt %s --retile --split-input-file | FileCheck %s
// RUN: tilekiln-opt %s --retile --split-input-file --verify-diagnostics -o /dev/null

#gm = #commonir.space<gm>

// Rows of everything, in one loop; columns are looked across by the reduction.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[R:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK: %[[AT:.*]] = affine.apply #{{.*}}({{.*}}%[[R]]{{.*}})
// CHECK: commonir.window %A [%[[AT]], 0] [16, 64]
// CHECK-SAME: commonir.start_in_bounds = array<i1: false, true>
// CHECK: commonir.reduce max dim 1 ins(%{{.*}} : tensor<16x64xf32>) outs(%{{.*}} : tensor<16xf32>)
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<16xf32>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: arith.subf %{{.*}} : tensor<16x64xf32>
// CHECK: commonir.window %B
// CHECK-SAME: [16, 64]
// CHECK-NOT: row_parts
func.func @rows(%p: memref<?xf32>, %q: memref<?xf32>, %n: index) {
  %A = commonir.tensor "A" %p [%n, 64] strides [64, 1] : memref<?xf32> to memref<?x64xf32, strided<[64, 1]>, #gm>
  %B = commonir.tensor "B" %q [%n, 64] strides [64, 1] : memref<?xf32> to memref<?x64xf32, strided<[64, 1]>, #gm>
  // expected-remark @below {{worked on 16 of 32 at a time}}
  commonir.launch (%bx) in (%n) {
    %at = affine.apply affine_map<(d0) -> (d0 * 32)>(%bx)
    %wa = commonir.window %A[%at, 0] [32, 64] keep [0, 1] {commonir.in_bounds = array<i1: false, true>, commonir.start_in_bounds = array<i1: true, true>} : memref<?x64xf32, strided<[64, 1]>, #gm> to memref<32x64xf32, strided<[64, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<32x64xf32>
    %a = commonir.copy ins(%wa : memref<32x64xf32, strided<[64, 1], offset: ?>, #gm>) outs(%ea : tensor<32x64xf32>) -> tensor<32x64xf32>
    %em = tensor.empty() : tensor<32xf32>
    %m = commonir.reduce max dim 1 ins(%a : tensor<32x64xf32>) outs(%em : tensor<32xf32>) -> tensor<32xf32>
    %mb = linalg.broadcast ins(%m : tensor<32xf32>) outs(%ea : tensor<32x64xf32>) dimensions = [1]
    %d = arith.subf %a, %mb : tensor<32x64xf32>
    %wb = commonir.window %B[%at, 0] [32, 64] keep [0, 1] : memref<?x64xf32, strided<[64, 1]>, #gm> to memref<32x64xf32, strided<[64, 1], offset: ?>, #gm>
    commonir.copy ins(%d : tensor<32x64xf32>) outs(%wb : memref<32x64xf32, strided<[64, 1], offset: ?>, #gm>)
  } {commonir.row_parts = 2 : i64}
  return
}

// -----
#gm = #commonir.space<gm>

// The tensor is read at one place and stored at another: parts would see each
// other's rows.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: scf.for
func.func @shifted(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 8] strides [8, 1] : memref<?xf32> to memref<64x8xf32, strided<[8, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [32, 8] keep [0, 1] : memref<64x8xf32, strided<[8, 1]>, #gm> to memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<32x8xf32>
    %a = commonir.copy ins(%wa : memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>) outs(%ea : tensor<32x8xf32>) -> tensor<32x8xf32>
    %d = arith.addf %a, %a : tensor<32x8xf32>
    %wb = commonir.window %A[1, 0] [32, 8] keep [0, 1] : memref<64x8xf32, strided<[8, 1]>, #gm> to memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>
    commonir.copy ins(%d : tensor<32x8xf32>) outs(%wb : memref<32x8xf32, strided<[8, 1], offset: ?>, #gm>)
  } {commonir.row_parts = 2 : i64}
  return
}

// -----
#gm = #commonir.space<gm>

// The numbers of a part go on where those of the part before ended.
// CHECK-LABEL: func.func @numbers
// CHECK: scf.for %[[R:.*]] =
// CHECK-DAG: %[[I:.*]] = commonir.iota : tensor<32xi32>
// CHECK-DAG: %[[FIRST:.*]] = arith.index_cast %[[R]] : index to i32
// CHECK: %[[FIRSTS:.*]] = tensor.splat %[[FIRST]] : tensor<32xi32>
// CHECK: %[[N:.*]] = arith.addi %[[I]], %[[FIRSTS]]
// CHECK: commonir.copy ins(%[[N]]
func.func @numbers(%p: memref<?xi32>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  // expected-remark @below {{32 of 64}}
  commonir.launch (%bx) in (%c1) {
    %i = commonir.iota : tensor<64xi32>
    %wa = commonir.window %A[0] [64] keep [0] : memref<64xi32, strided<[1]>, #gm> to memref<64xi32, strided<[1], offset: ?>, #gm>
    commonir.copy ins(%i : tensor<64xi32>) outs(%wa : memref<64xi32, strided<[1], offset: ?>, #gm>)
  } {commonir.row_parts = 2 : i64}
  return
}

// -----
#gm = #commonir.space<gm>

// A product in steps: the loads move into the loop, the sum is carried by it.
// CHECK-LABEL: func.func @steps
// CHECK: %[[ZERO:.*]] = commonir.fill
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c64{{.*}} step %c32{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: commonir.window %A [0, %[[K]]] [16, 32]
// CHECK: commonir.window %B [%[[K]], 0] [32, 16]
// CHECK: commonir.gemm {{.*}} outs(%[[ACC]] : tensor<16x16xf32>)
func.func @steps(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>) {
  %A = commonir.tensor "A" %p [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %B = commonir.tensor "B" %q [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %r [16, 16] strides [16, 1] : memref<?xf32> to memref<16x16xf32, strided<[16, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [16, 64] keep [0, 1] : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>
    %wb = commonir.window %B[0, 0] [64, 16] keep [0, 1] : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wc = commonir.window %C[0, 0] [16, 16] keep [0, 1] : memref<16x16xf32, strided<[16, 1]>, #gm> to memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<16x64xf16>
    %a = commonir.copy ins(%wa : memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>) outs(%ea : tensor<16x64xf16>) -> tensor<16x64xf16>
    %eb = tensor.empty() : tensor<64x16xf16>
    %b = commonir.copy ins(%wb : memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%eb : tensor<64x16xf16>) -> tensor<64x16xf16>
    %ec = tensor.empty() : tensor<16x16xf32>
    %zero = commonir.fill ins(%f0 : f32) outs(%ec : tensor<16x16xf32>) -> tensor<16x16xf32>
    // expected-remark @below {{multiplied 32 of K's 64 at a time}}
    %c = commonir.gemm ins(%a, %b : tensor<16x64xf16>, tensor<64x16xf16>) outs(%zero : tensor<16x16xf32>) -> tensor<16x16xf32>
    commonir.copy ins(%c : tensor<16x16xf32>) outs(%wc : memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>)
  } {commonir.step_parts = 2 : i64}
  return
}
