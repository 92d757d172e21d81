//===- InferPlacement.cpp - Memory spaces and units, from use -------------===//
//
// The kinds of tiles are found by an analysis; here they become the target's
// spaces on the types, and readers that need a tile elsewhere get a transfer.
//
//===----------------------------------------------------------------------===//
#include "Placement/Placement.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_INFERPLACEMENT
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

llvm::Expected<Spaces> Spaces::create(const Target &target, MLIRContext *context) {
  std::vector<std::string> missing;
  auto role = [&](StringRef name) {
    StringRef space = target.findRole(name);
    if (space.empty())
      missing.push_back(name.str());
    return SpaceAttr::get(context, space);
  };
  Spaces spaces = {role("accumulator"), role("operand"), role("vector")};
  if (missing.empty())
    return spaces;
  return llvm::createStringError("target '" + target.name + "' gives no space the role " +
                                 llvm::join(missing, ", ") +
                                 "; add it to \"roles\" in its description");
}

SpaceAttr Spaces::of(TileKind kind) const {
  switch (kind) {
  case TileKind::Sum:
    return sum;
  case TileKind::Operand:
    return operand;
  case TileKind::Start:
  case TileKind::Vector:
    return vector;
  }
  llvm_unreachable("every kind is listed");
}

namespace {

void setPlace(Value value, SpaceAttr space) {
  auto tensor = cast<RankedTensorType>(value.getType());
  value.setType(RankedTensorType::get(tensor.getShape(), tensor.getElementType(), space));
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                              .reshape(cast<ShapedType>(value.getType())));
}

StringRef unitOf(LaunchOp launch, const Spaces &spaces) {
  bool cube = false, vector = false;
  launch.walk([&](Operation *op) {
    cube |= isa<GemmOp>(op);
    for (Value result : op->getResults())
      vector |= isTile(result) && !result.use_empty() &&
                cast<RankedTensorType>(result.getType()).getEncoding() == spaces.vector;
  });
  return cube && vector ? "mix" : cube ? "cube" : "vector";
}

/// Sums that are stored as another type beside another use: the vendor's compiler
/// then converts them on the vector unit, and not on the way out of the cube.
int64_t countSumsConvertedApart(LaunchOp launch, const Spaces &spaces) {
  int64_t count = 0;
  launch.walk([&](CopyOp copy) {
    Value source = copy.getSource();
    count += isTile(source) && !source.hasOneUse() &&
             cast<RankedTensorType>(source.getType()).getEncoding() == spaces.sum &&
             getElementTypeOrSelf(source) != getElementTypeOrSelf(copy.getInit());
  });
  return count;
}

struct InferPlacement : tilekiln::impl::InferPlacementBase<InferPlacement> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<Target> machine = loadTarget(target);
    if (!machine)
      return fail(machine.takeError());
    llvm::Expected<Spaces> spaces = Spaces::create(*machine, &getContext());
    if (!spaces)
      return fail(spaces.takeError());
    IRRewriter rewriter(&getContext());
    for (LaunchOp launch : getOperation().getOps<LaunchOp>()) {
      splitAccumulations(launch, assumeLoopsRun, rewriter);
      separateSharedTiles(launch, rewriter);
      TilePlaces places(launch);
      for (Value tile : places.tiles())
        setPlace(tile, spaces->of(places.kindOf(tile)));
      FailureOr<int64_t> roundTrips = insertTransfers(launch, *spaces, *machine, rewriter);
      if (failed(roundTrips))
        return signalPassFailure();
      int64_t apart = countSumsConvertedApart(launch, *spaces);
      StringRef unit = apart ? "mix" : unitOf(launch, *spaces);
      launch->setAttr(unitAttrName, rewriter.getStringAttr(unit));
      launch->setAttr(roundTripsAttrName, rewriter.getI64IntegerAttr(*roundTrips + apart));
    }
  }

  void fail(llvm::Error error) {
    emitError(getOperation().getLoc(), llvm::toString(std::move(error)));
    signalPassFailure();
  }
};

} // namespace
