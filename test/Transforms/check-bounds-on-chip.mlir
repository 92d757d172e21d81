// If this breaks, a kernel that leaves a buffer compiles and computes with another
// buffer's bytes. Nothing guards on-chip accesses, so the option does not matter.
// RUN: tilekiln-opt %s -check-bounds -split-input-file -verify-diagnostics
// RUN: tilekiln-opt %s -check-bounds=out-of-bounds=zero -split-input-file -verify-diagnostics

func.func @on_chip() {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  commonir.launch (%bx) in (%c1) {
    %s = commonir.alloc "s" scope "shared" : memref<32x8xf16>
    commonir.elementwise (%i) in (%c40) {
      // expected-error @below {{'s' is out of range in dimension 0 of extent 32: elements 0..39 are read}}
      %x = memref.load %s[%i, %bx] : memref<32x8xf16>
    }
    // expected-error @below {{'s' is out of range in dimension 1 of extent 8: elements 4..11 are accessed}}
    %v = memref.subview %s[0, 4] [32, 8] [1, 1] : memref<32x8xf16> to memref<32x8xf16, strided<[8, 1], offset: 4>>
  }
  return
}

// -----

// A condition around the access keeps it inside; one that is data may.
func.func @guarded(%flag: i1) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f16
  commonir.launch (%bx) in (%c1) {
    %s = commonir.alloc "s" scope "shared" : memref<32xf16>
    commonir.elementwise (%i) in (%c40) {
      %in = arith.cmpi ult, %i, %c32 : index
      scf.if %in {
        memref.store %zero, %s[%i] : memref<32xf16>
      }
      scf.if %flag {
        memref.store %zero, %s[%i] : memref<32xf16>
      }
      // expected-error @below {{'s' is out of range in dimension 0 of extent 32: elements 0..39 are written}}
      memref.store %zero, %s[%i] : memref<32xf16>
    }
  }
  return
}
