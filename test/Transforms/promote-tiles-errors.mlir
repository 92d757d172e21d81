// If this breaks, a buffer that cannot become a value crashes the compiler, or is left
// over without a word.
// RUN: tilekiln-opt %s --promote-tiles -split-input-file -verify-diagnostics

func.func @turned() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %s = commonir.alloc "s" scope "shared" : memref<4x8xf32>
    // expected-error @below {{uses an on-chip buffer in a way that has no value form}}
    %t = memref.transpose %s (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
    %r = commonir.read %t : memref<8x4xf32, strided<[1, 8]>> to tensor<8x4xf32>
    commonir.print "r" %r : tensor<8x4xf32>
  }
  return
}

// -----

func.func private @elsewhere(memref<4x8xf32>)

func.func @handed_to_a_function() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %s = commonir.alloc "s" scope "shared" : memref<4x8xf32>
    // expected-error @below {{uses an on-chip buffer in a way that has no value form}}
    func.call @elsewhere(%s) : (memref<4x8xf32>) -> ()
  }
  return
}
