// If this breaks, tiles reach the vendor's compiler as buffers and sums leave the cube.
// RUN: tilekiln-opt %s --promote-tiles --canonicalize | FileCheck %s

#gm = #commonir.space<gm>

// A sum is carried by the loop; a tile that each step loads anew is not.
// CHECK-LABEL: func.func @sum_is_carried
// CHECK: %[[START:.*]] = commonir.fill
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]]) -> (tensor<16x16xf32>)
// CHECK:   %[[A:.*]] = commonir.copy {{.*}} -> tensor<16x16xf16>
// CHECK:   %[[NEXT:.*]] = commonir.gemm ins(%[[A]], %[[A]] {{.*}} outs(%[[ACC]]
// CHECK:   scf.yield %[[NEXT]] : tensor<16x16xf32>
// CHECK: commonir.copy ins(%[[SUM]]
func.func @sum_is_carried(%a: memref<?xf16>, %c: memref<?xf32>) {
  %A = commonir.tensor "A" %a [16, 64] strides [64, 1] : memref<?xf16> to memref<16x64xf16, strided<[64, 1]>, #gm>
  %C = commonir.tensor "C" %c [16, 16] strides [16, 1] : memref<?xf32> to memref<16x16xf32, strided<[16, 1]>, #gm>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  commonir.launch (%bx) in (%c1) {
    %tile = commonir.alloc "tile" scope "shared" : memref<16x16xf16>
    %acc = commonir.alloc "acc" scope "fragment" : memref<16x16xf32>
    commonir.fill ins(%zero : f32) outs(%acc : memref<16x16xf32>)
    scf.for %k = %c0 to %c4 step %c1 {
      %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%k)
      %w = commonir.window %A[0, %at] [16, 16] keep [0, 1]
        : memref<16x64xf16, strided<[64, 1]>, #gm> to memref<16x16xf16, strided<[64, 1], offset: ?>, #gm>
      commonir.copy ins(%w : memref<16x16xf16, strided<[64, 1], offset: ?>, #gm>) outs(%tile : memref<16x16xf16>)
      commonir.gemm ins(%tile, %tile : memref<16x16xf16>, memref<16x16xf16>) outs(%acc : memref<16x16xf32>)
    }
    %o = commonir.window %C[0, 0] [16, 16] keep [0, 1]
      : memref<16x16xf32, strided<[16, 1]>, #gm> to memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>
    commonir.copy ins(%acc : memref<16x16xf32>) outs(%o : memref<16x16xf32, strided<[16, 1], offset: ?>, #gm>)
  }
  return
}

// A write to a part changes the part; what was read before keeps its value.
// CHECK-LABEL: func.func @parts_and_order
// CHECK: %[[OLD:.*]] = commonir.fill
// CHECK: %[[PART:.*]] = commonir.fill {{.*}} -> tensor<4x8xf32>
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[PART]] into %[[OLD]][4, 0] [4, 8] [1, 1]
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[NEW]][%{{.*}}, 0] [1, 8] [1, 1]
// CHECK: commonir.print "old" %[[OLD]]
// CHECK: commonir.print "row" %[[ROW]]
func.func @parts_and_order(%i: index) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  commonir.launch (%bx) in (%c1) {
    %t = commonir.alloc "t" scope "shared" : memref<8x8xf32>
    commonir.fill ins(%one : f32) outs(%t : memref<8x8xf32>)
    %before = commonir.read %t : memref<8x8xf32> to tensor<8x8xf32>
    %low = memref.subview %t[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
    commonir.fill ins(%two : f32) outs(%low : memref<4x8xf32, strided<[8, 1], offset: 32>>)
    %row = memref.subview %t[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %r = commonir.read %row : memref<1x8xf32, strided<[8, 1], offset: ?>> to tensor<1x8xf32>
    commonir.print "old" %before : tensor<8x8xf32>
    commonir.print "row" %r : tensor<1x8xf32>
  }
  return
}

// Both sides of a branch give the buffer's value, the one that does not write the old one.
// CHECK-LABEL: func.func @branch
// CHECK: %[[A:.*]] = commonir.fill
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<8xf32>) {
// CHECK:   %[[B:.*]] = commonir.fill
// CHECK:   scf.yield %[[B]]
// CHECK: } else {
// CHECK:   scf.yield %[[A]]
// CHECK: commonir.print "t" %[[R]]
func.func @branch(%p: i1) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  commonir.launch (%bx) in (%c1) {
    %t = commonir.alloc "t" scope "shared" : memref<8xf32>
    commonir.fill ins(%one : f32) outs(%t : memref<8xf32>)
    scf.if %p {
      commonir.fill ins(%two : f32) outs(%t : memref<8xf32>)
    }
    %r = commonir.read %t : memref<8xf32> to tensor<8xf32>
    commonir.print "t" %r : tensor<8xf32>
  }
  return
}

// A variable of one element is a scalar, also where a while loop changes it.
// CHECK-LABEL: func.func @scalar_cell
// CHECK-NOT: tensor<
// CHECK: %[[N:.*]] = scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32
// CHECK: commonir.print "n" %[[N]] : i32
func.func @scalar_cell(%start: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  commonir.launch (%bx) in (%c1) {
    %n = commonir.alloc "n" scope "var" : memref<1xi32>
    memref.store %start, %n[%c0] : memref<1xi32>
    scf.while : () -> () {
      %v = memref.load %n[%c0] : memref<1xi32>
      %more = arith.cmpi sge, %v, %two : i32
      scf.condition(%more)
    } do {
      %v = memref.load %n[%c0] : memref<1xi32>
      %half = arith.divsi %v, %two : i32
      memref.store %half, %n[%c0] : memref<1xi32>
      scf.yield
    }
    %v = memref.load %n[%c0] : memref<1xi32>
    commonir.print "n" %v : i32
  }
  return
}
