//===- LoadedSlices.cpp - Parts of tiles that were loaded -----------------===//
#include "LoadedSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
