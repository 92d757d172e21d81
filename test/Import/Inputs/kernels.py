"""The kernels whose TIR lies beside this file, and how it is written anew.

    python kernels.py FOLDER

writes NAME-VERSION.json for every kernel that the installed tilelang can build,
with one node a line and the Python file's name alone in the locations.
"""

import json
import os
import sys

import tilelang
import tilelang.language as T

VERSION = tilelang.__version__.split("+")[0].removesuffix(".post3")


def gemm():
    m = T.dynamic("m")

    @T.prim_func
    def gemm(A: T.Tensor((m, 512), "float16"), B: T.Tensor((8, 256, 512), "float16"), C: T.Tensor((m, 256), "float16")):
        with T.Kernel(T.ceildiv(256, 128), T.ceildiv(m, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((128, 32), "float16")
            acc = T.alloc_fragment((64, 128), "float32")
            T.use_swizzle(8)
            T.clear(acc)
            for k in T.Pipelined(16, num_stages=3):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[3, bx * 128, k * 32], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * 64, bx * 128])

    return gemm


def scalars():
    @T.prim_func
    def scalars(
        X: T.Tensor((64,), "float16"), U: T.Tensor((64,), "uint8"), F: T.Tensor((64,), "bool"),
        Y: T.Tensor((64,), "float32"), Z: T.Tensor((64,), "int32"), scale: T.float32, shift: T.int32,
    ):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                x = T.cast(X[i], "float32")
                Y[i] = T.if_then_else(i >= 3, X[i - 3], T.float16(65504)) * scale + T.exp2(x) + T.round(x)
                F[i] = U[i] > 200
                Z[i] = (i - 5) // 8 + (i - 5) % 8 + shift + T.if_then_else(F[i], 1, 0)
            for i in T.serial(2, 7):
                Y[i] = T.max(T.float32(float("-inf")), Y[i]) + T.cast(U[i], "float32")

    return scalars


def control():
    @T.prim_func
    def control(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32"), N: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            left = T.alloc_var("int32")
            left = N[0]
            for i in T.serial(4):
                for j in T.serial(8):
                    if A[i, j] < 0.0:
                        break
                    if A[i, j] > 100.0:
                        continue
                    B[i, j] = A[i, j]
            while left > 0:
                left = left - 2
                if left == 3:
                    break
            N[0] = left

    return control


def tiles():
    @T.prim_func
    def tiles(A: T.Tensor((60, 64), "float32"), H: T.Tensor((60, 64), "uint8"), S: T.Tensor((64,), "float32"),
              O: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, threads=128) as bx:
            x = T.alloc_shared((64, 64), "float32")
            f = T.alloc_fragment((64, 64), "float32")
            s = T.alloc_fragment((64,), "float32")
            T.annotate_safe_value({A: -1.0})
            T.copy(A[bx * 32, 0], x)
            T.copy(x, f)
            T.reduce_max(f, s, dim=1)
            T.reduce_sum(f, s, dim=1, clear=False)
            T.cumsum(x, dim=0, reverse=True)
            flat = T.reshape(x, (4096,))
            T.fill(flat[0:64], 2)
            T.copy(s, flat[64:128])
            T.copy(H, f[0:60, 0:64])
            T.copy(A[0:16, 0:16], O[16:32, 48:64])
            T.atomic_add(S[0:64], s)
            for i in T.Parallel(64):
                T.atomic_add(S[i], x[i, i])
            T.print(s)

    return tiles


def thread():
    @T.prim_func
    def thread(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            A[tx] = 1.0

    return thread


def extern():
    @T.prim_func
    def extern(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                A[i] = T.call_extern("float32", "vendor_function", A[i])

    return extern


def mismatch():
    @T.prim_func
    def mismatch(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=64):
            x = T.alloc_shared((32, 64), "float32")
            T.copy(A[0:64, 0:64], x[0:32, 0:64])

    return mismatch


def barrier():
    @T.prim_func
    def barrier(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
        S = T.alloc_global((64,), "float32")
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            s = T.alloc_shared((64,), "float32")
            acc = T.alloc_local((2,), "float32")
            steps = T.alloc_var("int32")
            acc[0] = 0.0
            for k in T.serial(32):
                acc[0] += A[tx, k]
            s[tx] = acc[0]
            T.sync_threads()
            old = s[63 - tx]
            if tx < 10:
                S[tx] = old
                steps = 0
                while steps < tx:
                    steps += 1
            T.atomic_add(B[0], 1.0)

    return barrier


def write(name, function, folder):
    graph = json.loads(tilelang.tvm.ir.save_json(function))
    for node in graph["nodes"]:
        if node["type"] == "ir.SourceName":
            node["data"] = os.path.basename(node["data"])
    nodes = ",\n".join(json.dumps(node, separators=(",", ":")) for node in graph["nodes"])
    with open(os.path.join(folder, f"{name}-{VERSION}.json"), "w") as file:
        file.write('{"root_index":%d,"nodes":[\n%s\n],"metadata":{}}\n' % (graph["root_index"], nodes))


if __name__ == "__main__":
    for kernel in (gemm, scalars, control, tiles, thread, extern, mismatch, barrier):
        try:
            write(kernel.__name__, kernel(), sys.argv[1])
        except Exception as error:
            print(f"{kernel.__name__}: not built: {error}", file=sys.stderr)
