// A product of bfloat16 tiles into bfloat16: no such library function.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xbf16>, %B: memref<?xbf16>, %C: memref<?xbf16>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %ra = memref.reinterpret_cast %A to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xbf16> to memref<64x64xbf16, strided<[64, 1], offset: 0>>
    %la = memref.alloc() : memref<64x64xbf16> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<64x64xbf16, strided<[64, 1], offset: 0>> to memref<64x64xbf16> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<64x64xbf16>
    %rb = memref.reinterpret_cast %B to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xbf16> to memref<64x64xbf16, strided<[64, 1], offset: 0>>
    %lb = memref.alloc() : memref<64x64xbf16> loc("kernel.py":30:5)
    memref.copy %rb, %lb : memref<64x64xbf16, strided<[64, 1], offset: 0>> to memref<64x64xbf16> loc("kernel.py":40:5)
    %b = bufferization.to_tensor %lb restrict writable : memref<64x64xbf16>
    %zb = arith.constant 0.0 : bf16
    %e = tensor.empty() : tensor<64x64xbf16>
    %i = linalg.fill ins(%zb : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16> loc("kernel.py":35:5)
    %m = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xbf16>) -> tensor<64x64xbf16> loc("kernel.py":42:5)
    %o17 = memref.reinterpret_cast %C to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<?xbf16> to memref<64x64xbf16, strided<[64, 1], offset: 0>>
    bufferization.materialize_in_destination %m in writable %o17 : (tensor<64x64xbf16>, memref<64x64xbf16, strided<[64, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
