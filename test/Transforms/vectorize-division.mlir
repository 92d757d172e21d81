// The vector unit divides i32 through f32: the quotient is put right by integer
// remainders.
// RUN: tilekiln-opt %s --vectorize-elementwise | FileCheck %s

// CHECK-LABEL: func.func @truncated
// CHECK-NOT: arith.divsi
// CHECK: %[[Y:.*]] = arith.sitofp %[[DIVISOR:.*]] : tensor<64xi32> to tensor<64xf32>
// CHECK: %[[X:.*]] = arith.sitofp %[[DIVIDEND:.*]] : tensor<64xi32> to tensor<64xf32>
// CHECK: %[[Q:.*]] = arith.divf %[[X]], %[[Y]]
// CHECK: %[[Q0:.*]] = arith.fptosi %[[Q]]
// CHECK: %[[P0:.*]] = arith.muli %[[Q0]], %[[DIVISOR]]
// CHECK: %[[R0:.*]] = arith.subi %[[DIVIDEND]], %[[P0]]
// CHECK: %[[RF:.*]] = arith.sitofp %[[R0]]
// CHECK: arith.divf %[[RF]], %[[Y]]
// A step down, one up, and one towards zero.
// CHECK-COUNT-3: arith.addi %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-NOT: arith.divsi
func.func @truncated() {
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  %y = commonir.alloc "y" scope "shared" : memref<64xi32>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi32>
    %1 = memref.load %y[%i] : memref<64xi32>
    %2 = arith.divsi %0, %1 : i32
    memref.store %2, %x[%i] : memref<64xi32>
  }
  return
}

// CHECK-LABEL: func.func @remainder
// CHECK-NOT: arith.remsi
// CHECK: commonir.write
func.func @remainder() {
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  %seven = arith.constant 7 : i32
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi32>
    %1 = arith.remsi %0, %seven : i32
    memref.store %1, %x[%i] : memref<64xi32>
  }
  return
}

// Of 8 and 16 bits: whole as a float already, because the vendor's compiler
// leaves an integer between two floats out.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<64xf32>
// CHECK: %[[WHOLE:.*]] = math.floor %[[Q]]
// CHECK: %[[I:.*]] = arith.fptosi %[[WHOLE]] : tensor<64xf32> to tensor<64xi32>
// CHECK: arith.trunci %[[I]] : tensor<64xi32> to tensor<64xi8>
// CHECK-NOT: arith.floordivsi
// CHECK: %[[U:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<64xf32>
// CHECK: %[[UI:.*]] = arith.fptosi %{{.*}} : tensor<64xf32> to tensor<64xi32>
// CHECK: %[[P:.*]] = arith.muli %[[UI]], %{{.*}} : tensor<64xi32>
// CHECK: %[[R:.*]] = arith.subi %{{.*}}, %[[P]] : tensor<64xi32>
// CHECK: arith.trunci %[[R]] : tensor<64xi32> to tensor<64xi16>
func.func @narrow() {
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xi8>
  %y = commonir.alloc "y" scope "shared" : memref<64xi16>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi8>
    %1 = arith.floordivsi %0, %0 : i8
    memref.store %1, %x[%i] : memref<64xi8>
    %2 = memref.load %y[%i] : memref<64xi16>
    %3 = arith.remui %2, %2 : i16
    memref.store %3, %y[%i] : memref<64xi16>
  }
  return
}
