//===- Atomics.cpp - Atomic updates by whole tiles ------------------------===//
//
// Updates of different elements are one atomic store of the tile. Updates of
// one element by several iterations are combined on chip first, so that memory
// is updated once. Where a condition keeps an iteration from updating, it
// updates by the value that changes nothing.
//
//===----------------------------------------------------------------------===//
#include "TileOps.h"
#include "Vectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;
using commonir::AtomicKind;
using commonir::ReduceKind;

static ReduceKind combinerOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return ReduceKind::Sum;
  case AtomicKind::Max:
    return ReduceKind::Max;
  case AtomicKind::Min:
    return ReduceKind::Min;
  }
  llvm_unreachable("every kind is listed");
}

/// The value by which an update changes nothing.
static TypedAttr identityOf(AtomicKind kind, Type type, Builder &builder) {
  if (kind == AtomicKind::Add)
    return builder.getZeroAttr(type);
  bool isMax = kind == AtomicKind::Max;
  if (auto floating = dyn_cast<FloatType>(type))
    return builder.getFloatAttr(
        type, APFloat::getInf(floating.getFloatSemantics(), isMax));
  unsigned bits = type.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(bits)
                                            : APInt::getSignedMaxValue(bits));
}

/// A number times a constant.
static Value buildMultiple(OpBuilder &builder, Location loc, Value tile,
                           int64_t times) {
  Value factor =
      buildConstant(builder, loc, elementOf(tile), times, shapeOf(tile));
  if (isa<FloatType>(elementOf(tile)))
    return builder.create<arith::MulFOp>(loc, tile, factor);
  return builder.create<arith::MulIOp>(loc, tile, factor);
}

/// The elements along the given positions of a tile, combined into one.
static Value buildReduction(OpBuilder &builder, Location loc, Value tile,
                            ReduceKind kind, int64_t position) {
  SmallVector<int64_t> shape(shapeOf(tile));
  if (shape.size() == 1)
    shape[0] = 1;
  else
    shape.erase(shape.begin() + position);
  Value init =
      builder.create<tensor::EmptyOp>(loc, shape, elementOf(tile));
  return builder
      .create<commonir::ReduceOp>(loc, TypeRange(init.getType()), tile, init,
                                  kind, position, /*accumulate=*/false,
                                  /*nan_propagate=*/false)
      ->getResult(0);
}

llvm::Error Vectorizer::emitAtomic(commonir::AtomicElementOp update,
                                   const Guard &guard) {
  Location loc = update.getLoc();
  auto access = classifyAccess(analysis, update.getDest(), update.getIndices());
  if (!access)
    return access.takeError();
  auto strided = [](const AccessDim &dim) { return dim.stride != 1; };
  if (access->hasRepetition() || llvm::any_of(access->dims, strided))
    return llvm::createStringError("it updates " +
                                   describeBuffer(update.getDest()) +
                                   " atomically with a stride");
  bool isRead = false;
  op.getBody().walk([&](memref::LoadOp load) {
    isRead |= load.getMemRef() == update.getDest();
  });
  if (isRead)
    return llvm::createStringError("it reads " +
                                   describeBuffer(update.getDest()) +
                                   ", which it also updates atomically");

  // Conditions that are the same everywhere become a branch, others a mask.
  Guard masked;
  Value runs;
  for (Condition condition : guard.terms) {
    if (!analysis.isUniform(condition.value)) {
      masked.add(analysis, condition);
      continue;
    }
    Value scalar = emitter.scalarOf(condition.value);
    if (condition.negated)
      scalar = builder.create<arith::XOrIOp>(
          loc, scalar, builder.create<arith::ConstantIntOp>(loc, 1, 1));
    runs = runs ? builder.create<arith::AndIOp>(loc, runs, scalar).getResult()
                : scalar;
  }
  OpBuilder::InsertionGuard restore(builder);
  if (runs) {
    auto branch =
        builder.create<scf::IfOp>(loc, runs, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }

  AtomicKind kind = update.getKind();
  DimMask own = access->mask();
  DimMask used = own | emitter.dimsOf(update.getValue()) | masked.dims;
  auto value = emitter.get(loc, update.getValue(), used);
  if (!value)
    return value.takeError();
  Value tile = *value;
  if (used == 0)
    tile = buildSplat(builder, loc, tile, {1});
  if (!masked.always()) {
    auto mask = maskOf(loc, masked, used);
    if (!mask)
      return mask.takeError();
    Value identity = builder.create<arith::ConstantOp>(
        loc, identityOf(kind, elementOf(tile), builder));
    tile = builder.create<arith::SelectOp>(
        loc, *mask, tile, buildSplat(builder, loc, identity, shapeOf(tile)));
  }

  SmallVector<unsigned> dims = listDims(used);
  int64_t times = 1;
  for (unsigned dim = 0; dim < analysis.getExtents().size(); ++dim)
    if (!(used >> dim & 1))
      times *= analysis.getExtents()[dim];
  for (int64_t position = dims.size() - 1; position >= 0; --position)
    if (!(own >> dims[position] & 1))
      tile = buildReduction(builder, loc, tile, combinerOf(kind), position);
  if (kind == AtomicKind::Add && times > 1)
    tile = buildMultiple(builder, loc, tile, times);

  if (own != 0) {
    // To the buffer's order.
    SmallVector<unsigned> order = access->order(), sorted = listDims(own);
    SmallVector<int64_t> permutation;
    for (unsigned dim : order)
      permutation.push_back(llvm::find(sorted, dim) - sorted.begin());
    tile = buildTranspose(builder, loc, tile, permutation);
    tile = buildReshape(builder, loc, tile, access->keptCounts());
  }
  SmallVector<OpFoldResult> offsets, sizes;
  for (const AccessDim &dim : access->dims) {
    offsets.push_back(emitter.indexOf(loc, dim.first));
    sizes.push_back(builder.getIndexAttr(dim.count));
  }
  Value window = buildWindow(loc, *access, offsets, sizes);
  builder.create<commonir::AtomicOp>(loc, tile, window, kind);
  return llvm::Error::success();
}
