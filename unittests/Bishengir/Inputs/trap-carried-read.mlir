// An accumulator read in the iteration that multiplies into it.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xf16>, %B: memref<?xf16>, %C: memref<?xf32>, %D: memref<?xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %e = tensor.empty() : tensor<64x64xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32> loc("kernel.py":35:5)
    %m = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %i) -> (tensor<64x64xf32>) {
      %c4096 = arith.constant 4096 : index
      %ka = arith.muli %k, %c4096 : index
    %ra = memref.reinterpret_cast %A to offset: [%ka], sizes: [64, 64], strides: [64, 1] : memref<?xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    %la = memref.alloc() : memref<64x64xf16> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<64x64xf16, strided<[64, 1], offset: ?>> to memref<64x64xf16> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<64x64xf16>
    %rb = memref.reinterpret_cast %B to offset: [%ka], sizes: [64, 64], strides: [64, 1] : memref<?xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    %lb = memref.alloc() : memref<64x64xf16> loc("kernel.py":30:5)
    memref.copy %rb, %lb : memref<64x64xf16, strided<[64, 1], offset: ?>> to memref<64x64xf16> loc("kernel.py":40:5)
    %b = bufferization.to_tensor %lb restrict writable : memref<64x64xf16>
    %sr = math.exp %acc : tensor<64x64xf32> loc("kernel.py":44:5)
    %o24 = memref.reinterpret_cast %D to offset: [%ka], sizes: [64, 64], strides: [64, 1] : memref<?xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    bufferization.materialize_in_destination %sr in writable %o24 : (tensor<64x64xf32>, memref<64x64xf32, strided<[64, 1], offset: ?>>) -> () loc("kernel.py":50:5)
    %mm = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%acc : tensor<64x64xf32>) -> tensor<64x64xf32> loc("kernel.py":42:5)
    scf.yield %mm : tensor<64x64xf32>
    }
    %o25 = memref.reinterpret_cast %C to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xf32> to memref<64x64xf32, strided<[64, 1], offset: 0>>
    bufferization.materialize_in_destination %m in writable %o25 : (tensor<64x64xf32>, memref<64x64xf32, strided<[64, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
