//===- ControlFlowTest.cpp - Loops, branches and the tiles they carry -----===//
//===//
//
// What bufferization must keep apart: tiles that outlive an iteration, that two
// branches make, that are read after being written over.
//
//===----------------------------------------------------------------------===//
#include "KernelTester.h"

using namespace tilekiln;
using namespace tilekiln::test;

namespace {

/// A running sum and its largest element, both carried.
TEST(ControlFlow, LoopCarriesTwoTiles) {
  std::string body = load("A", 0, 4, 8, "f32") + R"(
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %S, %R = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %i, %m = %i) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
    %row = tensor.extract_slice %A[%k, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %t = arith.addf %s, %row : tensor<1x8xf32>
    %u = arith.maximumf %m, %t : tensor<1x8xf32>
    scf.yield %t, %u : tensor<1x8xf32>, tensor<1x8xf32>
  }
)" + store("S", 1, 1, 8, "f32") +
                     store("R", 2, 1, 8, "f32");
  auto a = randomValues<float>(32, 1);
  std::vector<float> sum(8), most(8), wantSum(8), wantMost(8);
  for (int i = 0; i < 32; ++i) {
    wantSum[i % 8] += a[i];
    wantMost[i % 8] = std::max(wantMost[i % 8], wantSum[i % 8]);
  }
  Kernel k(kernel({buffer("f32"), buffer("f32"), buffer("f32")}, body));
  k.run({}, a, sum, most);
  EXPECT_EQ(sum, wantSum);
  EXPECT_EQ(most, wantMost);
}

/// Two tiles that change places every iteration.
TEST(ControlFlow, LoopSwapsTiles) {
  std::string body = load("A", 0, 1, 4, "f32") + load("B", 1, 1, 4, "f32") + R"(
  %n = arith.index_cast %a2 : i32 to index
  %P, %Q = scf.for %k = %c0 to %n step %c1 iter_args(%p = %A, %q = %B) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    %s = arith.addf %p, %q : tensor<1x4xf32>
    scf.yield %q, %s : tensor<1x4xf32>, tensor<1x4xf32>
  }
)" + store("P", 0, 1, 4, "f32") +
                     store("Q", 1, 1, 4, "f32");
  Kernel k(kernel({buffer("f32"), buffer("f32"), "i32"}, body));
  std::vector<float> a{0, 1, 2, 3}, b{1, 1, 1, 1};
  k.run({}, a, b, int64_t(5));
  EXPECT_EQ(a, (std::vector<float>{5, 8, 11, 14}));
  EXPECT_EQ(b, (std::vector<float>{8, 13, 18, 23}));
}

/// A new tile every iteration that the next one still reads: a hundred thousand
/// of them must not stay in memory.
TEST(ControlFlow, LongLoopsReuseMemory) {
  std::string body = load("A", 0, 1, 65536, "f32") + R"(
  %n = arith.index_cast %a1 : i32 to index
  %one = arith.constant dense<1.0> : tensor<1x65536xf32>
  %e = tensor.empty() : tensor<1x65536xf32>
  %P, %Q = scf.for %k = %c0 to %n step %c1 iter_args(%p = %A, %q = %e) -> (tensor<1x65536xf32>, tensor<1x65536xf32>) {
    %s = arith.addf %p, %one : tensor<1x65536xf32>
    scf.yield %s, %p : tensor<1x65536xf32>, tensor<1x65536xf32>
  }
)" + store("P", 0, 1, 65536, "f32");
  Kernel k(kernel({buffer("f32"), "i32"}, body));
  std::vector<float> a(65536, 0);
  // 100000 tiles of 256 KiB are 25 GiB.
  k.run({}, a, int64_t(100000));
  EXPECT_EQ(a[0], 100000);
  EXPECT_EQ(a[65535], 100000);
}

TEST(ControlFlow, BranchGivesATile) {
  std::string body = load("A", 0, 1, 4, "f32") + R"(
  %c2 = arith.constant 2 : index
  %is = arith.cmpi slt, %x, %c2 : index
  %two = arith.constant dense<2.0> : tensor<1x4xf32>
  %r = scf.if %is -> (tensor<1x4xf32>) {
    %t = arith.mulf %A, %two : tensor<1x4xf32>
    scf.yield %t : tensor<1x4xf32>
  } else {
    scf.yield %A : tensor<1x4xf32>
  }
  %s = arith.addf %r, %A : tensor<1x4xf32>
  %c4 = arith.constant 4 : index
  %o = arith.muli %x, %c4 : index
  %v = memref.reinterpret_cast %a1 to offset: [%o], sizes: [1, 4], strides: [4, 1] : memref<?xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  bufferization.materialize_in_destination %s in writable %v : (tensor<1x4xf32>, memref<1x4xf32, strided<[4, 1], offset: ?>>) -> ()
)";
  std::vector<float> a{1, 2, 3, 4}, result(16);
  Kernel k(kernel({buffer("f32"), buffer("f32")}, body));
  k.run({4}, a, result);
  EXPECT_EQ(result, (std::vector<float>{3, 6, 9, 12, 3, 6, 9, 12, 2, 4, 6, 8, 2,
                                        4, 6, 8}));
}

TEST(ControlFlow, WhileStopsOnAValue) {
  std::string body = R"(
  %limit = arith.constant 100 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%v = %one) : (i32) -> i32 {
    %go = arith.cmpi slt, %v, %limit : i32
    scf.condition(%go) %v : i32
  } do {
  ^bb0(%v: i32):
    %w = arith.addi %v, %v : i32
    scf.yield %w : i32
  }
  memref.store %r, %a0[%c0] : memref<?xi32>
)";
  std::vector<int32_t> result(1);
  Kernel k(kernel({buffer("i32")}, body));
  k.run({}, result);
  EXPECT_EQ(result[0], 128);
}

/// A part of a tile is written over; the tile as it was is still read.
TEST(ControlFlow, ReadsATileAsItWasBefore) {
  std::string body = load("A", 0, 2, 4, "f32") + R"(
  %z = arith.constant dense<0.0> : tensor<1x4xf32>
  %B = tensor.insert_slice %z into %A[1, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<2x4xf32>
  %R = arith.addf %A, %B : tensor<2x4xf32>
)" + store("R", 1, 2, 4, "f32");
  std::vector<float> a{1, 2, 3, 4, 5, 6, 7, 8}, result(8);
  Kernel k(kernel({buffer("f32"), buffer("f32")}, body));
  k.run({}, a, result);
  EXPECT_EQ(result, (std::vector<float>{2, 4, 6, 8, 5, 6, 7, 8}));
}

TEST(ControlFlow, ConcatenatesAndSplats) {
  std::string body = load("A", 0, 2, 2, "f32") + R"(
  %v = arith.constant 7.0 : f32
  %s = tensor.splat %v : tensor<2x3xf32>
  %R = tensor.concat dim(1) %A, %s : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
)" + store("R", 1, 2, 5, "f32");
  std::vector<float> a{1, 2, 3, 4}, result(10);
  Kernel k(kernel({buffer("f32"), buffer("f32")}, body));
  k.run({}, a, result);
  EXPECT_EQ(result, (std::vector<float>{1, 2, 7, 7, 7, 3, 4, 7, 7, 7}));
}

/// Helpers are inlined, whatever they take.
TEST(ControlFlow, CallsAHelper) {
  std::string body = load("A", 0, 1, 4, "f32") + R"(
  %R = func.call @twice(%A) : (tensor<1x4xf32>) -> tensor<1x4xf32>
)" + store("R", 0, 1, 4, "f32");
  std::string text = kernel({buffer("f32")}, body) + R"(
func.func private @twice(%t: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = arith.addf %t, %t : tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}
)";
  std::vector<float> a{1, 2, 3, 4};
  Kernel k(text);
  k.run({}, a);
  EXPECT_EQ(a, (std::vector<float>{2, 4, 6, 8}));
}

/// Rows of a partial tile that were never loaded hold the padding.
TEST(ControlFlow, EdgeTilesArePadded) {
  std::string body = R"(
  %rows = arith.index_cast %a2 : i32 to index
  %ninf = arith.constant 0xFF800000 : f32
  %l = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%ninf : f32) outs(%l : memref<4x8xf32>)
  %g = memref.reinterpret_cast %a0 to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<?xf32> to memref<4x8xf32, strided<[8, 1]>>
  %gv = memref.subview %g[0, 0] [%rows, 8] [1, 1] : memref<4x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[8, 1]>>
  %lv = memref.subview %l[0, 0] [%rows, 8] [1, 1] : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  memref.copy %gv, %lv : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[8, 1]>>
  %A = bufferization.to_tensor %l restrict writable : memref<4x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%ninf : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%A : tensor<4x8xf32>) outs(%i : tensor<8xf32>) dimensions = [0]
  %R = tensor.expand_shape %m [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
)" + store("R", 1, 1, 8, "f32");
  std::vector<float> a(16), result(8);
  for (int i = 0; i < 16; ++i)
    a[i] = float(-i - 1);
  Kernel k(kernel({buffer("f32"), buffer("f32"), "i32"}, body));
  k.run({}, a, result, int64_t(2));
  EXPECT_EQ(result, (std::vector<float>{-1, -2, -3, -4, -5, -6, -7, -8}));
}

/// A tile that is larger than a thread's stack, asked for as if it were small.
TEST(ControlFlow, LargeAllocaIsNotOnTheStack) {
  std::string body = R"(
  %l = memref.alloca() : memref<33554432xf32>
  %v = arith.constant 3.0 : f32
  %last = arith.constant 33554431 : index
  memref.store %v, %l[%c0] : memref<33554432xf32>
  memref.store %v, %l[%last] : memref<33554432xf32>
  %r = memref.load %l[%last] : memref<33554432xf32>
  memref.store %r, %a0[%c0] : memref<?xf32>
)";
  std::vector<float> result(1);
  Kernel k(kernel({buffer("f32")}, body));
  k.options.threads = 2;
  k.run({2}, result);
  EXPECT_EQ(result[0], 3);
}

} // namespace
