"""GELU, exact and by tanh, straight from global memory to global memory; the extent is symbolic."""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(n=4096, dtype="float16", exact=True),
    dict(n=1003, dtype="float32", exact=True),
    dict(n=2500, dtype="bfloat16", exact=False),
)


def gelu(dtype, exact, block=512):
    n = T.dynamic("n")

    @T.macro
    def activated(x):
        if exact:
            return 0.5 * x * (1.0 + T.erf(x * math.sqrt(0.5)))
        return 0.5 * x * (1.0 + T.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))

    @T.prim_func
    def kernel(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                if bx * block + i < n:
                    Y[bx * block + i] = activated(T.cast(X[bx * block + i], "float32"))

    return kernel


def example(n, dtype, exact):
    x = random((n,), dtype, scale=2)
    a = wide(x)
    inner = np.vectorize(math.erf)(a * math.sqrt(0.5)) if exact else np.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3))
    return Example(gelu(dtype, exact), {"X": x, "Y": empty((n,), dtype)}, {"Y": 0.5 * a * (1 + inner)})


if __name__ == "__main__":
    main(example, CASES)
