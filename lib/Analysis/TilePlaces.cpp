//===- TilePlaces.cpp - Where a tile value comes to lie -------------------===//
//
// A fixed point over the kinds, which only ever rise. A loop's start, argument,
// yield and result are one storage.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/TilePlaces.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

bool tilekiln::isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

static bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::CastOp>(op);
}

/// What loops and branches carry.
static bool isCarried(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return isa<scf::SCFDialect>(argument.getOwner()->getParentOp()->getDialect());
  return isa<scf::SCFDialect>(tile.getDefiningOp()->getDialect());
}

/// The cube's memory and the operands' hand nothing from step to step, but for a
/// sum that products are added to.
static bool isRunningSum(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return isAccumulatorSlot(argument);
  auto loop = tile.getDefiningOp<scf::ForOp>();
  return loop &&
         isAccumulatorSlot(loop.getRegionIterArg(cast<OpResult>(tile).getResultNumber()));
}

/// Whether the cube's way out converts so: floats it narrows, but an integer
/// that it narrows it would scale.
static bool isStoredByCube(CopyOp copy) {
  Type from = cast<ShapedType>(copy.getSource().getType()).getElementType();
  Type to = cast<ShapedType>(copy.getInit().getType()).getElementType();
  return from == to || (from.isF32() && (to.isF16() || to.isBF16()));
}

TileNeed tilekiln::needOf(OpOperand &use) {
  Operation *op = use.getOwner();
  if (carriedInto(use))
    return TileNeed::Carried;
  if (isa<GemmOp>(op))
    return TileNeed::Operand;
  if (auto copy = dyn_cast<CopyOp>(op))
    // Into global memory the cube and the vector unit both write.
    return isa<MemRefType>(copy.getInit().getType()) && isStoredByCube(copy)
               ? TileNeed::Any
               : TileNeed::Vector;
  return isa<AtomicOp>(op) ? TileNeed::Any : TileNeed::Vector;
}

Value tilekiln::carriedInto(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return number < loop.getNumControlOperands() ? Value() : loop.getTiedLoopRegionIterArg(&use);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getBeforeArguments()[number];
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return number == 0 ? Value()
                       : condition->getParentOfType<scf::WhileOp>().getAfterArguments()[number - 1];
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return loop.getRegionIterArg(number);
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return loop.getBeforeArguments()[number];
    return parent->getResult(number);
  }
  if (isView(op) && number == 0)
    return op->getResult(0);
  auto inits = dyn_cast<DestinationStyleOpInterface>(op);
  return inits && isa<RankedTensorType>(use.get().getType()) && inits.isDpsInit(&use)
             ? Value(inits.getTiedOpResult(&use))
             : Value();
}

TilePlaces::TilePlaces(Operation *root) {
  collect(root);
  for (bool changed = true; changed;) {
    changed = false;
    for (Value tile : order)
      changed |= update(tile);
  }
  settleStarts();
}

void TilePlaces::collect(Operation *root) {
  auto add = [&](Value value) {
    if (isTile(value) && kinds.try_emplace(value, TileKind::Start).second)
      order.push_back(value);
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  for (Value tile : llvm::to_vector(order))
    for (OpOperand &use : tile.getUses())
      if (Value into = carriedInto(use))
        sources[into].push_back(tile);
  // A loop's result is its argument, or what its condition passes on.
  root->walk([&](Operation *op) {
    auto tie = [&](ValueRange results, ValueRange arguments) {
      for (auto [result, argument] : llvm::zip_equal(results, arguments))
        if (isTile(result)) {
          sources[result].push_back(argument);
          sources[argument].push_back(result);
        }
    };
    if (auto loop = dyn_cast<scf::ForOp>(op))
      tie(loop.getResults(), loop.getRegionIterArgs());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      tie(loop.getResults(), loop.getAfterArguments());
  });
}

bool TilePlaces::raise(Value tile, TileKind kind) {
  TileKind &present = kinds[tile];
  if (present == kind || kind == TileKind::Start)
    return false;
  // Two different kinds in one storage: the vector unit's.
  TileKind joined = present == TileKind::Start ? kind : TileKind::Vector;
  if (isCarried(tile) && !(joined == TileKind::Sum && isRunningSum(tile)))
    joined = TileKind::Vector;
  bool changed = joined != present;
  present = joined;
  return changed;
}

/// Whether a load is known to start before its tensor somewhere, so that its rows
/// come to lie further on in the tile. The vendor's compiler multiplies as many
/// rows as were loaded, and takes the first ones. A start that data decides is
/// taken to lie inside.
static bool mayStartBefore(WindowOp window) {
  if (!window)
    return false;
  auto flags = window->getAttrOfType<DenseBoolArrayAttr>(startInBoundsAttrName);
  SmallVector<OpFoldResult> offsets = window.getMixedOffsets();
  return llvm::any_of(window.getDims(), [&](int64_t dim) {
    if (flags && flags[dim])
      return false;
    FailureOr<int64_t> least =
        ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::LB, offsets[dim]);
    return succeeded(least) && *least < 0;
  });
}

/// What the op that makes the tile says of it, carried values aside.
TileKind TilePlaces::kindFromMaker(Value tile) const {
  Operation *op = tile.getDefiningOp();
  if (!op || isa<scf::SCFDialect>(op->getDialect()) || isView(op) || isZeroTile(tile))
    return TileKind::Start;
  if (isa<GemmOp>(op))
    return TileKind::Sum;
  // A cast is work, so that only a load as it is can be an operand.
  auto copy = dyn_cast<CopyOp>(op);
  if (copy && isa<MemRefType>(copy.getSource().getType()) &&
      cast<ShapedType>(copy.getSource().getType()).getElementType() ==
          cast<ShapedType>(tile.getType()).getElementType() &&
      !mayStartBefore(copy.getSource().getDefiningOp<WindowOp>()))
    return TileKind::Operand;
  return TileKind::Vector;
}

bool TilePlaces::update(Value tile) {
  bool changed = raise(tile, kindFromMaker(tile));
  // An op's destination says nothing of its result, except for a sum.
  Operation *op = tile.getDefiningOp();
  bool isStorage = !op || isa<scf::SCFDialect>(op->getDialect()) || isView(op);
  if (auto flows = sources.find(tile); isStorage && flows != sources.end())
    for (Value source : flows->second)
      changed |= raise(tile, kindOf(source));
  if (kindOf(tile) == TileKind::Operand)
    for (OpOperand &use : tile.getUses()) {
      TileNeed need = needOf(use);
      bool vector = need == TileNeed::Vector || need == TileNeed::Any ||
                    (need == TileNeed::Carried && kindOf(carriedInto(use)) == TileKind::Vector);
      if (vector)
        changed |= raise(tile, TileKind::Vector);
    }
  return changed;
}

/// A start lies where it is carried into; what nothing says anything of, and
/// what several kinds of readers share, is the vector unit's.
void TilePlaces::settleStarts() {
  auto settle = [&](Value tile) {
    std::optional<TileKind> agreed;
    for (OpOperand &use : tile.getUses()) {
      Value into = carriedInto(use);
      TileKind kind = into ? kindOf(into) : TileKind::Vector;
      if (agreed && *agreed != kind)
        return TileKind::Vector;
      agreed = kind;
    }
    return agreed.value_or(TileKind::Vector);
  };
  // What is carried on comes first, then what is carried into it.
  for (Value tile : llvm::reverse(order))
    if (kindOf(tile) == TileKind::Start)
      kinds[tile] = settle(tile);
  for (Value tile : order)
    if (kindOf(tile) == TileKind::Start)
      kinds[tile] = TileKind::Vector;
}
