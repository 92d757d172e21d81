//===- Accumulator.cpp - Can a product stay where the cube adds? ----------===//
//
// What the vendor's compiler does with an accumulator was found by experiment:
// it must be a value that starts as zero (or as another product) and that is
// carried by loops and added to once per step, with no branch around the
// product, and each loop must run. Everything else is either added on the vector
// unit or silently wrong.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/Accumulator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

bool tilekiln::isZeroTile(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (auto fill = dyn_cast<FillOp>(op))
    return matchPattern(fill.getValue(), m_AnyZeroFloat()) ||
           matchPattern(fill.getValue(), m_Zero());
  return matchPattern(tile, m_AnyZeroFloat()) || matchPattern(tile, m_Zero());
}

bool tilekiln::provenToRun(scf::ForOp loop) {
  using Bounds = ValueBoundsConstraintSet;
  return Bounds::compare(Bounds::Variable(loop.getLowerBound()), Bounds::LT,
                         Bounds::Variable(loop.getUpperBound()));
}

/// True where the value is computed from constants and the function's arguments.
static bool isHostValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), isHostValue);
}

bool tilekiln::knownAtLaunch(scf::ForOp loop) {
  return isHostValue(loop.getLowerBound()) && isHostValue(loop.getUpperBound());
}

namespace {
const OffCube inBranch = {"the product is inside of a branch",
                          "take the branch around the whole loop, or leave steps out by "
                          "the loop's bounds"};

class Follower {
public:
  Follower(const AccumulatorOptions &options, SmallVectorImpl<scf::ForOp> &assumed)
      : options(options), assumed(assumed) {}

  /// Follows the sum backwards to its start.
  std::optional<OffCube> start(Value sum, Operation *reader) {
    if (isZeroTile(sum))
      return std::nullopt;
    if (auto argument = dyn_cast<BlockArgument>(sum)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return OffCube{"it is carried by a loop with a run-time condition", ""};
      return carried(loop, argument, reader);
    }
    Operation *made = sum.getDefiningOp();
    if (isa<GemmOp, scf::ForOp>(made) && made->getBlock() != reader->getBlock())
      return inBranch;
    // Earlier products are judged on their own; here it is enough that what they
    // leave is a sum of the cube's.
    if (isProduct(sum))
      return std::nullopt;
    if (isLoaded(sum))
      return OffCube{"it starts from loaded data",
                     "start it with T.clear and add the data after the products"};
    if (isa<FillOp>(made) || made->hasTrait<OpTrait::ConstantLike>())
      return OffCube{"it starts from another value than zero",
                     "start it with T.clear and add the value after the products"};
    return OffCube{"other code changes it between products", ""};
  }

private:
  std::optional<OffCube> carried(scf::ForOp loop, BlockArgument argument,
                                 Operation *reader) {
    if (reader->getParentOp() != loop)
      return inBranch;
    if (!argument.hasOneUse())
      return OffCube{"its value before the product is used in the same step", ""};
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    if (!isProduct(loop.getYieldedValues()[index]))
      return OffCube{"other code changes it between products", ""};
    if (!provenToRun(loop)) {
      if (!options.assumeLoopsRun || !knownAtLaunch(loop))
        return OffCube{"the loop may run zero times", ""};
      assumed.push_back(loop);
    }
    return start(loop.getInitArgs()[index], loop);
  }

  /// A gemm's result, or a loop that ends in one.
  bool isProduct(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<GemmOp>(op))
      return true;
    auto loop = dyn_cast<scf::ForOp>(op);
    return loop && isProduct(loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()]);
  }

  bool isLoaded(Value value) {
    auto copy = value.getDefiningOp<CopyOp>();
    return copy && isa<MemRefType>(copy.getSource().getType());
  }

  const AccumulatorOptions &options;
  SmallVectorImpl<scf::ForOp> &assumed;
};
} // namespace

std::optional<OffCube> tilekiln::whyNotOnCube(GemmOp gemm, const AccumulatorOptions &options,
                                              SmallVectorImpl<scf::ForOp> &assumed) {
  Value clear = gemm.getClear();
  if (clear && matchPattern(clear, m_One()))
    return std::nullopt;
  if (clear)
    return OffCube{"whether it is cleared is only known at run time",
                   "clear it on a loop's first step, or before the loop"};
  Type element = cast<ShapedType>(gemm.getInit().getType()).getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return OffCube{"the cube adds in float32 or int32",
                   "declare it float32 (int32 for integers)"};
  return Follower(options, assumed).start(gemm.getInit(), gemm);
}
