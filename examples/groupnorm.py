"""Group normalisation of (batch, channels, length): one block a group, both of its axes reduced."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(batch=2, channels=32, length=128, groups=4, dtype="float16"),
    dict(batch=3, channels=12, length=77, groups=4, dtype="float32"),
)
EPSILON = 1e-5


def groupnorm(batch, channels, length, groups, dtype):
    size = channels // groups
    count = size * length

    @T.prim_func
    def kernel(X: T.Tensor((batch, channels, length), dtype), Gain: T.Tensor((channels,), "float32"),
               Shift: T.Tensor((channels,), "float32"), Y: T.Tensor((batch, channels, length), dtype)):
        with T.Kernel(groups, batch, threads=128) as (group, image):
            x = T.alloc_fragment((size, length), "float32")
            square = T.alloc_fragment((size, length), "float32")
            rows = T.alloc_fragment((size,), "float32")
            mean = T.alloc_fragment((1,), "float32")
            variance = T.alloc_fragment((1,), "float32")
            gain = T.alloc_fragment((size,), "float32")
            shift = T.alloc_fragment((size,), "float32")
            T.copy(X[image, group * size:(group + 1) * size, 0:length], x)
            T.copy(Gain[group * size], gain)
            T.copy(Shift[group * size], shift)
            T.reduce_sum(x, rows, dim=1)
            T.reduce_sum(rows, mean, dim=0)
            mean[0] = mean[0] / count
            for i, j in T.Parallel(size, length):
                square[i, j] = (x[i, j] - mean[0]) * (x[i, j] - mean[0])
            T.reduce_sum(square, rows, dim=1)
            T.reduce_sum(rows, variance, dim=0)
            variance[0] = T.rsqrt(variance[0] / count + EPSILON)
            for i, j in T.Parallel(size, length):
                x[i, j] = (x[i, j] - mean[0]) * variance[0] * gain[i] + shift[i]
            T.copy(x, Y[image, group * size:(group + 1) * size, 0:length])

    return kernel


def example(batch, channels, length, groups, dtype):
    shape = (batch, channels, length)
    x, gain, shift = random(shape, dtype), random((channels,), "float32"), random((channels,), "float32", seed=1)
    a = wide(x).reshape(batch, groups, -1)
    a = (a - a.mean(2, keepdims=True)) / np.sqrt(a.var(2, keepdims=True) + EPSILON)
    want = a.reshape(shape) * wide(gain)[:, None] + wide(shift)[:, None]
    return Example(groupnorm(batch, channels, length, groups, dtype),
                   {"X": x, "Gain": gain, "Shift": shift, "Y": empty(shape, dtype)}, {"Y": want})


if __name__ == "__main__":
    main(example, CASES)
