// Functions that the vendor's compiler does not know, and those that the scalar
// unit does not have.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @tiles
// CHECK: %[[SMALL:.*]] = arith.divf
// CHECK: %[[A:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}}
// CHECK: %[[B:.*]] = arith.cmpf olt, %[[SMALL]]
// CHECK: %[[NEG:.*]] = arith.ori %[[A]], %[[B]]
// CHECK: arith.select %[[NEG]]
// CHECK: %[[ASIN:.*]] = math.asin
// CHECK: arith.subf %{{.*}}, %[[ASIN]]
// CHECK-NOT: math.sinh
func.func @tiles(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = math.copysign %x, %y : tensor<8xf32>
  %1 = math.acos %x : tensor<8xf32>
  %2 = math.sinh %x : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK: %[[TILE:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[EXP:.*]] = math.exp %[[TILE]] : tensor<8xf32>
// CHECK: tensor.extract %[[EXP]][%{{.*}}] : tensor<8xf32>
// CHECK: %[[NEG:.*]] = arith.negf
// CHECK: arith.maximumf %{{.*}}, %[[NEG]] : f32
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: math.{{.*}} : f32
func.func @scalar(%x: f32) -> (f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.absf %x : f32
  %2 = math.fma %x, %x, %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// So is a tile of one element, which the vendor makes a scalar of.
// CHECK-LABEL: func.func @absoluteOfOne
// CHECK: arith.negf
// CHECK: arith.maximumf
// CHECK-NOT: math.absf %{{.*}} : tensor<1xf32>
// CHECK: math.absf %{{.*}} : tensor<2xf32>
func.func @absoluteOfOne(%x: tensor<1xf32>, %y: tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %0 = math.absf %x : tensor<1xf32>
  %1 = math.absf %y : tensor<2xf32>
  return %0, %1 : tensor<1xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @rootOfOne
// CHECK: math.sqrt %{{.*}} : tensor<8xf32>
// CHECK: tensor.splat %{{.*}} : tensor<1x1xf32>
func.func @rootOfOne(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = math.sqrt %x : tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
