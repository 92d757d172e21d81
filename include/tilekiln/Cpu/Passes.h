//===- Passes.h - Linked IR to code for the host --------------------------===//
//
// Constructors and registration of the passes of Passes.td, generated.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CPU_PASSES_H
#define TILEKILN_CPU_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilekiln {

#define GEN_PASS_DECL
#include "tilekiln/Cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tilekiln/Cpu/Passes.h.inc"

} // namespace tilekiln

#endif // TILEKILN_CPU_PASSES_H
