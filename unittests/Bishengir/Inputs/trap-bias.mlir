// A bias of 512 columns.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xf16>, %B: memref<?xf16>, %C: memref<?xf32>, %D: memref<?xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %ra = memref.reinterpret_cast %A to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xf16> to memref<64x64xf16, strided<[64, 1], offset: 0>>
    %la = memref.alloc() : memref<64x64xf16> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<64x64xf16, strided<[64, 1], offset: 0>> to memref<64x64xf16> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<64x64xf16>
    %rb = memref.reinterpret_cast %B to offset: [0], sizes: [64, 512], strides: [512, 1] : memref<?xf16> to memref<64x512xf16, strided<[512, 1], offset: 0>>
    %lb = memref.alloc() : memref<64x512xf16> loc("kernel.py":30:5)
    memref.copy %rb, %lb : memref<64x512xf16, strided<[512, 1], offset: 0>> to memref<64x512xf16> loc("kernel.py":40:5)
    %b = bufferization.to_tensor %lb restrict writable : memref<64x512xf16>
    %rd = memref.reinterpret_cast %D to offset: [0], sizes: [512], strides: [1] : memref<?xf32> to memref<512xf32, strided<[1], offset: 0>>
    %ld = memref.alloc() : memref<512xf32> loc("kernel.py":30:5)
    memref.copy %rd, %ld : memref<512xf32, strided<[1], offset: 0>> to memref<512xf32> loc("kernel.py":40:5)
    %d = bufferization.to_tensor %ld restrict writable : memref<512xf32>
    %e = tensor.empty() : tensor<64x512xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32> loc("kernel.py":35:5)
    %bb = linalg.broadcast ins(%d : tensor<512xf32>) outs(%e : tensor<64x512xf32>) dimensions = [0]
    %m = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x512xf16>) outs(%bb : tensor<64x512xf32>) -> tensor<64x512xf32> loc("kernel.py":42:5)
    %o11 = memref.reinterpret_cast %C to offset: [0], sizes: [64, 512], strides: [512, 1] : memref<?xf32> to memref<64x512xf32, strided<[512, 1], offset: 0>>
    bufferization.materialize_in_destination %m in writable %o11 : (tensor<64x512xf32>, memref<64x512xf32, strided<[512, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
