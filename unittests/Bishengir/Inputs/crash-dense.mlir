// A constant tile with differing elements ends the compiler by a signal.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xf32>, %C: memref<?xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %ra = memref.reinterpret_cast %A to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<?xf32> to memref<2x2xf32, strided<[2, 1], offset: 0>>
    %la = memref.alloc() : memref<2x2xf32> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<2x2xf32, strided<[2, 1], offset: 0>> to memref<2x2xf32> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<2x2xf32>
    %d = arith.constant dense<[[1.0,2.0],[3.0,4.0]]> : tensor<2x2xf32>
    %m = arith.addf %a, %d : tensor<2x2xf32> loc("kernel.py":43:5)
    %o22 = memref.reinterpret_cast %C to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<?xf32> to memref<2x2xf32, strided<[2, 1], offset: 0>>
    bufferization.materialize_in_destination %m in writable %o22 : (tensor<2x2xf32>, memref<2x2xf32, strided<[2, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
