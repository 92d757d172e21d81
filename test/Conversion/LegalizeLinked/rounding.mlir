// Rounding is a conversion of f32 in the vendor's dialect.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @tiles
// CHECK: hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: hfusion.cast {round_mode = #hfusion.round_mode<round>}
// CHECK: hfusion.cast {round_mode = #hfusion.round_mode<trunc>}
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
// CHECK: %[[R:.*]] = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%[[WIDE]] : tensor<8xf32>)
// CHECK: arith.truncf %[[R]] : tensor<8xf32> to tensor<8xf16>
// The vendor's compiler does these itself.
// CHECK: math.floor
func.func @tiles(%x: tensor<8xf32>, %h: tensor<8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf32>) {
  %0 = math.roundeven %x : tensor<8xf32>
  %1 = math.round %x : tensor<8xf32>
  %2 = math.trunc %x : tensor<8xf32>
  %3 = math.roundeven %h : tensor<8xf16>
  %4 = math.floor %x : tensor<8xf32>
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf32>
}

// A conversion of a tile that is one scalar everywhere is dropped: the scalar
// is rounded, by way of an integer.
// CHECK-LABEL: func.func @uniform
// CHECK-SAME: %[[S:[^:]*]]: f32
// CHECK: %[[I:.*]] = arith.fptosi %[[S]] : f32 to i32
// CHECK: arith.sitofp %[[I]] : i32 to f32
// CHECK: %[[ROUNDED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[S]] : f32
// CHECK: linalg.fill ins(%[[ROUNDED]] : f32)
// CHECK-NOT: hfusion.cast
// CHECK-NOT: math.
func.func @uniform(%s: f32) -> (tensor<8xf32>, f32) {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.fill ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = math.roundeven %t : tensor<8xf32>
  %1 = math.floor %s : f32
  return %0, %1 : tensor<8xf32>, f32
}
