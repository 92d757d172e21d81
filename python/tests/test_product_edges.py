"""Beyond the edge of a loaded operand a product adds zeros, whatever is done with the sum afterwards."""

import numpy as np
import pytest
import tilelang.language as T

import tilekiln

DEVICES = ["cpu", "sim"]


def numbers(*shape):
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(np.float16)


@pytest.mark.parametrize("device", DEVICES)
def test_result_longer_than_operands(device):
    """C has 40 rows and 48 columns, of which A's 21 and B's 35 are products and the rest zeros."""

    @T.prim_func
    def kernel(A: T.Tensor((21, 32), "float16"), B: T.Tensor((32, 35), "float16"), C: T.Tensor((40, 48), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((48, 16), "float16")
            b = T.alloc_shared((16, 64), "float16")
            acc = T.alloc_fragment((48, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 16], a)
                T.copy(B[k * 16, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[0, 0])

    a, b, c = numbers(21, 32), numbers(32, 35), np.full((40, 48), 7, np.float32)
    tilekiln.compile(kernel, device=device)(a, b, c)
    want = np.zeros_like(c)
    want[:21, :35] = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(c, want)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", [64, 75, 1])
def test_sum_that_starts_as_a_mask(device, n):
    """Attention's scores are added to 0 or -inf; the largest of a row must not come from beyond the keys."""
    symbol = T.dynamic("n")

    @T.prim_func
    def kernel(Q: T.Tensor((32, 16), "float16"), K: T.Tensor((symbol, 16), "float16"), M: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128) as _:
            q = T.alloc_shared((32, 16), "float16")
            keys = T.alloc_shared((32, 16), "float16")
            scores = T.alloc_fragment((32, 32), "float32")
            top = T.alloc_fragment((32,), "float32")
            T.copy(Q, q)
            T.fill(top, -T.infinity("float32"))
            for block in T.Pipelined(T.ceildiv(symbol, 32), num_stages=1):
                T.copy(K[block * 32, 0], keys)
                for i, j in T.Parallel(32, 32):
                    scores[i, j] = T.if_then_else(block * 32 + j < symbol, 0, -T.infinity("float32"))
                T.gemm(q, keys, scores, transpose_B=True)
                T.reduce_max(scores, top, dim=1, clear=False)
            T.copy(top, M)

    q, k, m = numbers(32, 16), numbers(n, 16), np.zeros(32, np.float32)
    tilekiln.compile(kernel, device=device)(q, k, m)
    np.testing.assert_array_equal(m, (q.astype(np.float32) @ k.astype(np.float32).T).max(1))
