//===- Transfers.cpp - Tiles move to where they are needed ----------------===//
#include "Placement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

static SpaceAttr spaceOf(Value tile) {
  return cast_or_null<SpaceAttr>(cast<RankedTensorType>(tile.getType()).getEncoding());
}

static SpaceAttr wantedBy(OpOperand &use, const Spaces &spaces) {
  switch (needOf(use)) {
  case TileNeed::Vector:
    return spaces.vector;
  case TileNeed::Operand:
    return spaces.operand;
  case TileNeed::Carried:
    return spaceOf(carriedInto(use));
  case TileNeed::Any:
    return spaceOf(use.get());
  }
  llvm_unreachable("every need is listed");
}

FailureOr<int64_t> tilekiln::insertTransfers(LaunchOp launch, const Spaces &spaces,
                                             const Target &target,
                                             RewriterBase &rewriter) {
  SmallVector<OpOperand *> uses;
  launch.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (isTile(use.get()))
        uses.push_back(&use);
  });
  int64_t roundTrips = 0;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  for (OpOperand *use : uses) {
    Value tile = use->get();
    Operation *reader = use->getOwner();
    SpaceAttr from = spaceOf(tile), to = wantedBy(*use, spaces);
    if (from == to)
      continue;
    const Path *path = target.findPath(from.getName(), to.getName());
    if (!path)
      return reader->emitOpError("needs a tile in '")
             << to.getName() << "' that lies in '" << from.getName() << "', and "
             << target.name << " has no path between them";
    Value &moved = made[{tile, to}];
    // One transfer serves the readers of a block; others may not be dominated.
    if (!moved || moved.getParentBlock() != reader->getBlock()) {
      rewriter.setInsertionPoint(reader);
      auto type = cast<RankedTensorType>(tile.getType());
      Location loc = reader->getLoc();
      auto placed = RankedTensorType::get(type.getShape(), type.getElementType(), to);
      SmallVector<Value> extents;
      for (auto [dim, extent] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(extent))
          extents.push_back(rewriter.create<tensor::DimOp>(loc, tile, dim));
      Value empty = rewriter.create<tensor::EmptyOp>(loc, placed, extents);
      moved = rewriter.create<CopyOp>(loc, TypeRange{placed}, tile, empty)->getResult(0);
      roundTrips += !path->isDirect();
    }
    rewriter.modifyOpInPlace(reader, [&] { use->set(moved); });
  }
  return roundTrips;
}
