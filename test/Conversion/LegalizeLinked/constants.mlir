// The vendor's compiler crashes on a constant whose elements differ.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @differ
// CHECK-NOT: dense<[
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x2xf32>
// CHECK: %[[A:.*]] = tensor.insert %{{.*}} into %[[E]][%c0, %c0]
// CHECK: %[[B:.*]] = tensor.insert %{{.*}} into %[[A]][%c0, %c1]
// CHECK: %[[C:.*]] = tensor.insert %{{.*}} into %[[B]][%c1, %c0]
// CHECK: tensor.insert %{{.*}} into %[[C]][%c1, %c1]
func.func @differ() -> tensor<2x2xf32> {
  %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @same
// CHECK: arith.constant dense<1.000000e+00>
// CHECK-NOT: tensor.insert
func.func @same() -> tensor<2x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
