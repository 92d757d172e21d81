//===- TileOps.cpp - Work on tiles: products, reductions, scans -----------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

Value tilekiln::splatTile(Value scalar, RankedTensorType type, Location loc,
                          RewriterBase &rewriter) {
  Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(),
                                                 type.getElementType());
  return rewriter.create<linalg::FillOp>(loc, scalar, empty).getResult(0);
}

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value transposed(Value tile, Location loc, RewriterBase &rewriter) {
  RankedTensorType type = tileType(tile);
  Value empty = rewriter.create<tensor::EmptyOp>(
      loc, ArrayRef<int64_t>{type.getDimSize(1), type.getDimSize(0)},
      type.getElementType());
  return rewriter.create<linalg::TransposeOp>(loc, tile, empty, ArrayRef<int64_t>{1, 0})
      .getResult()[0];
}

static Value zeroTile(RankedTensorType type, Location loc, RewriterBase &rewriter) {
  Value zero = rewriter.create<arith::ConstantOp>(
      loc, rewriter.getZeroAttr(type.getElementType()));
  return splatTile(zero, type, loc, rewriter);
}

static LogicalResult cannotConvert(Operation *op, Value tile, Type element) {
  return op->emitOpError("cannot convert ")
         << getElementTypeOrSelf(tile.getType()) << " to " << element;
}

/// The op becomes the tile, in the given element type.
static LogicalResult replaceConverted(Operation *op, Value tile, Type element,
                                      RewriterBase &rewriter) {
  Value result = castTile(tile, element, op->getLoc(), rewriter);
  if (!result)
    return cannotConvert(op, tile, element);
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult tilekiln::lowerFill(FillOp op, RewriterBase &rewriter) {
  rewriter.replaceOp(
      op, splatTile(op.getValue(), tileType(op.getInit()), op.getLoc(), rewriter));
  return success();
}

LogicalResult tilekiln::lowerTranspose(TransposeOp op, RewriterBase &rewriter) {
  rewriter.replaceOp(op, transposed(op.getSource(), op.getLoc(), rewriter));
  return success();
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

/// A sum is the cube's own, or starts anew: infer-placement has taken all others
/// apart.
LogicalResult tilekiln::lowerGemm(GemmOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType resultType = tileType(op.getInit());
  Type element = resultType.getElementType();
  Type sumElement = isa<IntegerType>(element) ? Type(rewriter.getI32Type())
                                              : Type(rewriter.getF32Type());
  if (op.getClear() ? !op.alwaysClears() : element != sumElement)
    return op.emitOpError("adds to a sum that the cube cannot keep; run infer-placement, "
                          "which has the vector unit add it");
  Value a = op.getTransposeA() ? transposed(op.getA(), loc, rewriter) : op.getA();
  Value b = op.getTransposeB() ? transposed(op.getB(), loc, rewriter) : op.getB();
  RankedTensorType sumType = resultType.clone(sumElement);
  Value start = op.getClear() ? zeroTile(sumType, loc, rewriter) : op.getInit();
  auto product = rewriter.create<linalg::MatmulOp>(loc, TypeRange{sumType}, ValueRange{a, b},
                                                   ValueRange{start});
  product->setAttr("input_precision", rewriter.getStringAttr("ieee"));
  return replaceConverted(op, product.getResult(0), element, rewriter);
}

//===----------------------------------------------------------------------===//
// reduce and scan
//===----------------------------------------------------------------------===//

/// The value that changes nothing when combined.
static TypedAttr identityOf(ReduceKind kind, Type type, Builder &builder) {
  auto floating = dyn_cast<FloatType>(type);
  unsigned bits = type.getIntOrFloatBitWidth();
  auto infinity = [&](bool negative) {
    return builder.getFloatAttr(
        type, APFloat::getInf(floating.getFloatSemantics(), negative));
  };
  switch (kind) {
  case ReduceKind::Max:
    return floating ? TypedAttr(infinity(true))
                    : builder.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  case ReduceKind::Min:
    return floating ? TypedAttr(infinity(false))
                    : builder.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case ReduceKind::BitAnd:
    return builder.getIntegerAttr(type, APInt::getAllOnes(bits));
  default:
    return builder.getZeroAttr(type);
  }
}

static Value combine(ReduceKind kind, Value a, Value b, Location loc,
                     OpBuilder &builder) {
  bool floating = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return floating ? builder.create<arith::AddFOp>(loc, a, b).getResult()
                    : builder.create<arith::AddIOp>(loc, a, b).getResult();
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    return floating ? builder.create<arith::MaximumFOp>(loc, a, b).getResult()
                    : builder.create<arith::MaxSIOp>(loc, a, b).getResult();
  case ReduceKind::Min:
    return floating ? builder.create<arith::MinimumFOp>(loc, a, b).getResult()
                    : builder.create<arith::MinSIOp>(loc, a, b).getResult();
  case ReduceKind::BitAnd:
    return builder.create<arith::AndIOp>(loc, a, b);
  case ReduceKind::BitOr:
    return builder.create<arith::OrIOp>(loc, a, b);
  case ReduceKind::BitXor:
    return builder.create<arith::XOrIOp>(loc, a, b);
  }
  llvm_unreachable("every kind is listed");
}

/// The same elements under a shape with more or fewer unit dimensions.
static Value withShape(Value tile, ArrayRef<int64_t> shape, Location loc,
                       RewriterBase &rewriter) {
  RankedTensorType type = tileType(tile);
  if (type.getShape() == shape)
    return tile;
  auto wanted = RankedTensorType::get(shape, type.getElementType());
  auto groups = getReassociationIndicesForReshape(type, wanted);
  if (wanted.getRank() > type.getRank())
    return rewriter.create<tensor::ExpandShapeOp>(loc, wanted, tile, *groups);
  return rewriter.create<tensor::CollapseShapeOp>(loc, wanted, tile, *groups);
}

LogicalResult tilekiln::lowerReduce(ReduceOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  ReduceKind kind = op.getKind();
  Value tile = op.getSource();
  RankedTensorType destType = tileType(op.getInit());
  Type elementType = tileType(tile).getElementType();
  bool sums = kind == ReduceKind::Sum || kind == ReduceKind::AbsSum;
  // Sums of 16-bit floats are kept in f32, as the vendor's library does.
  Type workType = sums && isa<FloatType>(elementType) &&
                          elementType.getIntOrFloatBitWidth() < 32
                      ? Type(rewriter.getF32Type())
                      : elementType;
  tile = castTile(tile, workType, loc, rewriter);
  // The combining op must be alone in the reduction's body: the vendor's
  // compiler drops anything else.
  if (kind == ReduceKind::AbsSum || kind == ReduceKind::AbsMax)
    tile = isa<FloatType>(workType)
               ? rewriter.create<math::AbsFOp>(loc, tile).getResult()
               : rewriter.create<math::AbsIOp>(loc, tile).getResult();
  int64_t dim = int64_t(op.getDim());
  if (tileType(tile).getRank() == 1) {
    tile = withShape(tile, {1, tileType(tile).getDimSize(0)}, loc, rewriter);
    dim = 1;
  }
  SmallVector<int64_t> shape(tileType(tile).getShape());
  shape.erase(shape.begin() + dim);
  // The start must be the identity: any other is dropped by the vendor's compiler.
  Value identity =
      rewriter.create<arith::ConstantOp>(loc, identityOf(kind, workType, rewriter));
  Value start = splatTile(identity, RankedTensorType::get(shape, workType), loc, rewriter);
  auto reduced = rewriter.create<linalg::ReduceOp>(
      loc, ValueRange{tile}, ValueRange{start}, ArrayRef<int64_t>{dim},
      [&](OpBuilder &builder, Location inner, ValueRange values) {
        builder.create<linalg::YieldOp>(
            inner, combine(kind, values[0], values[1], inner, builder));
      });
  Value result = withShape(reduced.getResult(0), destType.getShape(), loc, rewriter);
  if (op.getAccumulate()) {
    Value old = castTile(op.getInit(), workType, loc, rewriter);
    if (!old)
      return cannotConvert(op, op.getInit(), workType);
    result = combine(kind, old, result, loc, rewriter);
  }
  return replaceConverted(op, result, destType.getElementType(), rewriter);
}

/// Row by row: each row is one vector op. Along the last dimension the tile is
/// transposed first, since columns are no vectors.
LogicalResult tilekiln::lowerScan(ScanOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  Value tile = op.getSource();
  RankedTensorType sourceType = tileType(tile);
  if (sourceType.getRank() > 2)
    return op.emitOpError("runs over tiles of one or two dimensions, got ")
           << sourceType.getRank() << "; reshape the tile";
  bool vector = sourceType.getRank() == 1;
  if (vector)
    tile = withShape(tile, {sourceType.getDimSize(0), 1}, loc, rewriter);
  bool turned = !vector && op.getDim() == 1;
  if (turned)
    tile = transposed(tile, loc, rewriter);
  RankedTensorType type = tileType(tile);
  int64_t rows = type.getDimSize(0), cols = type.getDimSize(1);
  ReduceKind kind = op.getKind() == ScanKind::Sum ? ReduceKind::Sum : ReduceKind::Max;
  Value identity = rewriter.create<arith::ConstantOp>(
      loc, identityOf(kind, type.getElementType(), rewriter));
  Value running = splatTile(identity, RankedTensorType::get({1, cols}, type.getElementType()),
                            loc, rewriter);
  Value low = rewriter.create<arith::ConstantIndexOp>(loc, 0);
  Value high = rewriter.create<arith::ConstantIndexOp>(loc, rows);
  Value step = rewriter.create<arith::ConstantIndexOp>(loc, 1);
  auto loop = rewriter.create<scf::ForOp>(
      loc, low, high, step, ValueRange{tile, running},
      [&](OpBuilder &builder, Location inner, Value i, ValueRange carried) {
        Value row = i;
        if (op.getReverse()) {
          Value last = builder.create<arith::ConstantIndexOp>(inner, rows - 1);
          row = builder.create<arith::SubIOp>(inner, last, i);
        }
        SmallVector<OpFoldResult> offsets = {row, builder.getIndexAttr(0)};
        SmallVector<OpFoldResult> sizes = {builder.getIndexAttr(1), builder.getIndexAttr(cols)};
        SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
        Value slice = builder.create<tensor::ExtractSliceOp>(inner, carried[0], offsets,
                                                             sizes, strides);
        Value next = combine(kind, carried[1], slice, inner, builder);
        Value merged = builder.create<tensor::InsertSliceOp>(inner, next, carried[0],
                                                             offsets, sizes, strides);
        builder.create<scf::YieldOp>(inner, ValueRange{merged, next});
      });
  Value result = loop.getResult(0);
  if (turned)
    result = transposed(result, loc, rewriter);
  result = withShape(result, sourceType.getShape(), loc, rewriter);
  return replaceConverted(op, result, tileType(op.getInit()).getElementType(), rewriter);
}
