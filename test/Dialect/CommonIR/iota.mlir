// If this breaks, index tensors of a shape that no target counts get through.
// RUN: tilekiln-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: commonir.iota : tensor<64xi32>
%0 = commonir.iota : tensor<64xi32>

// -----

// expected-error @below {{counts in a tensor of one dimension and integer type, got 'tensor<4x4xi32>' [iota_c1]}}
%0 = commonir.iota : tensor<4x4xi32>

// -----

// expected-error @below {{counts in a tensor of one dimension and integer type, got 'tensor<4xf32>' [iota_c1]}}
%0 = commonir.iota : tensor<4xf32>
