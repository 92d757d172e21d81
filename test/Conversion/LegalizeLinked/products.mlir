// What the cube would do by itself while it writes a product, and wrongly.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// A product of integers that is cut short must not look like the cube's own
// quantisation.
// CHECK-LABEL: func.func @product
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[LOW:.*]] = arith.andi %[[SUM]], %{{.*}} : tensor<16x16xi32>
// CHECK: arith.trunci %[[LOW]] : tensor<16x16xi32> to tensor<16x16xi8>
// Nothing is in the way of a sum that the vector unit has worked on.
// CHECK: %[[MORE:.*]] = arith.addi
// CHECK-NEXT: arith.trunci %[[MORE]]
func.func @product(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> (tensor<16x16xi8>, tensor<16x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %c) -> tensor<16x16xi32> {
    %p = linalg.matmul ins(%a, %b : tensor<16x16xi8>, tensor<16x16xi8>) outs(%acc : tensor<16x16xi32>) -> tensor<16x16xi32>
    scf.yield %p : tensor<16x16xi32>
  }
  %0 = arith.trunci %sum : tensor<16x16xi32> to tensor<16x16xi8>
  %more = arith.addi %sum, %c : tensor<16x16xi32>
  %1 = arith.trunci %more : tensor<16x16xi32> to tensor<16x16xi8>
  return %0, %1 : tensor<16x16xi8>, tensor<16x16xi8>
}

// A bias wider than the cube's table is added on the vector unit.
// CHECK-LABEL: func.func @bias
// CHECK: %[[COPY:.*]] = linalg.copy ins(%{{.*}} : tensor<512xf32>)
// CHECK: linalg.broadcast ins(%[[COPY]] : tensor<512xf32>)
// CHECK-NOT: linalg.copy
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<128xf32>)
func.func @bias(%a: tensor<16x16xf16>, %b: tensor<16x512xf16>, %c: tensor<16x512xf32>, %v: tensor<512xf32>,
                %d: tensor<16x128xf16>, %e: tensor<16x128xf32>, %w: tensor<128xf32>) -> (tensor<16x512xf32>, tensor<16x128xf32>) {
  %p = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x512xf16>) outs(%c : tensor<16x512xf32>) -> tensor<16x512xf32>
  %vb = linalg.broadcast ins(%v : tensor<512xf32>) outs(%c : tensor<16x512xf32>) dimensions = [0]
  %0 = arith.addf %p, %vb : tensor<16x512xf32>
  %q = linalg.matmul ins(%a, %d : tensor<16x16xf16>, tensor<16x128xf16>) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %wb = linalg.broadcast ins(%w : tensor<128xf32>) outs(%e : tensor<16x128xf32>) dimensions = [0]
  %1 = arith.addf %q, %wb : tensor<16x128xf32>
  return %0, %1 : tensor<16x512xf32>, tensor<16x128xf32>
}
