"""The embedding's gradient: rows added into a table at places that repeat."""

import numpy as np
import tilelang.language as T
from example import Example, integers, main, random, wide, zeros

CASES = (
    dict(tokens=64, vocabulary=20, dim=64),
    dict(tokens=27, vocabulary=5, dim=24),
)


def scatter_add(tokens, vocabulary, dim, rows=8):
    @T.prim_func
    def kernel(Ids: T.Tensor((tokens,), "int32"), Grad: T.Tensor((tokens, dim), "float32"),
               Table: T.Tensor((vocabulary, dim), "float32")):
        with T.Kernel(T.ceildiv(tokens, rows), threads=128) as bx:
            grad = T.alloc_shared((rows, dim), "float32")
            T.copy(Grad[bx * rows, 0], grad)
            for i, j in T.Parallel(rows, dim):
                if bx * rows + i < tokens:
                    T.atomic_add(Table[Ids[bx * rows + i], j], grad[i, j])

    return kernel


def example(tokens, vocabulary, dim):
    ids, grad = integers(0, vocabulary, (tokens,)), random((tokens, dim), "float32")
    want = np.zeros((vocabulary, dim))
    np.add.at(want, ids, wide(grad))
    return Example(scatter_add(tokens, vocabulary, dim),
                   {"Ids": ids, "Grad": grad, "Table": zeros((vocabulary, dim))}, {"Table": want})


if __name__ == "__main__":
    main(example, CASES)
