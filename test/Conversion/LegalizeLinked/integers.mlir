// Integer arithmetic that the vendor's compiler takes for signed.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @shift
// CHECK-DAG: %[[KEPT:.*]] = arith.constant dense<536870911>
// CHECK: %[[A:.*]] = arith.shrsi %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: arith.andi %[[A]], %[[KEPT]]
// By a tile: the copies of the sign are those of a number that is only sign.
// CHECK: %[[B:.*]] = arith.shrsi
// CHECK: %[[SIGNS:.*]] = arith.shrsi
// CHECK: %[[COPIES:.*]] = arith.shli %[[SIGNS]]
// CHECK: %[[MASK:.*]] = arith.xori %[[COPIES]]
// CHECK: arith.andi %[[B]], %[[MASK]]
// Eight bits are right.
// CHECK: arith.shrui %{{.*}} : tensor<8xi8>
// CHECK-NOT: shrui
func.func @shift(%x: tensor<8xi32>, %y: tensor<8xi32>, %b: tensor<8xi8>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi8>) {
  %three = arith.constant dense<3> : tensor<8xi32>
  %0 = arith.shrui %x, %three : tensor<8xi32>
  %1 = arith.shrui %x, %y : tensor<8xi32>
  %2 = arith.shrui %b, %b : tensor<8xi8>
  return %0, %1, %2 : tensor<8xi32>, tensor<8xi32>, tensor<8xi8>
}

// CHECK-LABEL: func.func @extremes
// CHECK: %[[A:.*]] = arith.xori
// CHECK: %[[B:.*]] = arith.xori
// CHECK: %[[C:.*]] = arith.maxsi %[[A]], %[[B]]
// CHECK: arith.xori %[[C]]
// CHECK: arith.minsi
// CHECK: arith.maxui %{{.*}} : tensor<8xi8>
func.func @extremes(%x: tensor<8xi32>, %y: tensor<8xi32>, %b: tensor<8xi8>, %c: tensor<8xi8>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi8>) {
  %0 = arith.maxui %x, %y : tensor<8xi32>
  %1 = arith.minui %x, %y : tensor<8xi32>
  %2 = arith.maxui %b, %c : tensor<8xi8>
  return %0, %1, %2 : tensor<8xi32>, tensor<8xi32>, tensor<8xi8>
}

// CHECK-LABEL: func.func @absolute
// CHECK: math.absi %{{.*}} : tensor<8xi32>
// CHECK: %[[N:.*]] = arith.subi
// CHECK: arith.maxsi %{{.*}}, %[[N]] : tensor<8xi64>
// CHECK-NOT: math.absi
func.func @absolute(%x: tensor<8xi32>, %y: tensor<8xi64>, %s: i32) -> (tensor<8xi32>, tensor<8xi64>, i32) {
  %0 = math.absi %x : tensor<8xi32>
  %1 = math.absi %y : tensor<8xi64>
  %2 = math.absi %s : i32
  return %0, %1, %2 : tensor<8xi32>, tensor<8xi64>, i32
}
