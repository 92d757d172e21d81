// If this breaks, a kernel that fell off the fast path no longer says so.
// RUN: tilekiln-opt %s --infer-placement=target=%S/../../share/targets/ascend910b3.json -split-input-file -verify-diagnostics | FileCheck %s

#gm = #commonir.space<gm>

// A sum that only products touch stays on the cube; nothing goes through global memory.
// CHECK-LABEL: func.func @on_the_cube
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32, #commonir.space<l0c>>)
// CHECK:   commonir.copy {{.*}} -> tensor<16x16xf16, #commonir.space<l1>>
// CHECK:   commonir.gemm
// CHECK: commonir.round_trips = 0 : i64
// CHECK-SAME: commonir.unit = "cube"
func.func @on_the_cube(%a: memref<?xf16>, %c: memref<?xf32>) {
  %A = commonir.tensor "A" %a [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %c [16, 16] strides [16, 1] : memref<?xf32> to memref<16x16xf32, strided<[16, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  commonir.launch (%bx) in (%c1) {
    %e = tensor.empty() : tensor<16x16xf32>
    %start = commonir.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (tensor<16x16xf32>) {
      %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%k)
      %w = commonir.window %A[0, %at] [16, 16] keep [0, 1]
        : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x16xf16, strided<[64, 1], offset: ?>, #gm>
      %te = tensor.empty() : tensor<16x16xf16>
      %t = commonir.copy ins(%w : memref<16x16xf16, strided<[64, 1], offset: ?>, #gm>) outs(%te : tensor<16x16xf16>) -> tensor<16x16xf16>
      %g = commonir.gemm ins(%t, %t : tensor<16x16xf16>, tensor<16x16xf16>) outs(%acc : tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %g : tensor<16x16xf32>
    }
    %o = commonir.window %C[0, 0] [16, 16] keep [0, 1]
      : memref<16x16xf32, strided<[16, 1]>, #gm> to memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>
    commonir.copy ins(%sum : tensor<16x16xf32>) outs(%o : memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #commonir.space<gm>

// Vector work on the finished sum: one transfer, which has no direct path.
// CHECK-LABEL: func.func @epilogue
// CHECK: commonir.gemm {{.*}} -> tensor<16x16xf32, #commonir.space<l0c>>
// CHECK: commonir.copy ins(%{{.*}} : tensor<16x16xf32, #commonir.space<l0c>>) {{.*}} -> tensor<16x16xf32, #commonir.space<ub>>
// CHECK: math.exp {{.*}} : tensor<16x16xf32, #commonir.space<ub>>
// CHECK: commonir.round_trips = 1 : i64
// CHECK-SAME: commonir.unit = "mix"
func.func @epilogue(%a: memref<?xf16>, %c: memref<?xf32>) {
  %A = commonir.tensor "A" %a [16, 16] strides [16, 1] : memref<?xf16> to memref<16x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %c [16, 16] strides [16, 1] : memref<?xf32> to memref<16x16xf32, strided<[16, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %w = commonir.window %A[0, 0] [16, 16] keep [0, 1]
      : memref<16x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
    %te = tensor.empty() : tensor<16x16xf16>
    %t = commonir.copy ins(%w : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%te : tensor<16x16xf16>) -> tensor<16x16xf16>
    %e = tensor.empty() : tensor<16x16xf32>
    %g = commonir.gemm ins(%t, %t : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf32>) clear %true -> tensor<16x16xf32>
    %x = math.exp %g : tensor<16x16xf32>
    %o = commonir.window %C[0, 0] [16, 16] keep [0, 1]
      : memref<16x16xf32, strided<[16, 1]>, #gm> to memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>
    commonir.copy ins(%x : tensor<16x16xf32>) outs(%o : memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>)
  }
  return
}

// -----

// A sum that vector work scales between products is added to there: the author hears of it.
// CHECK-LABEL: func.func @scaled_in_between
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32, #commonir.space<ub>>)
// CHECK:   commonir.gemm {{.*}} clear %{{.*}} -> tensor<16x16xf32, #commonir.space<l0c>>
// CHECK:   arith.addf {{.*}} : tensor<16x16xf32, #commonir.space<ub>>
// CHECK: commonir.unit = "mix"
func.func @scaled_in_between() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  commonir.launch (%bx) in (%c1) {
    %half = arith.constant 0.5 : f16
    %ae = tensor.empty() : tensor<16x16xf16>
    %a = commonir.fill ins(%half : f16) outs(%ae : tensor<16x16xf16>) -> tensor<16x16xf16>
    %e = tensor.empty() : tensor<16x16xf32>
    %start = commonir.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (tensor<16x16xf32>) {
      %scaled = math.exp %acc : tensor<16x16xf32>
      // expected-remark @below {{is added to on the vector unit, because}}
      %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%scaled : tensor<16x16xf32>) -> tensor<16x16xf32>
      scf.yield %g : tensor<16x16xf32>
    }
    commonir.print "sum" %sum : tensor<16x16xf32>
  }
  return
}
