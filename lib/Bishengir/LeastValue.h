//===- LeastValue.h - Does a loop of the final IR surely run? -------------===//
//
// Lower bounds of integers, from what they are computed from: block indices are
// not negative and the grid that a kernel is launched on is not empty.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_BISHENGIR_LEASTVALUE_H
#define TILEKILN_LIB_BISHENGIR_LEASTVALUE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilekiln::bishengir {

/// Whether the loop runs at least once, whatever the arguments.
bool surelyRuns(mlir::scf::ForOp loop);

} // namespace tilekiln::bishengir

#endif // TILEKILN_LIB_BISHENGIR_LEASTVALUE_H
