//===- VendorOps.cpp - What only the vendor's own ops can say -------------===//
//
// Counting, printing and atomic updates have no upstream op that the vendor's
// compiler takes. These are the only places where its dialects enter linked IR,
// besides rounding.
//
//===----------------------------------------------------------------------===//
#include "Transfers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// The vendor counts in i32 only; its indices fit.
LogicalResult tilekiln::lowerIota(IotaOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  RankedTensorType counted =
      RankedTensorType::get(type.getShape(), rewriter.getI32Type());
  Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
  Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
  Value empty = rewriter.create<tensor::EmptyOp>(loc, counted.getShape(),
                                                 counted.getElementType());
  Value numbers = rewriter
                      .create<hfusion::ArangeOp>(loc, TypeRange{counted}, zero,
                                                 ValueRange{one}, empty)
                      .getResults()[0];
  Value result = castTile(numbers, type.getElementType(), loc, rewriter);
  if (!result)
    return op.emitOpError("cannot count in ") << type.getElementType();
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult tilekiln::lowerPrint(PrintOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  if (value.getType().isIndex())
    value = rewriter.create<arith::IndexCastOp>(loc, rewriter.getI64Type(), value);
  // The device library has no printing of truth values.
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    value = castTile(value, rewriter.getI8Type(), loc, rewriter);
  rewriter.create<hfusion::PrintOp>(loc, op.getLabel(), /*hex=*/false, value);
  rewriter.eraseOp(op);
  return success();
}

static void createAtomicStore(Value tile, Value dest, AtomicKind kind, Location loc,
                              RewriterBase &rewriter) {
  auto vendorKind = *hivm::symbolizeAtomicKind(stringifyAtomicKind(kind));
  rewriter.create<hivm::StoreOp>(
      loc, TypeRange(), tile, dest,
      hivm::AtomicKindAttr::get(rewriter.getContext(), vendorKind));
}

LogicalResult tilekiln::lowerAtomic(AtomicOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto window = op.getDest().getDefiningOp<WindowOp>();
  if (!window)
    return op.emitOpError("needs a window of a global tensor");
  Type elementType = cast<MemRefType>(window.getType()).getElementType();
  Value tile = castTile(op.getSource(), elementType, loc, rewriter);
  if (!tile)
    return op.emitOpError("cannot convert ") << op.getSource().getType() << " to "
                                             << elementType;
  auto [part, dest] = storePart(window, tile, loc, rewriter);
  createAtomicStore(part, dest, op.getKind(), loc, rewriter);
  rewriter.eraseOp(op);
  return success();
}

/// A tile of one element: the machine has no other atomic update.
LogicalResult tilekiln::lowerAtomicElement(AtomicElementOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto [tensor, inside] = elementOf(op.getDest(), op.getIndices(), op, rewriter);
  if (!tensor)
    return op.emitOpError("needs an element of a global tensor");
  OpBuilder::InsertionGuard guard(rewriter);
  if (inside) {
    auto guarded = rewriter.create<scf::IfOp>(loc, inside, /*withElse=*/false);
    rewriter.setInsertionPointToStart(guarded.thenBlock());
  }
  Type elementType = cast<MemRefType>(op.getDest().getType()).getElementType();
  Value value = castTile(op.getValue(), elementType, loc, rewriter);
  if (!value)
    return op.emitOpError("cannot convert ") << op.getValue().getType() << " to "
                                             << elementType;
  Value tile = splatTile(value, RankedTensorType::get({1}, elementType), loc, rewriter);
  Value dest = viewOfElement(tensor, op.getIndices(), loc, rewriter);
  createAtomicStore(tile, dest, op.getKind(), loc, rewriter);
  rewriter.eraseOp(op);
  return success();
}
