// The entry's argument list is the vendor's: lock, workspace, the kernel's own,
// the grid's extents, the block's position. Blocks come as one row.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --canonicalize --cse | FileCheck %s
// RUN: tilekiln-opt %s --convert-commonir-to-linked | FileCheck %s --check-prefix=GONE --implicit-check-not=commonir.

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @two_launches(
// CHECK-SAME:    %{{[^:]*}}: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %[[A:[^:]*]]: memref<?xf32>, %[[N:[^:]*]]: i64,
// CHECK-SAME:    %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %[[X:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32)
// CHECK-SAME:    SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local"
// CHECK:         %[[BLOCK:.*]] = arith.index_cast %[[X]] : i32 to index
// CHECK:         %[[BX:.*]] = arith.remsi %[[BLOCK]], %c6
// CHECK:         %[[BY:.*]] = arith.divsi %[[BLOCK]], %c6
// CHECK:         memref.store %{{.*}}, %{{.*}}[%[[BY]], %[[BX]]]
// A launch that follows is a kernel of its own.
// CHECK-LABEL: func.func @two_launches_1(
// GONE-LABEL: func.func @two_launches_1(
func.func @two_launches(%p: memref<?xf32>, %n: index) {
  %A = commonir.tensor "A" %p [%n, 6] strides [6, 1] : memref<?xf32> to memref<?x6xf32, strided<[6, 1]>, #gm>
  %c6 = arith.constant 6 : index
  %one = arith.constant 1.0 : f32
  commonir.launch (%bx, %by) in (%c6, %n) {
    memref.store %one, %A[%by, %bx] {commonir.in_bounds = array<i1: true, true>} : memref<?x6xf32, strided<[6, 1]>, #gm>
  }
  commonir.launch (%b) in (%n) {
    %c0 = arith.constant 0 : index
    memref.store %one, %A[%b, %c0] {commonir.in_bounds = array<i1: true, true>} : memref<?x6xf32, strided<[6, 1]>, #gm>
  }
  return
}

// Placements have done their work.
// CHECK-LABEL: func.func @placed
// CHECK: arith.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<8xf32>
func.func @placed(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [8] strides [1] : memref<?xf32> to memref<8xf32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [8] keep [0] {commonir.in_bounds = array<i1: true>} : memref<8xf32, strided<[1]>, #gm> to memref<8xf32, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<8xf32, #commonir.space<ub>>
    %x = commonir.copy ins(%w : memref<8xf32, strided<[1], offset: ?>, #gm>) outs(%e : tensor<8xf32, #commonir.space<ub>>) -> tensor<8xf32, #commonir.space<ub>>
    %one = arith.constant dense<1.0> : tensor<8xf32, #commonir.space<ub>>
    %y = arith.addf %x, %one : tensor<8xf32, #commonir.space<ub>>
    commonir.copy ins(%y : tensor<8xf32, #commonir.space<ub>>) outs(%w : memref<8xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}
