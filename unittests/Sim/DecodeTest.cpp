//===- DecodeTest.cpp - Final IR as a program of the simulator ------------===//
//
// Small kernels in the vendor's frame: what they compute, which registers and
// lines they get, and what is said of IR that cannot be simulated.
//
//===----------------------------------------------------------------------===//
#include "DecodeTester.h"
#include "gmock/gmock.h"

using namespace tilekiln::sim;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

TEST_F(DecodeTester, IntegersWrapToTheirTypeAndRoundAsTheirOpSays) {
  std::vector<int32_t> in{-7, 2}, out(6, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %c5 = arith.constant 5 : index
    %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    %y = memref.load %a[%c1] : memref<?xi32, #hivm.address_space<gm>>
    %toZero = arith.divsi %x, %y : i32
    %down = arith.floordivsi %x, %y : i32
    %up = arith.ceildivsi %x, %y : i32
    %big = arith.constant 2147483647 : i32
    %wrapped = arith.addi %big, %y : i32
    %byte = arith.trunci %big : i32 to i8
    %minusOne = arith.extsi %byte : i8 to i32
    %isLess = arith.cmpi ult, %y, %x : i32
    %one = arith.extui %isLess : i1 to i32
    memref.store %toZero, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %down, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %up, %b[%c2] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %wrapped, %b[%c3] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %minusOne, %b[%c4] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %one, %b[%c5] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(-3, -4, -3, -2147483647, -1, 1));
  expectNoFaults();
}

TEST_F(DecodeTester, ExtendedProductsGiveBothHalves) {
  std::vector<int32_t> in{-1}, out(4, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    %sl, %sh = arith.mulsi_extended %x, %x : i32
    %ul, %uh = arith.mului_extended %x, %x : i32
    %sum, %carry = arith.addui_extended %x, %x : i32, i1
    %carried = arith.extui %carry : i1 to i32
    memref.store %sh, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %uh, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %sum, %b[%c2] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %carried, %b[%c3] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(0, -2, -2, 1));
}

TEST_F(DecodeTester, AnI1IsMinusOneAsASignedNumber) {
  std::vector<int32_t> in{1}, out(2, 7);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    %true = arith.trunci %x : i32 to i1
    %false = arith.constant false
    %less = arith.cmpi slt, %true, %false : i1
    %isLess = arith.extui %less : i1 to i32
    %greatest = arith.maxsi %true, %false : i1
    %isTrue = arith.extsi %greatest : i1 to i32
    memref.store %isLess, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %isTrue, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(1, 0));
}

TEST_F(DecodeTester, FloatsRoundToTheirTypeAndTreatNaNAsTheirOpSays) {
  std::vector<float> in{1.0f / 3, std::nanf("")}, out(4, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "f32", "b", "f32"}), R"(
    %x = memref.load %a[%c0] : memref<?xf32, #hivm.address_space<gm>>
    %nan = memref.load %a[%c1] : memref<?xf32, #hivm.address_space<gm>>
    %half = arith.truncf %x : f32 to f16
    %back = arith.extf %half : f16 to f32
    %number = arith.maxnumf %x, %nan : f32
    %none = arith.maximumf %x, %nan : f32
    %same = arith.cmpf une, %none, %none : f32
    %flag = arith.uitofp %same : i1 to f32
    %e = math.exp %x : f32
    memref.store %back, %b[%c0] : memref<?xf32, #hivm.address_space<gm>>
    memref.store %number, %b[%c1] : memref<?xf32, #hivm.address_space<gm>>
    memref.store %flag, %b[%c2] : memref<?xf32, #hivm.address_space<gm>>
    memref.store %e, %b[%c3] : memref<?xf32, #hivm.address_space<gm>>)"));
  EXPECT_EQ(out[0], 0.333251953125f);
  EXPECT_EQ(out[1], 1.0f / 3);
  EXPECT_EQ(out[2], 1);
  EXPECT_FLOAT_EQ(out[3], std::exp(1.0f / 3));
}

TEST_F(DecodeTester, AffineMapsAreArithmetic) {
  std::vector<int64_t> in{-5, 17}, out(4, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i64", "b", "i64"}), R"(
    %i = memref.load %a[%c0] : memref<?xi64, #hivm.address_space<gm>>
    %j = memref.load %a[%c1] : memref<?xi64, #hivm.address_space<gm>>
    %x = arith.index_cast %i : i64 to index
    %y = arith.index_cast %j : i64 to index
    %0 = affine.apply affine_map<(d0)[s0] -> (d0 mod 4 + (s0 ceildiv 4) * 10 - s0)>(%x)[%y]
    %1 = affine.min affine_map<(d0, d1) -> (d0, d1 floordiv 2, -6)>(%x, %x)
    %2:2 = affine.delinearize_index %y into (%c4, %c3) : index, index
    %3 = arith.index_cast %0 : index to i64
    %4 = arith.index_cast %1 : index to i64
    %5 = arith.index_cast %2#0 : index to i64
    %6 = arith.index_cast %2#1 : index to i64
    memref.store %3, %b[%c0] : memref<?xi64, #hivm.address_space<gm>>
    memref.store %4, %b[%c1] : memref<?xi64, #hivm.address_space<gm>>
    memref.store %5, %b[%c2] : memref<?xi64, #hivm.address_space<gm>>
    memref.store %6, %b[%c3] : memref<?xi64, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(3 + 50 - 17, -6, 5, 2));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TEST_F(DecodeTester, CarriedValuesAreAssignedAllAtOnce) {
  std::vector<int32_t> out(2, 0);
  give(out);
  runs(vectorKernel(tensors({"a", "i32"}), R"(
    %c5 = arith.constant 5 : index
    %x0 = arith.constant 1 : i32
    %y0 = arith.constant 2 : i32
    %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %x0, %y = %y0) -> (i32, i32) {
      scf.yield %y, %x : i32, i32
    }
    memref.store %r#0, %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %r#1, %a[%c1] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(2, 1));
}

TEST_F(DecodeTester, ALoopThatDoesNotRunGivesItsInitialValues) {
  std::vector<int32_t> out(1, 0);
  give(out);
  runs(vectorKernel(tensors({"a", "i32"}), R"(
    %x0 = arith.constant 11 : i32
    %r = scf.for %i = %c4 to %c4 step %c1 iter_args(%x = %x0) -> (i32) {
      %y = arith.addi %x, %x : i32
      scf.yield %y : i32
    }
    memref.store %r, %a[%c0] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(11));
}

TEST_F(DecodeTester, AnExpressionOfOneBranchIsNotTakenForAnother) {
  std::vector<int32_t> in{3}, out(2, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    %three = arith.constant 3 : i32
    %isOther = arith.cmpi ne, %x, %three : i32
    %r = scf.if %isOther -> (i32) {
      %double = arith.addi %x, %x : i32
      scf.yield %double : i32
    } else {
      %sum = arith.addi %x, %x : i32
      %more = arith.muli %sum, %sum : i32
      scf.yield %more : i32
    }
    %late = arith.addi %x, %x : i32
    memref.store %r, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %late, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(36, 6));
}

TEST_F(DecodeTester, WhileAndSwitchRun) {
  std::vector<int32_t> in{100}, out(2, 0);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
    %one = arith.constant 1 : i32
    %r:2 = scf.while (%v = %one, %n = %one) : (i32, i32) -> (i32, i32) {
      %isSmall = arith.cmpi slt, %v, %x : i32
      scf.condition(%isSmall) %n, %v : i32, i32
    } do {
    ^bb0(%n: i32, %v: i32):
      %double = arith.addi %v, %v : i32
      %next = arith.addi %n, %one : i32
      scf.yield %double, %next : i32, i32
    }
    %which = arith.index_cast %r#0 : i32 to index
    %chosen = scf.index_switch %which -> i32
    case 7 {
      scf.yield %one : i32
    }
    case 8 {
      scf.yield %r#1 : i32
    }
    default {
      scf.yield %x : i32
    }
    memref.store %r#0, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %chosen, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(8, 128));
}

TEST_F(DecodeTester, HelpersAreInlinedEachTimeAnew) {
  std::vector<int32_t> out(1, 0);
  give(out);
  runs(vectorKernel(tensors({"a", "i32"}), R"(
    %two = arith.constant 2 : i32
    %x = func.call @square(%two) : (i32) -> i32
    %y = func.call @square(%x) : (i32) -> i32
    %z = arith.addi %x, %y : i32
    memref.store %z, %a[%c0] : memref<?xi32, #hivm.address_space<gm>>)",
                    R"(
  func.func private @square(%v: i32) -> i32 {
    %r = arith.muli %v, %v : i32
    return %r : i32
  }
)"));
  EXPECT_THAT(out, ElementsAre(20));
}

TEST_F(DecodeTester, EveryBlockKnowsItsNumberAndTheGrid) {
  std::vector<int32_t> out(60, 0);
  give(out);
  launch.arguments.push_back(SimArgument::scalar(int64_t(1000)));
  launch.gridX = 30;
  launch.gridY = 2;
  runs(vectorKernel(tensors({"a", "i32"}) + ", %n: i32", R"(
    %block = hivm.hir.get_block_idx -> i64
    %i = arith.index_cast %block : i64 to index
    %b = arith.trunci %block : i64 to i32
    %scaled = arith.muli %b, %n : i32
    %grid = arith.muli %gx, %gy : i32
    %x = arith.addi %scaled, %grid : i32
    memref.store %x, %a[%i] : memref<?xi32, #hivm.address_space<gm>>)"));
  for (int32_t i = 0; i < 60; ++i)
    EXPECT_EQ(out[size_t(i)], 1000 * i + 60);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

TEST_F(DecodeTester, ViewsOfViewsReachTheRightElement) {
  std::vector<int32_t> in(24), out(4, 0);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int32_t(i);
  give(in);
  give(out);
  runs(vectorKernel(tensors({"a", "i32", "b", "i32"}), R"(
    %m = memref.reinterpret_cast %a to offset: [0], sizes: [4, 6], strides: [6, 1]
      : memref<?xi32, #hivm.address_space<gm>> to memref<4x6xi32, strided<[6, 1]>, #hivm.address_space<gm>>
    %s = memref.subview %m[%c1, 2] [2, 4] [2, 1]
      : memref<4x6xi32, strided<[6, 1]>, #hivm.address_space<gm>> to memref<2x4xi32, strided<[12, 1], offset: ?>, #hivm.address_space<gm>>
    %row = memref.subview %s[1, 0] [1, 4] [1, 1]
      : memref<2x4xi32, strided<[12, 1], offset: ?>, #hivm.address_space<gm>> to memref<4xi32, strided<[1], offset: ?>, #hivm.address_space<gm>>
    %e = memref.expand_shape %row [[0, 1]] output_shape [2, 2]
      : memref<4xi32, strided<[1], offset: ?>, #hivm.address_space<gm>> into memref<2x2xi32, strided<[2, 1], offset: ?>, #hivm.address_space<gm>>
    %c = memref.collapse_shape %m [[0, 1]]
      : memref<4x6xi32, strided<[6, 1]>, #hivm.address_space<gm>> into memref<24xi32, strided<[1]>, #hivm.address_space<gm>>
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s
      : memref<2x4xi32, strided<[12, 1], offset: ?>, #hivm.address_space<gm>> -> memref<i32, #hivm.address_space<gm>>, index, index, index, index, index
    %again = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#1], strides: [%strides#1]
      : memref<i32, #hivm.address_space<gm>> to memref<?xi32, strided<[?], offset: ?>, #hivm.address_space<gm>>
    %extent = memref.dim %again, %c0 : memref<?xi32, strided<[?], offset: ?>, #hivm.address_space<gm>>
    %0 = memref.load %e[%c1, %c0] : memref<2x2xi32, strided<[2, 1], offset: ?>, #hivm.address_space<gm>>
    %1 = memref.load %c[%c4] : memref<24xi32, strided<[1]>, #hivm.address_space<gm>>
    %2 = memref.load %again[%c3] : memref<?xi32, strided<[?], offset: ?>, #hivm.address_space<gm>>
    %3 = arith.index_cast %extent : index to i32
    memref.store %0, %b[%c0] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %1, %b[%c1] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %2, %b[%c2] : memref<?xi32, #hivm.address_space<gm>>
    memref.store %3, %b[%c3] : memref<?xi32, #hivm.address_space<gm>>)"));
  // Row 3, columns 2 to 5 of 6; row 1 from column 2.
  EXPECT_THAT(out, ElementsAre(3 * 6 + 4, 4, 6 + 2 + 3, 4));
  expectNoFaults();
}

TEST_F(DecodeTester, BuffersAreSelectedAndCarried) {
  std::vector<int32_t> out(4, 0);
  give(out);
  runs(vectorKernel(tensors({"a", "i32"}), R"(
    %address0 = arith.constant 0 : i64
    %address1 = arith.constant 512 : i64
    %0 = hivm.hir.pointer_cast(%address0) : memref<8xi32, #hivm.address_space<ub>>
    %1 = hivm.hir.pointer_cast(%address1) : memref<8xi32, #hivm.address_space<ub>>
    %ten = arith.constant 10 : i32
    %twenty = arith.constant 20 : i32
    memref.store %ten, %0[%c0] : memref<8xi32, #hivm.address_space<ub>>
    memref.store %twenty, %1[%c0] : memref<8xi32, #hivm.address_space<ub>>
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %0, %q = %1)
        -> (memref<8xi32, #hivm.address_space<ub>>, memref<8xi32, #hivm.address_space<ub>>) {
      %parity = affine.apply #map()[%i]
      %isOdd = arith.index_cast %parity : index to i1
      %s = arith.select %isOdd, %0, %1 : memref<8xi32, #hivm.address_space<ub>>
      %x = memref.load %s[%c0] : memref<8xi32, #hivm.address_space<ub>>
      memref.store %x, %a[%i] : memref<?xi32, #hivm.address_space<gm>>
      scf.yield %q, %p : memref<8xi32, #hivm.address_space<ub>>, memref<8xi32, #hivm.address_space<ub>>
    }
    %y = memref.load %r#0[%c0] : memref<8xi32, #hivm.address_space<ub>>
    memref.store %y, %a[%c3] : memref<?xi32, #hivm.address_space<gm>>)"));
  EXPECT_THAT(out, ElementsAre(20, 10, 20, 20));
  expectNoFaults();
}

TEST_F(DecodeTester, ArgumentsThatSomeViewOfIsStoredToAreWritten) {
  auto program = decodes(vectorKernel(tensors({"a", "i32", "b", "i32", "c", "i32"}), R"(
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %b)
        -> (memref<?xi32, #hivm.address_space<gm>>) {
      %x = memref.load %a[%c0] : memref<?xi32, #hivm.address_space<gm>>
      memref.store %x, %p[%c0] : memref<?xi32, #hivm.address_space<gm>>
      scf.yield %c : memref<?xi32, #hivm.address_space<gm>>
    })"));
  ASSERT_TRUE(program);
  EXPECT_THAT(program->writtenArguments, ElementsAre(false, true, true));
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

std::string host(const char *kind, const char *type, const char *value) {
  return std::string("func.func @kernel_") + kind + "() -> " + type +
         " attributes {hacc.function_kind = #hacc.function_kind<HOST>, "
         "hacc.host_func_type = #hacc.host_func_type<" +
         kind + ">} {\n %0 = arith.constant " + value + " : " + type +
         "\n return %0 : " + type + "\n}\n";
}

TEST_F(DecodeTester, HostFunctionsTellTheLauncher) {
  auto program = decodes(vectorKernel(
      tensors({"a", "i32"}), "",
      host("infer_task_type_function", "i8", "10") +
          host("infer_workspace_shape_function", "index", "65536")));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->name, "kernel");
  EXPECT_FALSE(program->aic);
  EXPECT_EQ(program->workspaceBytesPerBlock, 65536);
  EXPECT_EQ(program->aivPerBlock, 1u);
  ASSERT_EQ(program->aiv->parameters.size(), 7u);
  EXPECT_EQ(program->aiv->parameters[2].kind, Parameter::Kind::Workspace);
  EXPECT_EQ(program->aiv->parameters[3].kind, Parameter::Kind::User);
  EXPECT_EQ(program->aiv->parameters[6].kind, Parameter::Kind::GridZ);
}

TEST_F(DecodeTester, InstructionsCarryTheLineOfTheScript) {
  std::vector<int32_t> out(4, 0);
  give(out, "A");
  runs(vectorKernel(tensors({"a", "i32"}), R"(
    %far = arith.constant 100 : index
    %x = arith.constant 3 : i32
    memref.store %x, %a[%far] : memref<?xi32, #hivm.address_space<gm>> loc("script.py":42:5))"));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0], HasSubstr("script.py:42"));
}

//===----------------------------------------------------------------------===//
// What cannot be simulated
//===----------------------------------------------------------------------===//

TEST_F(DecodeTester, UnknownThingsAreNamedWithTheirLine) {
  auto body = [&](const std::string &text, const std::string &others = "") {
    return refusal(vectorKernel(tensors({"a", "i32"}), text, others));
  };
  EXPECT_THAT(body(R"(%0 = "math.ctlz"(%c0) : (index) -> index loc("k.py":3:1)
                      memref.store %0, %x[] : memref<index>)"),
              HasSubstr("cannot be read"));
  EXPECT_EQ(body(R"("hivm.hir.vtanh"() : () -> () loc("k.py":3:1))"),
            "k.py:3: the vendor's compiler left the op 'hivm.hir.vtanh' as it was, "
            "which neither hivmc nor the simulator can run; write this part of the "
            "kernel otherwise");
  EXPECT_EQ(body(R"("other.thing"() : () -> () loc("k.py":4:1))"),
            "k.py:4: the simulator does not know the op 'other.thing' of the "
            "vendor's final IR");
  EXPECT_THAT(body(R"(func.call @vfoo_1d_float() : () -> () loc("k.py":5:1))",
                   "func.func private @vfoo_1d_float()\n"),
              ::testing::AllOf(HasSubstr("k.py:5: "), HasSubstr("vfoo_1d_float")));
  EXPECT_THAT(body(R"(%0 = memref.alloc() : memref<4xi32, #hivm.address_space<ub>> loc("k.py":6:1)
                      memref.store %gx, %0[%c0] : memref<4xi32, #hivm.address_space<ub>>)"),
              HasSubstr("k.py:6: the vendor's compiler left a buffer without an address"));
  EXPECT_THAT(body(R"(%x = arith.constant 0 : i64
      %0 = hivm.hir.pointer_cast(%x, %x) : memref<4xi32, #hivm.address_space<ub>> loc("k.py":7:1)
      memref.store %gx, %0[%c0] : memref<4xi32, #hivm.address_space<ub>>)"),
              HasSubstr("k.py:7: a buffer has 2 addresses"));
  EXPECT_THAT(body(R"(func.call @again() : () -> ())",
                   "func.func private @again() {\n func.call @again() : () -> ()\n return\n}\n"),
              HasSubstr("'again' calls itself"));
}

TEST_F(DecodeTester, ModulesThatCannotBeLaunchedAreRefused) {
  EXPECT_THAT(refusal("module {}"), HasSubstr("no entry function"));
  EXPECT_THAT(refusal("module { func.func @k(%a: i64) attributes {hacc.entry, "
                      "hivm.func_core_type = #hivm.func_core_type<AIV>} { return } }"),
              HasSubstr("'k' does not end with the grid's three i32"));
  EXPECT_THAT(refusal("module { func.func @k(%a: i32, %b: i32, %c: i32) attributes "
                      "{hacc.entry} { return } }"),
              HasSubstr("'k' does not say which core it runs on"));
  EXPECT_THAT(refusal(vectorKernel(tensors({"a", "i32"}), "",
                                   host("infer_task_type_function", "i8", "32"))),
              HasSubstr("the task type 32 does not fit"));
}

} // namespace
