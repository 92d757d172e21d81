//===- Passes.h - commonir to commonir passes -----------------------------===//
#ifndef TILEKILN_TRANSFORMS_PASSES_H
#define TILEKILN_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
}

namespace tilekiln {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

#endif // TILEKILN_TRANSFORMS_PASSES_H
