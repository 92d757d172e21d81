// Operand tiles that fit L1 once but not twice: double buffering is dropped.
module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %A: memref<?xf16>, %B: memref<?xf16>, %C: memref<?xf32>, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %zi = arith.constant 0 : i32
    %e = tensor.empty() : tensor<128x128xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32> loc("kernel.py":35:5)
    %m = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %i) -> (tensor<128x128xf32>) {
      %cK = arith.constant 640 : index
      %cB = arith.constant 81920 : index
      %ka = arith.muli %k, %cK : index
      %kb = arith.muli %k, %cB : index
    %ra = memref.reinterpret_cast %A to offset: [%ka], sizes: [128, 640], strides: [2560, 1] : memref<?xf16> to memref<128x640xf16, strided<[2560, 1], offset: ?>>
    %la = memref.alloc() : memref<128x640xf16> loc("kernel.py":30:5)
    memref.copy %ra, %la : memref<128x640xf16, strided<[2560, 1], offset: ?>> to memref<128x640xf16> loc("kernel.py":40:5)
    %a = bufferization.to_tensor %la restrict writable : memref<128x640xf16>
    %rb = memref.reinterpret_cast %B to offset: [%kb], sizes: [640, 128], strides: [128, 1] : memref<?xf16> to memref<640x128xf16, strided<[128, 1], offset: ?>>
    %lb = memref.alloc() : memref<640x128xf16> loc("kernel.py":30:5)
    memref.copy %rb, %lb : memref<640x128xf16, strided<[128, 1], offset: ?>> to memref<640x128xf16> loc("kernel.py":40:5)
    %b = bufferization.to_tensor %lb restrict writable : memref<640x128xf16>
    %mm = linalg.matmul ins(%a, %b : tensor<128x640xf16>, tensor<640x128xf16>) outs(%acc : tensor<128x128xf32>) -> tensor<128x128xf32> loc("kernel.py":42:5)
    scf.yield %mm : tensor<128x128xf32>
    }
    %o21 = memref.reinterpret_cast %C to offset: [0], sizes: [128, 128], strides: [128, 1] : memref<?xf32> to memref<128x128xf32, strided<[128, 1], offset: 0>>
    bufferization.materialize_in_destination %m in writable %o21 : (tensor<128x128xf32>, memref<128x128xf32, strided<[128, 1], offset: 0>>) -> () loc("kernel.py":50:5)
    return
  }
}
