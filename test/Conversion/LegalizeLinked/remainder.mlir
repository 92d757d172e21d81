// Remainders of floats in two exact steps.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @tiles
// CHECK-COUNT-2: hfusion.cast {round_mode = #hfusion.round_mode<trunc>}
// CHECK-NOT: arith.remf
// CHECK: return
func.func @tiles(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.remf %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The scalar unit has none: a tile of eight.
// CHECK-LABEL: func.func @scalar
// CHECK: hfusion.cast {{.*}} : tensor<8xf32>
// CHECK-NOT: arith.remf
// CHECK: tensor.extract
func.func @scalar(%x: f32, %y: f32) -> f32 {
  %0 = arith.remf %x, %y : f32
  return %0 : f32
}
