// Conversions of tiles, by steps that the vendor's compiler has an instruction
// for. Floats saturate where its own conversions would wrap; integers wrap.
// RUN: tilekiln-opt %s --convert-commonir-to-linked --canonicalize -split-input-file | FileCheck %s

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f16_to_bf16
// CHECK: bufferization.to_tensor
// CHECK: arith.extf {{.*}} : tensor<64xf16> to tensor<64xf32>
// CHECK: arith.truncf {{.*}} : tensor<64xf32> to tensor<64xbf16>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f16_to_bf16(%p: memref<?xf16>, %q: memref<?xbf16>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xbf16> to memref<64xbf16, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xbf16, strided<[1]>, #gm> to memref<64xbf16, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xbf16>
    %x = commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xbf16>) -> tensor<64xbf16>
    commonir.copy ins(%x : tensor<64xbf16>) outs(%v : memref<64xbf16, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @bf16_to_i8
// CHECK: bufferization.to_tensor
// CHECK: arith.extf {{.*}} to tensor<64xf32>
// CHECK: arith.fptosi {{.*}} : tensor<64xf32> to tensor<64xi32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci {{.*}} : tensor<64xi32> to tensor<64xi8>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @bf16_to_i8(%p: memref<?xbf16>, %q: memref<?xi8>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xbf16> to memref<64xbf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi8> to memref<64xi8, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xbf16, strided<[1]>, #gm> to memref<64xbf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi8, strided<[1]>, #gm> to memref<64xi8, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi8>
    %x = commonir.copy ins(%w : memref<64xbf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
    commonir.copy ins(%x : tensor<64xi8>) outs(%v : memref<64xi8, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f16_to_i64
// CHECK: bufferization.to_tensor
// CHECK: arith.extf {{.*}} to tensor<64xf32>
// CHECK: arith.fptosi {{.*}} : tensor<64xf32> to tensor<64xi64>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f16_to_i64(%p: memref<?xf16>, %q: memref<?xi64>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi64> to memref<64xi64, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi64, strided<[1]>, #gm> to memref<64xi64, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi64>
    %x = commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi64>) -> tensor<64xi64>
    commonir.copy ins(%x : tensor<64xi64>) outs(%v : memref<64xi64, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f32_to_i8
// CHECK: bufferization.to_tensor
// CHECK: arith.fptosi {{.*}} to tensor<64xi32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci {{.*}} to tensor<64xi8>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f32_to_i8(%p: memref<?xf32>, %q: memref<?xi8>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi8> to memref<64xi8, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf32, strided<[1]>, #gm> to memref<64xf32, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi8, strided<[1]>, #gm> to memref<64xi8, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi8>
    %x = commonir.copy ins(%w : memref<64xf32, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
    commonir.copy ins(%x : tensor<64xi8>) outs(%v : memref<64xi8, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f16_to_i8
// CHECK: bufferization.to_tensor
// CHECK: hfusion.cast {enable_overflow = false, round_mode = #hfusion.round_mode<trunc>} ins({{.*}} : tensor<64xf16>) outs({{.*}} : tensor<64xi8>)
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f16_to_i8(%p: memref<?xf16>, %q: memref<?xi8>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi8> to memref<64xi8, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi8, strided<[1]>, #gm> to memref<64xi8, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi8>
    %x = commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
    commonir.copy ins(%x : tensor<64xi8>) outs(%v : memref<64xi8, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f32_to_i16
// CHECK: bufferization.to_tensor
// CHECK: arith.fptosi {{.*}} to tensor<64xi32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci {{.*}} to tensor<64xi16>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f32_to_i16(%p: memref<?xf32>, %q: memref<?xi16>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi16> to memref<64xi16, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf32, strided<[1]>, #gm> to memref<64xf32, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi16, strided<[1]>, #gm> to memref<64xi16, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi16>
    %x = commonir.copy ins(%w : memref<64xf32, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi16>) -> tensor<64xi16>
    commonir.copy ins(%x : tensor<64xi16>) outs(%v : memref<64xi16, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @f16_to_i16
// CHECK: bufferization.to_tensor
// CHECK: arith.fptosi {{.*}} : tensor<64xf16> to tensor<64xi16>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @f16_to_i16(%p: memref<?xf16>, %q: memref<?xi16>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf16> to memref<64xf16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi16> to memref<64xi16, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf16, strided<[1]>, #gm> to memref<64xf16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi16, strided<[1]>, #gm> to memref<64xi16, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi16>
    %x = commonir.copy ins(%w : memref<64xf16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi16>) -> tensor<64xi16>
    commonir.copy ins(%x : tensor<64xi16>) outs(%v : memref<64xi16, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @i32_to_i8
// CHECK: bufferization.to_tensor
// CHECK: arith.trunci {{.*}} : tensor<64xi32> to tensor<64xi8>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @i32_to_i8(%p: memref<?xi32>, %q: memref<?xi8>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi8> to memref<64xi8, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi32, strided<[1]>, #gm> to memref<64xi32, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi8, strided<[1]>, #gm> to memref<64xi8, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi8>
    %x = commonir.copy ins(%w : memref<64xi32, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
    commonir.copy ins(%x : tensor<64xi8>) outs(%v : memref<64xi8, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @i8_to_f32
// CHECK: bufferization.to_tensor
// CHECK: arith.sitofp {{.*}} : tensor<64xi8> to tensor<64xf32>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @i8_to_f32(%p: memref<?xi8>, %q: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xi8> to memref<64xi8, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi8, strided<[1]>, #gm> to memref<64xi8, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xf32, strided<[1]>, #gm> to memref<64xf32, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xf32>
    %x = commonir.copy ins(%w : memref<64xi8, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    commonir.copy ins(%x : tensor<64xf32>) outs(%v : memref<64xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @i16_to_i32
// CHECK: bufferization.to_tensor
// CHECK: arith.extsi {{.*}} : tensor<64xi16> to tensor<64xi32>
// CHECK-NOT: arith.{{ext|trunc|fpto|sitofp|uitofp|max|min}}
// CHECK: return
func.func @i16_to_i32(%p: memref<?xi16>, %q: memref<?xi32>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xi16> to memref<64xi16, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%b) in (%c1) {
    %w = commonir.window %A[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi16, strided<[1]>, #gm> to memref<64xi16, strided<[1], offset: ?>, #gm>
    %v = commonir.window %B[0] [64] keep [0] {commonir.in_bounds = array<i1: true>} : memref<64xi32, strided<[1]>, #gm> to memref<64xi32, strided<[1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64xi32>
    %x = commonir.copy ins(%w : memref<64xi16, strided<[1], offset: ?>, #gm>) outs(%e : tensor<64xi32>) -> tensor<64xi32>
    commonir.copy ins(%x : tensor<64xi32>) outs(%v : memref<64xi32, strided<[1], offset: ?>, #gm>)
  }
  return
}
