// One case for each numbered constraint of docs/spec/commonir.md. If this breaks, IR
// that no pass expects gets past the verifier.
// RUN: tilekiln-opt %s -split-input-file -verify-diagnostics

// tensor_c1
func.func @tensor_c1(%a: memref<4xf16>) {
  // expected-error @below {{'commonir.tensor' op expected a pointer of type 'memref<?xf16>', got 'memref<4xf16>' [tensor_c1]}}
  %A = commonir.tensor "A" %a [4] strides [1] : memref<4xf16> to memref<4xf16, strided<[1]>, #commonir.space<gm>>
  return
}

// -----

// tensor_c2
func.func @tensor_c2(%a: memref<?xf32>) {
  // expected-error @below {{element type 'f16' differs from the pointer's 'f32' [tensor_c2]}}
  %A = commonir.tensor "A" %a [4] strides [1] : memref<?xf32> to memref<4xf16, strided<[1]>, #commonir.space<gm>>
  return
}

// -----

// tensor_c3
func.func @tensor_c3(%a: memref<?xf16>) {
  // expected-error @below {{sizes and strides do not match the result's shape}}
  %A = commonir.tensor "A" %a [4, 8] strides [8, 1] : memref<?xf16> to memref<4x9xf16, strided<[8, 1]>, #commonir.space<gm>>
  return
}

// -----

// tensor_c4
func.func @tensor_c4(%a: memref<?xf16>) {
  // expected-error @below {{the result must lie in #commonir.space<gm> [tensor_c4]}}
  %A = commonir.tensor "A" %a [4] strides [1] : memref<?xf16> to memref<4xf16>
  return
}

// -----

// tensor_c5
func.func @tensor_c5(%a: memref<?xf16>) {
  // expected-error @below {{pad value is of type 'f32' when the elements are 'f16' [tensor_c5]}}
  %A = commonir.tensor "A" %a [4] strides [1] pad (0.0 : f32) : memref<?xf16> to memref<4xf16, strided<[1]>, #commonir.space<gm>>
  return
}

// -----

// tensor_c6
func.func @tensor_c6(%a: memref<?xf16>) {
  // expected-error @below {{strides (16, 1) differ from those of the result}}
  %A = commonir.tensor "A" %a [4, 8] strides [16, 1] : memref<?xf16> to memref<4x8xf16, strided<[8, 1]>, #commonir.space<gm>>
  return
}

// -----

// launch_c1
func.func @launch_c1() {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'commonir.launch' op has 1 indices for 2 bounds [launch_c1]}}
  commonir.launch (%bx) in (%c1, %c1) {
  }
  return
}

// -----

// launch_c1_type
func.func @launch_c1_type() {
  %c1 = arith.constant 1 : index
  // expected-error @below {{indices must be of type index [launch_c1]}}
  "commonir.launch"(%c1) ({
  ^bb0(%bx: i32):
  }) : (index) -> ()
  return
}

// -----

// launch_c2
func.func @launch_c2() {
  %c1 = arith.constant 1 : index
  commonir.launch (%bx) in (%c1) {
    // expected-error @below {{cannot be inside another launch [launch_c2]}}
    commonir.launch (%by) in (%c1) {
    }
  }
  return
}

// -----

// elementwise_c1
func.func @elementwise_c1() {
  %c1 = arith.constant 1 : index
  // expected-error @below {{has 2 indices for 1 bounds [elementwise_c1]}}
  commonir.elementwise (%i, %j) in (%c1) {
  }
  return
}

// -----

// alloc_c1
func.func @alloc_c1() {
  // expected-error @below {{a buffer is contiguous, got 'memref<4x4xf16, strided<[8, 1]>>' [alloc_c1]}}
  %s = commonir.alloc "s" scope "shared" : memref<4x4xf16, strided<[8, 1]>>
  return
}

// -----

// alloc_c2
func.func @alloc_c2() {
  // expected-error @below {{a buffer is on chip; global tensors are commonir.tensor [alloc_c2]}}
  %s = commonir.alloc "s" scope "shared" : memref<4xf16, #commonir.space<gm>>
  return
}

// -----

// alloc_c3
func.func @alloc_c3() {
  // expected-error @below {{unknown scope "registers", expected shared, fragment, local or var [alloc_c3]}}
  %s = commonir.alloc "s" scope "registers" : memref<4xf16>
  return
}

// -----

// window_c1
func.func @window_c1(%s: memref<8xf16>) {
  // expected-error @below {{is a view of what commonir.tensor gives; for a buffer use memref.subview [window_c1]}}
  %w = commonir.window %s[0] [4] keep [0] : memref<8xf16> to memref<4xf16, strided<[1], offset: ?>>
  return
}

// -----

// window_c2
func.func @window_c2(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [8, 16] strides [16, 1]
    : memref<?xf16> to memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>>
  // expected-error @below {{needs 2 offsets and sizes, got 1 and 2 [window_c2]}}
  %w = commonir.window %A[0] [4, 4] keep [0, 1]
    : memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>> to memref<4x4xf16, strided<[16, 1], offset: ?>, #commonir.space<gm>>
  return
}

// -----

// window_c3
func.func @window_c3(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [8, 16] strides [16, 1]
    : memref<?xf16> to memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>>
  // expected-error @below {{kept dimensions must be ascending and below 2 [window_c3]}}
  %w = commonir.window %A[0, 0] [4, 4] keep [1, 0]
    : memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>> to memref<4x4xf16, strided<[16, 1], offset: ?>, #commonir.space<gm>>
  return
}

// -----

// window_c4
func.func @window_c4(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [8, 16] strides [16, 1]
    : memref<?xf16> to memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>>
  // expected-error @below {{drops dimension 0, whose size is not 1 [window_c4]}}
  %w = commonir.window %A[0, 0] [2, 4] keep [1]
    : memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>> to memref<4xf16, strided<[1], offset: ?>, #commonir.space<gm>>
  return
}

// -----

// window_c5
func.func @window_c5(%a: memref<?xf16>) {
  %A = commonir.tensor "A" %a [8, 16] strides [16, 1]
    : memref<?xf16> to memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>>
  // expected-error @below {{expected result type 'memref<4x4xf16, strided<[16, 1], offset: ?>, #commonir.space<gm>>'}}
  %w = commonir.window %A[0, 0] [4, 4] keep [0, 1]
    : memref<8x16xf16, strided<[16, 1]>, #commonir.space<gm>> to memref<4x8xf16, strided<[16, 1], offset: ?>, #commonir.space<gm>>
  return
}

// -----

// copy_c1
func.func @copy_c1(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error @below {{[copy_c1]}}
  "commonir.copy"(%a, %b) : (tensor<4xf16>, tensor<4xf16>) -> ()
  return
}

// -----

// copy_c2
func.func @copy_c2(%a: memref<4x8xf16>, %b: memref<8x4xf16>) {
  // expected-error @below {{source shape (4, 8) does not fit destination shape (8, 4) [copy_c2]}}
  commonir.copy ins(%a : memref<4x8xf16>) outs(%b : memref<8x4xf16>)
  return
}

// -----

// fill_c1
func.func @fill_c1(%v: f16, %b: memref<4xf16>) {
  // expected-error @below {{[fill_c1]}}
  %r = "commonir.fill"(%v, %b) : (f16, memref<4xf16>) -> tensor<4xf16>
  return
}

// -----

// fill_c2
func.func @fill_c2(%v: f32, %b: memref<4xf16>) {
  // expected-error @below {{value of type 'f32' cannot fill elements of type 'f16' [fill_c2]}}
  commonir.fill ins(%v : f32) outs(%b : memref<4xf16>)
  return
}

// -----

// gemm_c1
func.func @gemm_c1(%a: tensor<4x4xf16>) {
  // expected-error @below {{[gemm_c1]}}
  "commonir.gemm"(%a, %a, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) -> ()
  return
}

// -----

// gemm_c2
func.func @gemm_c2(%a: memref<1x4x8xf16>, %b: memref<8x16xf16>, %c: memref<4x16xf32>) {
  // expected-error @below {{operands must be matrices [gemm_c2]}}
  commonir.gemm ins(%a, %b : memref<1x4x8xf16>, memref<8x16xf16>) outs(%c : memref<4x16xf32>)
  return
}

// -----

// gemm_c3
func.func @gemm_c3(%a: memref<4x8xf16>, %b: memref<8x16xf16>, %c: memref<16x4xf32>) {
  // expected-error @below {{shapes do not fit: (4, 8) times (8, 16) into (16, 4) [gemm_c3]}}
  commonir.gemm ins(%a, %b : memref<4x8xf16>, memref<8x16xf16>) outs(%c : memref<16x4xf32>)
  return
}

// -----

// gemm_c3_transposed
func.func @gemm_c3_transposed(%a: memref<4x8xf16>, %b: memref<8x16xf16>, %c: memref<8x16xf32>) {
  // expected-error @below {{shapes do not fit: (4, 8) transposed times (8, 16) into (8, 16) [gemm_c3]}}
  commonir.gemm transpose_a ins(%a, %b : memref<4x8xf16>, memref<8x16xf16>) outs(%c : memref<8x16xf32>)
  return
}

// -----

// gemm_c4
func.func @gemm_c4(%a: memref<4x8xf16>, %b: memref<8x16xbf16>, %c: memref<4x16xf32>) {
  // expected-error @below {{operands are 'f16' and 'bf16'; cast one of them to the other's type [gemm_c4]}}
  commonir.gemm ins(%a, %b : memref<4x8xf16>, memref<8x16xbf16>) outs(%c : memref<4x16xf32>)
  return
}

// -----

// reduce_c1
func.func @reduce_c1(%a: tensor<4x8xf16>, %b: tensor<8xf16>) {
  // expected-error @below {{[reduce_c1]}}
  "commonir.reduce"(%a, %b) <{dim = 0 : i64, kind = 0 : i32}> : (tensor<4x8xf16>, tensor<8xf16>) -> ()
  return
}

// -----

// reduce_c2
func.func @reduce_c2(%a: memref<4x8xf16>, %b: memref<4xf16>) {
  // expected-error @below {{dimension 2 is not one of the source's 2 [reduce_c2]}}
  commonir.reduce max dim 2 ins(%a : memref<4x8xf16>) outs(%b : memref<4xf16>)
  return
}

// -----

// reduce_c3
func.func @reduce_c3(%a: memref<4x8xf16>, %b: memref<4xf16>) {
  // expected-error @below {{shape (4, 8) reduced along dimension 0 does not give shape (4) [reduce_c3]}}
  commonir.reduce max dim 0 ins(%a : memref<4x8xf16>) outs(%b : memref<4xf16>)
  return
}

// -----

// scan_c1
func.func @scan_c1(%a: tensor<4xf16>) {
  // expected-error @below {{[scan_c1]}}
  "commonir.scan"(%a, %a) <{dim = 0 : i64, kind = 0 : i32}> : (tensor<4xf16>, tensor<4xf16>) -> ()
  return
}

// -----

// scan_c2
func.func @scan_c2(%a: memref<4xf16>, %b: memref<8xf16>) {
  // expected-error @below {{source and destination need the same shape and a dimension that exists [scan_c2]}}
  commonir.scan sum dim 0 ins(%a : memref<4xf16>) outs(%b : memref<8xf16>)
  return
}

// -----

// scan_c2_dimension
func.func @scan_c2_dimension(%a: memref<4xf16>, %b: memref<4xf16>) {
  // expected-error @below {{a dimension that exists [scan_c2]}}
  commonir.scan sum dim -1 ins(%a : memref<4xf16>) outs(%b : memref<4xf16>)
  return
}

// -----

// transpose_c1
func.func @transpose_c1(%a: tensor<4x4xf16>) {
  // expected-error @below {{[transpose_c1]}}
  "commonir.transpose"(%a, %a) : (tensor<4x4xf16>, tensor<4x4xf16>) -> ()
  return
}

// -----

// transpose_c2
func.func @transpose_c2(%a: memref<4x8xf16>, %b: memref<4x8xf16>) {
  // expected-error @below {{shape (4, 8) transposed is not (4, 8) [transpose_c2]}}
  commonir.transpose ins(%a : memref<4x8xf16>) outs(%b : memref<4x8xf16>)
  return
}

// -----

// atomic_c1
func.func @atomic_c1(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{updates global memory, got 'memref<4xf32>' [atomic_c1]}}
  commonir.atomic add ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  return
}

// -----

// atomic_c2
func.func @atomic_c2(%a: memref<4xf32>, %b: memref<8xf32, #commonir.space<gm>>) {
  // expected-error @below {{source and destination shapes differ [atomic_c2]}}
  commonir.atomic add ins(%a : memref<4xf32>) outs(%b : memref<8xf32, #commonir.space<gm>>)
  return
}

// -----

// read_c1
func.func @read_c1(%a: memref<4xf16, #commonir.space<gm>>) {
  // expected-error @below {{is for on-chip buffers; global memory is moved by commonir.copy [read_c1]}}
  %t = commonir.read %a : memref<4xf16, #commonir.space<gm>> to tensor<4xf16>
  return
}

// -----

// read_c2
func.func @read_c2(%a: memref<4xf16>) {
  // expected-error @below {{buffer 'memref<4xf16>' and value 'tensor<8xf16>' differ [read_c2]}}
  %t = commonir.read %a : memref<4xf16> to tensor<8xf16>
  return
}

// -----

// write_c1
func.func @write_c1(%a: memref<4xf16, #commonir.space<gm>>, %t: tensor<4xf16>) {
  // expected-error @below {{is for on-chip buffers; global memory is moved by commonir.copy [write_c1]}}
  commonir.write %t, %a : tensor<4xf16> to memref<4xf16, #commonir.space<gm>>
  return
}

// -----

// write_c2
func.func @write_c2(%a: memref<4xf16>, %t: tensor<4xf32>) {
  // expected-error @below {{buffer 'memref<4xf16>' and value 'tensor<4xf32>' differ [write_c2]}}
  commonir.write %t, %a : tensor<4xf32> to memref<4xf16>
  return
}
