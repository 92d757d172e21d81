"""Embedding lookup plus a position's row; an id outside the table gives the position's row alone."""

import numpy as np
import tilelang.language as T
from example import Example, empty, integers, main, random, wide

CASES = (
    dict(tokens=64, vocabulary=300, dim=128, dtype="float16"),
    dict(tokens=21, vocabulary=50, dim=40, dtype="float32"),
)


def embedding(tokens, vocabulary, dim, dtype, rows=8):
    @T.prim_func
    def kernel(Ids: T.Tensor((tokens,), "int64"), Table: T.Tensor((vocabulary, dim), dtype),
               Position: T.Tensor((tokens, dim), dtype), Y: T.Tensor((tokens, dim), dtype)):
        with T.Kernel(T.ceildiv(tokens, rows), threads=128) as bx:
            y = T.alloc_fragment((rows, dim), dtype)
            T.copy(Position[bx * rows, 0], y)
            for i, j in T.Parallel(rows, dim):
                if bx * rows + i < tokens:
                    id = Ids[bx * rows + i]
                    if id >= 0 and id < vocabulary:
                        y[i, j] = y[i, j] + Table[id, j]
            T.copy(y, Y[bx * rows, 0])

    return kernel


def example(tokens, vocabulary, dim, dtype):
    ids = integers(0, vocabulary, (tokens,), "int64")
    ids[::7] = -1
    table, position = random((vocabulary, dim), dtype), random((tokens, dim), dtype)
    want = wide(position) + np.where(ids[:, None] >= 0, wide(table)[ids], 0)
    return Example(embedding(tokens, vocabulary, dim, dtype),
                   {"Ids": ids, "Table": table, "Position": position, "Y": empty((tokens, dim), dtype)}, {"Y": want})


if __name__ == "__main__":
    main(example, CASES)
