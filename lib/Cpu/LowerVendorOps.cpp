//===- LowerVendorOps.cpp - The vendor's operations on the host -----------===//
//
// Linked IR is upstream's but for a handful of operations that BiShengIR alone
// has, kept in generic form. Here each gets the meaning that the vendor's
// compiler gives it. The files Vendor*.cpp hold one family each.
//
//===----------------------------------------------------------------------===//
#include "LowerVendorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilekiln/Cpu/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_CPULOWERVENDOROPS
#include "tilekiln/Cpu/Passes.h.inc"

Attribute vendorAttribute(Operation *op, StringRef name) {
  if (Attribute attribute = op->getDiscardableAttr(name))
    return attribute;
  auto properties =
      dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties ? properties.get(name) : Attribute();
}

std::string vendorKeyword(Operation *op, StringRef name) {
  Attribute attribute = vendorAttribute(op, name);
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return text.getValue().str();
  if (!attribute)
    return "";
  // "#hfusion.round_mode<rint>" and "#hfusion<round_mode<rint>>" alike.
  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  StringRef text(printed);
  return text.substr(text.rfind('<') + 1).split('>').first.trim().str();
}

bool vendorFlag(Operation *op, StringRef name, bool otherwise) {
  auto flag = dyn_cast_or_null<BoolAttr>(vendorAttribute(op, name));
  return flag ? flag.getValue() : otherwise;
}

LogicalResult checkVendorOp(Operation *op, unsigned minOperands,
                            bool tensorResult) {
  if (op->getNumOperands() < minOperands)
    return op->emitOpError()
           << "has " << op->getNumOperands() << " operands, at least "
           << minOperands << " are needed";
  if (op->getNumResults() != (tensorResult ? 1 : 0) ||
      (tensorResult && !isa<RankedTensorType>(op->getResult(0).getType())))
    return op->emitOpError() << (tensorResult ? "must give one ranked tensor"
                                              : "must not have results");
  return success();
}

LogicalResult replaceElementwise(
    RewriterBase &rewriter, Operation *op, ValueRange tensors,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (Value tensor : tensors) {
    auto operandType = dyn_cast<RankedTensorType>(tensor.getType());
    if (!operandType || operandType.getShape() != type.getShape())
      return op->emitOpError()
             << "takes tensors of its result's shape, not " << tensor.getType();
  }
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> dynamicSizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      dynamicSizes.push_back(
          rewriter.create<tensor::DimOp>(loc, op->getOperands().back(), i));
  Value out = rewriter.create<tensor::EmptyOp>(loc, type, dynamicSizes);
  SmallVector<AffineMap> maps(tensors.size() + 1,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value value;
  auto generic = rewriter.create<linalg::GenericOp>(
      loc, type, tensors, out, maps, iterators,
      [&](OpBuilder &builder, Location inner, ValueRange arguments) {
        value = body(builder, inner, arguments.drop_back());
        builder.create<linalg::YieldOp>(inner, value ? value
                                                     : Value(arguments.back()));
      });
  if (!value)
    return failure();
  rewriter.replaceOp(op, generic);
  return success();
}

namespace {

struct CpuLowerVendorOps : impl::CpuLowerVendorOpsBase<CpuLowerVendorOps> {
  LogicalResult lower(RewriterBase &rewriter, Operation *op) {
    StringRef name = op->getName().getStringRef();
    using Lowering = LogicalResult (*)(RewriterBase &, Operation *);
    auto lowering = llvm::StringSwitch<Lowering>(name)
                        .Case("hfusion.arange", lowerArange)
                        .Case("hfusion.cast", lowerCast)
                        .Case("hfusion.elemwise_unary", lowerElemwiseUnary)
                        .Case("hfusion.elemwise_binary", lowerElemwiseBinary)
                        .Case("hfusion.gather", lowerGather)
                        .Cases("hfusion.cumsum", "hfusion.cumprod", lowerScan)
                        .Case("hfusion.print", lowerPrint)
                        .Case("hivm.hir.store", lowerStore)
                        // Hints on buffering, without meaning for values.
                        .Case("annotation.mark",
                              [](RewriterBase &rewriter, Operation *op) {
                                if (!op->use_empty())
                                  return failure();
                                rewriter.eraseOp(op);
                                return success();
                              })
                        .Default(nullptr);
    if (!lowering)
      return op->emitError()
             << "the CPU executor does not know the operation '" << name
             << "'; express it by upstream dialects or by one of "
                "hfusion.arange,"
                " cast, elemwise_unary, elemwise_binary, gather, cumsum, "
                "cumprod,"
                " print and hivm.hir.store";
    return lowering(rewriter, op);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> vendorOps, stackBuffers;
    getOperation().walk([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (!op->isRegistered() || dialect == "hfusion" || dialect == "hivm" ||
          dialect == "annotation")
        vendorOps.push_back(op);
      if (isa<memref::AllocaOp>(op))
        stackBuffers.push_back(op);
    });
    bool failed = false;
    for (Operation *op : vendorOps)
      failed |= mlir::failed(lower(rewriter, op));
    // A tile can be larger than a thread's stack.
    for (Operation *op : stackBuffers) {
      auto alloca = cast<memref::AllocaOp>(op);
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<memref::AllocOp>(
          op, alloca.getType(), alloca.getDynamicSizes(),
          alloca.getSymbolOperands(), alloca.getAlignmentAttr());
    }
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace tilekiln
