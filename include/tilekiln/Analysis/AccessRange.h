//===- AccessRange.h - Where an access can lie in its tensor --------------===//
//
// For every dimension: what is proven for all iterations, and whether some
// iteration is certain to leave the tensor. Returns results, emits nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_ACCESSRANGE_H
#define TILEKILN_ANALYSIS_ACCESSRANGE_H

#include "tilekiln/Analysis/Access.h"

namespace tilekiln {

struct DimensionRange {
  /// Proven: the whole box lies inside, at every iteration.
  bool inBounds = false;
  /// Proven: the first element lies inside, at every iteration.
  bool startInBounds = false;
  /// An iteration exists that is certain to run and at which the access is out
  /// of range: a tile or element starts outside, or a view reaches outside.
  bool violated = false;
  /// Ends of the offset, where they are numbers.
  std::optional<int64_t> lowestStart, highestStart;
  /// Elements from a tile's first to its last, and the memory's extent, where
  /// they are numbers.
  std::optional<int64_t> span, extent;
};

struct AccessRange {
  llvm::SmallVector<DimensionRange> dimensions;
  /// Two dimensions which, if exchanged in the declaration, would take every
  /// start that the access has; set only where a dimension is violated.
  std::optional<std::pair<unsigned, unsigned>> looksTransposed;
};

AccessRange computeAccessRange(const Access &access);

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_ACCESSRANGE_H
