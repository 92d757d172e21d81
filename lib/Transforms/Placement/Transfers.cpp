//===- Transfers.cpp - Tiles move to where they are needed ----------------===//
#include "Placement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// A choice by a scalar takes one of two tiles as it is, as a branch does.
static bool isHandedOn(OpOperand &use) {
  auto select = dyn_cast<arith::SelectOp>(use.getOwner());
  if (select)
    return select.getCondition().getType().isInteger(1);
  return isa<scf::SCFDialect>(use.getOwner()->getDialect());
}

/// True where a product reads the tile, at once or after it was carried on.
static bool isReadByProduct(Value tile, llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(tile.getAsOpaquePointer()).second)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(tile))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (isReadByProduct(loop.getTiedLoopResult(argument), seen))
        return true;
  return llvm::any_of(tile.getUses(), [&](OpOperand &use) {
    Value into = carriedInto(use);
    return into ? isReadByProduct(into, seen) : needOf(use) == TileNeed::Operand;
  });
}

/// A load that is carried on to a product: nothing but this says that it is to be
/// carried by the vector unit.
static bool isCarriedOperand(OpOperand &use) {
  auto load = use.get().getDefiningOp<CopyOp>();
  Value into = carriedInto(use);
  llvm::SmallPtrSet<void *, 8> seen;
  return load && into && isHandedOn(use) && isa<MemRefType>(load.getSource().getType()) &&
         isReadByProduct(into, seen);
}

static CopyOp copyTo(SpaceAttr space, Value tile, Location loc, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto placed = RankedTensorType::get(type.getShape(), type.getElementType(), space);
  SmallVector<Value> extents;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      extents.push_back(rewriter.create<tensor::DimOp>(loc, tile, dim));
  Value empty = rewriter.create<tensor::EmptyOp>(loc, placed, extents);
  return rewriter.create<CopyOp>(loc, TypeRange{placed}, tile, empty);
}

FailureOr<int64_t> tilekiln::insertTransfers(LaunchOp launch, const Spaces &spaces,
                                             const Target &target,
                                             RewriterBase &rewriter) {
  // Judged before anything is changed: a transfer hides what reads the tile.
  SmallVector<OpOperand *> uses;
  llvm::SmallPtrSet<OpOperand *, 8> carriedOperands;
  launch.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (isTile(use.get())) {
        uses.push_back(&use);
        if (isCarriedOperand(use))
          carriedOperands.insert(&use);
      }
  });
  int64_t roundTrips = 0;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  for (OpOperand *use : uses) {
    Value tile = use->get();
    Operation *reader = use->getOwner();
    SpaceAttr from = spaceOf(tile), to = wantedBy(*use, spaces);
    if (from == to && !carriedOperands.contains(use))
      continue;
    const Path *path = target.findPath(from.getName(), to.getName());
    if (from != to && !path)
      return reader->emitOpError("needs a tile in '")
             << to.getName() << "' that lies in '" << from.getName() << "', and "
             << target.name << " has no path between them";
    int64_t throughGlobal = from != to && !path->isDirect();
    rewriter.setInsertionPoint(reader);
    Value moved;
    if (isHandedOn(*use)) {
      CopyOp copy = copyTo(to, tile, reader->getLoc(), rewriter);
      copy->setAttr(realTransferAttrName, rewriter.getUnitAttr());
      moved = copy->getResult(0);
      roundTrips += throughGlobal;
    } else {
      // One transfer serves the readers of a block; others may not be dominated.
      Value &shared = made[{tile, to}];
      if (!shared || shared.getParentBlock() != reader->getBlock()) {
        CopyOp copy = copyTo(to, tile, reader->getLoc(), rewriter);
        // Without work of the vector unit in between it would be a load to there.
        if (auto load = tile.getDefiningOp<CopyOp>();
            load && isa<MemRefType>(load.getSource().getType()))
          copy->setAttr(realTransferAttrName, rewriter.getUnitAttr());
        shared = copy->getResult(0);
        roundTrips += throughGlobal;
      }
      moved = shared;
    }
    rewriter.modifyOpInPlace(reader, [&] { use->set(moved); });
  }
  return roundTrips;
}
