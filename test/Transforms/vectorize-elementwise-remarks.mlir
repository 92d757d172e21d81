// If this breaks, a loop falls to the scalar unit without a word, or one that cannot be
// done on tiles is done wrongly.
// RUN: tilekiln-opt %s --vectorize-elementwise --verify-diagnostics --split-input-file | FileCheck %s --implicit-check-not=commonir.elementwise

// CHECK-LABEL: func.func @gather
// CHECK: scf.for
// CHECK: memref.load %x[%{{.*}}]
func.func @gather() {
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  %at = commonir.alloc "at" scope "shared" : memref<64xi32>
  %y = commonir.alloc "y" scope "shared" : memref<64xf32>
  // expected-remark @below {{runs on the scalar unit: index 0 of "x" depends on data or is no affine expression}}
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %at[%i] : memref<64xi32>
    %1 = arith.index_cast %0 : i32 to index
    %2 = memref.load %x[%1] : memref<64xf32>
    memref.store %2, %y[%i] : memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @run_time_extent
// CHECK: scf.for %{{.*}} = %{{.*}} to %arg0
func.func @run_time_extent(%n: index) {
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  // expected-remark @below {{runs on the scalar unit: extent 0 is known only at run time}}
  commonir.elementwise (%i) in (%n) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = arith.negf %0 : f32
    memref.store %1, %x[%i] : memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @reduction
// CHECK: scf.for
// CHECK: scf.for
func.func @reduction() {
  %c16 = arith.constant 16 : index
  %x = commonir.alloc "x" scope "shared" : memref<16x16xf32>
  %sum = commonir.alloc "sum" scope "fragment" : memref<16xf32>
  // expected-remark @below {{runs on the scalar unit: several iterations store to one element of "sum"}}
  commonir.elementwise (%i, %j) in (%c16, %c16) {
    %0 = memref.load %x[%i, %j] : memref<16x16xf32>
    %1 = memref.load %sum[%i] : memref<16xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %sum[%i] : memref<16xf32>
  }
  return
}

// -----

// The value is the same in all iterations along j, but each builds on the last.
// CHECK-LABEL: func.func @repeated_update
// CHECK: scf.for
func.func @repeated_update() {
  %c16 = arith.constant 16 : index
  %sum = commonir.alloc "sum" scope "fragment" : memref<16xf32>
  // expected-remark @below {{runs on the scalar unit: several iterations store to one element of "sum"}}
  commonir.elementwise (%i, %j) in (%c16, %c16) {
    %0 = memref.load %sum[%i] : memref<16xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %sum[%i] : memref<16xf32>
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @masked_global_store
// CHECK: scf.if
// CHECK: memref.store
func.func @masked_global_store(%p: memref<?xf32>) {
  %Y = commonir.tensor "Y" %p [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  // expected-remark @below {{runs on the scalar unit: a condition decides element by element what is stored to global memory "Y"}}
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = arith.cmpf ogt, %0, %zero : f32
    scf.if %1 {
      memref.store %0, %Y[%i] : memref<64xf32, strided<[1]>, #gm>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @guarded_buffer
// CHECK: scf.for
func.func @guarded_buffer() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  %y = commonir.alloc "y" scope "shared" : memref<64xf32>
  // expected-remark @below {{runs on the scalar unit: a guarded index may reach outside of "x"}}
  commonir.elementwise (%i) in (%c64) {
    %next = arith.addi %i, %c1 : index
    %in = arith.cmpi slt, %next, %c64 : index
    scf.if %in {
      %0 = memref.load %x[%next] : memref<64xf32>
      memref.store %0, %y[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @inexact_division
// CHECK: arith.divui %{{.*}}, %{{.*}} : i32
func.func @inexact_division() {
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  %three = arith.constant 3 : i32
  // expected-remark @below {{runs on the scalar unit: the vector unit divides unsigned 32-bit integers inexactly from 2^24 on}}
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi32>
    %1 = arith.divui %0, %three : i32
    memref.store %1, %x[%i] : memref<64xi32>
  }
  return
}

// -----

#gm = #commonir.space<gm>

// CHECK-LABEL: func.func @scatter
// CHECK: scf.for
// CHECK: commonir.atomic_element
func.func @scatter(%p: memref<?xf32>, %q: memref<?xi32>) {
  %Y = commonir.tensor "Y" %p [16] strides [1] : memref<?xf32> to memref<16xf32, strided<[1]>, #gm>
  %I = commonir.tensor "I" %q [64] strides [1] : memref<?xi32> to memref<64xi32, strided<[1]>, #gm>
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{runs on the scalar unit: }}
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %I[%i] : memref<64xi32, strided<[1]>, #gm>
    %1 = arith.index_cast %0 : i32 to index
    commonir.atomic_element add %one, %Y[%1] : f32, memref<16xf32, strided<[1]>, #gm>
  }
  return
}

// -----

// CHECK-LABEL: func.func @diagonal
// CHECK: scf.for
func.func @diagonal() {
  %c16 = arith.constant 16 : index
  %x = commonir.alloc "x" scope "shared" : memref<16x16xf32>
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{runs on the scalar unit: index 1 of "x" repeats a loop index (a diagonal)}}
  commonir.elementwise (%i) in (%c16) {
    memref.store %zero, %x[%i, %i] : memref<16x16xf32>
  }
  return
}

// -----

#gm = #commonir.space<gm>

// Nothing of an attempt that failed is left.
// CHECK-LABEL: func.func @atomic
// CHECK-NOT: tensor<
// CHECK: scf.for
// CHECK: commonir.atomic
func.func @atomic(%p: memref<?xf32>) {
  %Y = commonir.tensor "Y" %p [1] strides [1] : memref<?xf32> to memref<1xf32, strided<[1]>, #gm>
  %c16 = arith.constant 16 : index
  %x = commonir.alloc "x" scope "shared" : memref<16xf32>
  %one = commonir.alloc "one" scope "local" : memref<1xf32>
  %w = commonir.window %Y[0] [1] keep [0] : memref<1xf32, strided<[1]>, #gm> to memref<1xf32, strided<[1], offset: ?>, #gm>
  // expected-remark @below {{runs on the scalar unit: there is no whole-tile form of commonir.atomic}}
  commonir.elementwise (%i) in (%c16) {
    %0 = memref.load %x[%i] : memref<16xf32>
    %1 = arith.negf %0 : f32
    memref.store %1, %x[%i] : memref<16xf32>
    commonir.atomic add ins(%one : memref<1xf32>) outs(%w : memref<1xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

// CHECK-LABEL: func.func @wide_division
// CHECK: scf.for
// CHECK: arith.floordivsi %{{.*}}, %{{.*}} : i64
func.func @wide_division() {
  %c64 = arith.constant 64 : index
  %three = arith.constant 3 : i64
  %x = commonir.alloc "x" scope "shared" : memref<64xi64>
  // expected-remark @below {{runs on the scalar unit: the vector unit divides 64-bit integers inexactly from 2^24 on}}
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi64>
    %1 = arith.floordivsi %0, %three : i64
    memref.store %1, %x[%i] : memref<64xi64>
  }
  return
}
