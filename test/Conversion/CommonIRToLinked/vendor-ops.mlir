// Counting, printing and atomic updates are the vendor's own ops.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --lower-affine --canonicalize --cse | FileCheck %s

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @count
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[I:.*]] = hfusion.arange offset[%[[ZERO]]] strides[%[[ONE]]] outs(%{{.*}} : tensor<64xi32>) -> tensor<64xi32>
// It counts in i32 only.
// CHECK: arith.extsi %[[I]] : tensor<64xi32> to tensor<64xi64>
func.func @count(%p: memref<?xi64>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xi64> to memref<64xi64, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %i = commonir.iota : tensor<64xi64>
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi64, strided<[1]>, #gm> to memref<64xi64, strided<[1], offset: ?>, #gm>
    commonir.copy ins(%i : tensor<64xi64>) outs(%w : memref<64xi64, strided<[1], offset: ?>, #gm>)
  }
  return
}

// CHECK-LABEL: func.func @print
// CHECK: hfusion.print "n" {hex = false} %{{.*}} : i64
// CHECK: hfusion.print "t" {hex = false} %{{.*}} : tensor<4xf32>
func.func @print(%n: index) {
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    commonir.print "n" %n : index
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %t = commonir.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    commonir.print "t" %t : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @atomic_tile
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0] [%[[N:.*]]] [1] : tensor<32xf32> to tensor<?xf32>
// CHECK: %[[DEST:.*]] = memref.subview %{{.*}}[0] [%[[N]]] [1]
// CHECK: hivm.hir.store ins(%[[PART]] : tensor<?xf32>) outs(%[[DEST]] : {{.*}}) atomic = <max>
func.func @atomic_tile(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [100] strides [1] : memref<?xf32> to memref<100xf32, strided<[1]>, #gm>
  %c4 = arith.constant 4 : index
  commonir.launch (%b) in (%c4) {
    %at = affine.apply affine_map<(d0) -> (d0 * 32)>(%b)
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %t = commonir.fill ins(%one : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %w = commonir.window %A[%at] [32] keep [0] {commonir.start_in_bounds = array<i1: true>}
      : memref<100xf32, strided<[1]>, #gm> to memref<32xf32, strided<[1], offset: ?>, #gm>
    commonir.atomic max ins(%t : tensor<32xf32>) outs(%w : memref<32xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// One element is a tile of one, and none at all where it does not exist.
// CHECK-LABEL: func.func @atomic_element
// CHECK-SAME: %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %[[P:[^:]*]]: memref<?xi32>, %[[V:[^:]*]]: i32, %{{[^:]*}}: i64,
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]] {
// CHECK:   %[[TILE:.*]] = linalg.fill ins(%[[V]] : i32) outs(%{{.*}} : tensor<1xi32>)
// CHECK:   %[[OFFSET:.*]] = arith.muli %{{.*}}, %c5
// CHECK:   %[[CELL:.*]] = memref.reinterpret_cast %[[P]] to offset: [%{{.*}}], sizes: [1], strides: [1]
// CHECK:   hivm.hir.store ins(%[[TILE]] : tensor<1xi32>) outs(%[[CELL]] : {{.*}}) atomic = <add>
func.func @atomic_element(%p: memref<?xi32>, %v: i32, %i: index) {
  %A = commonir.tensor "A" %p [20, 5] strides [5, 1] : memref<?xi32> to memref<20x5xi32, strided<[5, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    commonir.atomic_element add %v, %A[%i, %c1] : i32, memref<20x5xi32, strided<[5, 1]>, #gm>
  }
  return
}
