// The library reads fractals that lie side by side: other slices are loaded by
// themselves, from a tensor that nothing writes.
// RUN: tilekiln-opt %s --reload-slices | FileCheck %s

#gm = #commonir.space<gm>

// Rows are loaded by themselves, and the whole tile no longer; columns that start
// at a block are found.
// CHECK-LABEL: func.func @rows
// CHECK: %[[PART:.*]] = commonir.window %A [32, 0] [32, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>, commonir.start_in_bounds = array<i1: true, true>}
// CHECK-NOT: tensor<64x16xf16>
// CHECK: %[[X:.*]] = commonir.copy ins(%[[PART]] {{.*}} -> tensor<32x16xf16>
// CHECK: %[[Y:.*]] = tensor.extract_slice %{{.*}}[0, 32] [16, 32] [1, 1]
// CHECK: commonir.gemm ins(%[[X]], %[[Y]]
func.func @rows(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %B = commonir.tensor "B" %q [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %r [32, 32] strides [32, 1] : memref<?xf32> to memref<32x32xf32, strided<[32, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [64, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wb = commonir.window %B[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>
    %wc = commonir.window %C[0, 0] [32, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<32x32xf32, strided<[32, 1]>, #gm> to memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<64x16xf16>
    %a = commonir.copy ins(%wa : memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%ea : tensor<64x16xf16>) -> tensor<64x16xf16>
    %eb = tensor.empty() : tensor<16x64xf16>
    %b = commonir.copy ins(%wb : memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>) outs(%eb : tensor<16x64xf16>) -> tensor<16x64xf16>
    %pa = tensor.extract_slice %a[32, 0] [32, 16] [1, 1] : tensor<64x16xf16> to tensor<32x16xf16>
    %pb = tensor.extract_slice %b[0, 32] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
    %ec = tensor.empty() : tensor<32x32xf32>
    %c = commonir.gemm ins(%pa, %pb : tensor<32x16xf16>, tensor<16x32xf16>) outs(%ec : tensor<32x32xf32>) clear %true -> tensor<32x32xf32>
    commonir.copy ins(%c : tensor<32x32xf32>) outs(%wc : memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>)
  }
  return
}

// A column inside of a block is not found.
// CHECK-LABEL: func.func @inside_block
// CHECK: commonir.window %B [0, 8] [16, 32] keep [0, 1]
// CHECK-NOT: tensor.extract_slice %{{.*}}[0, 8]
func.func @inside_block(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %B = commonir.tensor "B" %q [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %r [32, 32] strides [32, 1] : memref<?xf32> to memref<32x32xf32, strided<[32, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [64, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wb = commonir.window %B[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>
    %wc = commonir.window %C[0, 0] [32, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<32x32xf32, strided<[32, 1]>, #gm> to memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<64x16xf16>
    %a = commonir.copy ins(%wa : memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%ea : tensor<64x16xf16>) -> tensor<64x16xf16>
    %eb = tensor.empty() : tensor<16x64xf16>
    %b = commonir.copy ins(%wb : memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>) outs(%eb : tensor<16x64xf16>) -> tensor<16x64xf16>
    %pa = tensor.extract_slice %a[32, 0] [32, 16] [1, 1] : tensor<64x16xf16> to tensor<32x16xf16>
    %pb = tensor.extract_slice %b[0, 8] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
    %ec = tensor.empty() : tensor<32x32xf32>
    %c = commonir.gemm ins(%pa, %pb : tensor<32x16xf16>, tensor<16x32xf16>) outs(%ec : tensor<32x32xf32>) clear %true -> tensor<32x32xf32>
    commonir.copy ins(%c : tensor<32x32xf32>) outs(%wc : memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>)
  }
  return
}

// The kernel writes the tensor: a later load could see something else.
// CHECK-LABEL: func.func @written
// CHECK: tensor.extract_slice %{{.*}}[32, 0] [32, 16] [1, 1]
func.func @written(%p: memref<?xf16>, %q: memref<?xf16>, %r: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %B = commonir.tensor "B" %q [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %r [32, 32] strides [32, 1] : memref<?xf32> to memref<32x32xf32, strided<[32, 1]>, #gm>
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %wa = commonir.window %A[0, 0] [64, 16] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>
    %wb = commonir.window %B[0, 0] [16, 64] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>
    %wc = commonir.window %C[0, 0] [32, 32] keep [0, 1] {commonir.in_bounds = array<i1: true, true>} : memref<32x32xf32, strided<[32, 1]>, #gm> to memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>
    %wd = commonir.window %A[0, 0] [16, 16] keep [0, 1] : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
    %ea = tensor.empty() : tensor<64x16xf16>
    %a = commonir.copy ins(%wa : memref<64x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%ea : tensor<64x16xf16>) -> tensor<64x16xf16>
    %eb = tensor.empty() : tensor<16x64xf16>
    %b = commonir.copy ins(%wb : memref<16x64xf16, strided<[64, 1], offset: ?>, #gm>) outs(%eb : tensor<16x64xf16>) -> tensor<16x64xf16>
    %pa = tensor.extract_slice %a[32, 0] [32, 16] [1, 1] : tensor<64x16xf16> to tensor<32x16xf16>
    %pb = tensor.extract_slice %b[0, 32] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
    %low = tensor.extract_slice %b[0, 0] [16, 16] [1, 1] : tensor<16x64xf16> to tensor<16x16xf16>
    commonir.copy ins(%low : tensor<16x16xf16>) outs(%wd : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>)
    %ec = tensor.empty() : tensor<32x32xf32>
    %c = commonir.gemm ins(%pa, %pb : tensor<32x16xf16>, tensor<16x32xf16>) outs(%ec : tensor<32x32xf32>) clear %true -> tensor<32x32xf32>
    commonir.copy ins(%c : tensor<32x32xf32>) outs(%wc : memref<32x32xf32, strided<[32, 1], offset: ?>, #gm>)
  }
  return
}

// What a loop loaded last is loaded again behind it, and no longer carried. Where the
// loop might not run, and the tile had a value before, it must be carried.
// CHECK-LABEL: func.func @behind_loop
// CHECK-NOT: scf.for
// CHECK: %[[LAST:.*]] = commonir.window %A [%c48, 0] [16, 16]
// CHECK: %[[X:.*]] = commonir.copy ins(%[[LAST]]
// CHECK: %[[CARRIED:.*]] = scf.for {{.*}} iter_args
// CHECK: commonir.gemm ins(%[[X]], %[[X]]
// CHECK: commonir.gemm ins(%[[CARRIED]], %[[CARRIED]]
func.func @behind_loop(%p: memref<?xf16>, %r: memref<?xf32>, %n: index) {
  %A = commonir.tensor "A" %p [64, 16] strides [16, 1] : memref<?xf16> to memref<64x16xf16, strided<[16, 1]>, #gm>
  %C = commonir.tensor "C" %r [16, 16] strides [16, 1] : memref<?xf32> to memref<16x16xf32, strided<[16, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %wc = commonir.window %C[0, 0] [16, 16] keep [0, 1] : memref<16x16xf32, strided<[16, 1]>, #gm> to memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>
    %e = tensor.empty() : tensor<16x16xf16>
    %a = scf.for %k = %c0 to %c4 step %c1 iter_args(%old = %e) -> (tensor<16x16xf16>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 16)>(%k)
      %w = commonir.window %A[%row, 0] [16, 16] keep [0, 1] : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
      %t = commonir.copy ins(%w : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%old : tensor<16x16xf16>) -> tensor<16x16xf16>
      scf.yield %t : tensor<16x16xf16>
    }
    %w0 = commonir.window %A[0, 0] [16, 16] keep [0, 1] : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
    %first = commonir.copy ins(%w0 : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<16x16xf16>) -> tensor<16x16xf16>
    %b = scf.for %k = %c0 to %n step %c1 iter_args(%old = %first) -> (tensor<16x16xf16>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 16)>(%k)
      %w = commonir.window %A[%row, 0] [16, 16] keep [0, 1] : memref<64x16xf16, strided<[16, 1]>, #gm> to memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>
      %t = commonir.copy ins(%w : memref<16x16xf16, strided<[16, 1], offset: ?>, #gm>) outs(%e : tensor<16x16xf16>) -> tensor<16x16xf16>
      scf.yield %t : tensor<16x16xf16>
    }
    %ec = tensor.empty() : tensor<16x16xf32>
    %c = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%ec : tensor<16x16xf32>) clear %true -> tensor<16x16xf32>
    %d = commonir.gemm ins(%b, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    commonir.copy ins(%d : tensor<16x16xf32>) outs(%wc : memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>)
  }
  return
}
