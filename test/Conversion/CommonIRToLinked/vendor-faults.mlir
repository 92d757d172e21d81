// If this breaks, the vendor's compiler drops loops that rotate tiles, or halves what
// must stay whole.
// RUN: tilekiln-opt %s --avoid-vendor-faults | FileCheck %s

// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[MADE:.*]] = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%[[B]], %[[B]]
// CHECK: scf.yield %[[MADE]], %[[SUM]]
func.func @swap(%n: index, %x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
    %1 = arith.addf %a, %x : tensor<16x32xf32>
    scf.yield %b, %1 : tensor<16x32xf32>, tensor<16x32xf32>
  }
  return %0#0 : tensor<16x32xf32>
}

// What keeps its place may stay.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: linalg.elemwise_binary
func.func @kept(%n: index, %x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<16x32xf32>) {
    scf.yield %a : tensor<16x32xf32>
  }
  return %0 : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @part_beside_cube
// CHECK: %[[WRITTEN:.*]] = tensor.insert_slice
// CHECK-NEXT: "annotation.mark"(%[[WRITTEN]]) {MayImplicitTransposeWithLastAxis} : (tensor<32x32xf32>) -> ()
func.func @part_beside_cube(%a: tensor<32x32xf16>, %x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = tensor.extract_slice %0[0, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  %2 = tensor.insert_slice %1 into %x[16, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}

// One mark is enough, and on a fill it is in nobody's way.
// CHECK-LABEL: func.func @part_of_filled_beside_cube
// CHECK: %[[FILLED:.*]] = linalg.fill
// CHECK-NEXT: "annotation.mark"(%[[FILLED]])
// CHECK-NOT: annotation.mark
// CHECK: return
func.func @part_of_filled_beside_cube(%a: tensor<32x32xf16>, %x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = tensor.extract_slice %0[0, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  %2 = tensor.insert_slice %1 into %x[16, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}

// CHECK-LABEL: func.func @part_without_cube
// CHECK-NOT: annotation.mark
func.func @part_without_cube(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %1 = tensor.extract_slice %x[0, 0] [16, 32] [1, 1] : tensor<32x32xf32> to tensor<16x32xf32>
  %2 = tensor.insert_slice %1 into %x[16, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}

// What every step inserts alike would be moved to where the carried tile is unknown.
// CHECK-LABEL: func.func @invariant_insert
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[MADE:.*]] = linalg.elemwise_binary {{.*}} ins(%[[A]], %[[A]]
// CHECK: tensor.insert_slice %{{.*}} into %[[MADE]]
func.func @invariant_insert(%n: index, %x: tensor<16x32xf32>, %row: tensor<1x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<16x32xf32>) {
    %1 = tensor.insert_slice %row into %a[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<16x32xf32>
    scf.yield %1 : tensor<16x32xf32>
  }
  return %0 : tensor<16x32xf32>
}

// What the step computes may stay.
// CHECK-LABEL: func.func @computed_insert
// CHECK-NOT: linalg.elemwise_binary
func.func @computed_insert(%n: index, %x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<16x32xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 32] [1, 1] : tensor<16x32xf32> to tensor<1x32xf32>
    %more = arith.addf %row, %row : tensor<1x32xf32>
    %1 = tensor.insert_slice %more into %a[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<16x32xf32>
    scf.yield %1 : tensor<16x32xf32>
  }
  return %0 : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @zero_addend
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK: %[[MADE:.*]] = linalg.elemwise_binary {{.*}} ins(%[[P]], %[[P]]
// CHECK: arith.addf %[[MADE]], %{{.*}} : tensor<32x32xf32>
func.func @zero_addend(%a: tensor<32x32xf16>, %x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = arith.addf %0, %z : tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// What is handed on by a loop is no view.
// CHECK-LABEL: func.func @carried_part
// CHECK: %[[PART:.*]] = tensor.extract_slice
// CHECK: %[[COPY:.*]] = linalg.elemwise_binary {{.*}} ins(%[[PART]], %[[PART]]
// CHECK: scf.yield %[[COPY]]
func.func @carried_part(%x: tensor<8x64xf32>, %start: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %start) -> tensor<8xf32> {
    %part = tensor.extract_slice %x[0, 63] [8, 1] [1, 1] : tensor<8x64xf32> to tensor<8xf32>
    scf.yield %part : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The second tile takes from the first what the step before left in it.
// CHECK-LABEL: func.func @read_before_product
// CHECK-SAME: commonir.step_order
func.func @read_before_product(%n: index, %a: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %x) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %1 = arith.addf %q, %p : tensor<16x16xf32>
    %2 = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
    %3 = arith.addf %p, %2 : tensor<16x16xf32>
    scf.yield %3, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %0#1 : tensor<16x16xf32>
}

// As in attention: what an earlier stretch makes, a later one reads.
// CHECK-LABEL: func.func @read_after_product
// CHECK-NOT: commonir.step_order
// CHECK: return
func.func @read_after_product(%n: index, %a: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %x) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %1 = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
    %2 = arith.maximumf %p, %1 : tensor<16x16xf32>
    %3 = arith.truncf %2 : tensor<16x16xf32> to tensor<16x16xf16>
    %4 = linalg.matmul ins(%3, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
    %5 = arith.mulf %q, %2 : tensor<16x16xf32>
    %6 = arith.addf %5, %4 : tensor<16x16xf32>
    scf.yield %2, %6 : tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %0#1 : tensor<16x16xf32>
}

// A sum that only products touch.
// CHECK-LABEL: func.func @sum_on_the_cube
// CHECK-NOT: commonir.step_order
// CHECK: return
func.func @sum_on_the_cube(%n: index, %a: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<16x16xf32>) {
    %1 = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %1 : tensor<16x16xf32>
  }
  return %0 : tensor<16x16xf32>
}
