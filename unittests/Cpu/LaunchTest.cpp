//===- LaunchTest.cpp - Arguments, grids, threads and errors --------------===//
//
// How a compiled kernel is started, and what is refused with which words.
//
//===----------------------------------------------------------------------===//
#include "KernelTester.h"

using namespace tilekiln;
using namespace tilekiln::test;

namespace {

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// Block index and grid of every block, at its place in launch order.
std::string whoAmI() {
  return kernel({buffer("i32")}, R"(
  %c6 = arith.constant 6 : i32
  %r0 = arith.muli %px, %gy : i32
  %r1 = arith.addi %r0, %py : i32
  %r2 = arith.muli %r1, %gz : i32
  %r3 = arith.addi %r2, %pz : i32
  %r4 = arith.muli %r3, %c6 : i32
  %o = arith.index_cast %r4 : i32 to index
  %v = memref.reinterpret_cast %a0 to offset: [%o], sizes: [6], strides: [1] : memref<?xi32> to memref<6xi32, strided<[1], offset: ?>>
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %i4 = arith.constant 4 : index
  %i5 = arith.constant 5 : index
  memref.store %gx, %v[%c0] : memref<6xi32, strided<[1], offset: ?>>
  memref.store %gy, %v[%i1] : memref<6xi32, strided<[1], offset: ?>>
  memref.store %gz, %v[%i2] : memref<6xi32, strided<[1], offset: ?>>
  memref.store %px, %v[%i3] : memref<6xi32, strided<[1], offset: ?>>
  memref.store %py, %v[%i4] : memref<6xi32, strided<[1], offset: ?>>
  memref.store %pz, %v[%i5] : memref<6xi32, strided<[1], offset: ?>>
)");
}

TEST(Launch, EveryBlockRunsOnceWithItsIndex) {
  Kernel k(whoAmI());
  for (unsigned threads : {1u, 3u, 0u}) {
    k.options.threads = threads;
    std::vector<int32_t> result(2 * 3 * 5 * 6, -1), want;
    k.run({2, 3, 5}, result);
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 5; ++z)
          for (int value : {2, 3, 5, x, y, z})
            want.push_back(value);
    EXPECT_EQ(result, want);
  }
}

TEST(Launch, EmptyGridDoesNothing) {
  Kernel k(whoAmI());
  std::vector<int32_t> result(6, -1);
  k.run({0, 1, 1}, result);
  EXPECT_EQ(result, std::vector<int32_t>(6, -1));
}

TEST(Launch, ScalarsOfEveryType) {
  std::string text = kernel({buffer("f64"), "i64", "i32", "i16", "i8", "i1",
                             "index", "f64", "f32", "f16", "bf16"},
                            R"(
  %v1 = arith.sitofp %a1 : i64 to f64
  %v2 = arith.sitofp %a2 : i32 to f64
  %v3 = arith.sitofp %a3 : i16 to f64
  %v4 = arith.sitofp %a4 : i8 to f64
  %v5 = arith.uitofp %a5 : i1 to f64
  %w6 = arith.index_cast %a6 : index to i64
  %v6 = arith.sitofp %w6 : i64 to f64
  %v8 = arith.extf %a8 : f32 to f64
  %v9 = arith.extf %a9 : f16 to f64
  %w10 = arith.extf %a10 : bf16 to f32
  %v10 = arith.extf %w10 : f32 to f64
  %t = tensor.from_elements %v1, %v2, %v3, %v4, %v5, %v6, %a7, %v8, %v9, %v10 : tensor<1x10xf64>
)" + store("t", 0, 1, 10, "f64"));
  std::vector<double> result(10);
  Kernel k(text);
  k.run({}, result, int64_t(-(1ll << 40)), int64_t(-7), int64_t(-300),
        int64_t(-100), int64_t(1), int64_t(1ll << 40), 0.1, 0.5, 0.25, 0.125);
  EXPECT_EQ(result,
            (std::vector<double>{-double(1ll << 40), -7, -300, -100, 1,
                                 double(1ll << 40), 0.1, 0.5, 0.25, 0.125}));
}

/// An integer stands for a float, as in a call from Python; not the other way.
TEST(Launch, IntegerForAFloat) {
  std::string text = kernel({buffer("f32"), "f32"},
                            "  memref.store %a1, %a0[%c0] : memref<?xf32>\n");
  std::vector<float> result(1);
  Kernel k(text);
  k.run({}, result, int64_t(3));
  EXPECT_EQ(result[0], 3);
  Kernel integer(kernel({buffer("i32"), "i32"},
                        "  memref.store %a1, %a0[%c0] : memref<?xi32>\n"));
  std::vector<int32_t> number(1);
  expectContains(integer.tryRun({}, number, 2.5),
                 "argument 1 of kernel 'k' is an "
                 "integer, not 2.5");
}

TEST(Launch, WrongArgumentsAreNamed) {
  Kernel k(whoAmI());
  std::vector<int32_t> result(6, 0);
  expectContains(k.tryRun({}), "kernel 'k' takes 1 arguments, not 0");
  expectContains(k.tryRun({}, int64_t(1)),
                 "argument 0 of kernel 'k' is a buffer, "
                 "not a number");
  expectContains(k.tryRun({-1, 1, 1}, result), "does not fit i32");
  expectContains(k.tryRun({1 << 30, 1 << 30, 1 << 30}, result),
                 "has too many blocks");
}

TEST(Launch, BadModulesAreErrors) {
  expectContains(Kernel("func.func @k(").message, "cannot read the linked IR");
  expectContains(Kernel("func.func @other() { return }").message,
                 "no function 'k'");
  expectContains(Kernel("func.func @k(%a: i32) { return }").message,
                 "not a kernel");
  expectContains(Kernel(kernel({"memref<4x4xf32>"}, "")).message,
                 "argument 0 of kernel 'k' has type memref<4x4xf32>");
  // Well-formed text that breaks an operation's rules.
  expectContains(
      Kernel(kernel({buffer("f32")},
                    "  %r = \"arith.addf\"(%px, %px) : (i32, i32) -> i32\n"))
          .message,
      "arith.addf");
}

/// Sums of floats depend on their order; the executor keeps it.
TEST(Launch, FloatAtomicsAreTheSameEveryTime) {
  std::string text = kernel({buffer("f32"), buffer("f32")}, R"(
  %v = memref.reinterpret_cast %a0 to offset: [%x], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  %l = memref.alloc() : memref<1xf32>
  memref.copy %v, %l : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32>
  %t = bufferization.to_tensor %l restrict writable : memref<1xf32>
  %o = memref.reinterpret_cast %a1 to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32, strided<[1]>>
  "hivm.hir.store"(%t, %o) <{atomic_kind = #hivm.atomic_kind<add>}> : (tensor<1xf32>, memref<1xf32, strided<[1]>>) -> ()
)");
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<float> values(2000);
  for (float &value : values)
    value = numbers(generator);
  float want = 0;
  for (float value : values)
    want += value;
  Kernel k(text);
  for (unsigned threads : {1u, 2u, 8u}) {
    k.options.threads = threads;
    std::vector<float> sum(1, 0);
    k.run({2000}, values, sum);
    EXPECT_EQ(sum[0], want) << threads;
  }
}

/// A kernel called like a function that its code calls.
TEST(Launch, KernelMayBeCalledAsAFunctionOfTheLibrary) {
  std::string text = kernel({buffer("f32")}, R"(
  %v = memref.load %a0[%c0] : memref<?xf32>
  %e = math.exp %v : f32
  memref.store %e, %a0[%c0] : memref<?xf32>
)");
  text.replace(text.find("@k("), 2, "@expf");
  std::vector<float> value{0};
  Kernel k(text, "expf");
  k.run({}, value);
  EXPECT_EQ(value[0], 1);
}

/// Two kernels at once, each on threads of its own.
TEST(Launch, KernelsRunSideBySide) {
  Kernel first(whoAmI()), second(whoAmI());
  std::vector<int32_t> a(600, -1), b(600, -1);
  std::thread other([&] { first.run({100}, a); });
  second.run({100}, b);
  other.join();
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[599], 0);
  EXPECT_EQ(a[597], 99);
}

/// The module that is compiled is left as it was.
TEST(Launch, LeavesTheModuleAlone) {
  mlir::MLIRContext context;
  auto module = parseLinked(kernel({buffer("f32")}, R"(
  "hfusion.print"(%px) <{hex = false, prefix = "p"}> : (i32) -> ()
)"),
                            context);
  ASSERT_TRUE(bool(module));
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    return text;
  };
  std::string before = print();
  auto executor = Executor::create(**module, "k");
  ASSERT_TRUE(bool(executor)) << llvm::toString(executor.takeError());
  EXPECT_EQ(print(), before);
}

} // namespace
