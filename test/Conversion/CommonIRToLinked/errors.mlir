// What an edited stage may hold and no pass before makes: refused at its line.
// RUN: tilekiln-opt %s --convert-commonir-to-linked -split-input-file -verify-diagnostics

func.func @sum_is_cleared_at_run_time(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>, %clear: i1) {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    // expected-error @below {{adds to a sum that the cube cannot keep; run infer-placement, which has the vector unit add it}}
    %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) clear %clear -> tensor<16x16xf32>
    commonir.print "g" %g : tensor<16x16xf32>
  }
  return
}

// -----

func.func @sum_is_narrow(%a: tensor<16x16xf16>, %c: tensor<16x16xf16>) {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    // expected-error @below {{adds to a sum that the cube cannot keep}}
    %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf16>) -> tensor<16x16xf16>
    commonir.print "g" %g : tensor<16x16xf16>
  }
  return
}

// -----

func.func @copy_of_no_window(%m: memref<16xf32, #commonir.space<gm>>) {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %e = tensor.empty() : tensor<16xf32>
    // expected-error @below {{needs a window of a global tensor, got 'memref<16xf32, #commonir.space<gm>>'}}
    %x = commonir.copy ins(%m : memref<16xf32, #commonir.space<gm>>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    commonir.print "x" %x : tensor<16xf32>
  }
  return
}

// -----

func.func @no_conversion() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %x = tensor.empty() : tensor<16xf32>
    %e = tensor.empty() : tensor<1xindex>
    // expected-error @below {{cannot convert 'f32' to 'index'}}
    %r = commonir.reduce max dim 0 ins(%x : tensor<16xf32>) outs(%e : tensor<1xindex>) -> tensor<1xindex>
    commonir.print "r" %r : tensor<1xindex>
  }
  return
}

// -----

func.func @no_conversion_of_scan() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %x = tensor.empty() : tensor<16xf32>
    %e = tensor.empty() : tensor<16xindex>
    // expected-error @below {{cannot convert 'f32' to 'index'}}
    %r = commonir.scan sum dim 0 ins(%x : tensor<16xf32>) outs(%e : tensor<16xindex>) -> tensor<16xindex>
    commonir.print "r" %r : tensor<16xindex>
  }
  return
}

// -----

func.func @scan_of_three_dimensions() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    %x = tensor.empty() : tensor<2x3x4xf32>
    // expected-error @below {{runs over tiles of one or two dimensions, got 3; reshape the tile}}
    %r = commonir.scan sum dim 0 ins(%x : tensor<2x3x4xf32>) outs(%x : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    commonir.print "r" %r : tensor<2x3x4xf32>
  }
  return
}
