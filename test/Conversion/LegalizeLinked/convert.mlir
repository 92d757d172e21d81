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

// Fractions go before the integer does, which the vendor's compiler leaves out.
// CHECK-LABEL: func.func @throughInteger
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: %[[WHOLE:.*]] = hfusion.cast {{.*}}trunc{{.*}} ins(%[[WIDE]] : tensor<8xf32>)
// CHECK: arith.fptosi %[[WHOLE]] : tensor<8xf32> to tensor<8xi32>
// CHECK: %[[LOW:.*]] = arith.trunci %{{.*}} : tensor<8xi64> to tensor<8xi32>
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[LOW]], %{{.*}} : tensor<8xi32>
// CHECK: %[[BACK:.*]] = arith.extsi %[[FLIPPED]] : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.xori %[[BACK]], %{{.*}} : tensor<8xi64>
func.func @throughInteger(%x: tensor<8xbf16>, %y: tensor<8xi64>) -> (tensor<8xbf16>, tensor<8xi64>) {
  %0 = arith.fptosi %x : tensor<8xbf16> to tensor<8xi32>
  %1 = arith.sitofp %0 : tensor<8xi32> to tensor<8xbf16>
  %2 = arith.trunci %y : tensor<8xi64> to tensor<8xi32>
  %3 = arith.extsi %2 : tensor<8xi32> to tensor<8xi64>
  return %1, %3 : tensor<8xbf16>, tensor<8xi64>
}

// CHECK-LABEL: func.func @smallScalars
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.fptoui %[[A]] : f32 to i32
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptosi %[[B]] : f32 to i64
func.func @smallScalars(%x: bf16, %y: f16) -> (i32, i64) {
  %0 = arith.fptoui %x : bf16 to i32
  %1 = arith.fptosi %y : f16 to i64
  return %0, %1 : i32, i64
}

// Eight bits are wrapped before they become a float; what was loaded is.
// CHECK-LABEL: func.func @wrapped
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[SUM]]
// CHECK: %[[NUMBER:.*]] = arith.sitofp %[[FLIPPED]] : tensor<8xi8> to tensor<8xf32>
// CHECK: arith.subf %{{.*}}, %[[NUMBER]]
// CHECK-NOT: arith.xori
func.func @wrapped(%x: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = arith.addi %x, %x : tensor<8xi8>
  %1 = arith.sitofp %0 : tensor<8xi8> to tensor<8xf32>
  %2 = arith.uitofp %x : tensor<8xi8> to tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
