// If this breaks, kernels that do not fit on chip are left to the vendor's compiler,
// which names no buffer.
// RUN: tilekiln-opt %s --check-capacity=target=%targets/ascend910b3.json -split-input-file -verify-diagnostics
// RUN: not tilekiln-opt %s --check-capacity=target=%targets/ascend9.json -split-input-file 2>&1 | FileCheck %s
// CHECK: error: {{.*}}ascend9.json: cannot read the target's description: {{.*}}; known targets are {{.*}}ascend910b3

#gm = #commonir.space<gm>
#ub = #commonir.space<ub>

func.func @too_much(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 1024] strides [1024, 1] : memref<?xf32> to memref<64x1024xf32, strided<[1024, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %w = commonir.window %A[0, 0] [64, 1024] keep [0, 1] : memref<64x1024xf32, strided<[1024, 1]>, #gm> to memref<64x1024xf32, strided<[1024, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<64x1024xf32, #ub>
    // expected-note @below {{'a' takes 262144 bytes (64x1024xf32)}}
    %a = commonir.copy ins(%w : memref<64x1024xf32, strided<[1024, 1], offset: ?>, #gm>) outs(%e : tensor<64x1024xf32, #ub>) {commonir.buffer = "a"} -> tensor<64x1024xf32, #ub>
    // expected-error @below {{the tiles that are needed at the same time here take 262144 bytes of ub, which holds 196608; make them smaller, or use fewer at a time}}
    // expected-note @below {{with an extent of at most 768 in place of 1024 they would fit}}
    commonir.copy ins(%a : tensor<64x1024xf32, #ub>) outs(%w : memref<64x1024xf32, strided<[1024, 1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>
#ub = #commonir.space<ub>

// The same bytes one after the other fit.
func.func @one_after_the_other(%p: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 1024] strides [1024, 1] : memref<?xf32> to memref<64x1024xf32, strided<[1024, 1]>, #gm>
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %w = commonir.window %A[0, 0] [32, 1024] keep [0, 1] : memref<64x1024xf32, strided<[1024, 1]>, #gm> to memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>
    %v = commonir.window %A[32, 0] [32, 1024] keep [0, 1] : memref<64x1024xf32, strided<[1024, 1]>, #gm> to memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<32x1024xf32, #ub>
    %a = commonir.copy ins(%w : memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>) outs(%e : tensor<32x1024xf32, #ub>) -> tensor<32x1024xf32, #ub>
    commonir.copy ins(%a : tensor<32x1024xf32, #ub>) outs(%v : memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>)
    %b = commonir.copy ins(%v : memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>) outs(%e : tensor<32x1024xf32, #ub>) -> tensor<32x1024xf32, #ub>
    commonir.copy ins(%b : tensor<32x1024xf32, #ub>) outs(%w : memref<32x1024xf32, strided<[1024, 1], offset: ?>, #gm>)
  }
  return
}
