//===- Placement.h - Is the kernel where CommonIR said it would be? -------===//
//
// The vendor's compiler accepts many kernels and silently makes slow ones of
// them: work on other cores, tiles sent through global memory, no double
// buffering. This check compares what it made with what was meant.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_PLACEMENT_H
#define TILEKILN_BISHENGIR_PLACEMENT_H

#include "tilekiln/Bishengir/ModuleFacts.h"

namespace tilekiln::bishengir {

/// A buffer that CommonIR placed.
struct ExpectedBuffer {
  std::string name;
  /// "ub", "l1", "l0c".
  std::string space;
  std::optional<int64_t> sizeBytes;
  SourceLine source;
};

struct ExpectedPlacement {
  Unit unit = Unit::Unknown;
  /// None: as many as there are. A pure cube kernel has none in any case.
  std::optional<unsigned> roundTrips;
  /// Operands of a matrix multiplication in a loop are loaded while the step
  /// before is computed.
  bool doubleBufferedOperands = false;
  /// Matrix results that the kernel stores; one fixpipe each.
  std::optional<unsigned> storedResults;
  std::vector<ExpectedBuffer> buffers;
  /// The kernel, for findings that have no line of their own.
  SourceLine source;
};

std::vector<Finding> checkPlacement(const ModuleFacts &facts,
                                    const ExpectedPlacement &expected);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_PLACEMENT_H
