//===- MatmulTest.cpp - Matrix products of every type and shape -----------===//
//
// Against sums in double. Operands are small multiples of a quarter, so that
// f32 sums are exact and every comparison can be too.
//
//===----------------------------------------------------------------------===//
#include "KernelTester.h"

using namespace tilekiln;
using namespace tilekiln::test;

namespace {

/// C (m x n) = A (m x k) * B (k x n) in tiles whose edges may hang over.
std::string tiledGemm(llvm::StringRef in, llvm::StringRef out, int64_t tm,
                      int64_t tn, int64_t tk) {
  std::string body = llvm::formatv(R"(
  %z = arith.constant 0.0 : {0}
  %cst = arith.constant 0.0 : f32
  %tm = arith.constant {2} : index
  %tn = arith.constant {3} : index
  %tk = arith.constant {4} : index
  %M = arith.index_cast %a3 : i32 to index
  %N = arith.index_cast %a4 : i32 to index
  %K = arith.index_cast %a5 : i32 to index
  %m0 = arith.muli %x, %tm : index
  %n0 = arith.muli %y, %tn : index
  %mr = arith.subi %M, %m0 : index
  %ms = arith.minsi %mr, %tm : index
  %nr = arith.subi %N, %n0 : index
  %ns = arith.minsi %nr, %tn : index
  %e = tensor.empty() : tensor<{2}x{3}xf32>
  %init = linalg.fill ins(%cst : f32) outs(%e : tensor<{2}x{3}xf32>) -> tensor<{2}x{3}xf32>
  %res = scf.for %k0 = %c0 to %K step %tk iter_args(%acc = %init) -> (tensor<{2}x{3}xf32>) {{
    %kr = arith.subi %K, %k0 : index
    %ks = arith.minsi %kr, %tk : index
    %la = memref.alloc() : memref<{2}x{4}x{0}>
    %lb = memref.alloc() : memref<{4}x{3}x{0}>
    linalg.fill ins(%z : {0}) outs(%la : memref<{2}x{4}x{0}>)
    linalg.fill ins(%z : {0}) outs(%lb : memref<{4}x{3}x{0}>)
    %ar = arith.muli %m0, %K : index
    %ao = arith.addi %ar, %k0 : index
    %va = memref.reinterpret_cast %a0 to offset: [%ao], sizes: [%ms, %ks], strides: [%K, 1] : memref<?x{0}> to memref<?x?x{0}, strided<[?, 1], offset: ?>>
    %sa = memref.subview %la[0, 0] [%ms, %ks] [1, 1] : memref<{2}x{4}x{0}> to memref<?x?x{0}, strided<[{4}, 1]>>
    memref.copy %va, %sa : memref<?x?x{0}, strided<[?, 1], offset: ?>> to memref<?x?x{0}, strided<[{4}, 1]>>
    %br = arith.muli %k0, %N : index
    %bo = arith.addi %br, %n0 : index
    %vb = memref.reinterpret_cast %a1 to offset: [%bo], sizes: [%ks, %ns], strides: [%N, 1] : memref<?x{0}> to memref<?x?x{0}, strided<[?, 1], offset: ?>>
    %sb = memref.subview %lb[0, 0] [%ks, %ns] [1, 1] : memref<{4}x{3}x{0}> to memref<?x?x{0}, strided<[{3}, 1]>>
    memref.copy %vb, %sb : memref<?x?x{0}, strided<[?, 1], offset: ?>> to memref<?x?x{0}, strided<[{3}, 1]>>
    %ta = bufferization.to_tensor %la restrict writable : memref<{2}x{4}x{0}>
    %tb = bufferization.to_tensor %lb restrict writable : memref<{4}x{3}x{0}>
    %mm = linalg.matmul ins(%ta, %tb : tensor<{2}x{4}x{0}>, tensor<{4}x{3}x{0}>) outs(%acc : tensor<{2}x{3}xf32>) -> tensor<{2}x{3}xf32>
    scf.yield %mm : tensor<{2}x{3}xf32>
  }
)",
                                   in, out, tm, tn, tk);
  std::string result = "%res";
  if (out != "f32") {
    body += llvm::formatv("  %tr = arith.truncf %res : tensor<{0}x{1}xf32> to "
                          "tensor<{0}x{1}x{2}>\n",
                          tm, tn, out);
    result = "%tr";
  }
  body += llvm::formatv(R"(
  %cr = arith.muli %m0, %N : index
  %co = arith.addi %cr, %n0 : index
  %vc = memref.reinterpret_cast %a2 to offset: [%co], sizes: [%ms, %ns], strides: [%N, 1] : memref<?x{0}> to memref<?x?x{0}, strided<[?, 1], offset: ?>>
  %part = tensor.extract_slice {3}[0, 0] [%ms, %ns] [1, 1] : tensor<{1}x{2}x{0}> to tensor<?x?x{0}>
  bufferization.materialize_in_destination %part in writable %vc : (tensor<?x?x{0}>, memref<?x?x{0}, strided<[?, 1], offset: ?>>) -> ()
)",
                        out, tm, tn, result);
  return kernel({buffer(in), buffer(in), buffer(out), "i32", "i32", "i32"},
                body);
}

template <typename In, typename Out>
std::vector<Out> product(const std::vector<In> &a, const std::vector<In> &b,
                         int64_t m, int64_t n, int64_t k, bool ta = false,
                         bool tb = false) {
  std::vector<Out> c(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += double(toFloat(ta ? a[l * m + i] : a[i * k + l])) *
               double(toFloat(tb ? b[j * k + l] : b[l * n + j]));
      if constexpr (std::is_integral_v<Out>)
        c[i * n + j] = Out(int64_t(sum));
      else
        c[i * n + j] = fromFloat<Out>(float(sum));
    }
  return c;
}

template <typename T>
void expectSame(const std::vector<T> &got, const std::vector<T> &want) {
  ASSERT_EQ(got.size(), want.size());
  int shown = 0;
  for (size_t i = 0; i < got.size() && shown < 5; ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
      ADD_FAILURE() << "element " << i << " is " << toFloat(got[i]) << ", not "
                    << toFloat(want[i]);
      ++shown;
    }
}

template <typename In, typename Out>
void checkTiled(llvm::StringRef in, llvm::StringRef out) {
  Kernel k(tiledGemm(in, out, 32, 48, 16));
  // Divisible, ragged in every dimension, and smaller than a tile.
  for (auto [m, n, depth] : {std::tuple<int64_t, int64_t, int64_t>{64, 96, 64},
                             {70, 101, 37},
                             {3, 1, 5}}) {
    auto a = randomValues<In>(m * depth, 1), b = randomValues<In>(depth * n, 2);
    // Quarters times quarters: a bound of what 11 or 8 bits of result hold is
    // not kept, so the reference rounds as well.
    std::vector<Out> c(m * n, fromFloat<Out>(-1));
    k.run({(m + 31) / 32, (n + 47) / 48}, a, b, c, m, n, depth);
    expectSame(c, product<In, Out>(a, b, m, n, depth));
  }
}

TEST(Matmul, TilesOfF16) { checkTiled<_Float16, float>("f16", "f32"); }
TEST(Matmul, TilesOfF16ToF16) { checkTiled<_Float16, _Float16>("f16", "f16"); }
TEST(Matmul, TilesOfBf16ToBf16) { checkTiled<Bf16, Bf16>("bf16", "bf16"); }
TEST(Matmul, TilesOfF32) { checkTiled<float, float>("f32", "f32"); }

/// One product of whole operands, transposed as said, added to C.
std::string wholeProduct(llvm::StringRef in, llvm::StringRef out, int64_t m,
                         int64_t n, int64_t k, bool ta, bool tb) {
  std::string body = load("A", 0, ta ? k : m, ta ? m : k, in) +
                     load("B", 1, tb ? n : k, tb ? k : n, in) +
                     load("C", 2, m, n, out);
  std::string a = "%A", b = "%B";
  if (ta) {
    body += llvm::formatv(
        "  %ea = tensor.empty() : tensor<{0}x{1}x{2}>\n  %At = "
        "linalg.transpose "
        "ins(%A : tensor<{1}x{0}x{2}>) outs(%ea : tensor<{0}x{1}x{2}>) "
        "permutation = [1, 0]\n",
        m, k, in);
    a = "%At";
  }
  if (tb) {
    body += llvm::formatv(
        "  %eb = tensor.empty() : tensor<{0}x{1}x{2}>\n  %Bt = "
        "linalg.transpose "
        "ins(%B : tensor<{1}x{0}x{2}>) outs(%eb : tensor<{0}x{1}x{2}>) "
        "permutation = [1, 0]\n",
        k, n, in);
    b = "%Bt";
  }
  body +=
      llvm::formatv("  %R = linalg.matmul ins({5}, {6} : tensor<{0}x{2}x{3}>, "
                    "tensor<{2}x{1}x{3}>) outs(%C : tensor<{0}x{1}x{4}>) -> "
                    "tensor<{0}x{1}x{4}>\n",
                    m, n, k, in, out, a, b);
  return kernel({buffer(in), buffer(in), buffer(out)},
                body + store("R", 2, m, n, out));
}

TEST(Matmul, EveryTransposition) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      SCOPED_TRACE(testing::Message() << "ta " << ta << " tb " << tb);
      auto a = randomValues<_Float16>(20 * 33, 3);
      auto b = randomValues<_Float16>(33 * 17, 4);
      std::vector<float> c(20 * 17, 0);
      Kernel k(wholeProduct("f16", "f32", 20, 17, 33, ta, tb));
      k.run({}, a, b, c);
      expectSame(c, product<_Float16, float>(a, b, 20, 17, 33, ta, tb));
    }
}

TEST(Matmul, AddsToItsAccumulator) {
  auto a = randomValues<float>(8 * 8, 5), b = randomValues<float>(8 * 8, 6);
  std::vector<float> c(64, 100), want = product<float, float>(a, b, 8, 8, 8);
  for (float &value : want)
    value += 100;
  Kernel k(wholeProduct("f32", "f32", 8, 8, 8, false, false));
  k.run({}, a, b, c);
  expectSame(c, want);
}

/// An accumulator that nobody filled is zero on the cube unit, alone and
/// through two loops.
TEST(Matmul, EmptyAccumulatorIsZero) {
  std::string body = load("A", 0, 4, 4, "f32") + R"(
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %S = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %R = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %e) -> (tensor<4x4xf32>) {
    %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%r = %p) -> (tensor<4x4xf32>) {
      %m = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%r : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %m : tensor<4x4xf32>
    }
    scf.yield %q : tensor<4x4xf32>
  }
)" + store("S", 1, 4, 4, "f32") +
                     store("R", 2, 4, 4, "f32");
  Kernel k(kernel({buffer("f32"), buffer("f32"), buffer("f32")}, body));
  auto a = randomValues<float>(16, 12);
  auto once = product<float, float>(a, a, 4, 4, 4), four = once;
  for (float &value : four)
    value *= 4;
  // Twice on one thread: the second run finds what the first left behind.
  for (int run = 0; run < 2; ++run) {
    std::vector<float> single(16, -1), looped(16, -1);
    k.run({}, a, single, looped);
    expectSame(single, once);
    expectSame(looped, four);
  }
}

/// A sum in f16 would lose the ones: 2048 + 1 is 2048 there.
TEST(Matmul, AccumulatesF16InF32) {
  std::vector<_Float16> a(4096, _Float16(1)), b(4096, _Float16(1)), c(1);
  Kernel k(wholeProduct("f16", "f16", 1, 1, 4096, false, false));
  k.run({}, a, b, c);
  EXPECT_EQ(float(c[0]), 4096.0f);
}

/// Past 2^24, where a single f32 sum is no longer exact; also transposed, where
/// K is the other dimension.
TEST(Matmul, Int8IsExact) {
  for (bool transposed : {false, true}) {
    SCOPED_TRACE(transposed);
    const int64_t m = 5, n = 7, depth = 2500;
    std::mt19937 generator(7);
    std::vector<int8_t> a(m * depth), b(depth * n);
    for (int8_t &value : a)
      value = generator() % 16 ? -128 : 127;
    for (int8_t &value : b)
      value = generator() % 5 ? -128 : -127;
    std::vector<int32_t> c(m * n, 0);
    Kernel k(wholeProduct("i8", "i32", m, n, depth, transposed, transposed));
    k.run({}, a, b, c);
    auto want =
        product<int8_t, int32_t>(a, b, m, n, depth, transposed, transposed);
    EXPECT_EQ(c, want);
    EXPECT_GT(*std::max_element(want.begin(), want.end()), 1 << 24);
  }
}

TEST(Matmul, Int32StaysInteger) {
  std::vector<int32_t> a(16, 65537), b(16, 65539), c(16, 0);
  Kernel k(wholeProduct("i32", "i32", 4, 4, 4, false, false));
  k.run({}, a, b, c);
  EXPECT_EQ(uint32_t(c[0]), 4u * 65537u * 65539u);
}

TEST(Matmul, BatchedWithTransposedRight) {
  std::string text = kernel({buffer("f16"), buffer("f16"), buffer("f32")}, R"(
  %av = memref.reinterpret_cast %a0 to offset: [0], sizes: [3, 4, 5], strides: [20, 5, 1] : memref<?xf16> to memref<3x4x5xf16, strided<[20, 5, 1]>>
  %bv = memref.reinterpret_cast %a1 to offset: [0], sizes: [3, 6, 5], strides: [30, 5, 1] : memref<?xf16> to memref<3x6x5xf16, strided<[30, 5, 1]>>
  %al = memref.alloc() : memref<3x4x5xf16>
  %bl = memref.alloc() : memref<3x6x5xf16>
  memref.copy %av, %al : memref<3x4x5xf16, strided<[20, 5, 1]>> to memref<3x4x5xf16>
  memref.copy %bv, %bl : memref<3x6x5xf16, strided<[30, 5, 1]>> to memref<3x6x5xf16>
  %A = bufferization.to_tensor %al restrict writable : memref<3x4x5xf16>
  %B = bufferization.to_tensor %bl restrict writable : memref<3x6x5xf16>
  %et = tensor.empty() : tensor<3x5x6xf16>
  %Bt = linalg.transpose ins(%B : tensor<3x6x5xf16>) outs(%et : tensor<3x5x6xf16>) permutation = [0, 2, 1]
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %R = linalg.batch_matmul ins(%A, %Bt : tensor<3x4x5xf16>, tensor<3x5x6xf16>) outs(%i : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %o = memref.reinterpret_cast %a2 to offset: [0], sizes: [3, 4, 6], strides: [24, 6, 1] : memref<?xf32> to memref<3x4x6xf32, strided<[24, 6, 1]>>
  bufferization.materialize_in_destination %R in writable %o : (tensor<3x4x6xf32>, memref<3x4x6xf32, strided<[24, 6, 1]>>) -> ()
)");
  auto a = randomValues<_Float16>(60, 8), b = randomValues<_Float16>(90, 9);
  std::vector<float> c(72, -1), want;
  for (int batch = 0; batch < 3; ++batch) {
    std::vector<_Float16> ab(a.begin() + batch * 20,
                             a.begin() + batch * 20 + 20);
    std::vector<_Float16> bb(b.begin() + batch * 30,
                             b.begin() + batch * 30 + 30);
    auto part = product<_Float16, float>(ab, bb, 4, 6, 5, false, true);
    want.insert(want.end(), part.begin(), part.end());
  }
  Kernel k(text);
  k.run({}, a, b, c);
  expectSame(c, want);
}

/// An operand that is every second column has no contiguous direction: BLAS
/// cannot read it.
TEST(Matmul, StridedOperand) {
  std::string text =
      kernel({buffer("f32"), buffer("f32"), buffer("f32")},
             load("A", 0, 6, 16, "f32") + load("B", 1, 8, 5, "f32") +
                 load("C", 2, 6, 5, "f32") + R"(
  %S = tensor.extract_slice %A[0, 0] [6, 8] [1, 2] : tensor<6x16xf32> to tensor<6x8xf32>
  %R = linalg.matmul ins(%S, %B : tensor<6x8xf32>, tensor<8x5xf32>) outs(%C : tensor<6x5xf32>) -> tensor<6x5xf32>
)" + store("R", 2, 6, 5, "f32"));
  auto a = randomValues<float>(96, 10), b = randomValues<float>(40, 11);
  std::vector<float> c(30, 0), even;
  for (size_t i = 0; i < a.size(); i += 2)
    even.push_back(a[i]);
  Kernel k(text);
  k.run({}, a, b, c);
  expectSame(c, product<float, float>(even, b, 6, 5, 8));
}

} // namespace
