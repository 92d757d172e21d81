//===- PromoteTiles.cpp - On-chip buffers become SSA tile values ----------===//
//
// A walk in program order that knows each buffer's present value. A read of a
// buffer (or of a view of it) is its value or a slice of that; a write makes a
// new value. Loops carry the buffers that they write as iter_args, branches
// return them. Canonicalisation drops what is carried for nothing.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/BufferLiveness.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_PROMOTETILES
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

/// Buffers in the order in which they are declared, so that loops carry them in
/// an order that does not change from run to run.
using BufferValues = llvm::MapVector<Value, Value>;

RankedTensorType tensorTypeOf(Type memref) {
  auto type = cast<MemRefType>(memref);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// One element that only scalar accesses touch: a scalar, not a tile. Through a
/// tile each access would be a transfer between scalar and vector unit.
bool isScalarCell(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements() == 1 &&
         llvm::all_of(buffer.getUsers(), [](Operation *user) {
           return isa<memref::LoadOp, memref::StoreOp>(user);
         });
}

class Promoter {
public:
  explicit Promoter(LaunchOp launch)
      : launch(launch), liveness(launch), rewriter(launch.getContext()) {}

  LogicalResult run() {
    if (failed(promoteBlock(launch.getBody().front())))
      return failure();
    // Views first, in reverse order of definition; then the buffers.
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        rewriter.eraseOp(op);
      else
        return (*op->user_begin())->emitOpError("reads a buffer in a way that "
                                                "has no value form");
    return success();
  }

private:
  LogicalResult promoteBlock(Block &block);
  LogicalResult promoteOp(Operation *op);
  LogicalResult promoteTileOp(DestinationStyleOpInterface op);
  LogicalResult promoteFor(scf::ForOp loop);
  LogicalResult promoteIf(scf::IfOp branch);
  LogicalResult promoteWhile(scf::WhileOp loop);
  void promoteAccess(memref::LoadOp load);
  void promoteAccess(memref::StoreOp store);

  FailureOr<Value> read(Value memref, Location loc);
  LogicalResult write(Value memref, Value value, Location loc);
  void nameAfter(Value memref, Value value);
  Value reshape(Value tensor, RankedTensorType type, Location loc);

  /// The present values of `buffers`, or the buffers' values become `results`.
  SmallVector<Value> valuesOf(ArrayRef<Value> buffers);
  void setValues(ArrayRef<Value> buffers, ValueRange results);
  /// Appends the buffers' present values to the terminator's operands.
  void appendToTerminator(Block &block, ArrayRef<Value> buffers);
  SmallVector<Value> carriedBy(Operation *op);
  /// After a region op: the carried buffers have the op's last results; those that
  /// nobody reads any more get back a value that can be named here.
  void leave(const BufferValues &before, ArrayRef<Value> carried, Operation *made);

  LaunchOp launch;
  BufferLiveness liveness;
  IRRewriter rewriter;
  BufferValues values;
  SmallVector<Operation *> dead;
};

//===----------------------------------------------------------------------===//
// Values of buffers and views
//===----------------------------------------------------------------------===//

/// The same elements in row-major order under another shape.
Value Promoter::reshape(Value tensor, RankedTensorType type, Location loc) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from == type)
    return tensor;
  if (auto reassociation = getReassociationIndicesForReshape(from, type)) {
    if (from.getRank() > type.getRank())
      return rewriter.create<tensor::CollapseShapeOp>(loc, type, tensor, *reassociation);
    return rewriter.create<tensor::ExpandShapeOp>(loc, type, tensor, *reassociation);
  }
  // Neither shape refines the other: by way of one dimension.
  auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
  return reshape(reshape(tensor, flat, loc), type, loc);
}

FailureOr<Value> Promoter::read(Value memref, Location loc) {
  auto known = values.find(memref);
  if (known != values.end())
    return known->second;
  Operation *view = memref.getDefiningOp();
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(view)) {
    FailureOr<Value> source = read(subview.getSource(), loc);
    if (failed(source))
      return failure();
    return Value(rewriter.create<tensor::ExtractSliceOp>(
        loc, tensorTypeOf(memref.getType()), *source, subview.getMixedOffsets(),
        subview.getMixedSizes(), subview.getMixedStrides()));
  }
  if (isa_and_nonnull<memref::ReinterpretCastOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp, memref::CastOp>(view)) {
    FailureOr<Value> source =
        read(cast<ViewLikeOpInterface>(view).getViewSource(), loc);
    if (failed(source))
      return failure();
    return reshape(*source, tensorTypeOf(memref.getType()), loc);
  }
  return emitError(loc, "an on-chip buffer is read through a view that has no "
                        "value form: ") << memref.getType();
}

/// Messages name a value after the buffer that it was written to first.
void Promoter::nameAfter(Value memref, Value value) {
  Operation *made = value.getDefiningOp();
  auto alloc = bufferOf(memref).getDefiningOp<AllocOp>();
  if (made && launch->isProperAncestor(made) && made->getNumRegions() == 0 &&
      !made->hasAttr(bufferAttrName))
    made->setAttr(bufferAttrName, alloc.getNameAttr());
}

LogicalResult Promoter::write(Value memref, Value value, Location loc) {
  auto known = values.find(memref);
  if (known != values.end()) {
    known->second = value;
    return success();
  }
  Operation *view = memref.getDefiningOp();
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(view)) {
    FailureOr<Value> source = read(subview.getSource(), loc);
    if (failed(source))
      return failure();
    Value merged = rewriter.create<tensor::InsertSliceOp>(
        loc, value, *source, subview.getMixedOffsets(), subview.getMixedSizes(),
        subview.getMixedStrides());
    return write(subview.getSource(), merged, loc);
  }
  if (isa_and_nonnull<memref::ReinterpretCastOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp, memref::CastOp>(view)) {
    Value source = cast<ViewLikeOpInterface>(view).getViewSource();
    return write(source, reshape(value, tensorTypeOf(source.getType()), loc), loc);
  }
  return emitError(loc, "an on-chip buffer is written through a view that has no "
                        "value form: ") << memref.getType();
}

SmallVector<Value> Promoter::valuesOf(ArrayRef<Value> buffers) {
  return llvm::map_to_vector(buffers, [&](Value b) { return values.lookup(b); });
}

void Promoter::setValues(ArrayRef<Value> buffers, ValueRange results) {
  for (auto [buffer, result] : llvm::zip_equal(buffers, results))
    values[buffer] = result;
}

void Promoter::appendToTerminator(Block &block, ArrayRef<Value> buffers) {
  Operation *terminator = block.getTerminator();
  rewriter.modifyOpInPlace(terminator, [&] {
    terminator->insertOperands(terminator->getNumOperands(), valuesOf(buffers));
  });
}

void Promoter::leave(const BufferValues &before, ArrayRef<Value> carried,
                     Operation *made) {
  for (auto &[buffer, value] : before)
    values[buffer] = value;
  setValues(carried, made->getResults().take_back(carried.size()));
}

SmallVector<Value> Promoter::carriedBy(Operation *op) {
  llvm::SetVector<Value> written = buffersWrittenIn(op);
  SmallVector<Value> carried;
  for (auto &[buffer, value] : values)
    if (written.contains(buffer) && liveness.isHandedOn(op, buffer))
      carried.push_back(buffer);
  return carried;
}

//===----------------------------------------------------------------------===//
// Accesses and tile ops
//===----------------------------------------------------------------------===//

void Promoter::promoteAccess(memref::LoadOp load) {
  Value buffer = load.getMemRef();
  Value value = values.lookup(buffer);
  if (!value || isa<RankedTensorType>(value.getType())) {
    FailureOr<Value> tile = read(buffer, load.getLoc());
    if (failed(tile))
      return;
    value = rewriter.create<tensor::ExtractOp>(load.getLoc(), *tile, load.getIndices());
  }
  rewriter.replaceOp(load, value);
}

void Promoter::promoteAccess(memref::StoreOp store) {
  Value buffer = store.getMemRef();
  Value value = values.lookup(buffer);
  if (value && !isa<RankedTensorType>(value.getType())) {
    values[buffer] = store.getValueToStore();
  } else {
    FailureOr<Value> tile = read(buffer, store.getLoc());
    if (failed(tile))
      return;
    Value inserted = rewriter.create<tensor::InsertOp>(
        store.getLoc(), store.getValueToStore(), *tile, store.getIndices());
    if (failed(write(buffer, inserted, store.getLoc())))
      return;
  }
  rewriter.eraseOp(store);
}

/// The op again, on tensors where it was on on-chip buffers.
LogicalResult Promoter::promoteTileOp(DestinationStyleOpInterface op) {
  Location loc = op.getLoc();
  Value target;
  SmallVector<Value> operands;
  SmallVector<Type> results(op->getResultTypes());
  // Whether the old content counts; if not, nothing should depend on it.
  bool readsInit = readsDestination(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isOnChip(value)) {
      operands.push_back(value);
      continue;
    }
    if (op.isDpsInit(&operand)) {
      target = value;
      results.push_back(tensorTypeOf(value.getType()));
      auto type = tensorTypeOf(value.getType());
      if (!readsInit && type.hasStaticShape()) {
        operands.push_back(rewriter.create<tensor::EmptyOp>(
            loc, type.getShape(), type.getElementType()));
        continue;
      }
    }
    FailureOr<Value> tile = read(value, loc);
    if (failed(tile))
      return failure();
    operands.push_back(*tile);
  }
  Operation *made = rewriter.create(
      OperationState(loc, op->getName(), operands, results, op->getAttrs()));
  if (target) {
    nameAfter(target, made->getResults().back());
    if (failed(write(target, made->getResults().back(), loc)))
      return failure();
  }
  rewriter.replaceOp(op, made->getResults().take_front(op->getNumResults()));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Promoter::promoteFor(scf::ForOp loop) {
  SmallVector<Value> carried = carriedBy(loop);
  BufferValues before = values;
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, valuesOf(carried));
  auto made = rewriter.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(),
                                          loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block &body = *made.getBody();
  if (loop.getInitArgs().empty() && !inits.empty() && !body.empty())
    rewriter.eraseOp(body.getTerminator());
  while (!body.empty())
    rewriter.eraseOp(&body.back());
  unsigned kept = loop.getBody()->getNumArguments();
  rewriter.mergeBlocks(loop.getBody(), &body, body.getArguments().take_front(kept));
  setValues(carried, body.getArguments().drop_front(kept));
  if (failed(promoteBlock(body)))
    return failure();
  appendToTerminator(body, carried);
  unsigned results = loop.getNumResults();
  leave(before, carried, made);
  rewriter.replaceOp(loop, made.getResults().take_front(results));
  return success();
}

LogicalResult Promoter::promoteIf(scf::IfOp branch) {
  SmallVector<Value> carried = carriedBy(branch);
  BufferValues before = values;
  SmallVector<Type> types(branch.getResultTypes());
  for (Value value : valuesOf(carried))
    types.push_back(value.getType());
  bool needsElse = branch.elseBlock() || !types.empty();
  auto made = rewriter.create<scf::IfOp>(branch.getLoc(), types, branch.getCondition(),
                                         /*addThenBlock=*/true, needsElse);
  auto fill = [&](Block *from, Block *to) -> LogicalResult {
    for (auto &[buffer, value] : before)
      values[buffer] = value;
    if (from) {
      while (!to->empty())
        rewriter.eraseOp(&to->back());
      rewriter.mergeBlocks(from, to);
    } else if (to->empty()) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToEnd(to);
      rewriter.create<scf::YieldOp>(branch.getLoc());
    }
    if (failed(promoteBlock(*to)))
      return failure();
    appendToTerminator(*to, carried);
    return success();
  };
  Block *oldElse = branch.elseBlock();
  if (failed(fill(branch.thenBlock(), made.thenBlock())))
    return failure();
  if (needsElse && failed(fill(oldElse, made.elseBlock())))
    return failure();
  unsigned results = branch.getNumResults();
  leave(before, carried, made);
  rewriter.replaceOp(branch, made.getResults().take_front(results));
  return success();
}

LogicalResult Promoter::promoteWhile(scf::WhileOp loop) {
  SmallVector<Value> carried = carriedBy(loop);
  BufferValues before = values;
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, valuesOf(carried));
  SmallVector<Type> types(loop.getResultTypes());
  for (Value value : valuesOf(carried))
    types.push_back(value.getType());
  auto made = rewriter.create<scf::WhileOp>(loop.getLoc(), types, inits);
  auto fill = [&](Block *from, Region &region) -> LogicalResult {
    bool isBefore = &region == &made.getBefore();
    TypeRange argumentTypes = isBefore ? TypeRange(ValueRange(inits)) : TypeRange(types);
    SmallVector<Location> locs(argumentTypes.size(), loop.getLoc());
    Block *to = rewriter.createBlock(&region, region.end(), argumentTypes, locs);
    unsigned kept = from->getNumArguments();
    rewriter.mergeBlocks(from, to, to->getArguments().take_front(kept));
    setValues(carried, to->getArguments().drop_front(kept));
    if (failed(promoteBlock(*to)))
      return failure();
    appendToTerminator(*to, carried);
    return success();
  };
  OpBuilder::InsertionGuard guard(rewriter);
  if (failed(fill(loop.getBeforeBody(), made.getBefore())) ||
      failed(fill(loop.getAfterBody(), made.getAfter())))
    return failure();
  unsigned results = loop.getNumResults();
  leave(before, carried, made);
  rewriter.replaceOp(loop, made.getResults().take_front(results));
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Promoter::promoteOp(Operation *op) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    auto type = tensorTypeOf(alloc.getType());
    if (isScalarCell(alloc))
      values[alloc] = rewriter.create<arith::ConstantOp>(
          loc, cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType())));
    else
      values[alloc] = rewriter.create<tensor::EmptyOp>(loc, type.getShape(),
                                                       type.getElementType());
    dead.push_back(op);
    return success();
  }
  if (auto view = dyn_cast<ViewLikeOpInterface>(op); view && isOnChip(op->getResult(0))) {
    dead.push_back(op);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return promoteFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return promoteIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return promoteWhile(loop);
  if (!llvm::any_of(op->getOperands(), isOnChip)) {
    if (op->getNumRegions() != 0 && !buffersWrittenIn(op).empty())
      return op->emitOpError("writes buffers in a region that promote-tiles does "
                             "not know; lower it to scf first");
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    promoteAccess(load);
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    promoteAccess(store);
    return success();
  }
  if (auto bridge = dyn_cast<ReadOp>(op)) {
    FailureOr<Value> value = read(bridge.getSource(), loc);
    if (failed(value))
      return failure();
    rewriter.replaceOp(op, *value);
    return success();
  }
  if (auto bridge = dyn_cast<WriteOp>(op)) {
    nameAfter(bridge.getDest(), bridge.getValue());
    if (failed(write(bridge.getDest(), bridge.getValue(), loc)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
  if (auto tileOp = dyn_cast<DestinationStyleOpInterface>(op))
    return promoteTileOp(tileOp);
  if (isa<AtomicOp, PrintOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isOnChip(operand.get())) {
        FailureOr<Value> value = read(operand.get(), loc);
        if (failed(value))
          return failure();
        rewriter.modifyOpInPlace(op, [&] { operand.set(*value); });
      }
    return success();
  }
  return op->emitOpError("uses an on-chip buffer in a way that has no value form");
}

LogicalResult Promoter::promoteBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(promoteOp(&op)))
      return failure();
  // A launch has no terminator; its last op is one like any other.
  if (!block.empty() && !block.back().hasTrait<OpTrait::IsTerminator>())
    return promoteOp(&block.back());
  return success();
}

struct PromoteTiles : tilekiln::impl::PromoteTilesBase<PromoteTiles> {
  using Base::Base;
  void runOnOperation() override {
    auto result = getOperation().walk([&](LaunchOp launch) {
      return failed(Promoter(launch).run()) ? WalkResult::interrupt()
                                                         : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
