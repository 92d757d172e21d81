"""Small TileLang kernels that several tests use."""

import tilelang.language as T


def gemm_tt(m, n, k, a_shape=None, b_shape=None, block=(128, 128, 32), stages=3):
    """C = A^T B^T as the report reads its operands; the shapes are how they are declared."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gemm(A: T.Tensor(a_shape or (k, m), "float16"), B: T.Tensor(b_shape or (n, k), "float16"),
             C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a_tile = T.alloc_shared((block_k, block_m), "float16")
            b_tile = T.alloc_shared((block_n, block_k), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                T.copy(A[step * block_k, by * block_m], a_tile)
                T.copy(B[bx * block_n, step * block_k], b_tile)
                T.gemm(a_tile, b_tile, acc, transpose_A=True, transpose_B=True)
            T.copy(acc, C[by * block_m, bx * block_n])

    return gemm


def gemm_nn(m, n, k, block=(128, 128, 32), stages=3):
    """C = A B."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gemm(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a_tile = T.alloc_shared((block_m, block_k), "float16")
            b_tile = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                T.copy(A[by * block_m, step * block_k], a_tile)
                T.copy(B[step * block_k, bx * block_n], b_tile)
                T.gemm(a_tile, b_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return gemm


def binary(n, block, dtype, op, memory="global"):
    """C = op(A, B) over one dimension, straight from global memory, through shared or through fragments."""
    allocate = {"shared": T.alloc_shared, "fragment": T.alloc_fragment}.get(memory)

    if allocate is None:

        @T.prim_func
        def direct(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                for i in T.Parallel(block):
                    C[bx * block + i] = op(A[bx * block + i], B[bx * block + i])

        return direct

    @T.prim_func
    def staged(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            a = allocate((block,), dtype)
            b = allocate((block,), dtype)
            c = allocate((block,), dtype)
            T.copy(A[bx * block], a)
            T.copy(B[bx * block], b)
            for i in T.Parallel(block):
                c[i] = op(a[i], b[i])
            T.copy(c, C[bx * block])

    return staged


def unary(n, block, dtype, op):
    """B = op(A) over one dimension, straight from global memory."""

    @T.prim_func
    def apply(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = op(A[bx * block + i])

    return apply


def binary_2d(m, n, block, dtype, op):
    """C = op(A, B) over two dimensions by square tiles, through shared memory."""

    @T.prim_func
    def tiled(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, block), dtype)
            b = T.alloc_shared((block, block), dtype)
            c = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], a)
            T.copy(B[by * block, bx * block], b)
            for i, j in T.Parallel(block, block):
                c[i, j] = op(a[i, j], b[i, j])
            T.copy(c, C[by * block, bx * block])

    return tiled


def row_reduce(m, n, block, reduce_op, start, clear):
    """B[i] = a reduction of A[i, :]; with clear=False it starts from `start`."""

    @T.prim_func
    def reduce(A: T.Tensor((m, n), "float32"), B: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(m, block), threads=128) as bx:
            a = T.alloc_fragment((block, n), "float32")
            b = T.alloc_fragment((block,), "float32")
            T.copy(A[bx * block, 0], a)
            T.fill(b, start)
            reduce_op(a, b, dim=1, clear=clear)
            T.copy(b, B[bx * block])

    return reduce


def scaled_add(dtype="float32", block=64):
    """B[i] = A[i] * scale + shift over a symbolic extent; scalars of two kinds."""
    n = T.dynamic("n")

    @T.prim_func
    def scaled(A: T.Tensor((n,), dtype), scale: T.float32, shift: T.int32, B: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            a = T.alloc_shared((block,), dtype)
            T.copy(A[bx * block], a)
            for i in T.Parallel(block):
                a[i] = a[i] * T.cast(scale, dtype) + T.cast(shift, dtype)
            T.copy(a, B[bx * block])

    return scaled
