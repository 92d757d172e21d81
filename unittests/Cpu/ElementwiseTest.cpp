//===- ElementwiseTest.cpp - Arithmetic, rounding and conversions ---------===//
//
// Element by element against C++ on the same values, with the operands where
// processors differ: NaN, infinities, denormals, overflow, division by zero.
//
//===----------------------------------------------------------------------===//
#include "KernelTester.h"
#include <cmath>
#include <limits>

using namespace tilekiln;
using namespace tilekiln::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// %R = op(%A[, %B]) on rows of 1 x n, from and to the named types.
std::string elementwise(llvm::StringRef op, int64_t n, llvm::StringRef in,
                        llvm::StringRef out, bool binary) {
  std::string body = load("A", 0, 1, n, in);
  if (binary)
    body += load("B", 1, 1, n, in);
  std::string type = llvm::formatv("tensor<1x{0}x{1}>", n, in);
  body += "  %R = " + op.str() + " %A" + (binary ? ", %B" : "") + " : " + type;
  if (in != out)
    body += llvm::formatv(" to tensor<1x{0}x{1}>", n, out);
  body += "\n" + store("R", binary ? 2 : 1, 1, n, out);
  std::vector<std::string> types(binary ? 2 : 1, buffer(in));
  types.push_back(buffer(out));
  return kernel(types, body);
}

template <typename Out, typename In>
std::vector<Out> unary(llvm::StringRef op, llvm::StringRef in,
                       llvm::StringRef out, std::vector<In> a) {
  std::vector<Out> result(a.size());
  Kernel k(elementwise(op, a.size(), in, out, false));
  k.run({}, a, result);
  return result;
}

template <typename T>
std::vector<T> binary(llvm::StringRef op, llvm::StringRef type,
                      std::vector<T> a, std::vector<T> b) {
  std::vector<T> result(a.size());
  Kernel k(elementwise(op, a.size(), type, type, true));
  k.run({}, a, b, result);
  return result;
}

TEST(Elementwise, F32Arithmetic) {
  std::vector<float> a{1, -2.5, 0, inf, 3e38f, 1e-45f}, b{3, 4, 0, 1, 3e38f, 1};
  auto sum = binary<float>("arith.addf", "f32", a, b);
  auto quotient = binary<float>("arith.divf", "f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sum[i], a[i] + b[i]) << i;
    if (i != 2) {
      EXPECT_EQ(quotient[i], a[i] / b[i]) << i;
    }
  }
  EXPECT_TRUE(std::isnan(quotient[2]));
}

TEST(Elementwise, MaximumKeepsNan) {
  auto result =
      binary<float>("arith.maximumf", "f32", {nan, 1, 2}, {1, nan, 3});
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_TRUE(std::isnan(result[1]));
  EXPECT_EQ(result[2], 3);
  result = binary<float>("arith.maxnumf", "f32", {nan, 1, 2}, {1, nan, 3});
  EXPECT_EQ(result, (std::vector<float>{1, 1, 3}));
}

/// Every operation rounds to f16: 2048 + 1 is a tie, 60000 + 60000 too large.
TEST(Elementwise, F16RoundsToNearestEven) {
  std::vector<_Float16> a{_Float16(2048), _Float16(2050), _Float16(60000),
                          _Float16(0.1f)};
  std::vector<_Float16> b{_Float16(1), _Float16(1), _Float16(60000),
                          _Float16(0.2f)};
  auto sum = binary<_Float16>("arith.addf", "f16", a, b);
  EXPECT_EQ(float(sum[0]), 2048.0f);
  EXPECT_EQ(float(sum[1]), 2052.0f);
  EXPECT_EQ(float(sum[2]), inf);
  EXPECT_EQ(sum[3], _Float16(float(a[3]) + float(b[3])));
}

TEST(Elementwise, Bf16RoundsToNearestEven) {
  std::vector<Bf16> a{Bf16::of(256), Bf16::of(258), Bf16::of(1.0f)};
  std::vector<Bf16> b{Bf16::of(1), Bf16::of(1), Bf16::of(1.0f / 256)};
  auto sum = binary<Bf16>("arith.addf", "bf16", a, b);
  EXPECT_EQ(sum[0].value(), 256.0f);
  EXPECT_EQ(sum[1].value(), 260.0f);
  EXPECT_EQ(sum[2].value(), 1.0f);
}

TEST(Elementwise, NarrowingCasts) {
  std::vector<float> values{1.0f, -2.75f, 65519.0f, 65520.0f, 1e-8f,  6e-8f,
                            nan,  inf,    -inf,     3.4e38f,  1e-40f, 0.1f};
  auto f16 = unary<_Float16>("arith.truncf", "f32", "f16", values);
  auto bf16 = unary<Bf16>("arith.truncf", "f32", "bf16", values);
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(float(f16[i])));
      EXPECT_TRUE(std::isnan(bf16[i].value()));
      continue;
    }
    EXPECT_EQ(float(f16[i]), float(_Float16(values[i]))) << values[i];
    // Denormals are kept, not flushed.
    EXPECT_EQ(bf16[i].bits, Bf16::of(values[i]).bits) << values[i];
  }
  EXPECT_EQ(float(f16[2]), 65504.0f);
  EXPECT_EQ(float(f16[3]), inf);
}

TEST(Elementwise, FloatToIntegerSaturates) {
  std::vector<float> values{1.9f, -1.9f, 3e9f, -3e9f, inf,
                            -inf, nan,   300,  -300};
  auto i32 = unary<int32_t>("arith.fptosi", "f32", "i32", values);
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(i32, (std::vector<int32_t>{1, -1, most, least, most, least, 0, 300,
                                       -300}));
  auto i8 = unary<int8_t>("arith.fptosi", "f32", "i8", values);
  EXPECT_EQ(i8,
            (std::vector<int8_t>{1, -1, 127, -128, 127, -128, 0, 127, -128}));
  auto u8 = unary<uint8_t>("arith.fptoui", "f32", "i8", values);
  EXPECT_EQ(u8, (std::vector<uint8_t>{1, 0, 255, 0, 255, 0, 0, 255, 0}));
}

/// The padded edge of a tile divides zero by zero; the host would trap.
TEST(Elementwise, IntegerDivisionNeverTraps) {
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  std::vector<int32_t> a{7, -7, 7, 0, least, 5}, b{2, 2, 0, 0, -1, -5};
  EXPECT_EQ(binary<int32_t>("arith.divsi", "i32", a, b),
            (std::vector<int32_t>{3, -3, 0, 0, least, -1}));
  EXPECT_EQ(binary<int32_t>("arith.remsi", "i32", a, b),
            (std::vector<int32_t>{1, -1, 7, 0, 0, 0}));
  EXPECT_EQ(binary<int32_t>("arith.floordivsi", "i32", a, b),
            (std::vector<int32_t>{3, -4, 0, 0, least, -1}));
  std::vector<int8_t> bytes{7, -128}, divisors{0, -1};
  EXPECT_EQ(binary<int8_t>("arith.divsi", "i8", bytes, divisors),
            (std::vector<int8_t>{0, -128}));
  EXPECT_EQ(binary<uint32_t>("arith.remui", "i32", {7u, ~0u}, {0u, 10u}),
            (std::vector<uint32_t>{7u, 5u}));
}

TEST(Elementwise, MathFunctions) {
  std::vector<float> values;
  for (int i = 0; i < 37; ++i)
    values.push_back(0.05f + 0.11f * i);
  auto check = [&](const char *op, float (*reference)(float)) {
    auto f32 = unary<float>(op, "f32", "f32", values);
    std::vector<_Float16> half;
    std::vector<Bf16> brain;
    for (float value : values) {
      half.push_back(_Float16(value));
      brain.push_back(Bf16::of(value));
    }
    auto f16 = unary<_Float16>(op, "f16", "f16", half);
    auto bf16 = unary<Bf16>(op, "bf16", "bf16", brain);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_FLOAT_EQ(f32[i], reference(values[i])) << op << ' ' << values[i];
      EXPECT_NEAR(float(f16[i]), reference(float(half[i])),
                  std::abs(reference(float(half[i]))) / 1000)
          << op;
      EXPECT_NEAR(bf16[i].value(), reference(brain[i].value()),
                  std::abs(reference(brain[i].value())) / 200)
          << op;
    }
  };
  check("math.exp", [](float x) { return std::exp(x); });
  check("math.exp2", [](float x) { return std::exp2(x); });
  check("math.log", [](float x) { return std::log(x); });
  check("math.log2", [](float x) { return std::log2(x); });
  check("math.sqrt", [](float x) { return std::sqrt(x); });
  check("math.rsqrt", [](float x) { return 1 / std::sqrt(x); });
  check("math.tanh", [](float x) { return std::tanh(x); });
  check("math.erf", [](float x) { return std::erf(x); });
  check("math.sin", [](float x) { return std::sin(x); });
  check("math.cos", [](float x) { return std::cos(x); });
  check("math.tan", [](float x) { return std::tan(x); });
  check("math.atan", [](float x) { return std::atan(x); });
  check("math.floor", [](float x) { return std::floor(x); });
  check("math.ceil", [](float x) { return std::ceil(x); });
  check("math.absf", [](float x) { return std::abs(x); });
  check("math.log1p", [](float x) { return std::log1p(x); });
  check("math.expm1", [](float x) { return std::expm1(x); });
}

/// Where exp(x) - 1 and log(1 + x) have lost every digit.
TEST(Elementwise, FunctionsNearZero) {
  std::vector<float> tiny{1e-9f, -1e-9f};
  EXPECT_EQ(unary<float>("math.expm1", "f32", "f32", tiny), tiny);
  EXPECT_EQ(unary<float>("math.log1p", "f32", "f32", tiny), tiny);
}

TEST(Elementwise, RoundingsDifferOnTies) {
  std::vector<float> ties{0.5f, 1.5f, -0.5f, -1.5f, 2.5f};
  EXPECT_EQ(unary<float>("math.roundeven", "f32", "f32", ties),
            (std::vector<float>{0, 2, -0.0f, -2, 2}));
  EXPECT_EQ(unary<float>("math.round", "f32", "f32", ties),
            (std::vector<float>{1, 2, -1, -2, 3}));
  EXPECT_EQ(unary<float>("math.trunc", "f32", "f32", ties),
            (std::vector<float>{0, 1, -0.0f, -1, 2}));
}

TEST(Elementwise, PowersAndRemainders) {
  EXPECT_EQ(binary<float>("math.powf", "f32", {2, 9, -2}, {10, 0.5f, 3}),
            (std::vector<float>{1024, 3, -8}));
  EXPECT_EQ(binary<float>("arith.remf", "f32", {7.5f, -7.5f}, {2, 2}),
            (std::vector<float>{1.5f, -1.5f}));
  EXPECT_EQ(float(binary<_Float16>("math.powf", "f16", {_Float16(2)},
                                   {_Float16(3)})[0]),
            8.0f);
}

TEST(Elementwise, IntegersOfEveryWidth) {
  EXPECT_EQ(binary<int8_t>("arith.addi", "i8", {127, -128}, {1, -1}),
            (std::vector<int8_t>{-128, 127}));
  EXPECT_EQ(binary<int16_t>("arith.muli", "i16", {300, -5}, {300, 7}),
            (std::vector<int16_t>{int16_t(90000), -35}));
  EXPECT_EQ(binary<int64_t>("arith.maxsi", "i64", {1ll << 40, -1}, {5, -2}),
            (std::vector<int64_t>{1ll << 40, -1}));
  EXPECT_EQ(binary<int32_t>("arith.shrsi", "i32", {-16, 16}, {2, 2}),
            (std::vector<int32_t>{-4, 4}));
  EXPECT_EQ(
      (unary<int32_t>("arith.extsi", "i8", "i32", std::vector<int8_t>{-1, 5})),
      (std::vector<int32_t>{-1, 5}));
  EXPECT_EQ((unary<float>("arith.sitofp", "i32", "f32",
                          std::vector<int32_t>{-3, 1 << 30})),
            (std::vector<float>{-3, float(1 << 30)}));
  auto brain =
      unary<Bf16>("arith.sitofp", "i32", "bf16", std::vector<int32_t>{-3, 257});
  EXPECT_EQ(brain[0].value(), -3.0f);
  EXPECT_EQ(brain[1].value(), 256.0f);
}

/// A chain with a broadcast row and column, a comparison and a constant: what
/// the fusion works on.
TEST(Elementwise, FusedChainWithBroadcasts) {
  std::string text =
      kernel({buffer("f32"), buffer("f32"), buffer("f32")},
             load("A", 0, 12, 20, "f32") + load("B", 1, 1, 20, "f32") + R"(
  %row = tensor.collapse_shape %B [[0, 1]] : tensor<1x20xf32> into tensor<20xf32>
  %one = arith.constant dense<1.0> : tensor<12x20xf32>
  %two = arith.constant dense<2.0> : tensor<20xf32>
  %rowTwice = arith.mulf %row, %two : tensor<20xf32>
  %e = tensor.empty() : tensor<12x20xf32>
  %wide = linalg.broadcast ins(%rowTwice : tensor<20xf32>) outs(%e : tensor<12x20xf32>) dimensions = [0]
  %ninf = arith.constant 0xFF800000 : f32
  %ec = tensor.empty() : tensor<12xf32>
  %id = linalg.fill ins(%ninf : f32) outs(%ec : tensor<12xf32>) -> tensor<12xf32>
  %most = linalg.reduce { arith.maximumf } ins(%A : tensor<12x20xf32>) outs(%id : tensor<12xf32>) dimensions = [1]
  %mostWide = linalg.broadcast ins(%most : tensor<12xf32>) outs(%e : tensor<12x20xf32>) dimensions = [1]
  %d = arith.subf %A, %mostWide : tensor<12x20xf32>
  %s = arith.addf %d, %wide : tensor<12x20xf32>
  %big = arith.cmpf ogt, %s, %one : tensor<12x20xf32>
  %R = arith.select %big, %s, %A : tensor<12x20xi1>, tensor<12x20xf32>
)" + store("R", 2, 12, 20, "f32"));
  auto a = randomValues<float>(240, 1), b = randomValues<float>(20, 2);
  std::vector<float> result(240);
  Kernel k(text);
  k.run({}, a, b, result);
  for (int i = 0; i < 12; ++i) {
    float most = *std::max_element(&a[i * 20], &a[i * 20] + 20);
    for (int j = 0; j < 20; ++j) {
      float s = a[i * 20 + j] - most + 2 * b[j];
      EXPECT_EQ(result[i * 20 + j], s > 1 ? s : a[i * 20 + j]) << i << ' ' << j;
    }
  }
}

TEST(Elementwise, ReductionsAlongEachDimension) {
  std::string text = kernel({buffer("f32"), buffer("f32"), buffer("f32")},
                            load("A", 0, 6, 10, "f32") + R"(
  %z = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<6xf32>
  %ec = tensor.empty() : tensor<10xf32>
  %ir = linalg.fill ins(%z : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %ic = linalg.fill ins(%z : f32) outs(%ec : tensor<10xf32>) -> tensor<10xf32>
  %r = linalg.reduce { arith.addf } ins(%A : tensor<6x10xf32>) outs(%ir : tensor<6xf32>) dimensions = [1]
  %c = linalg.reduce { arith.addf } ins(%A : tensor<6x10xf32>) outs(%ic : tensor<10xf32>) dimensions = [0]
  %R = tensor.expand_shape %r [[0, 1]] output_shape [1, 6] : tensor<6xf32> into tensor<1x6xf32>
  %C = tensor.expand_shape %c [[0, 1]] output_shape [1, 10] : tensor<10xf32> into tensor<1x10xf32>
)" + store("R", 1, 1, 6, "f32") +
                                store("C", 2, 1, 10, "f32"));
  auto a = randomValues<float>(60, 1);
  std::vector<float> rows(6), columns(10), wantRows(6), wantColumns(10);
  for (int i = 0; i < 60; ++i) {
    wantRows[i / 10] += a[i];
    wantColumns[i % 10] += a[i];
  }
  Kernel k(text);
  k.run({}, a, rows, columns);
  EXPECT_EQ(rows, wantRows);
  EXPECT_EQ(columns, wantColumns);
}

} // namespace
