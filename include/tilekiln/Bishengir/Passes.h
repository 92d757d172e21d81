//===- Passes.h - Checks of the vendor's final IR -------------------------===//
#ifndef TILEKILN_BISHENGIR_PASSES_H
#define TILEKILN_BISHENGIR_PASSES_H

#include "tilekiln/Bishengir/ModuleFacts.h"
#include "mlir/Pass/Pass.h"

namespace tilekiln {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilekiln/Bishengir/Passes.h.inc"
} // namespace tilekiln

#endif // TILEKILN_BISHENGIR_PASSES_H
