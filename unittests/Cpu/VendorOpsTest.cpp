//===- VendorOpsTest.cpp - BiShengIR's own operations on the host ---------===//
//
// In the generic form that the vendor's tools print, bodies included where they
// insist on one.
//
//===----------------------------------------------------------------------===//
#include "KernelTester.h"
#include <cmath>

using namespace tilekiln;
using namespace tilekiln::test;

namespace {

TEST(VendorOps, Arange) {
  std::string text = kernel({buffer("i32"), "i32"}, R"(
  %o = arith.index_cast %a1 : i32 to index
  %s = arith.constant 3 : index
  %e = tensor.empty() : tensor<9xi32>
  %r = "hfusion.arange"(%o, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%p: index, %q: index, %v: i32):
    %i = "linalg.index"() <{dim = 0 : i64}> : () -> index
    %j = arith.index_cast %i : index to i32
    "linalg.yield"(%j) : (i32) -> ()
  }) : (index, index, tensor<9xi32>) -> tensor<9xi32>
  %R = tensor.expand_shape %r [[0, 1]] output_shape [1, 9] : tensor<9xi32> into tensor<1x9xi32>
)" + store("R", 0, 1, 9, "i32"));
  std::vector<int32_t> result(9);
  Kernel k(text);
  k.run({}, result, int64_t(-4));
  EXPECT_EQ(result, (std::vector<int32_t>{-4, -1, 2, 5, 8, 11, 14, 17, 20}));
}

/// As our own lowering prints them.
TEST(VendorOps, PrettyForm) {
  std::string text = kernel({buffer("f32"), buffer("i32")}, R"(
  %e = tensor.empty() : tensor<4xi32>
  %i = hfusion.arange offset[%c1] strides[%c1] outs(%e : tensor<4xi32>) -> tensor<4xi32>
)" + load("A", 0, 1, 4, "f32") + R"(
  %f = tensor.empty() : tensor<1x4xi32>
  %r = hfusion.cast {round_mode = #hfusion.round_mode<floor>} ins(%A : tensor<1x4xf32>) outs(%f : tensor<1x4xi32>) -> tensor<1x4xi32>
  %numbers = tensor.expand_shape %i [[0, 1]] output_shape [1, 4] : tensor<4xi32> into tensor<1x4xi32>
  %sum = arith.addi %r, %numbers : tensor<1x4xi32>
  %o = memref.reinterpret_cast %a1 to offset: [0], sizes: [1, 4], strides: [4, 1] : memref<?xi32> to memref<1x4xi32, strided<[4, 1]>>
  hivm.hir.store ins(%sum : tensor<1x4xi32>) outs(%o : memref<1x4xi32, strided<[4, 1]>>) atomic = <add>
)");
  std::vector<float> a{0.5f, 1.5f, -0.5f, 2};
  std::vector<int32_t> result{100, 200, 300, 400};
  Kernel k(text);
  k.run({}, a, result);
  EXPECT_EQ(result, (std::vector<int32_t>{101, 203, 302, 406}));
}

template <typename Out, typename In>
std::vector<Out> cast(llvm::StringRef attributes, llvm::StringRef from,
                      llvm::StringRef to, std::vector<In> values) {
  std::string body = load("A", 0, 1, values.size(), from);
  body += llvm::formatv("  %e = tensor.empty() : tensor<1x{0}x{2}>\n"
                        "  %R = \"hfusion.cast\"(%A, %e) <{{{3}}> : "
                        "(tensor<1x{0}x{1}>, tensor<1x{0}x{2}>) -> "
                        "tensor<1x{0}x{2}>\n",
                        values.size(), from, to, attributes);
  body += store("R", 1, 1, values.size(), to);
  std::vector<Out> result(values.size());
  Kernel k(kernel({buffer(from), buffer(to)}, body));
  k.run({}, values, result);
  return result;
}

TEST(VendorOps, CastInEveryRoundMode) {
  std::vector<float> values{2.5f, -2.5f, 3.5f, 1.2f, -1.2f};
  auto toInt = [&](const char *mode) {
    return cast<int32_t>(
        llvm::formatv("round_mode = #hfusion.round_mode<{0}>", mode).str(),
        "f32", "i32", values);
  };
  EXPECT_EQ(toInt("rint"), (std::vector<int32_t>{2, -2, 4, 1, -1}));
  EXPECT_EQ(toInt("round"), (std::vector<int32_t>{3, -3, 4, 1, -1}));
  EXPECT_EQ(toInt("floor"), (std::vector<int32_t>{2, -3, 3, 1, -2}));
  EXPECT_EQ(toInt("ceil"), (std::vector<int32_t>{3, -2, 4, 2, -1}));
  EXPECT_EQ(toInt("trunc"), (std::vector<int32_t>{2, -2, 3, 1, -1}));
  EXPECT_EQ(cast<float>("round_mode = #hfusion.round_mode<floor>", "f32", "f32",
                        values),
            (std::vector<float>{2, -3, 3, 1, -2}));
}

TEST(VendorOps, CastToNarrowIntegersWrapsOrSaturates) {
  std::vector<_Float16> values{_Float16(300), _Float16(-300), _Float16(5.5f)};
  EXPECT_EQ(cast<int8_t>("round_mode = #hfusion.round_mode<rint>", "f16", "i8",
                         values),
            (std::vector<int8_t>{44, -44, 6}));
  EXPECT_EQ(cast<int8_t>("enable_overflow = false, round_mode = "
                         "#hfusion.round_mode<rint>",
                         "f16", "i8", values),
            (std::vector<int8_t>{127, -128, 6}));
  EXPECT_EQ(cast<int8_t>("enable_overflow = false, round_mode = "
                         "#hfusion.round_mode<rint>",
                         "i32", "i8", std::vector<int32_t>{1000, -1000, 7}),
            (std::vector<int8_t>{127, -128, 7}));
}

TEST(VendorOps, CastThatTheHostCannotRoundIsNamed) {
  std::string body = load("A", 0, 1, 4, "f32") +
                     "  %e = tensor.empty() : tensor<1x4xf16>\n"
                     "  %R = \"hfusion.cast\"(%A, %e) <{round_mode = "
                     "#hfusion.round_mode<odd>}> : (tensor<1x4xf32>, "
                     "tensor<1x4xf16>) -> tensor<1x4xf16>\n" +
                     store("R", 1, 1, 4, "f16");
  Kernel k(kernel({buffer("f32"), buffer("f16")}, body));
  EXPECT_NE(k.message.find("'odd'"), std::string::npos) << k.message;
  EXPECT_NE(k.message.find("hfusion.cast"), std::string::npos) << k.message;
}

std::vector<float> unary(llvm::StringRef fun, std::vector<float> values) {
  std::string body = load("A", 0, 1, values.size(), "f32");
  body += llvm::formatv("  %e = tensor.empty() : tensor<1x{0}xf32>\n"
                        "  %R = \"hfusion.elemwise_unary\"(%A, %e) <{{fun = "
                        "#hfusion.unary_fn<{1}>}> : (tensor<1x{0}xf32>, "
                        "tensor<1x{0}xf32>) -> tensor<1x{0}xf32>\n",
                        values.size(), fun);
  std::vector<float> result(values.size());
  Kernel k(kernel({buffer("f32"), buffer("f32")},
                  body + store("R", 1, 1, values.size(), "f32")));
  k.run({}, values, result);
  return result;
}

TEST(VendorOps, ElemwiseUnary) {
  EXPECT_EQ(unary("relu", {-1, 0, 2}), (std::vector<float>{0, 0, 2}));
  EXPECT_EQ(unary("rec", {2, -4}), (std::vector<float>{0.5f, -0.25f}));
  EXPECT_EQ(unary("sqrt", {9, 2}), (std::vector<float>{3, std::sqrt(2.0f)}));
}

TEST(VendorOps, ElemwiseBinary) {
  std::string body = load("A", 0, 1, 3, "i32") + load("B", 1, 1, 3, "i32") + R"(
  %e = tensor.empty() : tensor<1x3xi32>
  %R = "hfusion.elemwise_binary"(%A, %B, %e) <{fun = #hfusion.binary_fn<vxor>}> : (tensor<1x3xi32>, tensor<1x3xi32>, tensor<1x3xi32>) -> tensor<1x3xi32>
)" + store("R", 2, 1, 3, "i32");
  std::vector<int32_t> a{1, 2, 255}, b{3, 2, 15}, result(3);
  Kernel k(kernel({buffer("i32"), buffer("i32"), buffer("i32")}, body));
  k.run({}, a, b, result);
  EXPECT_EQ(result, (std::vector<int32_t>{2, 0, 240}));
}

/// The last index lies outside: it reads the nearest element, not foreign
/// memory.
TEST(VendorOps, Gather) {
  std::string body = load("A", 0, 2, 4, "f32") + load("I", 1, 2, 3, "i32") + R"(
  %e = tensor.empty() : tensor<2x3xf32>
  %R = "hfusion.gather"(%A, %I, %e) <{axis = 1 : i64}> : (tensor<2x4xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
)" + store("R", 2, 2, 3, "f32");
  std::vector<float> a{0, 1, 2, 3, 10, 11, 12, 13}, result(6);
  std::vector<int32_t> indices{3, 0, 1, 2, 2, 1000000};
  Kernel k(kernel({buffer("f32"), buffer("i32"), buffer("f32")}, body));
  k.run({}, a, indices, result);
  EXPECT_EQ(result, (std::vector<float>{3, 0, 1, 12, 12, 13}));
}

std::vector<float> scan(llvm::StringRef op, int64_t dim, bool reverse,
                        std::vector<float> values) {
  std::string body = load("A", 0, 2, 3, "f32");
  body +=
      llvm::formatv("  %R = \"hfusion.{0}\"(%A) <{{cum_dims = array<i64: {1}>,"
                    " reverse = {2}}> : (tensor<2x3xf32>) -> "
                    "tensor<2x3xf32>\n",
                    op, dim, reverse ? "true" : "false");
  std::vector<float> result(6);
  Kernel k(kernel({buffer("f32"), buffer("f32")},
                  body + store("R", 1, 2, 3, "f32")));
  k.run({}, values, result);
  return result;
}

TEST(VendorOps, Scans) {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(scan("cumsum", 0, false, values),
            (std::vector<float>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(scan("cumsum", 1, false, values),
            (std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(scan("cumsum", 1, true, values),
            (std::vector<float>{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(scan("cumprod", 1, false, values),
            (std::vector<float>{1, 2, 6, 4, 20, 120}));
}

/// Prints are in the order of the blocks, whichever thread is first.
TEST(VendorOps, PrintInTheOrderOfTheBlocks) {
  std::string body = load("A", 0, 2, 2, "f32") + R"(
  "hfusion.print"(%px) <{hex = false, prefix = "block "}> : (i32) -> ()
  "hfusion.print"(%A) <{hex = false, prefix = "x: "}> : (tensor<2x2xf32>) -> ()
)";
  std::vector<float> a{1, 2.5, -3, 4};
  Kernel k(kernel({buffer("f32")}, body));
  k.options.threads = 4;
  testing::internal::CaptureStdout();
  k.run({20}, a);
  std::string want;
  for (int i = 0; i < 20; ++i)
    want += "block " + std::to_string(i) + "\nx: [[1, 2.5], [-3, 4]]\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), want);
}

/// Every block adds its number to the same tile.
template <typename T>
std::vector<T> atomic(llvm::StringRef kind, llvm::StringRef element,
                      std::vector<T> start, unsigned threads, int64_t blocks) {
  std::string value =
      element.starts_with("i")
          ? element == "i32"
                ? "  %v = arith.addi %px, %c0i : i32\n"
                : ("  %v = arith.trunci %px : i32 to " + element + "\n").str()
          : ("  %v = arith.sitofp %px : i32 to " + element + "\n").str();
  std::string body = "  %c0i = arith.constant 0 : i32\n" + value;
  body += llvm::formatv(R"(
  %e = tensor.empty() : tensor<2x3x{0}>
  %t = linalg.fill ins(%v : {0}) outs(%e : tensor<2x3x{0}>) -> tensor<2x3x{0}>
  %o = memref.reinterpret_cast %a0 to offset: [1], sizes: [2, 3], strides: [4, 1] : memref<?x{0}> to memref<2x3x{0}, strided<[4, 1], offset: 1>>
  "hivm.hir.store"(%t, %o) <{{atomic_kind = #hivm.atomic_kind<{1}>}> : (tensor<2x3x{0}>, memref<2x3x{0}, strided<[4, 1], offset: 1>>) -> ()
)",
                        element, kind);
  Kernel k(kernel({buffer(element)}, body));
  k.options.threads = threads;
  k.run({blocks}, start);
  return start;
}

TEST(VendorOps, AtomicAddOfEveryType) {
  // 0 + 1 + ... + 9, in the inner 2 x 3 of 2 x 4 elements from the second on.
  auto check = [](auto result) {
    for (size_t i = 0; i < result.size(); ++i)
      EXPECT_EQ(toFloat(result[i]), i == 0 || i == 4 ? 1 : 46) << i;
  };
  check(atomic<float>("add", "f32", std::vector<float>(8, 1), 4, 10));
  check(atomic<_Float16>("add", "f16", std::vector<_Float16>(8, _Float16(1)), 4,
                         10));
  check(atomic<Bf16>("add", "bf16", std::vector<Bf16>(8, Bf16::of(1)), 4, 10));
  check(atomic<int32_t>("add", "i32", std::vector<int32_t>(8, 1), 4, 10));
  check(atomic<int8_t>("add", "i8", std::vector<int8_t>(8, 1), 4, 10));
}

TEST(VendorOps, AtomicMaxAndMin) {
  EXPECT_EQ(atomic<int32_t>("max", "i32", std::vector<int32_t>(8, 5), 4, 20)[1],
            19);
  EXPECT_EQ(atomic<int32_t>("min", "i32", std::vector<int32_t>(8, 5), 4, 20)[1],
            0);
  EXPECT_EQ(atomic<float>("max", "f32", std::vector<float>(8, -5), 4, 20)[1],
            19);
}

/// A thousand blocks race for six numbers; not one addition may be lost.
TEST(VendorOps, AtomicAddLosesNothing) {
  auto result =
      atomic<int32_t>("add", "i32", std::vector<int32_t>(8, 0), 8, 1000);
  EXPECT_EQ(result[1], 499500);
}

TEST(VendorOps, PlainStore) {
  std::string body = load("A", 0, 2, 3, "f32") + R"(
  %o = memref.reinterpret_cast %a1 to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf32> to memref<2x3xf32, strided<[3, 1]>>
  "hivm.hir.store"(%A, %o) : (tensor<2x3xf32>, memref<2x3xf32, strided<[3, 1]>>) -> ()
)";
  std::vector<float> a{1, 2, 3, 4, 5, 6}, result(6);
  Kernel k(kernel({buffer("f32"), buffer("f32")}, body));
  k.run({}, a, result);
  EXPECT_EQ(result, a);
}

TEST(VendorOps, UnknownOperationIsNamedWithItsPlace) {
  Kernel k(kernel({buffer("f32")}, "  \"hivm.hir.sync_block\"() : () -> () "
                                   "loc(\"kernel.py\":42:7)\n"));
  EXPECT_NE(k.message.find("kernel.py:42:7"), std::string::npos) << k.message;
  EXPECT_NE(k.message.find("'hivm.hir.sync_block'"), std::string::npos)
      << k.message;
}

TEST(VendorOps, AtomicOnATypeWithoutOneIsAnError) {
  std::string body = load("A", 0, 1, 4, "f32") + R"(
  %o = memref.reinterpret_cast %a0 to offset: [0], sizes: [1, 4], strides: [4, 1] : memref<?xf32> to memref<1x4xf32, strided<[4, 1]>>
  "hivm.hir.store"(%A, %o) <{atomic_kind = #hivm.atomic_kind<xor>}> : (tensor<1x4xf32>, memref<1x4xf32, strided<[4, 1]>>) -> ()
)";
  Kernel k(kernel({buffer("f32")}, body));
  EXPECT_NE(k.message.find("no atomic 'xor' on 'f32'"), std::string::npos)
      << k.message;
}

} // namespace
