//===- CommonIRToLinked.cpp - Value form to what the vendor compiles ------===//
//
// Each launch becomes an entry function of its own with the argument list that
// the vendor's compiler expects: lock, workspace, the kernel's arguments, the
// grid, the block's position. Blocks are launched as one row and find their
// indices by division: the vendor numbers blocks with z fastest, so that a
// three-dimensional grid would run in another order than the author's.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "tilekiln/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_CONVERTCOMMONIRTOLINKED
#include "tilekiln/Conversion/Passes.h.inc"
} // namespace tilekiln

namespace {

/// The entry function of one launch: argument list and attributes.
func::FuncOp createEntry(func::FuncOp kernel, StringRef name, OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  Type i8Memory = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  SmallVector<Type> inputs = {i8Memory, i8Memory};
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(type.isIndex() ? builder.getI64Type() : type);
  inputs.append(6, builder.getI32Type());
  auto entry = builder.create<func::FuncOp>(kernel.getLoc(), name,
                                            FunctionType::get(context, inputs, {}));
  entry->setAttr("SyncBlockLockArgIdx", builder.getI64IntegerAttr(0));
  entry->setAttr("WorkspaceArgIdx", builder.getI64IntegerAttr(1));
  entry->setAttr("global_kernel", builder.getStringAttr("local"));
  entry->setAttr("mix_mode", builder.getStringAttr("mix"));
  entry->setAttr("parallel_mode", builder.getStringAttr("simd"));
  SmallVector<Location> locs(2, kernel.getLoc());
  for (BlockArgument argument : kernel.getArguments())
    locs.push_back(argument.getLoc());
  locs.append(6, kernel.getLoc());
  entry.getBody().emplaceBlock().addArguments(inputs, locs);
  return entry;
}

/// The block's indices in the author's order, from its number in the row.
SmallVector<Value> blockIndices(LaunchOp launch, Value number, IRMapping &mapping,
                                OpBuilder &builder) {
  SmallVector<Value> indices;
  Location loc = launch.getLoc();
  Value rest = number;
  size_t rank = launch.getGrid().size();
  for (auto [i, extent] : llvm::enumerate(launch.getGrid())) {
    if (i + 1 == rank) {
      indices.push_back(rest);
      break;
    }
    Value count = mapping.lookupOrDefault(extent);
    indices.push_back(builder.createOrFold<arith::RemSIOp>(loc, rest, count));
    rest = builder.createOrFold<arith::DivSIOp>(loc, rest, count);
  }
  return indices;
}

/// Copies what the launch needs into its entry function, still as commonir.
func::FuncOp outline(func::FuncOp kernel, LaunchOp launch, StringRef name,
                     OpBuilder &builder) {
  func::FuncOp entry = createEntry(kernel, name, builder);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = entry.getBody().front();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (BlockArgument argument : kernel.getArguments()) {
    Value passed = body.getArgument(2 + argument.getArgNumber());
    if (argument.getType().isIndex())
      passed = builder.create<arith::IndexCastOp>(kernel.getLoc(),
                                                  builder.getIndexType(), passed);
    mapping.map(argument, passed);
  }
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<LaunchOp>(op))
      builder.clone(op, mapping);
  Value number = body.getArgument(body.getNumArguments() - 3); // the block's x
  number = builder.create<arith::IndexCastOp>(launch.getLoc(), builder.getIndexType(),
                                              number);
  Block &launched = launch.getBody().front();
  mapping.map(launched.getArguments(), blockIndices(launch, number, mapping, builder));
  for (Operation &op : launched)
    builder.clone(op, mapping);
  builder.create<func::ReturnOp>(kernel.getLoc());
  return entry;
}

LogicalResult lowerOp(Operation *op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CopyOp op) { return lowerCopy(op, rewriter); })
      .Case([&](FillOp op) { return lowerFill(op, rewriter); })
      .Case([&](GemmOp op) { return lowerGemm(op, rewriter); })
      .Case([&](ReduceOp op) { return lowerReduce(op, rewriter); })
      .Case([&](ScanOp op) { return lowerScan(op, rewriter); })
      .Case([&](TransposeOp op) { return lowerTranspose(op, rewriter); })
      .Case([&](AtomicOp op) { return lowerAtomic(op, rewriter); })
      .Case([&](AtomicElementOp op) { return lowerAtomicElement(op, rewriter); })
      .Case([&](IotaOp op) { return lowerIota(op, rewriter); })
      .Case([&](PrintOp op) { return lowerPrint(op, rewriter); })
      .Case([&](memref::LoadOp op) { return lowerLoad(op, rewriter); })
      .Case([&](memref::StoreOp op) { return lowerStore(op, rewriter); })
      .Default([&](Operation *op) -> LogicalResult {
        if (!isa<CommonIRDialect>(op->getDialect()))
          return success();
        return op->emitOpError("is not in value form; run promote-tiles first");
      });
}

/// Placements have done their work; the vendor's compiler does not know them.
void dropPlacements(func::FuncOp entry) {
  auto plain = [](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getEncoding()
               ? RankedTensorType::get(tensor.getShape(), tensor.getElementType())
               : type;
  };
  auto retype = [&](Value value) { value.setType(plain(value.getType())); };
  entry.walk([&](Operation *op) {
    op->removeDiscardableAttr(bufferAttrName);
    llvm::for_each(op->getResults(), retype);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), retype);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            dense.reshape(cast<RankedTensorType>(constant.getType())));
  });
}

struct ConvertCommonIRToLinked
    : tilekiln::impl::ConvertCommonIRToLinkedBase<ConvertCommonIRToLinked> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      auto launches = llvm::to_vector(kernel.getOps<LaunchOp>());
      if (launches.empty())
        continue;
      std::string kernelName = kernel.getName().str();
      for (auto [i, launch] : llvm::enumerate(launches)) {
        rewriter.setInsertionPoint(kernel);
        // The kernel's own name is free once it is gone.
        std::string name = kernelName + (i ? "_" + std::to_string(i) : "");
        func::FuncOp entry = outline(kernel, launch, name, rewriter);
        if (failed(lower(entry, rewriter)))
          return signalPassFailure();
      }
      rewriter.eraseOp(kernel);
    }
  }

  LogicalResult lower(func::FuncOp entry, RewriterBase &rewriter) {
    SmallVector<Operation *> ops, views;
    entry.walk([&](Operation *op) {
      (isa<TensorOp, WindowOp>(op) ? views : ops).push_back(op);
    });
    for (Operation *op : ops)
      if (failed(lowerOp(op, rewriter)))
        return failure();
    // What looked at them is gone; a window goes before its tensor.
    for (Operation *op : llvm::reverse(views))
      rewriter.eraseOp(op);
    dropPlacements(entry);
    return success();
  }
};

} // namespace
