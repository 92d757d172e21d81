//===- GlobalStores.cpp - Tiles into windows of global tensors ------------===//
#include "TileOps.h"
#include "Vectorizer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

/// Takes the lesser (or greater) of two uniform expressions where only run time
/// can tell.
static OpFoldResult buildExtreme(OpBuilder &builder, Location loc,
                                 OpFoldResult a, OpFoldResult b, bool lesser) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(lesser ? std::min(*x, *y) : std::max(*x, *y));
  Value left = getValueOrCreateConstantIndexOp(builder, loc, a);
  Value right = getValueOrCreateConstantIndexOp(builder, loc, b);
  if (lesser)
    return builder.create<arith::MinSIOp>(loc, left, right).getResult();
  return builder.create<arith::MaxSIOp>(loc, left, right).getResult();
}

/// Stores into a window. Conditions that say what the tensor's own bounds say
/// are dropped, those that cut off an end of the box make the window smaller,
/// those that no index decides become a branch. Anything else cannot be done on
/// tiles: reading, merging and writing back would undo what another block
/// stores between.
llvm::Error Vectorizer::storeBox(Location loc, const Access &access, Value box,
                                 const Guard &guard) {
  auto refuse = [&] {
    return llvm::createStringError(
        "a condition decides element by element what is "
        "stored to global memory " +
        describeBuffer(access.buffer));
  };
  if (!guard.isExact)
    return refuse();
  size_t rank = access.dims.size();
  for (const AccessDim &dim : access.dims)
    if (dim.stride != 1)
      return llvm::createStringError(
          "it stores to global memory with a stride");
  SmallVector<OpFoldResult> low(rank, builder.getIndexAttr(0)), high;
  for (const AccessDim &dim : access.dims)
    high.push_back(builder.getIndexAttr(dim.count));
  Value condition;
  auto require = [&](Value term) {
    condition =
        condition
            ? builder.create<arith::AndIOp>(loc, condition, term).getResult()
            : term;
  };
  for (AffineExpr test : guard.tests) {
    if (isImpliedByBounds(analysis, test, access))
      continue;
    std::optional<LinearForm> form = analysis.linearOf(test);
    SmallVector<unsigned> dims =
        form ? listDims(form->dims()) : SmallVector<unsigned>();
    if (!form || dims.size() > 1)
      return refuse();
    if (dims.empty()) {
      Value index = emitter.indexValueOf(loc, form->uniform);
      Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
      require(builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                            index, zero));
      continue;
    }
    const AccessDim *side =
        llvm::find_if(access.dims, [&](const AccessDim &dim) {
          return dim.dims.size() == 1 && dim.dims[0] == dims[0];
        });
    if (side == access.dims.end())
      return refuse();
    size_t position = side - access.dims.begin();
    int64_t factor = form->coefficients[dims[0]];
    // factor * i + u >= 0
    if (factor > 0) {
      AffineExpr bound = analysis.simplify((-form->uniform).ceilDiv(factor));
      low[position] = buildExtreme(builder, loc, low[position],
                                   emitter.indexOf(loc, bound), false);
    } else {
      AffineExpr bound = analysis.simplify(form->uniform.floorDiv(-factor) + 1);
      high[position] = buildExtreme(builder, loc, high[position],
                                    emitter.indexOf(loc, bound), true);
    }
  }
  for (Condition term : guard.uniform) {
    Value scalar = emitter.scalarOf(term.value);
    if (term.negated)
      scalar = builder.create<arith::XOrIOp>(
          loc, scalar, builder.create<arith::ConstantIntOp>(loc, 1, 1));
    require(scalar);
  }
  OpBuilder::InsertionGuard restore(builder);
  if (condition) {
    auto branch =
        builder.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<OpFoldResult> offsets, sizes, sliceOffsets, sliceSizes;
  bool isWhole = true;
  for (auto [position, dim] : llvm::enumerate(access.dims)) {
    OpFoldResult first = emitter.indexOf(loc, dim.first);
    OpFoldResult start = low[position], size = builder.getIndexAttr(dim.count);
    if (!isConstantIntValue(start, 0) ||
        !isConstantIntValue(high[position], dim.count)) {
      isWhole = false;
      start = buildExtreme(builder, loc, start, size, /*lesser=*/true);
      OpFoldResult end =
          buildExtreme(builder, loc, high[position], start, /*lesser=*/false);
      auto from = getConstantIntValue(start), to = getConstantIntValue(end);
      if (from && to) {
        size = builder.getIndexAttr(*to - *from);
      } else {
        size = builder
                   .create<arith::SubIOp>(
                       loc, getValueOrCreateConstantIndexOp(builder, loc, end),
                       getValueOrCreateConstantIndexOp(builder, loc, start))
                   .getResult();
      }
      if (isConstantIntValue(size, 0))
        return llvm::Error::success();
      if (!isConstantIntValue(start, 0))
        first = affine::makeComposedFoldedAffineApply(
            builder, loc,
            builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1),
            {first, start});
    }
    offsets.push_back(first);
    sizes.push_back(size);
    if (!dim.isFixed()) {
      sliceOffsets.push_back(start);
      sliceSizes.push_back(size);
    }
  }
  if (!isWhole) {
    SmallVector<OpFoldResult> strides(sliceSizes.size(),
                                      builder.getIndexAttr(1));
    box = builder.create<tensor::ExtractSliceOp>(loc, box, sliceOffsets,
                                                 sliceSizes, strides);
  }
  Value window = buildWindow(loc, access, offsets, sizes);
  Value source = box;
  // Nothing but a transfer: straight from the buffer.
  if (auto read = box.getDefiningOp<commonir::ReadOp>())
    if (isUnwrittenSince(read))
      source = read.getSource();
  builder.create<commonir::CopyOp>(loc, TypeRange(), source, window);
  return llvm::Error::success();
}
