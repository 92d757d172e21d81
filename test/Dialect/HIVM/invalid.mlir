// RUN: tilekiln-opt %s -split-input-file -verify-diagnostics

func.func @counts(%e: tensor<8xf32>, %i: index) {
  // expected-error @below {{counts in integers, not 'f32'}}
  %r = hfusion.arange strides[%i] outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @strides(%e: tensor<8x8xi32>, %i: index) {
  // expected-error @below {{needs one stride for each dimension of its destination}}
  %r = hfusion.arange strides[%i] outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  return
}

// -----

func.func @shape(%x: tensor<8xf32>, %e: tensor<4xi32>) {
  // expected-error @below {{changes the elements of a tile, not its shape}}
  %r = hfusion.cast {round_mode = #hfusion.round_mode<trunc>} ins(%x : tensor<8xf32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @result(%x: tensor<8xf32>, %e: tensor<8xi32>) {
  // expected-error @below {{must give a tensor of its destination's type}}
  hfusion.cast {round_mode = #hfusion.round_mode<trunc>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xi32>)
  return
}
