"""The k largest logits of each row by repeated maximum, and their softmax: how experts are chosen."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, softmax, wide

CASES = (
    dict(m=64, n=64, k=4, dtype="float32"),
    dict(m=30, n=100, k=6, dtype="float16"),
)


def topk(m, n, k, dtype, rows=16):
    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Weight: T.Tensor((m, k), "float32"), Index: T.Tensor((m, k), "int32")):
        with T.Kernel(T.ceildiv(m, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, n), "float32")
            place = T.alloc_fragment((rows, n), "int32")
            best = T.alloc_fragment((rows,), "float32")
            best_place = T.alloc_fragment((rows,), "int32")
            values = T.alloc_fragment((rows, k), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            for t in T.serial(k):
                T.reduce_max(x, best, dim=1)
                for i, j in T.Parallel(rows, n):
                    place[i, j] = T.if_then_else(x[i, j] == best[i], j, n)
                T.reduce_min(place, best_place, dim=1)
                for i in T.Parallel(rows):
                    values[i, t] = best[i]
                    Index[bx * rows + i, t] = best_place[i]
                for i, j in T.Parallel(rows, n):
                    if j == best_place[i]:
                        x[i, j] = -T.infinity("float32")
            T.reduce_max(values, best, dim=1)
            for i, t in T.Parallel(rows, k):
                values[i, t] = T.exp(values[i, t] - best[i])
            T.reduce_sum(values, total, dim=1)
            for i, t in T.Parallel(rows, k):
                Weight[bx * rows + i, t] = values[i, t] / total[i]

    return kernel


def example(m, n, k, dtype):
    x = random((m, n), dtype)
    index = np.argsort(-wide(x), axis=1, kind="stable")[:, :k]  # of equal ones the first
    weight = softmax(np.take_along_axis(wide(x), index, 1))
    arguments = {"X": x, "Weight": empty((m, k), "float32"), "Index": empty((m, k), "int32")}
    return Example(topk(m, n, k, dtype), arguments, {"Weight": weight, "Index": index})


if __name__ == "__main__":
    main(example, CASES)
