//===- SpaceDemand.h - What a space must hold at once ---------------------===//
//
// In value form with placements: which tiles of one space are needed at the same
// time, where that is most, and what the author called them. A lower bound: every
// op that can work in place is taken to do so, constants, broadcasts and masks
// take no room, and nothing is kept twice. Knows no target.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_SPACEDEMAND_H
#define TILEKILN_ANALYSIS_SPACEDEMAND_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/IR/Location.h"
#include <optional>
#include <string>

namespace tilekiln {

/// How a space lays out a tile: extents of the last two dimensions are rounded up.
struct TileLayout {
  int64_t rowMultiple = 1;
  int64_t columnMultipleBytes = 1;
};

int64_t tileBytes(mlir::ShapedType type, const TileLayout &layout);

/// A tile at the peak.
struct LiveTile {
  /// The author's name; empty for a temporary.
  std::string name;
  mlir::RankedTensorType type;
  int64_t bytes = 0;
  mlir::Location location;
  /// Loaded in a loop, or stored from one: kept twice where there is room.
  bool doubleBuffered = false;
};

struct SpaceDemand {
  int64_t bytes = 0;
  /// The largest first.
  llvm::SmallVector<LiveTile> tiles;
  /// The op at which that much is needed; null where the space is not used.
  mlir::Operation *where = nullptr;
};

SpaceDemand findPeakDemand(commonir::LaunchOp launch, commonir::SpaceAttr space,
                           const TileLayout &layout);

/// An extent of the peak's tiles, and the largest in its place with which they
/// would fit.
struct FittingExtent {
  int64_t present = 0, fitting = 0;
};

/// Nothing where no single extent can be cut enough.
std::optional<FittingExtent> findFittingExtent(const SpaceDemand &demand,
                                               int64_t capacityBytes);

/// The author's name of a tile's buffer, found through loops and branches.
std::string nameOfTile(mlir::Value tile);

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_SPACEDEMAND_H
