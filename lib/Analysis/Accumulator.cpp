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

bool tilekiln::isAccumulatorSlot(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || !argument.hasOneUse())
    return false;
  OpOperand &use = *argument.use_begin();
  Operation *reader = use.getOwner();
  if (reader->getParentOp() != loop)
    return false;
  if (auto gemm = dyn_cast<GemmOp>(reader))
    return &use == &gemm.getInitMutable() && !gemm.getClear();
  auto inner = dyn_cast<scf::ForOp>(reader);
  return inner && use.getOperandNumber() >= inner.getNumControlOperands() &&
         isAccumulatorSlot(inner.getTiedLoopRegionIterArg(&use));
}

bool tilekiln::provenToRun(scf::ForOp loop) {
  using Bounds = ValueBoundsConstraintSet;
  return Bounds::compare(Bounds::Variable(loop.getLowerBound()), Bounds::LT,
                         Bounds::Variable(loop.getUpperBound()));
}

bool tilekiln::isGuarded(scf::ForOp loop) {
  auto branch = dyn_cast<scf::IfOp>(loop->getParentOp());
  if (!branch || loop->getBlock() != branch.thenBlock())
    return false;
  auto runs = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return runs && runs.getPredicate() == arith::CmpIPredicate::slt &&
         runs.getLhs() == loop.getLowerBound() && runs.getRhs() == loop.getUpperBound();
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
OffCube offCube(std::string reason, std::string advice = "") {
  return {std::move(reason), std::move(advice), {}};
}

OffCube inBranch() {
  return offCube("the product is inside of a branch",
                 "take the branch around the whole loop, or leave steps out by the "
                 "loop's bounds");
}

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
        return offCube("it is carried by a loop with a run-time condition");
      return carried(loop, argument, reader);
    }
    Operation *made = sum.getDefiningOp();
    if (isa<GemmOp, scf::ForOp>(made) && made->getBlock() != reader->getBlock())
      return inBranch();
    // Earlier products are judged on their own; here it is enough that what they
    // leave is a sum of the cube's.
    if (isProduct(sum)) {
      if (sum.hasOneUse())
        return std::nullopt;
      return offCube("what earlier products left in it is read as well",
                     "sum into another fragment, or read it after the last product");
    }
    if (isLoaded(sum))
      return offCube("it starts from loaded data",
                     "start it with T.clear and add the data after the products");
    if (isa<FillOp>(made) || made->hasTrait<OpTrait::ConstantLike>())
      return offCube("it starts from another value than zero",
                     "start it with T.clear and add the value after the products");
    return offCube("other code changes it between products");
  }

private:
  std::optional<OffCube> carried(scf::ForOp loop, BlockArgument argument,
                                 Operation *reader) {
    if (reader->getParentOp() != loop)
      return inBranch();
    if (!argument.hasOneUse())
      return offCube("its value before the product is used in the same step");
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    if (!isProduct(loop.getYieldedValues()[index]))
      return offCube("other code changes it between products");
    Value before = loop.getInitArgs()[index];
    if (!provenToRun(loop) && !isGuarded(loop)) {
      if (!options.assumeLoopsRun || !knownAtLaunch(loop))
        return OffCube{"the loop may run zero times", "",
                       isZeroTile(before) ? loop : scf::ForOp()};
      assumed.push_back(loop);
    }
    return start(before, loop);
  }

  /// A gemm's result, or a loop that ends in one.
  bool isProduct(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<GemmOp>(op))
      return true;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return false;
    unsigned number = cast<OpResult>(value).getResultNumber();
    // A loop that makes a product anew in each step leaves its start where it does
    // not run.
    return isAccumulatorSlot(loop.getRegionIterArg(number)) &&
           isProduct(loop.getYieldedValues()[number]);
  }

  bool isLoaded(Value value) {
    auto copy = value.getDefiningOp<CopyOp>();
    return copy && copy.isLoad();
  }

  const AccumulatorOptions &options;
  SmallVectorImpl<scf::ForOp> &assumed;
};
} // namespace

std::optional<OffCube> tilekiln::whyNotOnCube(GemmOp gemm, const AccumulatorOptions &options,
                                              SmallVectorImpl<scf::ForOp> &assumed) {
  if (gemm.alwaysClears())
    return std::nullopt;
  if (gemm.getClear())
    return offCube("whether it is cleared is only known at run time",
                   "clear it on a loop's first step, or before the loop");
  Type element = cast<ShapedType>(gemm.getInit().getType()).getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return offCube("the cube adds in float32 or int32",
                   "declare it float32 (int32 for integers)");
  return Follower(options, assumed).start(gemm.getInit(), gemm);
}
