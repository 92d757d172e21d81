// The ops that we write print as the vendor's compiler reads them. If this
// breaks, linked IR is no longer its input.
// RUN: tilekiln-opt %s | tilekiln-opt | FileCheck %s

func.func @ops(%x: tensor<64xf32>, %h: tensor<64xf16>, %m: memref<64xf32>, %n: i32, %from: index, %step: index) {
  %e = tensor.empty() : tensor<64xi32>
  // CHECK: hfusion.arange offset[%{{.*}}] strides[%{{.*}}] outs(%{{.*}} : tensor<64xi32>) -> tensor<64xi32>
  %i = hfusion.arange offset[%from] strides[%step] outs(%e : tensor<64xi32>) -> tensor<64xi32>
  %f = tensor.empty() : tensor<64xf32>
  // CHECK: hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
  %r = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%x : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %b = tensor.empty() : tensor<64xi8>
  // CHECK: hfusion.cast {enable_overflow = false, round_mode = #hfusion.round_mode<trunc>} ins(%{{.*}} : tensor<64xf16>) outs(%{{.*}} : tensor<64xi8>) -> tensor<64xi8>
  %c = hfusion.cast {enable_overflow = false, round_mode = #hfusion.round_mode<trunc>} ins(%h : tensor<64xf16>) outs(%b : tensor<64xi8>) -> tensor<64xi8>
  // CHECK: hfusion.print " n: " {hex = false} %{{.*}} : i32
  hfusion.print " n: " {hex = false} %n : i32
  // CHECK: hivm.hir.store ins(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : memref<64xf32>) atomic = <add>
  hivm.hir.store ins(%r : tensor<64xf32>) outs(%m : memref<64xf32>) atomic = <add>
  // CHECK: hivm.hir.store ins(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : memref<64xf32>){{$}}
  hivm.hir.store ins(%r : tensor<64xf32>) outs(%m : memref<64xf32>)
  return
}
