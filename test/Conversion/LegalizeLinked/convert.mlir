// Conversions that the vendor's compiler refuses, or makes of them something
// else.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// Extension and conversion of more than 8 unsigned bits would be signed.
// CHECK-LABEL: func.func @unsigned
// CHECK: %[[A:.*]] = arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.andi %[[A]], %{{.*}} : tensor<8xi64>
// CHECK: %[[H:.*]] = arith.shrsi %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: %[[HM:.*]] = arith.andi %[[H]], %{{.*}} : tensor<8xi32>
// CHECK: %[[HF:.*]] = arith.sitofp %[[HM]] : tensor<8xi32> to tensor<8xf32>
// CHECK: %[[L:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: %[[LF:.*]] = arith.sitofp %[[L]] : tensor<8xi32> to tensor<8xf32>
// CHECK: %[[HS:.*]] = arith.mulf %[[HF]], %{{.*}}
// CHECK: arith.addf %[[HS]], %[[LF]]
// CHECK: arith.extui %{{.*}} : tensor<8xi8> to tensor<8xi32>
// CHECK-NOT: uitofp
func.func @unsigned(%x: tensor<8xi32>, %y: tensor<8xi8>) -> (tensor<8xi64>, tensor<8xf32>, tensor<8xi32>) {
  %0 = arith.extui %x : tensor<8xi32> to tensor<8xi64>
  %1 = arith.uitofp %x : tensor<8xi32> to tensor<8xf32>
  %2 = arith.extui %y : tensor<8xi8> to tensor<8xi32>
  return %0, %1, %2 : tensor<8xi64>, tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: func.func @saturates
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<127> : tensor<8xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<-128> : tensor<8xi32>
// CHECK: %[[W:.*]] = arith.fptosi %{{.*}} : tensor<8xf32> to tensor<8xi32>
// CHECK: %[[A:.*]] = arith.maxsi %[[W]], %[[LOW]]
// CHECK: %[[B:.*]] = arith.minsi %[[A]], %[[HIGH]]
// CHECK: arith.trunci %[[B]] : tensor<8xi32> to tensor<8xi8>
// Without a sign, from 0 on.
// CHECK: arith.fptosi %{{.*}} : tensor<8xf32> to tensor<8xi32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci %{{.*}} : tensor<8xi32> to tensor<8xi8>
// The scalar unit leaves overflow open as well.
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @saturates(%x: tensor<8xf32>, %s: f32) -> (tensor<8xi8>, tensor<8xi8>, i8) {
  %0 = arith.fptosi %x : tensor<8xf32> to tensor<8xi8>
  %1 = arith.fptoui %x : tensor<8xf32> to tensor<8xi8>
  %2 = arith.fptosi %s : f32 to i8
  return %0, %1, %2 : tensor<8xi8>, tensor<8xi8>, i8
}

// CHECK-LABEL: func.func @truths
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK: %[[BIT:.*]] = arith.andi
// CHECK: arith.cmpi ne, %[[BIT]]
func.func @truths(%m: tensor<8xi1>, %x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi1>) {
  %0 = arith.extsi %m : tensor<8xi1> to tensor<8xi32>
  %1 = arith.trunci %x : tensor<8xi32> to tensor<8xi1>
  return %0, %1 : tensor<8xi32>, tensor<8xi1>
}

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
