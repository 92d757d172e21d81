//===- Accesses.cpp - Loads and stores of whole tiles ---------------------===//
//
// On-chip buffers are read and written whole, sub-boxes by slices of the value.
// Global tensors are reached through windows, which give zero outside of the
// tensor and write nothing there.
//
//===----------------------------------------------------------------------===//
#include "TileOps.h"
#include "Vectorizer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

static bool isKnownAtLeast(OpFoldResult index, int64_t bound) {
  if (auto constant = getConstantIntValue(index))
    return *constant >= bound;
  auto least = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::LB, cast<Value>(index));
  return succeeded(least) && *least >= bound;
}

static bool isKnownAtMost(OpFoldResult index, int64_t bound) {
  if (auto constant = getConstantIntValue(index))
    return *constant <= bound;
  auto most = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, cast<Value>(index), /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(most) && *most <= bound;
}

/// Each element is known to exist.
bool Vectorizer::isInside(Location loc, const Access &access) {
  for (auto [dim, size] : llvm::zip(access.dims, access.getType().getShape())) {
    if (ShapedType::isDynamic(size) || size < dim.span())
      return false;
    OpFoldResult first = emitter.indexOf(loc, dim.first);
    if (!isKnownAtLeast(first, 0) || !isKnownAtMost(first, size - dim.span()))
      return false;
  }
  return true;
}

/// Some element is known not to exist.
static bool isOutside(const Access &access) {
  for (auto [dim, size] : llvm::zip(access.dims, access.getType().getShape()))
    if (auto first = dyn_cast<AffineConstantExpr>(dim.first))
      if (first.getValue() < 0 || (!ShapedType::isDynamic(size) &&
                                   first.getValue() + dim.span() > size))
        return true;
  return false;
}

static Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>())
    buffer = view.getSource();
  return buffer;
}

//===----------------------------------------------------------------------===//
// Boxes: the picked elements, in the buffer's order
//===----------------------------------------------------------------------===//

Value Vectorizer::readBox(Location loc, const Access &access) {
  MemRefType type = access.getType();
  auto whole = RankedTensorType::get(type.getShape(), type.getElementType());
  Value tile = builder.create<commonir::ReadOp>(
      loc, whole, emitter.scalarOf(access.buffer));
  SmallVector<int64_t> counts = access.keptCounts();
  if (access.coversBuffer())
    return buildReshape(builder, loc, tile, counts);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (const AccessDim &dim : access.dims) {
    offsets.push_back(emitter.indexOf(loc, dim.first));
    sizes.push_back(builder.getIndexAttr(dim.count));
    strides.push_back(builder.getIndexAttr(dim.stride));
  }
  auto box = RankedTensorType::get(counts, type.getElementType());
  return builder.create<tensor::ExtractSliceOp>(loc, box, tile, offsets, sizes,
                                                strides);
}

/// The window is marked where it may lie outside of its tensor and be meant so:
/// it may start before it, or a condition decides whether it counts.
Value Vectorizer::buildWindow(Location loc, const Access &access,
                              ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> kept = access.keptDims();
  if (kept.empty()) // one element, as a tile of one
    kept.push_back(access.dims.size() - 1);
  return builder.create<commonir::WindowOp>(
      loc, emitter.scalarOf(access.buffer), offsets, sizes, kept);
}

Value Vectorizer::loadBox(Location loc, const Access &access,
                          const Guard &guard) {
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> spans;
  for (const AccessDim &dim : access.dims) {
    offsets.push_back(emitter.indexOf(loc, dim.first));
    sizes.push_back(builder.getIndexAttr(dim.span()));
    if (!dim.isFixed())
      spans.push_back(dim.span());
  }
  if (spans.empty())
    spans.push_back(1);
  Value window = buildWindow(loc, access, offsets, sizes);
  Value init = builder.create<tensor::EmptyOp>(
      loc, spans, access.getType().getElementType());
  Value tile = builder
                   .create<commonir::CopyOp>(loc, TypeRange(init.getType()),
                                             window, init)
                   ->getResult(0);
  SmallVector<int64_t> counts = access.keptCounts();
  if (access.mask() == 0 || counts == spans)
    return tile;
  SmallVector<OpFoldResult> starts(counts.size(), builder.getIndexAttr(0)),
      strides;
  for (int64_t kept : access.keptDims())
    strides.push_back(builder.getIndexAttr(access.dims[kept].stride));
  return builder.create<tensor::ExtractSliceOp>(
      loc, tile, starts, getAsIndexOpFoldResult(builder.getContext(), counts),
      strides);
}

/// From the buffer's order to a tile over the iteration space.
Value Vectorizer::arrange(Location loc, const Access &access, Value box) {
  for (auto [position, kept] : llvm::enumerate(access.keptDims())) {
    const AccessDim &dim = access.dims[kept];
    if (!dim.repetition)
      continue;
    const Repetition &repetition = *dim.repetition;
    SmallVector<int64_t> shape(shapeOf(box)), flat = shape;
    // Runs that are shorter than a block of the on-chip memory would be padded to
    // one each, by the vendor's compiler, and all that is computed with them too: as
    // rows of the transposed tile they are not.
    constexpr int64_t blockBytes = 32;
    int64_t elementBytes =
        std::max<int64_t>(elementOf(box).getIntOrFloatBitWidth() / 8, 1);
    if (!repetition.whole && shape.size() == 2 && position == 1 &&
        repetition.times * elementBytes < blockBytes &&
        shape[0] * elementBytes % blockBytes == 0) {
      int64_t rows = shape[0], columns = shape[1];
      box = buildTranspose(builder, loc, box, {1, 0});
      Value repeated = builder.create<tensor::EmptyOp>(
          loc, ArrayRef<int64_t>{columns * repetition.times, rows}, elementOf(box));
      SmallVector<OpFoldResult> sizes{builder.getIndexAttr(columns), builder.getIndexAttr(rows)};
      SmallVector<OpFoldResult> strides{builder.getIndexAttr(repetition.times),
                                        builder.getIndexAttr(1)};
      for (int64_t time = 0; time < repetition.times; ++time) {
        SmallVector<OpFoldResult> starts{builder.getIndexAttr(time), builder.getIndexAttr(0)};
        repeated = builder.create<tensor::InsertSliceOp>(loc, box, repeated, starts, sizes, strides);
      }
      box = repeated;
      box = buildSliceAlong(builder, loc, box, 0,
                            emitter.indexOf(loc, repetition.start),
                            analysis.getExtents()[dim.dims[0]]);
      box = buildTranspose(builder, loc, box, {1, 0});
      continue;
    }
    int64_t place = repetition.whole ? position : position + 1;
    shape.insert(shape.begin() + place, repetition.times);
    flat[position] *= repetition.times;
    box = buildBroadcast(builder, loc, box, shape, place);
    box = buildReshape(builder, loc, box, flat);
    box = buildSliceAlong(builder, loc, box, position,
                          emitter.indexOf(loc, repetition.start),
                          analysis.getExtents()[dim.dims[0]]);
  }
  SmallVector<unsigned> order = access.order(),
                        sorted = listDims(access.mask());
  SmallVector<int64_t> shape, permutation;
  for (unsigned dim : order)
    shape.push_back(analysis.getExtents()[dim]);
  for (unsigned dim : sorted)
    permutation.push_back(llvm::find(order, dim) - order.begin());
  return buildTranspose(builder, loc, buildReshape(builder, loc, box, shape),
                        permutation);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

llvm::Error Vectorizer::emitLoad(memref::LoadOp load, const Guard &guard) {
  Location loc = load.getLoc();
  auto access = classifyAccess(analysis, load.getMemRef(), load.getIndices());
  if (!access)
    return access.takeError();
  bool isGlobal = commonir::isGlobal(load.getMemRefType());
  if (!isGlobal &&
      (isOutside(*access) || (!guard.always() && !isInside(loc, *access))))
    return llvm::createStringError("a guarded index may reach outside of " +
                                   describeBuffer(load.getMemRef()));
  if (access->mask() == 0) {
    Value scalar;
    if (isGlobal && !guard.always() && !isInside(loc, *access)) {
      Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
      scalar = builder.create<tensor::ExtractOp>(
          loc, loadBox(loc, *access, guard), zero);
    } else {
      SmallVector<Value> indices;
      for (const AccessDim &dim : access->dims)
        indices.push_back(emitter.indexValueOf(loc, dim.first));
      scalar = builder.create<memref::LoadOp>(
          loc, emitter.scalarOf(access->buffer), indices);
    }
    emitter.define(load, {scalar, 0});
    return llvm::Error::success();
  }
  Value box = isGlobal ? loadBox(loc, *access, guard) : readBox(loc, *access);
  emitter.define(load, {arrange(loc, *access, box), access->mask()});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// yes where the mask holds, otherwise no.
static Value buildMerge(OpBuilder &builder, Location loc, Value mask, Value yes,
                        Value no) {
  if (!elementOf(yes).isInteger(1))
    return builder.create<arith::SelectOp>(loc, mask, yes, no);
  Value all =
      buildConstant(builder, loc, builder.getI1Type(), 1, shapeOf(mask));
  Value opposite = builder.create<arith::XOrIOp>(loc, mask, all);
  Value left = builder.create<arith::AndIOp>(loc, mask, yes);
  Value right = builder.create<arith::AndIOp>(loc, opposite, no);
  return builder.create<arith::OrIOp>(loc, left, right);
}

llvm::Error Vectorizer::emitStore(memref::StoreOp store, const Guard &guard) {
  Location loc = store.getLoc();
  auto access = classifyAccess(analysis, store.getMemRef(), store.getIndices());
  if (!access)
    return access.takeError();
  auto shared = [&] {
    return llvm::createStringError(
        "several iterations store to one element of " +
        describeBuffer(store.getMemRef()));
  };
  DimMask own = access->mask();
  DimMask valueDims = emitter.dimsOf(store.getValue());
  if (access->hasRepetition() || ((valueDims | guard.dims) & ~own) != 0)
    return shared();
  if (own != analysis.allDims()) {
    // Each iteration stores the same, unless it builds on what the last one
    // left.
    bool isRead = false;
    op.getBody().walk([&](memref::LoadOp load) {
      isRead |= rootOf(load.getMemRef()) == rootOf(store.getMemRef());
    });
    if (isRead)
      return shared();
  }
  bool isGlobal = commonir::isGlobal(store.getMemRefType());
  if (!isGlobal &&
      (isOutside(*access) || (!guard.always() && !isInside(loc, *access))))
    return llvm::createStringError("a guarded index may reach outside of " +
                                   describeBuffer(store.getMemRef()));
  auto value = emitter.get(loc, store.getValue(), own);
  if (!value)
    return value.takeError();
  if (own == 0) {
    SmallVector<Value> indices;
    for (const AccessDim &dim : access->dims)
      indices.push_back(emitter.indexValueOf(loc, dim.first));
    builder.create<memref::StoreOp>(loc, *value,
                                    emitter.scalarOf(access->buffer), indices);
    return llvm::Error::success();
  }
  Value tile = *value;
  if (!isGlobal && !guard.always()) {
    auto mask = maskOf(loc, guard, own);
    if (!mask)
      return mask.takeError();
    Value old = arrange(loc, *access, readBox(loc, *access));
    tile = buildMerge(builder, loc, *mask, tile, old);
  }
  // To the buffer's order.
  SmallVector<unsigned> order = access->order(), sorted = listDims(own);
  SmallVector<int64_t> permutation;
  for (unsigned dim : order)
    permutation.push_back(llvm::find(sorted, dim) - sorted.begin());
  tile = buildTranspose(builder, loc, tile, permutation);
  Value box = buildReshape(builder, loc, tile, access->keptCounts());
  if (isGlobal)
    return storeBox(loc, *access, box, guard);
  writeBox(loc, *access, box);
  return llvm::Error::success();
}

bool Vectorizer::isUnwrittenSince(Operation *op) {
  if (op->getBlock() != builder.getInsertionBlock())
    return false;
  Block::iterator here = builder.getInsertionPoint();
  for (auto next = std::next(op->getIterator()); next != here; ++next)
    if (!isMemoryEffectFree(&*next) &&
        !isa<memref::LoadOp, commonir::ReadOp>(*next) &&
        !(isa<commonir::CopyOp>(*next) && next->getNumResults() == 1))
      return false;
  return true;
}

void Vectorizer::writeBox(Location loc, const Access &access, Value box) {
  MemRefType type = access.getType();
  SmallVector<int64_t> counts;
  for (const AccessDim &dim : access.dims)
    counts.push_back(dim.count);
  // Fixed dimensions come back as 1: the vendor's compiler inserts same ranks
  // only.
  Value tile = buildReshape(builder, loc, box, counts);
  auto copy = tile.getDefiningOp<commonir::CopyOp>();
  if (copy && access.coversBuffer() && isUnwrittenSince(copy)) {
    // Nothing but a transfer: say so, for the buffer may lie where no vector op
    // reaches it.
    builder.create<commonir::CopyOp>(loc, TypeRange(), copy.getSource(),
                                     emitter.scalarOf(access.buffer));
    return;
  }
  if (!access.coversBuffer()) {
    auto whole = RankedTensorType::get(type.getShape(), type.getElementType());
    Value old = builder.create<commonir::ReadOp>(
        loc, whole, emitter.scalarOf(access.buffer));
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (const AccessDim &dim : access.dims) {
      offsets.push_back(emitter.indexOf(loc, dim.first));
      sizes.push_back(builder.getIndexAttr(dim.count));
      strides.push_back(builder.getIndexAttr(dim.stride));
    }
    tile = builder.create<tensor::InsertSliceOp>(loc, tile, old, offsets, sizes,
                                                 strides);
  }
  builder.create<commonir::WriteOp>(loc, tile, emitter.scalarOf(access.buffer));
}
