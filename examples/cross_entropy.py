"""Cross-entropy of logits against labels, a row's loss and its gradient; a label of -1 is left out."""

import numpy as np
import tilelang.language as T
from example import Example, empty, integers, main, random, softmax, wide

CASES = (
    dict(m=32, n=512, dtype="float16"),
    dict(m=19, n=203, dtype="float32"),
)


def cross_entropy(m, n, dtype, rows=8):
    @T.prim_func
    def kernel(Logits: T.Tensor((m, n), dtype), Label: T.Tensor((m,), "int32"), Loss: T.Tensor((m,), "float32"),
               Grad: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, n), "float32")
            picked = T.alloc_fragment((rows, n), "float32")
            label = T.alloc_shared((rows,), "int32")
            peak = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            own = T.alloc_fragment((rows,), "float32")
            T.copy(Logits[bx * rows, 0], x)
            T.copy(Label[bx * rows], label)
            T.reduce_max(x, peak, dim=1)
            for i, j in T.Parallel(rows, n):
                x[i, j] = x[i, j] - peak[i]
                picked[i, j] = T.if_then_else(j == label[i], x[i, j], 0.0)
            T.reduce_sum(picked, own, dim=1)
            for i, j in T.Parallel(rows, n):
                x[i, j] = T.exp(x[i, j])
            T.reduce_sum(x, total, dim=1)
            for i in T.Parallel(rows):
                own[i] = T.if_then_else(label[i] >= 0, T.log(total[i]) - own[i], 0.0)
            for i, j in T.Parallel(rows, n):
                x[i, j] = T.if_then_else(label[i] >= 0, x[i, j] / total[i] - T.if_then_else(j == label[i], 1.0, 0.0), 0.0)
            T.copy(own, Loss[bx * rows])
            T.copy(x, Grad[bx * rows, 0])

    return kernel


def example(m, n, dtype):
    logits, label = random((m, n), dtype, scale=2), integers(0, n, (m,))
    label[::5] = -1
    a = wide(logits)
    taken = label >= 0
    loss = np.where(taken, np.log(np.exp(a).sum(1)) - a[np.arange(m), label], 0)
    grad = (softmax(a) - (np.arange(n) == label[:, None])) * taken[:, None]
    arguments = {"Logits": logits, "Label": label, "Loss": empty((m,), "float32"), "Grad": empty((m, n), dtype)}
    return Example(cross_entropy(m, n, dtype), arguments, {"Loss": loss, "Grad": grad})


if __name__ == "__main__":
    main(example, CASES)
