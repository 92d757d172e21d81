"""Rotary embedding of neighbouring pairs, in place, at positions that a tensor gives."""

import numpy as np
import tilelang.language as T
from example import Example, integers, main, random, wide

CASES = (
    dict(tokens=16, heads=4, dim=64, dtype="float16"),
    dict(tokens=13, heads=3, dim=32, dtype="float32"),
)
POSITIONS = 64


def rotary(tokens, heads, dim, dtype):
    half = dim // 2

    @T.prim_func
    def kernel(X: T.Tensor((tokens, heads, dim), dtype), Position: T.Tensor((tokens,), "int32"),
               Cos: T.Tensor((POSITIONS, half), "float32"), Sin: T.Tensor((POSITIONS, half), "float32")):
        with T.Kernel(tokens, threads=128) as token:
            x = T.alloc_shared((heads, dim), dtype)
            y = T.alloc_shared((heads, dim), dtype)
            cos = T.alloc_shared((half,), "float32")
            sin = T.alloc_shared((half,), "float32")
            position = Position[token]
            T.copy(X[token, 0, 0], x)
            T.copy(Cos[position, 0], cos)
            T.copy(Sin[position, 0], sin)
            for h, j in T.Parallel(heads, half):
                y[h, 2 * j] = x[h, 2 * j] * cos[j] - x[h, 2 * j + 1] * sin[j]
                y[h, 2 * j + 1] = x[h, 2 * j] * sin[j] + x[h, 2 * j + 1] * cos[j]
            T.copy(y, X[token, 0, 0])

    return kernel


def example(tokens, heads, dim, dtype):
    x, position = random((tokens, heads, dim), dtype), integers(0, POSITIONS, (tokens,))
    angles = np.outer(np.arange(POSITIONS), 10000.0 ** (-np.arange(dim // 2) * 2 / dim))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    turned = (wide(x[..., ::2]) + 1j * wide(x[..., 1::2])) * (cos + 1j * sin)[position][:, None]
    want = np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)
    return Example(rotary(tokens, heads, dim, dtype), {"X": x, "Position": position, "Cos": cos, "Sin": sin}, {"X": want})


if __name__ == "__main__":
    main(example, CASES)
