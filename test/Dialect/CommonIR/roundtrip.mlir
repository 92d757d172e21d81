// If this breaks, a stage's text can no longer be dumped, edited and fed back in.
// RUN: tilekiln-opt %s | tilekiln-opt | FileCheck %s

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @gemm
func.func @gemm(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf16>, %m: index {commonir.symbol = "m"}) {
  // CHECK: %[[A:.*]] = commonir.tensor "A" %{{.*}} [%{{.*}}, 64] strides [64, 1] : memref<?xf16>
  %A = commonir.tensor "A" %a [%m, 64] strides [64, 1] : memref<?xf16> to memref<?x64xf16, strided<[64, 1]>, #gm>
  %B = commonir.tensor "B" %b [64, 128] strides [128, 1] pad (1.0 : f16) : memref<?xf16> to memref<64x128xf16, strided<[128, 1]>, #gm>
  %C = commonir.tensor "C" %c [%m, 128] strides [128, 1] : memref<?xf16> to memref<?x128xf16, strided<[128, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %gy = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%m]
  // CHECK: commonir.launch (%[[BX:.*]], %[[BY:.*]]) in (%{{.*}}, %{{.*}}) {
  commonir.launch (%bx, %by) in (%c1, %gy) {
    // CHECK: %a_shared = commonir.alloc "a_shared" scope "shared" : memref<32x32xf16>
    %a_shared = commonir.alloc "a_shared" scope "shared" : memref<32x32xf16>
    %b_shared = commonir.alloc "b_shared" scope "shared" : memref<32x128xf16>
    %acc = commonir.alloc "acc" scope "fragment" : memref<32x128xf32>
    commonir.fill ins(%zero : f32) outs(%acc : memref<32x128xf32>)
    scf.for %k = %c0 to %c2 step %c1 {
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%by)
      %col = affine.apply affine_map<(d0) -> (d0 * 32)>(%k)
      // CHECK: commonir.window %[[A]] [%{{.*}}, %{{.*}}] [32, 32] keep [0, 1]
      %wa = commonir.window %A[%row, %col] [32, 32] keep [0, 1]
        : memref<?x64xf16, strided<[64, 1]>, #gm> to memref<32x32xf16, strided<[64, 1], offset: ?>, #gm>
      commonir.copy ins(%wa : memref<32x32xf16, strided<[64, 1], offset: ?>, #gm>) outs(%a_shared : memref<32x32xf16>)
      %wb = commonir.window %B[%col, 0] [32, 128] keep [0, 1]
        : memref<64x128xf16, strided<[128, 1]>, #gm> to memref<32x128xf16, strided<[128, 1], offset: ?>, #gm>
      commonir.copy ins(%wb : memref<32x128xf16, strided<[128, 1], offset: ?>, #gm>) outs(%b_shared : memref<32x128xf16>)
      // CHECK: commonir.gemm ins(%a_shared, %b_shared : memref<32x32xf16>, memref<32x128xf16>) outs(%acc : memref<32x128xf32>)
      commonir.gemm ins(%a_shared, %b_shared : memref<32x32xf16>, memref<32x128xf16>) outs(%acc : memref<32x128xf32>)
    } {commonir.num_stages = 3 : i64}
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    // CHECK: commonir.elementwise (%{{.*}}, %{{.*}}) in (%{{.*}}, %{{.*}}) {
    commonir.elementwise (%i, %j) in (%c32, %c128) {
      %x = memref.load %acc[%i, %j] : memref<32x128xf32>
      %y = arith.maximumf %x, %zero : f32
      memref.store %y, %acc[%i, %j] : memref<32x128xf32>
    }
    %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%by)
    %wc = commonir.window %C[%row, 0] [32, 128] keep [0, 1]
      : memref<?x128xf16, strided<[128, 1]>, #gm> to memref<32x128xf16, strided<[128, 1], offset: ?>, #gm>
    commonir.copy ins(%acc : memref<32x128xf32>) outs(%wc : memref<32x128xf16, strided<[128, 1], offset: ?>, #gm>)
  }
  return
}
