"""A histogram: each block counts on chip, then adds its counts to the whole."""

import numpy as np
import tilelang.language as T
from example import Example, main, random, wide, zeros

CASES = (
    dict(n=2048, bins=32),
    dict(n=1500, bins=10),
)


def histogram(n, bins, low, high, block=512):
    scale = bins / (high - low)

    @T.prim_func
    def kernel(X: T.Tensor((n,), "float32"), Count: T.Tensor((bins,), "int32")):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            counts = T.alloc_shared((bins,), "int32")
            T.clear(counts)
            for i in T.Parallel(block):
                if bx * block + i < n:
                    bin = T.cast(T.floor((X[bx * block + i] - low) * scale), "int32")
                    T.atomic_add(counts[T.min(T.max(bin, 0), bins - 1)], 1)
            for b in T.Parallel(bins):
                T.atomic_add(Count[b], counts[b])

    return kernel


def example(n, bins):
    x = random((n,), "float32")
    places = np.floor((x - np.float32(-2)) * np.float32(bins / 4)).astype(np.int64)
    want = np.bincount(np.clip(places, 0, bins - 1), minlength=bins)
    return Example(histogram(n, bins, -2.0, 2.0), {"X": x, "Count": zeros((bins,), "int32")}, {"Count": want})


if __name__ == "__main__":
    main(example, CASES)
