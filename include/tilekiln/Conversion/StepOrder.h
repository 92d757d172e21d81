//===- StepOrder.h - Loops that the vendor must not take apart ------------===//
//
// On a function of linked IR, the attribute says that the steps of its loops must
// stay together: no loop of cube work that runs ahead of loops of vector work.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CONVERSION_STEPORDER_H
#define TILEKILN_CONVERSION_STEPORDER_H

#include "mlir/IR/Operation.h"

namespace tilekiln {

inline constexpr llvm::StringLiteral stepOrderAttrName = "commonir.step_order";

/// Whether a loop of linked IR carries a tile that a next step reads before the
/// products that its value comes after.
bool needsStepOrder(mlir::Operation *entry);

} // namespace tilekiln

#endif // TILEKILN_CONVERSION_STEPORDER_H
