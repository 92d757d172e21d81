//===- Capacity.h - What does not fit, in the author's words --------------===//
#ifndef TILEKILN_TRANSFORMS_CAPACITY_H
#define TILEKILN_TRANSFORMS_CAPACITY_H

#include "tilekiln/Analysis/SpaceDemand.h"
#include "tilekiln/Target/Target.h"

namespace tilekiln {

/// The demand of a launch on one of the target's spaces, laid out as there.
SpaceDemand findPeakDemand(commonir::LaunchOp launch, llvm::StringRef space,
                           const Target &target);

/// A space of which a launch needs more than there is.
struct Overfull {
  llvm::StringRef space;
  SpaceDemand demand;
  int64_t capacityBytes = 0;
};

/// The first that is too full; nothing where all fits. With `doubleBuffered`, the
/// second buffers count that products need to compute while the next are loaded.
std::optional<Overfull> findOverfull(commonir::LaunchOp launch, const Target &target,
                                     bool doubleBuffered = false);

/// A line per tile at the peak, and how they could fit; each with a location.
std::vector<std::pair<mlir::Location, std::string>>
explainDemand(const SpaceDemand &demand, int64_t capacityBytes);

} // namespace tilekiln

#endif // TILEKILN_TRANSFORMS_CAPACITY_H
