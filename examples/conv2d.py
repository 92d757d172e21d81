"""2-D convolution of NHWC images with stride, padding and dilation, as a product: the input's columns are gathered
on the way (im2col), or copied shifted, tap by tap."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(image=(1, 8, 16, 16), filters=32, size=3, stride=1, pad=1, dilation=1, shifted=False),
    dict(image=(2, 9, 11, 16), filters=20, size=3, stride=2, pad=1, dilation=2, shifted=False),
    dict(image=(2, 6, 16, 16), filters=32, size=3, stride=1, pad=1, dilation=1, shifted=True),
    dict(image=(1, 5, 13, 24), filters=20, size=3, stride=1, pad=1, dilation=1, shifted=True),
)


def im2col(image, filters, size, stride, pad, dilation, block_m=32, block_n=32, block_k=48):
    count, height, width, channels = image
    out_height, out_width = ((extent + 2 * pad - dilation * (size - 1) - 1) // stride + 1 for extent in (height, width))
    depth = size * size * channels
    pixels = count * out_height * out_width

    @T.prim_func
    def kernel(X: T.Tensor(image, "float16"), W: T.Tensor((depth, filters), "float16"),
               Y: T.Tensor((pixels, filters), "float16")):
        with T.Kernel(T.ceildiv(filters, block_n), T.ceildiv(pixels, block_m), threads=128) as (bx, by):
            columns = T.alloc_shared((block_m, block_k), "float16")
            weights = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(depth, block_k), num_stages=2):
                for i, j in T.Parallel(block_m, block_k):
                    k = ko * block_k + j
                    pixel = by * block_m + i
                    row = pixel % (out_height * out_width) // out_width * stride + k // (size * channels) * dilation - pad
                    column = pixel % out_width * stride + k // channels % size * dilation - pad
                    inside = (row >= 0) and (row < height) and (column >= 0) and (column < width) and (
                        pixel < pixels) and (k < depth)
                    columns[i, j] = T.if_then_else(
                        inside, X[pixel // (out_height * out_width), row, column, k % channels], 0)
                T.copy(W[ko * block_k, bx * block_n], weights)
                T.gemm(columns, weights, acc)
            T.copy(acc, Y[by * block_m, bx * block_n])

    return kernel


def shifted_copies(image, filters, size, pad):
    """Stride 1: an output row is the sum over taps of an input row, shifted, times the tap's matrix."""
    count, height, width, channels = image

    @T.prim_func
    def kernel(X: T.Tensor(image, "float16"), W: T.Tensor((size, size, channels, filters), "float16"),
               Y: T.Tensor((count, height, width, filters), "float16")):
        with T.Kernel(height, count, threads=128) as (by, bz):
            x = T.alloc_shared((width, channels), "float16")
            weights = T.alloc_shared((channels, filters), "float16")
            acc = T.alloc_fragment((width, filters), "float32")
            T.clear(acc)
            for u, v in T.grid(size, size):
                for i, c in T.Parallel(width, channels):
                    row = by + u - pad
                    column = i + v - pad
                    x[i, c] = T.if_then_else((row >= 0) and (row < height) and (column >= 0) and (column < width),
                                             X[bz, row, column, c], 0)
                T.copy(W[u, v, 0, 0], weights)
                T.gemm(x, weights, acc)
            T.copy(acc, Y[bz, by, 0, 0])

    return kernel


def reference(x, w, stride, pad, dilation):
    size = w.shape[0]
    padded = np.pad(wide(x), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    height, width = ((extent - dilation * (size - 1) - 1) // stride + 1 for extent in padded.shape[1:3])
    return sum(padded[:, u * dilation:, v * dilation:][:, ::stride, ::stride][:, :height, :width] @ wide(w[u, v])
               for u in range(size) for v in range(size))


def example(image, filters, size, stride, pad, dilation, shifted):
    x, w = random(image, scale=0.25), random((size, size, image[3], filters))
    want = reference(x, w, stride, pad, dilation)
    if shifted:
        return Example(shifted_copies(image, filters, size, pad), {"X": x, "W": w, "Y": empty(want.shape)}, {"Y": want})
    want = want.reshape(-1, filters)
    return Example(im2col(image, filters, size, stride, pad, dilation),
                   {"X": x, "W": w.reshape(-1, filters), "Y": empty(want.shape)}, {"Y": want})


if __name__ == "__main__":
    main(example, CASES)
