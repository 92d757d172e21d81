//===- ReloadSlices.cpp - Operands that are a tile of their own -----------===//
//
// The cube's library reads an operand as whole fractals that lie side by side.
// A slice of a resident tile is that only if it takes whole columns of fractals;
// of any other slice the library would read other elements. Such a slice is
// loaded from global memory by itself, where nothing writes the tensor meanwhile.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_RELOADSLICES
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

/// A row of a fractal, which operands are cut into, on every Ascend cube.
constexpr int64_t fractalRowBytes = 32;

bool isMultipleOf(OpFoldResult value, int64_t factor, unsigned depth = 0) {
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

/// Whether a slice is whole columns of fractals, of one plane of the tile.
bool isWholeFractals(tensor::ExtractSliceOp slice) {
  RankedTensorType type = slice.getSourceType();
  int64_t rank = type.getRank();
  if (rank < 2 || !slice.hasUnitStride())
    return false;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (!isConstantIntValue(sizes[dim], 1))
      return false;
  auto isWhole = [&](int64_t dim) {
    return isConstantIntValue(offsets[dim], 0) &&
           isConstantIntValue(sizes[dim], type.getDimSize(dim));
  };
  if (!isWhole(rank - 2))
    return false;
  int64_t rowElements = fractalRowBytes * 8 / type.getElementTypeBitWidth();
  return isWhole(rank - 1) || (isMultipleOf(offsets[rank - 1], rowElements) &&
                               isMultipleOf(sizes[rank - 1], rowElements));
}

/// Whether nothing in the function stores to the tensor.
bool isOnlyRead(TensorOp tensor) {
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

/// The part of `window` that `slice` takes of the tile that it fills.
WindowOp narrow(WindowOp window, tensor::ExtractSliceOp slice, RewriterBase &rewriter) {
  Location loc = slice.getLoc();
  SmallVector<OpFoldResult> offsets = window.getMixedOffsets(), sizes = window.getMixedSizes();
  auto flags = [&](StringRef name) {
    auto known = window->getAttrOfType<DenseBoolArrayAttr>(name);
    return known ? SmallVector<bool>(known.asArrayRef()) : SmallVector<bool>(sizes.size(), false);
  };
  SmallVector<bool> inBounds = flags(inBoundsAttrName);
  SmallVector<bool> startsInBounds = flags(startInBoundsAttrName);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  AffineExpr a, b;
  bindDims(rewriter.getContext(), a, b);
  SmallVector<int64_t> kept;
  for (auto [tileDim, dim] : llvm::enumerate(window.getDims())) {
    OpFoldResult start = slice.getMixedOffsets()[tileDim];
    offsets[dim] = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                         {offsets[dim], start});
    sizes[dim] = slice.getMixedSizes()[tileDim];
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

void reload(OpOperand &operand, RewriterBase &rewriter) {
  auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.getType().hasStaticShape() || isWholeFractals(slice))
    return;
  auto load = slice.getSource().getDefiningOp<CopyOp>();
  auto window = load ? load.getSource().getDefiningOp<WindowOp>() : nullptr;
  auto tensor = window ? window.getSource().getDefiningOp<TensorOp>() : nullptr;
  if (!tensor || !isOnlyRead(tensor))
    return;
  rewriter.setInsertionPoint(slice);
  WindowOp part = narrow(window, slice, rewriter);
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
}

struct ReloadSlices : tilekiln::impl::ReloadSlicesBase<ReloadSlices> {
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    IRRewriter rewriter(&getContext());
    for (GemmOp gemm : gemms)
      for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
        reload(*operand, rewriter);
  }
};

} // namespace
