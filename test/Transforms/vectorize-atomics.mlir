// Atomic updates in element-wise loops: memory is updated once for each element.
// RUN: tilekiln-opt %s --vectorize-elementwise | FileCheck %s

#gm = #commonir.space<gm>

// All iterations update one cell.
// CHECK-LABEL: func.func @one_cell
// CHECK: %[[X:.*]] = commonir.read %{{.*}} : memref<16x64xf32>
// CHECK: %[[R:.*]] = commonir.reduce max dim 1 ins(%[[X]] : tensor<16x64xf32>) outs(%{{.*}} : tensor<16xf32>)
// CHECK: %[[S:.*]] = commonir.reduce max dim 0 ins(%[[R]] : tensor<16xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK: %[[W:.*]] = commonir.window %{{.*}}[3] [1] keep [0]
// CHECK: commonir.atomic max ins(%[[S]] : tensor<1xf32>) outs(%[[W]]
// CHECK-NOT: atomic_element
func.func @one_cell(%p: memref<?xf32>) {
  %Y = commonir.tensor "Y" %p [8] strides [1] : memref<?xf32> to memref<8xf32, strided<[1]>, #gm>
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<16x64xf32>
  commonir.elementwise (%i, %j) in (%c16, %c64) {
    %0 = memref.load %x[%i, %j] : memref<16x64xf32>
    commonir.atomic_element max %0, %Y[%c3] : f32, memref<8xf32, strided<[1]>, #gm>
  }
  return
}

// A row of updates, each of which all columns take part in; the same value
// often is a multiple.
// CHECK-LABEL: func.func @rows
// CHECK: %[[R:.*]] = commonir.reduce sum dim 1 ins(%{{.*}} : tensor<16x64xf32>)
// CHECK: commonir.atomic add ins(%[[R]] : tensor<16xf32>)
// CHECK: %[[TIMES:.*]] = arith.constant dense<1.024000e+03> : tensor<1xf32>
// CHECK: %[[M:.*]] = arith.mulf %{{.*}}, %[[TIMES]]
// CHECK: commonir.atomic add ins(%[[M]] : tensor<1xf32>)
func.func @rows(%p: memref<?xf32>, %v: f32) {
  %Y = commonir.tensor "Y" %p [16] strides [1] : memref<?xf32> to memref<16xf32, strided<[1]>, #gm>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<16x64xf32>
  commonir.elementwise (%i, %j) in (%c16, %c64) {
    %0 = memref.load %x[%i, %j] : memref<16x64xf32>
    commonir.atomic_element add %0, %Y[%i] : f32, memref<16xf32, strided<[1]>, #gm>
    commonir.atomic_element add %v, %Y[%c0] : f32, memref<16xf32, strided<[1]>, #gm>
  }
  return
}

// Where a condition keeps an iteration out, it updates by what changes nothing.
// CHECK-LABEL: func.func @guarded
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}} : tensor<64xi32>
// CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-2147483648> : tensor<64xi32>
// CHECK: %[[T:.*]] = arith.select %[[MASK]], %{{.*}}, %[[NEUTRAL]]
// CHECK: commonir.atomic max ins(%[[T]] : tensor<64xi32>)
func.func @guarded(%p: memref<?xi32>) {
  %Y = commonir.tensor "Y" %p [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %zero = arith.constant 0 : i32
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi32>
    %1 = arith.cmpi slt, %0, %zero : i32
    scf.if %1 {
      commonir.atomic_element max %0, %Y[%i] : i32, memref<64xi32, strided<[1]>, #gm>
    }
  }
  return
}

// A condition that is the same for all of them is a branch.
// CHECK-LABEL: func.func @uniform
// CHECK: scf.if %{{.*}} {
// CHECK:   commonir.atomic add
func.func @uniform(%p: memref<?xi32>, %q: i1) {
  %Y = commonir.tensor "Y" %p [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  commonir.elementwise (%i) in (%c64) {
    scf.if %q {
      %0 = memref.load %x[%i] : memref<64xi32>
      commonir.atomic_element add %0, %Y[%i] : i32, memref<64xi32, strided<[1]>, #gm>
    }
  }
  return
}
