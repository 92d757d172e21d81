//===- AccessRangeTest.cpp - Proofs against running every iteration -------===//
//
// Makes random kernels with one window and runs all their iterations here. What
// the analysis calls proven has to hold at each; what it calls violated has to
// happen at one; and where all is plain arithmetic it has to find every violation.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/AccessRange.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace tilekiln;

namespace {
int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

/// start = (p * bx + q * k + r), then perhaps divided, reduced or clamped.
struct Kernel {
  int64_t grid, lower, upper, step, p, q, r, divisor, limit, tile, extent;
  /// What is done to the start: nothing, floor division, remainder, minimum,
  /// maximum with zero.
  int form;
  /// Whether a branch asks for bx + k < limit; whether the access is in its else.
  bool guarded, inElse;

  int64_t start(int64_t bx, int64_t k) const {
    int64_t plain = p * bx + q * k + r;
    switch (form) {
    case 1:
      return floorDiv(plain, divisor);
    case 2:
      return plain - floorDiv(plain, divisor) * divisor;
    case 3:
      return std::min(plain, limit);
    case 4:
      return std::max(plain, int64_t(0));
    default:
      return plain;
    }
  }

  bool runs(int64_t bx, int64_t k) const {
    return !guarded || (bx + k < limit) != inElse;
  }

  std::string text() const {
    static const char *forms[] = {
        "%start = affine.apply affine_map<(d0) -> (d0)>(%plain)",
        "%start = arith.floordivsi %plain, %divisor : index",
        "%start = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%plain)[%divisor]",
        "%start = arith.minsi %plain, %limit : index",
        "%start = arith.maxsi %plain, %zero : index"};
    std::string access = llvm::formatv(
        R"(%w = commonir.window %A[%start] [{0}] keep [0]
          : memref<{1}xf16, strided<[1]>, #commonir.space<gm>>
          to memref<{0}xf16, strided<[1], offset: ?>, #commonir.space<gm>>)",
        tile, extent);
    if (guarded)
      access = llvm::formatv("scf.if %in {{ {0} } else {{ {1} }",
                             inElse ? "" : access, inElse ? access : "");
    return llvm::formatv(
        R"(func.func @kernel(%a: memref<?xf16>) {{
      %A = commonir.tensor "A" %a [{0}] strides [1]
        : memref<?xf16> to memref<{0}xf16, strided<[1]>, #commonir.space<gm>>
      %grid = arith.constant {1} : index
      %lower = arith.constant {2} : index
      %upper = arith.constant {3} : index
      %step = arith.constant {4} : index
      %divisor = arith.constant {5} : index
      %limit = arith.constant {6} : index
      %zero = arith.constant 0 : index
      commonir.launch (%bx) in (%grid) {{
        scf.for %k = %lower to %upper step %step {{
          %plain = affine.apply affine_map<(d0, d1) -> (d0 * {7} + d1 * {8} + {9})>(%bx, %k)
          {10}
          %sum = arith.addi %bx, %k : index
          %in = arith.cmpi slt, %sum, %limit : index
          {11}
        }
      }
      return
    })",
        extent, grid, lower, upper, step, divisor, limit, p, q, r, forms[form], access);
  }
};

class AccessRangeTest : public ::testing::Test {
protected:
  AccessRangeTest() {
    DialectRegistry registry;
    registry.insert<commonir::CommonIRDialect, affine::AffineDialect,
                    arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    commonir::registerValueBoundsModels(registry);
    context.appendDialectRegistry(registry);
  }

  /// The range of the only window of a kernel.
  DimensionRange analyse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    DimensionRange range;
    if (!module) {
      ADD_FAILURE() << "does not parse: " << text;
      return range;
    }
    module->walk([&](commonir::WindowOp window) {
      range = computeAccessRange(*describeAccess(window)).dimensions[0];
    });
    return range;
  }

  MLIRContext context;
};
} // namespace

TEST_F(AccessRangeTest, AgreesWithRunningEveryIteration) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int proven = 0, violated = 0, empty = 0;
  for (int round = 0; round < 1000; ++round) {
    Kernel kernel;
    kernel.grid = pick(0, 5);
    kernel.lower = pick(0, 4);
    kernel.upper = pick(0, 12);
    kernel.step = pick(1, 4);
    kernel.p = pick(-2, 8);
    kernel.q = pick(-2, 8);
    kernel.r = pick(-4, 12);
    kernel.divisor = pick(1, 7);
    kernel.limit = pick(0, 12);
    kernel.tile = pick(1, 16);
    kernel.extent = pick(1, 64);
    kernel.form = int(pick(0, 4));
    kernel.guarded = pick(0, 1);
    kernel.inElse = pick(0, 1);

    bool inside = true, startsInside = true, runs = false;
    for (int64_t bx = 0; bx < kernel.grid; ++bx)
      for (int64_t k = kernel.lower; k < kernel.upper; k += kernel.step) {
        if (!kernel.runs(bx, k))
          continue;
        runs = true;
        int64_t start = kernel.start(bx, k);
        startsInside &= start >= 0 && start < kernel.extent;
        inside &= start >= 0 && start + kernel.tile <= kernel.extent;
      }

    DimensionRange range = analyse(kernel.text());
    EXPECT_TRUE(inside || !range.inBounds) << kernel.text();
    EXPECT_TRUE(startsInside || !range.startInBounds) << kernel.text();
    EXPECT_TRUE(!startsInside || !range.violated) << kernel.text();
    // A minimum or maximum is known by its bounds only, so a violation at it may
    // be missed; all else is exact.
    if (kernel.form < 3) {
      EXPECT_EQ(range.inBounds, inside) << kernel.text();
      EXPECT_EQ(range.startInBounds, startsInside) << kernel.text();
      EXPECT_EQ(range.violated, !startsInside) << kernel.text();
    }
    proven += range.inBounds && runs;
    violated += range.violated;
    empty += !runs;
  }
  // The kernels are of all sorts.
  EXPECT_GT(proven, 30);
  EXPECT_GT(violated, 50);
  EXPECT_GT(empty, 30);
}
