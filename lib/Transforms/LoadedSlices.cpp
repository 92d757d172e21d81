//===- LoadedSlices.cpp - Parts of tiles that were loaded -----------------===//
#include "LoadedSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

static bool isMultipleOf(OpFoldResult value, int64_t factor, unsigned depth) {
  constexpr unsigned deepest = 8;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  if (depth == deepest)
    return false;
  Value dynamic = cast<Value>(value);
  auto isMultiple = [&](Value part) { return isMultipleOf(part, factor, depth + 1); };
  if (auto apply = dynamic.getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getResult(0).isMultipleOf(factor);
  if (auto product = dynamic.getDefiningOp<arith::MulIOp>())
    return isMultiple(product.getLhs()) || isMultiple(product.getRhs());
  if (auto sum = dynamic.getDefiningOp<arith::AddIOp>())
    return isMultiple(sum.getLhs()) && isMultiple(sum.getRhs());
  auto argument = dyn_cast<BlockArgument>(dynamic);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  return loop && loop.getInductionVar() == argument && isMultiple(loop.getLowerBound()) &&
         isMultiple(loop.getStep());
}

bool tilekiln::isMultipleOf(OpFoldResult index, int64_t factor) {
  return ::isMultipleOf(index, factor, 0);
}

/// Whether nothing in the function stores to the tensor.
static bool isOnlyRead(TensorOp tensor) {
  auto reads = [](OpOperand &use) {
    if (auto copy = dyn_cast<CopyOp>(use.getOwner()))
      return &use == &copy.getSourceMutable();
    return isa<memref::LoadOp>(use.getOwner());
  };
  return llvm::all_of(tensor.getResult().getUses(), [&](OpOperand &use) {
    auto window = dyn_cast<WindowOp>(use.getOwner());
    return window ? llvm::all_of(window.getResult().getUses(), reads) : reads(use);
  });
}

CopyOp tilekiln::getRepeatableLoad(Value tile) {
  auto load = tile.getDefiningOp<CopyOp>();
  auto window = load ? load.getSource().getDefiningOp<WindowOp>() : nullptr;
  auto tensor = window ? window.getSource().getDefiningOp<TensorOp>() : nullptr;
  return tensor && isOnlyRead(tensor) ? load : CopyOp();
}

WindowOp tilekiln::narrowWindow(WindowOp window, ArrayRef<OpFoldResult> starts,
                                ArrayRef<OpFoldResult> partSizes,
                                const llvm::SmallBitVector &dropped,
                                RewriterBase &rewriter) {
  Location loc = window.getLoc();
  SmallVector<OpFoldResult> offsets = window.getMixedOffsets(), sizes = window.getMixedSizes();
  auto flags = [&](StringRef name) {
    auto known = window->getAttrOfType<DenseBoolArrayAttr>(name);
    return known ? SmallVector<bool>(known.asArrayRef()) : SmallVector<bool>(sizes.size(), false);
  };
  SmallVector<bool> inBounds = flags(inBoundsAttrName);
  SmallVector<bool> startsInBounds = flags(startInBoundsAttrName);
  AffineExpr a, b;
  bindDims(rewriter.getContext(), a, b);
  SmallVector<int64_t> kept;
  for (auto [tileDim, dim] : llvm::enumerate(window.getDims())) {
    OpFoldResult start = starts[tileDim];
    offsets[dim] = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                         {offsets[dim], start});
    sizes[dim] = partSizes[tileDim];
    startsInBounds[dim] =
        inBounds[dim] || (startsInBounds[dim] && isConstantIntValue(start, 0));
    if (!dropped.test(tileDim))
      kept.push_back(dim);
  }
  auto part = rewriter.create<WindowOp>(loc, window.getSource(), offsets, sizes, kept);
  part->setDiscardableAttrs(window->getDiscardableAttrDictionary());
  part->setAttr(inBoundsAttrName, rewriter.getDenseBoolArrayAttr(inBounds));
  part->setAttr(startInBoundsAttrName, rewriter.getDenseBoolArrayAttr(startsInBounds));
  return part;
}

bool tilekiln::reloadSlice(OpOperand &operand, RewriterBase &rewriter) {
  auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  CopyOp load = slice ? getRepeatableLoad(slice.getSource()) : CopyOp();
  if (!load || !slice.getType().hasStaticShape() || !slice.hasUnitStride())
    return false;
  rewriter.setInsertionPoint(slice);
  WindowOp part =
      narrowWindow(load.getSource().getDefiningOp<WindowOp>(), slice.getMixedOffsets(),
                   slice.getMixedSizes(), slice.getDroppedDims(), rewriter);
  Value empty = rewriter.create<tensor::EmptyOp>(slice.getLoc(), slice.getType().getShape(),
                                                 slice.getType().getElementType());
  auto copy = rewriter.create<CopyOp>(slice.getLoc(), TypeRange{slice.getType()},
                                      part.getResult(), empty);
  copy->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(copy->getResult(0)); });
  if (isOpTriviallyDead(slice))
    rewriter.eraseOp(slice);
  if (isOpTriviallyDead(load))
    rewriter.eraseOp(load);
  return true;
}

/// The loop's variable in its last step, behind the loop; in its first where it has none.
static Value getLastStep(scf::ForOp loop, RewriterBase &rewriter) {
  AffineExpr lower, upper, step;
  bindSymbols(rewriter.getContext(), lower, upper, step);
  AffineExpr last = lower + (upper - 1 - lower).floorDiv(step) * step;
  auto map = AffineMap::get(0, 3, {last, lower}, rewriter.getContext());
  OpFoldResult value = affine::makeComposedFoldedAffineMax(
      rewriter, loop.getLoc(), map,
      {getAsOpFoldResult(loop.getLowerBound()), getAsOpFoldResult(loop.getUpperBound()),
       getAsOpFoldResult(loop.getStep())});
  return getValueOrCreateConstantIndexOp(rewriter, loop.getLoc(), value);
}

/// Collects what an index inside of the loop is computed from, in order. False if
/// another step has a part in it, or memory.
static bool collectIndex(Value index, scf::ForOp loop, llvm::SetVector<Operation *> &ops) {
  if (loop.isDefinedOutsideOfLoop(index) || index == loop.getInductionVar())
    return true;
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return collectIndex(operand, loop, ops); }))
    return false;
  ops.insert(op);
  return true;
}

bool tilekiln::reloadLastStep(OpOperand &operand, RewriterBase &rewriter) {
  auto loop = operand.get().getDefiningOp<scf::ForOp>();
  if (!loop)
    return false;
  unsigned number = cast<OpResult>(operand.get()).getResultNumber();
  CopyOp load = getRepeatableLoad(loop.getYieldedValues()[number]);
  if (!load || load->getBlock() != loop.getBody())
    return false;
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  bool runs = lower && upper && *lower < *upper;
  if (!getConstantIntValue(loop.getStep())) // the last step would not be affine
    return false;
  if (!runs && !loop.getInitArgs()[number].getDefiningOp<tensor::EmptyOp>())
    return false;
  auto window = load.getSource().getDefiningOp<WindowOp>();
  llvm::SetVector<Operation *> ops;
  if (!llvm::all_of(window->getOperands(),
                    [&](Value index) { return collectIndex(index, loop, ops); }))
    return false;
  ops.insert(window);

  rewriter.setInsertionPointAfter(loop);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), getLastStep(loop, rewriter));
  Operation *last = nullptr;
  for (Operation *op : ops)
    last = rewriter.clone(*op, mapping);
  if (!runs) { // nothing is proven of a step that there might not be
    last->removeAttr(inBoundsAttrName);
    last->removeAttr(startInBoundsAttrName);
  }
  auto type = cast<RankedTensorType>(operand.get().getType());
  Value empty =
      rewriter.create<tensor::EmptyOp>(load.getLoc(), type.getShape(), type.getElementType());
  auto copy = rewriter.create<CopyOp>(load.getLoc(), TypeRange{type}, last->getResult(0), empty);
  copy->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  rewriter.replaceAllUsesWith(loop.getResult(number), copy->getResult(0));
  return true;
}
