"""Softmax over rows too wide to keep on chip: the peak and the sum in one pass, the values in a second."""

import tilelang.language as T
from example import Example, empty, main, random, wide
from example import softmax as reference

CASES = (
    dict(m=32, n=1024, dtype="float16"),
    dict(m=37, n=1000, dtype="bfloat16"),
    dict(m=5, n=70, dtype="float32"),
)


def softmax(m, n, dtype, rows=16, columns=256):
    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, columns), "float32")
            peak = T.alloc_fragment((rows,), "float32")
            last_peak = T.alloc_fragment((rows,), "float32")
            part = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.fill(peak, -T.infinity("float32"))
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(n, columns), num_stages=2):
                for i, j in T.Parallel(rows, columns):
                    x[i, j] = T.if_then_else(k * columns + j < n, X[bx * rows + i, k * columns + j],
                                             -T.infinity("float32"))
                T.copy(peak, last_peak)
                T.reduce_max(x, peak, dim=1, clear=False)
                for i, j in T.Parallel(rows, columns):
                    x[i, j] = T.exp(x[i, j] - peak[i])
                T.reduce_sum(x, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * T.exp(last_peak[i] - peak[i]) + part[i]
            for k in T.Pipelined(T.ceildiv(n, columns), num_stages=2):
                T.copy(X[bx * rows, k * columns], x)
                for i, j in T.Parallel(rows, columns):
                    x[i, j] = T.exp(x[i, j] - peak[i]) / total[i]
                T.copy(x, Y[bx * rows, k * columns])

    return kernel


def example(m, n, dtype):
    x = random((m, n), dtype, scale=3)
    return Example(softmax(m, n, dtype), {"X": x, "Y": empty((m, n), dtype)}, {"Y": reference(wide(x))})


if __name__ == "__main__":
    main(example, CASES)
