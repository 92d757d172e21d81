// An int8 product narrowed to int8.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %ra = memref.reinterpret_cast %A to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xi8> to memref<64x64xi8, strided<[64, 1], offset: 0>>
    %la = memref.alloc() : memref<64x64xi8> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<64x64xi8, strided<[64, 1], offset: 0>> to memref<64x64xi8> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<64x64xi8>
    %rb = memref.reinterpret_cast %B to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xi8> to memref<64x64xi8, strided<[64, 1], offset: 0>>
    %lb = memref.alloc() : memref<64x64xi8> loc("kernel.py":30:5)
    memref.copy %rb, %lb : memref<64x64xi8, strided<[64, 1], offset: 0>> to memref<64x64xi8> loc("kernel.py":40:5)
    %b = bufferization.to_tensor %lb restrict writable : memref<64x64xi8>
    %e = tensor.empty() : tensor<64x64xi32>
    %i = linalg.fill ins(%zi : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32> loc("kernel.py":35:5)
    %m = linalg.matmul ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%i : tensor<64x64xi32>) -> tensor<64x64xi32> loc("kernel.py":42:5)
    %t = arith.trunci %m : tensor<64x64xi32> to tensor<64x64xi8>
    %o9 = memref.reinterpret_cast %C to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xi8> to memref<64x64xi8, strided<[64, 1], offset: 0>>
    bufferization.materialize_in_destination %t in writable %o9 : (tensor<64x64xi8>, memref<64x64xi8, strided<[64, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
