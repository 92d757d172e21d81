//===- BufferLiveness.cpp - Which buffers a region hands on ---------------===//
//
// Backwards over structured control flow. A loop's body is gone over until what
// is live at its start no longer grows: that is also live at its end.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/BufferLiveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

bool tilekiln::isOnChip(Value value) {
  return isa<MemRefType>(value.getType()) && !isGlobal(value.getType());
}

Value tilekiln::bufferOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<AllocOp>(op))
      return value;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return {};
    value = view.getViewSource();
  }
  return {};
}

bool tilekiln::readsDestination(DestinationStyleOpInterface op) {
  if (auto gemm = dyn_cast<GemmOp>(op.getOperation()))
    return !gemm.alwaysClears();
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
    return reduce.getAccumulate();
  return !isa<CopyOp, FillOp, ScanOp, TransposeOp>(op.getOperation());
}

/// The memrefs that the op itself writes.
static SmallVector<Value> writtenBy(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return {store.getMemRef()};
  if (auto write = dyn_cast<WriteOp>(op))
    return {write.getDest()};
  if (auto tileOp = dyn_cast<DestinationStyleOpInterface>(op))
    return llvm::to_vector(tileOp.getDpsInits());
  return {};
}

llvm::SetVector<Value> tilekiln::buffersWrittenIn(Operation *op) {
  llvm::SetVector<Value> written;
  op->walk([&](Operation *inner) {
    for (Value target : writtenBy(inner))
      if (Value buffer = isOnChip(target) ? bufferOf(target) : Value())
        if (!op->isAncestor(buffer.getDefiningOp()))
          written.insert(buffer);
  });
  return written;
}

static bool isDestination(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &operand == &store.getMemrefMutable();
  if (auto write = dyn_cast<WriteOp>(op))
    return &operand == &write.getDestMutable();
  auto tileOp = dyn_cast<DestinationStyleOpInterface>(op);
  return tileOp && tileOp.isDpsInit(&operand);
}

/// The buffer that the op gives a wholly new content, whatever it held before.
static Value overwrittenBy(Operation *op) {
  SmallVector<Value> written = writtenBy(op);
  if (written.size() != 1 || !written[0].getDefiningOp<AllocOp>())
    return {};
  if (isa<memref::StoreOp>(op) &&
      cast<MemRefType>(written[0].getType()).getNumElements() != 1)
    return {};
  auto tileOp = dyn_cast<DestinationStyleOpInterface>(op);
  return tileOp && readsDestination(tileOp) ? Value() : written[0];
}

BufferLiveness::BufferLiveness(LaunchOp launch) {
  before(launch.getBody().front(), {});
}

bool BufferLiveness::isHandedOn(Operation *op, Value buffer) const {
  auto found = handedOn.find(op);
  return found != handedOn.end() && found->second.contains(buffer);
}

BufferLiveness::Buffers BufferLiveness::before(Block &block, Buffers live) {
  for (Operation &op : llvm::reverse(block))
    step(&op, live);
  return live;
}

void BufferLiveness::step(Operation *op, Buffers &live) {
  if (op->getNumRegions() == 0) {
    Value overwritten = overwrittenBy(op);
    if (overwritten)
      live.remove(overwritten);
    // A view alone reads nothing; its readers do.
    if (isa<ViewLikeOpInterface>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (Value buffer = isOnChip(operand.get()) ? bufferOf(operand.get()) : Value())
        if (!overwritten || !isDestination(operand))
          live.insert(buffer);
    return;
  }
  // Unless a branch is certain to be taken, what was live after stays so before.
  Buffers after = live, start;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (branch && branch.elseBlock())
    live.clear();
  for (bool grows = true; grows;) {
    size_t size = start.size();
    Buffers end = after;
    if (!branch)
      end.insert(start.begin(), start.end());
    for (Region &region : llvm::reverse(op->getRegions()))
      for (Block &block : region) {
        Buffers first = before(block, end);
        start.insert(first.begin(), first.end());
        // A while loop's condition is followed by its body or by what comes after.
        if (isa<scf::WhileOp>(op))
          end.insert(first.begin(), first.end());
      }
    grows = !branch && start.size() != size;
  }
  Buffers &handed = handedOn[op];
  handed = after;
  if (!branch)
    handed.insert(start.begin(), start.end());
  live.insert(start.begin(), start.end());
}
