//===- Matmul.cpp - f32 matrix products through CBLAS ---------------------===//
//
// C += A * B on strided memrefs. A matrix whose rows or columns are contiguous
// goes to BLAS as it is; anything else is computed by plain loops.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Runtime.h"
#include <algorithm>
#include <cblas.h>
#include <limits>
#include <mutex>

// Only OpenBLAS has these; elsewhere they are null.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_num_threads() __attribute__((weak));
}

namespace tilekiln {

static std::mutex serialMutex;
static int serialScopes = 0;
static int threadsBefore = 0;

SerialBlasScope::SerialBlasScope() {
  std::lock_guard<std::mutex> lock(serialMutex);
  if (serialScopes++ == 0 && openblas_get_num_threads &&
      openblas_set_num_threads) {
    threadsBefore = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
}

SerialBlasScope::~SerialBlasScope() {
  std::lock_guard<std::mutex> lock(serialMutex);
  if (--serialScopes == 0 && threadsBefore > 1 && openblas_set_num_threads)
    openblas_set_num_threads(threadsBefore);
}

namespace {

struct Operand {
  const float *data;
  int64_t rowStride, columnStride;
  float at(int64_t i, int64_t j) const {
    return data[i * rowStride + j * columnStride];
  }

  /// Whether BLAS can read it, `rows` x `columns`, and how.
  bool describe(int64_t rows, int64_t columns, CBLAS_TRANSPOSE &transpose,
                int64_t &leading) const {
    if ((columnStride == 1 || columns == 1) &&
        (rows == 1 || rowStride >= columns)) {
      transpose = CblasNoTrans;
      leading = std::max<int64_t>({rows == 1 ? 0 : rowStride, columns, 1});
      return leading <= std::numeric_limits<int>::max();
    }
    if ((rowStride == 1 || rows == 1) &&
        (columns == 1 || columnStride >= rows)) {
      transpose = CblasTrans;
      leading = std::max<int64_t>({columns == 1 ? 0 : columnStride, rows, 1});
      return leading <= std::numeric_limits<int>::max();
    }
    return false;
  }
};

void matmul(const float *a, int64_t aRow, int64_t aColumn, const float *b,
            int64_t bRow, int64_t bColumn, float *c, int64_t cRow,
            int64_t cColumn, int64_t m, int64_t n, int64_t k) {
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  Operand left{a, aRow, aColumn}, right{b, bRow, bColumn},
      out{c, cRow, cColumn};
  CBLAS_TRANSPOSE leftTranspose, rightTranspose, outTranspose;
  int64_t leftLeading, rightLeading, outLeading;
  if (std::max({m, n, k}) <= std::numeric_limits<int>::max() &&
      left.describe(m, k, leftTranspose, leftLeading) &&
      right.describe(k, n, rightTranspose, rightLeading) &&
      out.describe(m, n, outTranspose, outLeading) &&
      outTranspose == CblasNoTrans) {
    cblas_sgemm(CblasRowMajor, leftTranspose, rightTranspose, int(m), int(n),
                int(k), 1.0f, a, int(leftLeading), b, int(rightLeading), 1.0f,
                c, int(outLeading));
    return;
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = c[i * cRow + j * cColumn];
      for (int64_t l = 0; l < k; ++l)
        sum += left.at(i, l) * right.at(l, j);
      c[i * cRow + j * cColumn] = sum;
    }
}

} // namespace

void addMatmulSymbols(SymbolSink sink) {
  sink("tilekilnMatmul", reinterpret_cast<void *>(&matmul));
}

} // namespace tilekiln
