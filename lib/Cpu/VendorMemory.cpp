//===- VendorMemory.cpp - Atomic stores, scans and prints -----------------===//
//
// The vendor's operations that need more than a value per element: they become
// calls of the run-time library on whole tiles.
//
//===----------------------------------------------------------------------===//
#include "LowerVendorOps.h"
#include "Runtime/Runtime.h"
#include "RuntimeCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilekiln {

static Value constantI32(OpBuilder &b, Location loc, int32_t value) {
  return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
}

/// The memory of a tensor that is only read, in whatever layout it has.
static Value memoryOf(OpBuilder &b, Location loc, Value value) {
  auto tensorType = dyn_cast<RankedTensorType>(value.getType());
  if (!tensorType)
    return value;
  SmallVector<int64_t> strides(tensorType.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  auto type = MemRefType::get(tensorType.getShape(),
                              tensorType.getElementType(), layout);
  return b.create<bufferization::ToMemrefOp>(loc, type, value,
                                             /*read_only=*/true);
}

LogicalResult lowerStore(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 2, false)))
    return failure();
  Location loc = op->getLoc();
  Value source = op->getOperand(0), target = op->getOperand(1);
  auto targetType = dyn_cast<MemRefType>(target.getType());
  auto sourceType = dyn_cast<ShapedType>(source.getType());
  if (!targetType || !sourceType || !sourceType.hasRank() ||
      sourceType.getRank() != targetType.getRank() ||
      sourceType.getElementType() != targetType.getElementType())
    return op->emitOpError() << "stores a tile into a memref of the same rank "
                                "and element type";
  std::string kind = vendorKeyword(op, "atomic_kind");
  if (kind.empty())
    kind = vendorKeyword(op, "atomic");
  rewriter.setInsertionPoint(op);
  if (kind.empty() || kind == "none") {
    if (isa<RankedTensorType>(sourceType)) {
      auto store = rewriter.create<bufferization::MaterializeInDestinationOp>(
          loc, source, target);
      store.setWritable(true);
    } else {
      rewriter.create<memref::CopyOp>(loc, source, target);
    }
    rewriter.eraseOp(op);
    return success();
  }
  auto code = llvm::StringSwitch<std::optional<AtomicKind>>(kind)
                  .Case("add", AtomicKind::Add)
                  .Case("max", AtomicKind::Max)
                  .Case("min", AtomicKind::Min)
                  .Case("and", AtomicKind::And)
                  .Case("or", AtomicKind::Or)
                  .Case("xor", AtomicKind::Xor)
                  .Default(std::nullopt);
  Type element = targetType.getElementType();
  std::string suffix = elementSuffix(element);
  bool isBitwise = code && *code >= AtomicKind::And;
  if (!code || suffix.empty() || (isBitwise && !isa<IntegerType>(element)))
    return op->emitOpError() << "has no atomic '" << kind << "' on " << element;
  Value memory = memoryOf(rewriter, loc, source);
  callRuntime(rewriter, loc, "tilekilnAtomicStore_" + suffix,
              {unrank(rewriter, loc, memory), unrank(rewriter, loc, target),
               constantI32(rewriter, loc, int32_t(*code))});
  rewriter.eraseOp(op);
  return success();
}

LogicalResult lowerScan(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 1, true)))
    return failure();
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto dims =
      dyn_cast_or_null<DenseI64ArrayAttr>(vendorAttribute(op, "cum_dims"));
  std::string suffix = elementSuffix(type.getElementType());
  if (op->getOperand(0).getType() != type || !dims || dims.size() != 1 ||
      dims[0] < 0 || dims[0] >= type.getRank() || suffix.empty())
    return op->emitOpError()
           << "scans a tensor of numbers along one of its dimensions";
  rewriter.setInsertionPoint(op);
  SmallVector<Value> dynamicSizes;
  Value source = memoryOf(rewriter, loc, op->getOperand(0));
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      dynamicSizes.push_back(rewriter.create<memref::DimOp>(loc, source, i));
  Value result = rewriter.create<memref::AllocOp>(
      loc, MemRefType::get(type.getShape(), type.getElementType()),
      dynamicSizes);
  bool product = op->getName().getStringRef() == "hfusion.cumprod";
  callRuntime(rewriter, loc, "tilekilnScan_" + suffix,
              {unrank(rewriter, loc, source), unrank(rewriter, loc, result),
               constantI32(rewriter, loc, int32_t(dims[0])),
               constantI32(rewriter, loc, product),
               constantI32(rewriter, loc, vendorFlag(op, "reverse", false))});
  rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
      op, type, result, /*restrict=*/true, /*writable=*/true);
  return success();
}

LogicalResult lowerPrint(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 1, false)))
    return failure();
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  // A letter a call: prints are rare, and this needs no constant in memory.
  std::string prefix;
  if (auto text = dyn_cast_or_null<StringAttr>(vendorAttribute(op, "prefix")))
    prefix = text.getValue().str();
  bool hex = vendorFlag(op, "hex", false);
  for (char letter : prefix)
    callRuntime(rewriter, loc, "tilekilnPrintLetter",
                constantI32(rewriter, loc, uint8_t(letter)));
  Value hexFlag = constantI32(rewriter, loc, hex);
  for (Value value : op->getOperands()) {
    Type element = getElementTypeOrSelf(value.getType());
    bool isTile = isa<ShapedType>(value.getType());
    if (element.isInteger(1) && !isTile) {
      value = rewriter.create<arith::ExtUIOp>(loc, rewriter.getI8Type(), value);
    } else if (element.isIndex() && !isTile) {
      value = rewriter.create<arith::IndexCastOp>(loc, rewriter.getI64Type(),
                                                  value);
    } else if (elementSuffix(element).empty()) {
      return op->emitOpError() << "cannot print " << value.getType();
    }
    element = getElementTypeOrSelf(value.getType());
    if (!isTile) {
      Value cell =
          rewriter.create<memref::AllocOp>(loc, MemRefType::get({}, element));
      rewriter.create<memref::StoreOp>(loc, value, cell);
      value = cell;
    }
    Value memory = memoryOf(rewriter, loc, value);
    callRuntime(rewriter, loc, "tilekilnPrintTile_" + elementSuffix(element),
                {unrank(rewriter, loc, memory), hexFlag});
  }
  rewriter.eraseOp(op);
  return success();
}

} // namespace tilekiln
