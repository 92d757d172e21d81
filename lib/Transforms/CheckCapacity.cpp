//===- CheckCapacity.cpp - Refuse what cannot fit on chip -----------------===//
#include "tilekiln/Transforms/Capacity.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_CHECKCAPACITY
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

/// Matrices lie in fractals; what the vector unit works on lies in rows.
static TileLayout layoutIn(StringRef space, const Target &target) {
  const Figure *rows = target.findLimit("fractalRows");
  const Figure *inner = target.findLimit("fractalInnerBytes");
  if (!rows || !inner)
    return {};
  constexpr int64_t accumulatorBytes = 4; // float32 or int32
  int64_t count = int64_t(rows->value);
  if (space == target.findRole("accumulator"))
    return {count, count * accumulatorBytes};
  if (space == target.findRole("operand"))
    return {count, int64_t(inner->value)};
  return {};
}

SpaceDemand tilekiln::findPeakDemand(LaunchOp launch, StringRef space,
                                     const Target &target) {
  return findPeakDemand(launch, SpaceAttr::get(launch.getContext(), space),
                        layoutIn(space, target));
}

static std::string typeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : type.getShape())
    os << extent << "x";
  os << type.getElementType();
  return text;
}

std::vector<std::pair<Location, std::string>>
tilekiln::explainDemand(const SpaceDemand &demand, int64_t capacityBytes) {
  std::vector<std::pair<Location, std::string>> lines;
  for (const LiveTile &tile : demand.tiles) {
    std::string name = tile.name.empty() ? "a temporary" : "'" + tile.name + "'";
    std::string text = llvm::formatv("{0} takes {1} bytes ({2})", name, tile.bytes,
                                     typeText(tile.type));
    if (tile.doubleBuffered)
      text += llvm::formatv(", or {0} where loading and computing are to overlap "
                            "(double buffering)", 2 * tile.bytes);
    lines.emplace_back(tile.location, std::move(text));
  }
  if (!demand.where)
    return lines;
  if (auto fits = findFittingExtent(demand, capacityBytes);
      fits && fits->fitting < fits->present)
    lines.emplace_back(demand.where->getLoc(),
                       llvm::formatv("with an extent of at most {0} in place of {1} they "
                                     "would fit", fits->fitting, fits->present));
  return lines;
}

/// Beside a cube, the vendor's compiler shares a tile's rows between the vector
/// cores and cuts each share once more.
static int64_t copiesOfUnit(LaunchOp launch, StringRef space, const Target &target) {
  constexpr int64_t cutsPerCore = 2;
  auto unit = launch->getAttrOfType<StringAttr>(unitAttrName);
  const Figure *cores = target.findLimit("aivPerAic");
  if (space != target.findRole("vector") || !unit || unit.getValue() != "mix" || !cores)
    return 1;
  return int64_t(cores->value) * cutsPerCore;
}

std::optional<Overfull> tilekiln::findOverfull(LaunchOp launch, const Target &target,
                                               bool doubleBuffered) {
  for (StringRef role : {"accumulator", "operand", "vector"}) {
    StringRef space = target.findRole(role);
    const MemorySpace *memory = target.findSpace(space);
    if (!memory)
      continue;
    SpaceDemand demand = findPeakDemand(launch, space, target);
    if (doubleBuffered && role == "operand")
      for (const LiveTile &tile : demand.tiles)
        demand.bytes += tile.doubleBuffered ? tile.bytes : 0;
    if (demand.bytes > memory->capacityBytes() * copiesOfUnit(launch, space, target))
      return Overfull{space, std::move(demand), memory->capacityBytes()};
  }
  return std::nullopt;
}

namespace {

struct CheckCapacity : tilekiln::impl::CheckCapacityBase<CheckCapacity> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<Target> machine = loadTarget(target);
    if (!machine) {
      emitError(getOperation().getLoc(), llvm::toString(machine.takeError()));
      return signalPassFailure();
    }
    for (LaunchOp launch : getOperation().getOps<LaunchOp>())
      if (std::optional<Overfull> overfull = findOverfull(launch, *machine)) {
        refuse(*overfull);
        signalPassFailure();
      }
  }

  void refuse(const Overfull &overfull) {
    InFlightDiagnostic diagnostic = emitError(overfull.demand.where->getLoc());
    diagnostic << "the tiles that are needed at the same time here take "
               << overfull.demand.bytes << " bytes of " << overfull.space << ", which holds "
               << overfull.capacityBytes << "; make them smaller, or use fewer at a time";
    for (auto &[location, text] : explainDemand(overfull.demand, overfull.capacityBytes))
      diagnostic.attachNote(location) << text;
  }
};

} // namespace
