//===- Transfers.cpp - Between global memory and the chip -----------------===//
//
// A window is lowered to a strided view of the pointer argument. Where it is
// not proven to lie inside of the tensor, only the part inside is moved; reads
// see the tensor's pad value elsewhere.
//
//===----------------------------------------------------------------------===//
#include "Transfers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace {

/// Index arithmetic that folds as it goes.
class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpFoldResult add(OpFoldResult a, OpFoldResult b) {
    return apply(a, b, [](auto x, auto y) { return x + y; });
  }
  OpFoldResult sub(OpFoldResult a, OpFoldResult b) {
    return apply(a, b, [](auto x, auto y) { return x - y; });
  }
  OpFoldResult min(OpFoldResult a, OpFoldResult b) {
    return create<arith::MinSIOp>(a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
  }
  OpFoldResult max(OpFoldResult a, OpFoldResult b) {
    return create<arith::MaxSIOp>(a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
  }
  /// Strides may be symbols, so this is no affine product.
  OpFoldResult mul(OpFoldResult a, OpFoldResult b) {
    return create<arith::MulIOp>(a, b, [](int64_t x, int64_t y) { return x * y; });
  }
  Value value(OpFoldResult a) { return getValueOrCreateConstantIndexOp(builder, loc, a); }
  Value less(OpFoldResult a, OpFoldResult b) {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, value(a), value(b));
  }

private:
  template <typename Fn>
  OpFoldResult apply(OpFoldResult a, OpFoldResult b, Fn combine) {
    AffineExpr x, y;
    bindSymbols(builder.getContext(), x, y);
    return affine::makeComposedFoldedAffineApply(builder, loc, combine(x, y), {a, b});
  }
  template <typename Op, typename Fn>
  OpFoldResult create(OpFoldResult a, OpFoldResult b, Fn fold) {
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(fold(*x, *y));
    return builder.createOrFold<Op>(loc, value(a), value(b));
  }

  OpBuilder &builder;
  Location loc;
};

/// A strided view of a pointer argument; static where its parts are constants.
Value stridedView(Value pointer, OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
                  ArrayRef<OpFoldResult> strides, Location loc, OpBuilder &builder) {
  auto known = [](OpFoldResult value) {
    return getConstantIntValue(value).value_or(ShapedType::kDynamic);
  };
  auto type = MemRefType::get(
      llvm::map_to_vector(sizes, known),
      cast<MemRefType>(pointer.getType()).getElementType(),
      StridedLayoutAttr::get(builder.getContext(), known(offset),
                             llvm::map_to_vector(strides, known)));
  auto folded = [&](OpFoldResult value) -> OpFoldResult {
    auto constant = getConstantIntValue(value);
    return constant ? OpFoldResult(builder.getIndexAttr(*constant)) : value;
  };
  return builder.create<memref::ReinterpretCastOp>(
      loc, type, pointer, folded(offset), llvm::map_to_vector(sizes, folded),
      llvm::map_to_vector(strides, folded));
}

bool flag(Operation *op, StringRef name, unsigned dim) {
  auto flags = op->getAttrOfType<DenseBoolArrayAttr>(name);
  return flags && flags[dim];
}

/// A window as the pointer argument's memory sees it.
struct WindowView {
  /// The whole window's strided view; reading outside of the part below is undefined.
  Value view;
  /// Per kept dimension: the part that lies inside of the tensor.
  SmallVector<OpFoldResult> starts, sizes;
  /// The window's own sizes.
  SmallVector<OpFoldResult> wholeSizes;
  /// The i1 that says whether a part is missing; null where that cannot be.
  Value partial;
};

/// The window's dimensions in the order of the tile in transfers: elements that
/// are neighbours in memory come last, else each of them would be a transfer of
/// its own, and the cube's loads would read others.
class TransferOrder {
public:
  explicit TransferOrder(WindowOp window)
      : dims(window.getDims()), permutation(llvm::to_vector(
                                    llvm::seq<int64_t>(0, window.getDims().size()))) {
    auto strides = window.getSource().getDefiningOp<TensorOp>().getMixedStrides();
    if (dims.empty() || isConstantIntValue(strides[dims.back()], 1) ||
        !cast<MemRefType>(window.getType()).hasStaticShape())
      return;
    for (size_t i = 0; i + 1 < dims.size(); ++i)
      if (isConstantIntValue(strides[dims[i]], 1)) {
        std::swap(dims[i], dims.back());
        std::swap(permutation[i], permutation.back());
        return;
      }
  }

  ArrayRef<int64_t> getDims() const { return dims; }
  bool isTurned() const { return !llvm::is_sorted(permutation); }
  SmallVector<int64_t> turn(ArrayRef<int64_t> shape) const {
    return applyPermutation(shape, permutation);
  }
  /// From the tile's order to that of transfers; a swap, so back as well.
  Value turn(Value tile, Location loc, RewriterBase &rewriter) const {
    if (!isTurned())
      return tile;
    auto type = cast<RankedTensorType>(tile.getType());
    Value empty = rewriter.create<tensor::EmptyOp>(loc, turn(type.getShape()),
                                                   type.getElementType());
    return rewriter.create<linalg::TransposeOp>(loc, tile, empty, permutation)
        .getResult()[0];
  }

private:
  SmallVector<int64_t> dims, permutation;
};

WindowView lowerWindow(WindowOp window, ArrayRef<int64_t> dims, RewriterBase &rewriter) {
  Location loc = window.getLoc();
  IndexMath math(rewriter, loc);
  auto tensor = window.getSource().getDefiningOp<TensorOp>();
  SmallVector<OpFoldResult> offsets = window.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = window.getMixedSizes();
  SmallVector<OpFoldResult> extents = tensor.getMixedSizes();
  SmallVector<OpFoldResult> strides = tensor.getMixedStrides();
  OpFoldResult zero = rewriter.getIndexAttr(0);

  WindowView access;
  OpFoldResult offset = zero;
  for (auto [position, stride] : llvm::zip_equal(offsets, strides))
    offset = math.add(offset, math.mul(position, stride));
  SmallVector<OpFoldResult> keptStrides;
  for (int64_t dim : dims) {
    access.wholeSizes.push_back(sizes[dim]);
    keptStrides.push_back(strides[dim]);
  }
  access.view = stridedView(tensor.getPointer(), offset, access.wholeSizes, keptStrides,
                            loc, rewriter);

  // A dimension of size 1 that is dropped lies inside or empties the window.
  Value outside;
  auto require = [&](Value condition) {
    outside = outside ? rewriter.create<arith::OrIOp>(loc, outside, condition) : condition;
  };
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    if (llvm::is_contained(dims, int64_t(dim)) ||
        flag(window, inBoundsAttrName, dim) || flag(window, startInBoundsAttrName, dim))
      continue;
    require(math.less(offsets[dim], zero));
    require(math.less(math.sub(extents[dim], rewriter.getIndexAttr(1)), offsets[dim]));
  }
  for (int64_t dim : dims) {
    OpFoldResult start = zero, size = sizes[dim];
    if (!flag(window, inBoundsAttrName, dim)) {
      OpFoldResult end = math.min(math.sub(extents[dim], offsets[dim]), size);
      if (!flag(window, startInBoundsAttrName, dim)) {
        start = math.max(zero, math.sub(zero, offsets[dim]));
        end = math.max(end, start);
      }
      size = math.sub(end, start);
      if (outside)
        size = rewriter.create<arith::SelectOp>(loc, outside, math.value(zero),
                                                math.value(size))
                   .getResult();
      // A static part is the whole: then nothing is missing.
      if (getConstantIntValue(size) != getConstantIntValue(sizes[dim]) ||
          !getConstantIntValue(size)) {
        Value missing = math.less(size, sizes[dim]);
        access.partial = access.partial
                             ? rewriter.create<arith::OrIOp>(loc, access.partial, missing)
                             : missing;
      }
    }
    access.starts.push_back(start);
    access.sizes.push_back(size);
  }
  // Every kept dimension is proven inside, a dropped one is not.
  if (outside && !access.partial) {
    access.partial = outside;
    if (!access.sizes.empty())
      access.sizes[0] = rewriter.create<arith::SelectOp>(
          loc, outside, math.value(zero), math.value(access.sizes[0])).getResult();
  }
  return access;
}

SmallVector<OpFoldResult> ones(size_t n, Builder &builder) {
  return SmallVector<OpFoldResult>(n, builder.getIndexAttr(1));
}

/// What reading outside of the tensor gives.
Value padValue(TensorOp tensor, Location loc, RewriterBase &rewriter) {
  Type type = cast<MemRefType>(tensor.getType()).getElementType();
  Attribute pad = tensor.getPadAttr();
  return rewriter.create<arith::ConstantOp>(
      loc, cast<TypedAttr>(pad ? pad : rewriter.getZeroAttr(type)));
}

/// Elements of rows that lie apart, into a part of a tile: the vendor's compiler loads
/// them a block apart, and calls a function of its library to pack them that does
/// nothing where the rows are as far apart in its result. With a dimension more the
/// elements are rows of their own, which it leaves as they are.
bool needsRowsOfOne(const WindowView &access) {
  auto view = access.view.getDefiningOp<memref::ReinterpretCastOp>();
  return access.partial && access.sizes.size() > 1 &&
         !isConstantIntValue(view.getMixedStrides().back(), 1);
}

void addDimensionOfOne(WindowView &access, RewriterBase &rewriter) {
  auto view = access.view.getDefiningOp<memref::ReinterpretCastOp>();
  OpFoldResult one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> strides = view.getMixedStrides();
  strides.push_back(one);
  access.wholeSizes.push_back(one);
  access.sizes.push_back(one);
  access.starts.push_back(rewriter.getIndexAttr(0));
  access.view = stridedView(view.getSource(), view.getMixedOffsets().front(),
                            access.wholeSizes, strides, view.getLoc(), rewriter);
}

/// Global memory to a tile of the window's own element type.
Value loadWindow(WindowOp window, RankedTensorType type, Location loc,
                 RewriterBase &rewriter) {
  TransferOrder order(window);
  WindowView access = lowerWindow(window, order.getDims(), rewriter);
  Type elementType = cast<MemRefType>(window.getType()).getElementType();
  SmallVector<int64_t> shape = order.turn(type.getShape());
  bool hasRowsOfOne = needsRowsOfOne(access);
  if (hasRowsOfOne) {
    addDimensionOfOne(access, rewriter);
    shape.push_back(1);
  }
  auto bufferType = MemRefType::get(shape, elementType);
  IndexMath math(rewriter, loc);
  SmallVector<Value> dynamicSizes;
  for (auto [size, extent] : llvm::zip_equal(access.wholeSizes, shape))
    if (ShapedType::isDynamic(extent))
      dynamicSizes.push_back(math.value(size));
  Value buffer = rewriter.create<memref::AllocOp>(loc, bufferType, dynamicSizes);
  Value from = access.view, to = buffer;
  if (access.partial) {
    auto edge = rewriter.create<scf::IfOp>(loc, access.partial, /*withElse=*/false);
    edge->setAttr("hivm.unlikely_condition", rewriter.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(edge.thenBlock());
      auto tensor = window.getSource().getDefiningOp<TensorOp>();
      Value pad = padValue(tensor, window.getLoc(), rewriter);
      rewriter.create<linalg::FillOp>(loc, pad, buffer);
    }
    auto unit = ones(access.sizes.size(), rewriter);
    from = rewriter.create<memref::SubViewOp>(loc, from, access.starts, access.sizes, unit);
    to = rewriter.create<memref::SubViewOp>(loc, to, access.starts, access.sizes, unit);
  }
  rewriter.create<memref::CopyOp>(loc, from, to);
  Value tile = rewriter.create<bufferization::ToTensorOp>(
      loc, RankedTensorType::get(shape, elementType), buffer,
      /*restrict=*/true, /*writable=*/true);
  if (hasRowsOfOne) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0, last = int64_t(shape.size()) - 2; dim <= last; ++dim)
      groups.push_back(dim < last ? ReassociationIndices{dim}
                                  : ReassociationIndices{dim, dim + 1});
    tile = rewriter.create<tensor::CollapseShapeOp>(loc, tile, groups);
  }
  return order.turn(tile, loc, rewriter);
}

} // namespace

std::pair<Value, Value> tilekiln::storePart(WindowOp window, Value tile, Location loc,
                                            RewriterBase &rewriter) {
  TransferOrder order(window);
  WindowView access = lowerWindow(window, order.getDims(), rewriter);
  tile = order.turn(tile, loc, rewriter);
  if (!access.partial)
    return {tile, access.view};
  auto unit = ones(access.sizes.size(), rewriter);
  Value part = rewriter.create<tensor::ExtractSliceOp>(loc, tile, access.starts,
                                                       access.sizes, unit);
  Value dest = rewriter.create<memref::SubViewOp>(loc, access.view, access.starts,
                                                  access.sizes, unit);
  return {part, dest};
}

LogicalResult tilekiln::lowerCopy(CopyOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto destType = cast<ShapedType>(op.getInit().getType());
  Value tile = op.getSource();
  for (Value side : {tile, op.getInit()})
    if (isa<MemRefType>(side.getType()) && !side.getDefiningOp<WindowOp>())
      return op.emitOpError("needs a window of a global tensor, got ") << side.getType();
  if (auto window = tile.getDefiningOp<WindowOp>()) {
    auto shape = RankedTensorType::get(destType.getShape(), destType.getElementType());
    tile = loadWindow(window, shape, loc, rewriter);
  }
  Type from = cast<ShapedType>(tile.getType()).getElementType();
  Value cast = castTile(tile, destType.getElementType(), loc, rewriter);
  if (!cast)
    return op.emitOpError("cannot convert ") << from << " to " << destType.getElementType();
  if (auto window = op.getInit().getDefiningOp<WindowOp>()) {
    auto [part, dest] = storePart(window, cast, loc, rewriter);
    auto store = rewriter.create<bufferization::MaterializeInDestinationOp>(
        loc, Type(), part, dest);
    store.setWritable(true);
    rewriter.eraseOp(op);
    return success();
  }
  if (op->hasAttr(realTransferAttrName))
    cast = throughVectorUnit(cast, loc, rewriter);
  rewriter.replaceOp(op, cast);
  return success();
}

GlobalElement tilekiln::elementOf(Value memref, ValueRange indices, Operation *op,
                                  RewriterBase &rewriter) {
  Location loc = op->getLoc();
  auto tensor = memref.getDefiningOp<TensorOp>();
  IndexMath math(rewriter, loc);
  GlobalElement element;
  element.tensor = tensor;
  if (!tensor)
    return element;
  SmallVector<OpFoldResult> extents = tensor.getMixedSizes();
  OpFoldResult zero = rewriter.getIndexAttr(0);
  auto require = [&](Value condition) {
    element.inside =
        element.inside
            ? rewriter.create<arith::AndIOp>(loc, element.inside, condition).getResult()
            : condition;
  };
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (flag(op, inBoundsAttrName, dim))
      continue;
    auto constant = getConstantIntValue(OpFoldResult(index));
    auto extent = getConstantIntValue(extents[dim]);
    if (constant && extent && *constant >= 0 && *constant < *extent)
      continue;
    require(rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, index,
                                           math.value(zero)));
    require(math.less(index, extents[dim]));
  }
  return element;
}

/// The whole tensor, to be indexed.
static Value viewOf(TensorOp tensor, Location loc, RewriterBase &rewriter) {
  return stridedView(tensor.getPointer(), rewriter.getIndexAttr(0),
                     tensor.getMixedSizes(), tensor.getMixedStrides(), loc, rewriter);
}

Value tilekiln::viewOfElement(TensorOp tensor, ValueRange indices, Location loc,
                              RewriterBase &rewriter) {
  IndexMath math(rewriter, loc);
  OpFoldResult offset = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  for (auto [index, stride] : llvm::zip_equal(indices, tensor.getMixedStrides()))
    offset = math.add(offset, math.mul(index, stride));
  return stridedView(tensor.getPointer(), offset, one, one, loc, rewriter);
}

LogicalResult tilekiln::lowerLoad(memref::LoadOp op, RewriterBase &rewriter) {
  if (!isGlobal(op.getMemRef().getType()))
    return success();
  Location loc = op.getLoc();
  auto [tensor, inside] = elementOf(op.getMemRef(), op.getIndices(), op, rewriter);
  if (!tensor)
    return op.emitOpError("needs an element of a global tensor");
  Value view = viewOf(tensor, loc, rewriter);
  if (!inside) {
    rewriter.replaceOpWithNewOp<memref::LoadOp>(op, view, op.getIndices());
    return success();
  }
  auto guarded = rewriter.create<scf::IfOp>(loc, op.getType(), inside, /*withElse=*/true);
  rewriter.setInsertionPointToStart(guarded.thenBlock());
  Value element = rewriter.create<memref::LoadOp>(loc, view, op.getIndices());
  rewriter.create<scf::YieldOp>(loc, element);
  rewriter.setInsertionPointToStart(guarded.elseBlock());
  rewriter.create<scf::YieldOp>(loc, padValue(tensor, loc, rewriter));
  rewriter.replaceOp(op, guarded.getResults());
  return success();
}

LogicalResult tilekiln::lowerStore(memref::StoreOp op, RewriterBase &rewriter) {
  if (!isGlobal(op.getMemRef().getType()))
    return success();
  auto [tensor, inside] = elementOf(op.getMemRef(), op.getIndices(), op, rewriter);
  if (!tensor)
    return op.emitOpError("needs an element of a global tensor");
  Value view = viewOf(tensor, op.getLoc(), rewriter);
  if (inside) {
    auto guarded = rewriter.create<scf::IfOp>(op.getLoc(), inside, /*withElse=*/false);
    rewriter.setInsertionPointToStart(guarded.thenBlock());
  }
  rewriter.create<memref::StoreOp>(op.getLoc(), op.getValueToStore(), view, op.getIndices());
  rewriter.eraseOp(op);
  return success();
}
