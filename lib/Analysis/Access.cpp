//===- Access.cpp - What an op reads or writes of a tensor or buffer ------===//
#include "tilekiln/Analysis/Access.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// The extents of a memory; a null entry where one cannot be named.
static SmallVector<OpFoldResult> extentsOf(Value memory) {
  if (auto tensor = memory.getDefiningOp<TensorOp>())
    return tensor.getMixedSizes();
  SmallVector<OpFoldResult> extents;
  Builder builder(memory.getContext());
  for (int64_t extent : cast<MemRefType>(memory.getType()).getShape())
    extents.push_back(ShapedType::isDynamic(extent)
                          ? OpFoldResult()
                          : OpFoldResult(builder.getIndexAttr(extent)));
  return extents;
}

/// What the users of a window do with it.
static StringRef verbOf(WindowOp window) {
  StringRef verb;
  for (OpOperand &use : window->getUses()) {
    StringRef here = "accessed";
    if (auto copy = dyn_cast<CopyOp>(use.getOwner()))
      here = &use == &copy.getSourceMutable() ? "read" : "written";
    else if (isa<AtomicOp>(use.getOwner()))
      here = "updated";
    else if (auto style = dyn_cast<DestinationStyleOpInterface>(use.getOwner()))
      here = style.isDpsInit(&use) ? "written" : "read";
    if (!verb.empty() && verb != here)
      return "accessed";
    verb = here;
  }
  return verb.empty() ? "accessed" : verb;
}

static Access describeElement(Operation *op, Value memory, ValueRange indices,
                              StringRef verb) {
  Access access;
  access.op = op;
  access.memory = memory;
  access.kind = Access::Kind::Element;
  access.offsets = getAsOpFoldResult(indices);
  OpFoldResult one = Builder(op->getContext()).getIndexAttr(1);
  access.sizes.assign(indices.size(), one);
  access.strides.assign(indices.size(), one);
  access.extents = extentsOf(memory);
  access.verb = verb;
  return access;
}

std::optional<Access> tilekiln::describeAccess(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case([](WindowOp window) {
        Access access;
        access.op = window;
        access.memory = window.getSource();
        access.kind = Access::Kind::Tile;
        access.offsets = window.getMixedOffsets();
        access.sizes = window.getMixedSizes();
        access.strides.assign(access.sizes.size(),
                              Builder(window.getContext()).getIndexAttr(1));
        access.extents = extentsOf(window.getSource());
        access.verb = verbOf(window);
        return access;
      })
      .Case([](memref::LoadOp load) {
        return describeElement(load, load.getMemRef(), load.getIndices(), "read");
      })
      .Case([](memref::StoreOp store) {
        return describeElement(store, store.getMemRef(), store.getIndices(),
                               "written");
      })
      .Case([](memref::SubViewOp view) -> std::optional<Access> {
        if (isGlobal(view.getSource().getType()))
          return std::nullopt;
        Access access;
        access.op = view;
        access.memory = view.getSource();
        access.kind = Access::Kind::View;
        access.offsets = view.getMixedOffsets();
        access.sizes = view.getMixedSizes();
        access.strides = view.getMixedStrides();
        access.extents = extentsOf(view.getSource());
        return access;
      })
      .Default([](Operation *) { return std::nullopt; });
}

StringRef tilekiln::authorName(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto tensor = dyn_cast<TensorOp>(op))
      return tensor.getName();
    if (auto alloc = dyn_cast<AllocOp>(op))
      return alloc.getName();
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    memory = view.getViewSource();
  }
  return "";
}
