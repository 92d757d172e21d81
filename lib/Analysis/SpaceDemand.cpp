//===- SpaceDemand.cpp - What a space must hold at once -------------------===//
//
// Backwards through the launch with the set of tiles that are live. What a loop's
// body reads from outside is live all through the body, since each step reads it
// again.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/SpaceDemand.h"
#include "tilekiln/Analysis/TilePlaces.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

int64_t tilekiln::tileBytes(ShapedType type, const TileLayout &layout) {
  if (!type.hasStaticShape())
    return 0;
  int64_t bits = type.getElementTypeBitWidth();
  if (type.getRank() < 2)
    return llvm::divideCeil(type.getNumElements() * bits, 8);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t count = 1;
  for (int64_t extent : shape.drop_back(2))
    count *= extent;
  int64_t rows = llvm::alignTo(shape[shape.size() - 2], layout.rowMultiple);
  int64_t rowBytes = llvm::divideCeil(shape.back() * bits, 8);
  return count * rows * int64_t(llvm::alignTo(rowBytes, layout.columnMultipleBytes));
}

/// The tile whose storage a view of it uses.
static Value storageOf(Value tile) {
  while (isTileView(tile.getDefiningOp()))
    tile = tile.getDefiningOp()->getOperand(0);
  return tile;
}

/// Made where it is read, or an operand of an instruction: takes no room.
static bool takesNoRoom(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (op && op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return isa_and_nonnull<tensor::EmptyOp, tensor::SplatOp, FillOp, IotaOp,
                         linalg::BroadcastOp, linalg::FillOp>(op) ||
         cast<ShapedType>(tile.getType()).getElementType().isInteger(1);
}

std::string tilekiln::nameOfTile(Value tile) {
  llvm::SmallPtrSet<void *, 8> seen;
  while (seen.insert(tile.getAsOpaquePointer()).second) {
    if (auto argument = dyn_cast<BlockArgument>(tile)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return "";
      tile = loop.getTiedLoopYieldedValue(argument)->get();
      continue;
    }
    Operation *op = tile.getDefiningOp();
    if (auto name = op->getAttrOfType<StringAttr>(bufferAttrName))
      return name.str();
    unsigned number = cast<OpResult>(tile).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      tile = loop.getYieldedValues()[number];
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      tile = branch.thenYield().getOperand(number);
    else if (isTileView(op) || isa<CopyOp>(op))
      tile = op->getOperand(0);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tile = insert.getDest();
    else
      return "";
    if (!isTile(tile))
      return "";
  }
  return "";
}

namespace {
class DemandFinder {
public:
  DemandFinder(SpaceAttr space, const TileLayout &layout) : space(space), layout(layout) {}

  SpaceDemand run(LaunchOp launch) {
    scan(launch.getBody().front(), {});
    describe();
    return std::move(demand);
  }

private:
  using Tiles = llvm::SmallSetVector<Value, 8>;

  void add(Tiles &live, Value value) {
    if (!isTile(value))
      return;
    Value storage = storageOf(value);
    if (cast<RankedTensorType>(storage.getType()).getEncoding() == space &&
        !takesNoRoom(storage))
      live.insert(storage);
  }

  /// What is live before the block.
  Tiles scan(Block &block, Tiles live) {
    for (Operation &op : llvm::reverse(block)) {
      Tiles before = live;
      for (Value result : op.getResults())
        before.remove(result);
      Tiles inside = before;
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegions(), captured);
      for (Value value : captured)
        add(inside, value);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          scan(inner, inside);
      for (Value value : captured)
        add(before, value);
      for (Value operand : op.getOperands())
        add(before, operand);
      measure(&op, before);
      // A result that nobody reads is nobody's demand.
      measure(&op, live);
      if (!canWorkInPlace(&op)) {
        Tiles both = before;
        both.insert(live.begin(), live.end());
        measure(&op, both);
      }
      live = std::move(before);
    }
    return live;
  }

  /// Where the result may take an operand's room.
  static bool canWorkInPlace(Operation *op) {
    return op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0 ||
           isa<CopyOp, GemmOp, tensor::InsertSliceOp, tensor::InsertOp>(op) ||
           op->hasTrait<OpTrait::IsTerminator>();
  }

  void measure(Operation *op, const Tiles &live) {
    int64_t bytes = 0;
    for (Value tile : live)
      bytes += tileBytes(cast<ShapedType>(tile.getType()), layout);
    if (bytes <= demand.bytes)
      return;
    demand.bytes = bytes;
    demand.where = op;
    peak = live;
  }

  static bool crossesGlobalInLoop(Value tile) {
    auto isGlobalCopy = [](Operation *op) {
      auto copy = dyn_cast_or_null<CopyOp>(op);
      return copy && op->getParentOfType<scf::ForOp>() && (copy.isLoad() || copy.isStore());
    };
    return isGlobalCopy(tile.getDefiningOp()) || llvm::any_of(tile.getUsers(), isGlobalCopy);
  }

  void describe() {
    for (Value tile : peak) {
      auto type = cast<RankedTensorType>(tile.getType());
      LiveTile described = {nameOfTile(tile), type, tileBytes(type, layout), tile.getLoc()};
      described.doubleBuffered = crossesGlobalInLoop(tile);
      demand.tiles.push_back(std::move(described));
    }
    llvm::stable_sort(demand.tiles, [](const LiveTile &a, const LiveTile &b) {
      return a.bytes > b.bytes;
    });
  }

  SpaceAttr space;
  TileLayout layout;
  SpaceDemand demand;
  Tiles peak;
};
} // namespace

SpaceDemand tilekiln::findPeakDemand(LaunchOp launch, SpaceAttr space,
                                     const TileLayout &layout) {
  return DemandFinder(space, layout).run(launch);
}

std::optional<FittingExtent> tilekiln::findFittingExtent(const SpaceDemand &demand,
                                                         int64_t capacityBytes) {
  // The extent that most of the bytes depend on; of equals the largest.
  std::map<int64_t, int64_t> bytesByExtent;
  for (const LiveTile &tile : demand.tiles)
    for (int64_t extent : llvm::SmallSetVector<int64_t, 4>(tile.type.getShape().begin(),
                                                           tile.type.getShape().end()))
      bytesByExtent[extent] += tile.bytes;
  FittingExtent best;
  int64_t scaledBytes = 0;
  for (auto [extent, bytes] : bytesByExtent)
    if (bytes >= scaledBytes) {
      best.present = extent;
      scaledBytes = bytes;
    }
  int64_t room = capacityBytes - (demand.bytes - scaledBytes);
  if (scaledBytes == 0 || room <= 0)
    return std::nullopt;
  best.fitting = int64_t(double(room) / double(scaledBytes) * double(best.present));
  // Whole fractals and blocks, where there is at least one.
  constexpr int64_t granule = 16;
  if (best.fitting >= granule)
    best.fitting -= best.fitting % granule;
  return best.fitting > 0 ? std::optional(best) : std::nullopt;
}
