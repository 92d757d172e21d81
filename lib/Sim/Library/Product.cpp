//===- Product.cpp - Matrix products through CBLAS ------------------------===//
#include "Product.h"
#include <algorithm>
#include <cblas.h>
#include <mutex>

// Only OpenBLAS has these; elsewhere they are null.
extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
int openblas_get_num_threads() __attribute__((weak));
}

using namespace tilekiln::sim;

static std::mutex serialMutex;
static int serialUsers = 0, threadsBefore = 0;

SerialProducts::SerialProducts() {
  std::lock_guard<std::mutex> guard(serialMutex);
  if (serialUsers++ == 0 && openblas_get_num_threads && openblas_set_num_threads) {
    threadsBefore = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
}

SerialProducts::~SerialProducts() {
  std::lock_guard<std::mutex> guard(serialMutex);
  if (--serialUsers == 0 && threadsBefore > 1 && openblas_set_num_threads)
    openblas_set_num_threads(threadsBefore);
}

static void product(float *c, int64_t ldc, const float *a, int64_t lda,
                    const float *b, int64_t ldb, int64_t m, int64_t n, int64_t k,
                    bool transposedA, bool transposedB, bool clear) {
  cblas_sgemm(CblasRowMajor, transposedA ? CblasTrans : CblasNoTrans,
              transposedB ? CblasTrans : CblasNoTrans, int(m), int(n), int(k), 1.0f,
              a, int(lda), b, int(ldb), clear ? 0.0f : 1.0f, c, int(ldc));
}

void tilekiln::sim::multiply(CubeResult &tile, const CubeOperand &a,
                             const CubeOperand &b, int64_t m, int64_t n, int64_t k,
                             bool transposedA, bool transposedB, bool clear,
                             std::vector<float> &scratch) {
  if (m <= 0 || n <= 0)
    return;
  if (!tile.isInteger) {
    product(tile.real.data(), tile.columns, a.values.data(), a.columns,
            b.values.data(), b.columns, m, n, k, transposedA, transposedB, clear);
    return;
  }
  // Sums of up to 1024 products of int8 are exact in f32.
  constexpr int64_t exact = 1024;
  scratch.resize(size_t(m * n));
  for (int64_t from = 0; from < std::max<int64_t>(k, 1); from += exact) {
    int64_t part = std::min(exact, k - from);
    if (part > 0)
      product(scratch.data(), n,
              a.values.data() + from * (transposedA ? a.columns : 1), a.columns,
              b.values.data() + from * (transposedB ? 1 : b.columns), b.columns, m,
              n, part, transposedA, transposedB, true);
    else
      std::fill(scratch.begin(), scratch.end(), 0.0f);
    bool starts = clear && from == 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int32_t &to = tile.integer[size_t(i * tile.columns + j)];
        uint32_t sum = (starts ? 0u : uint32_t(to)) +
                       uint32_t(int32_t(scratch[size_t(i * n + j)]));
        to = int32_t(sum);
      }
  }
}
