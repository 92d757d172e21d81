//===- CommonIR.h - The commonir dialect ----------------------------------===//
//
// Tile programs with memory placement. CommonIROps.td and docs/spec/commonir.md
// say what the ops mean.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_COMMONIR_COMMONIR_H
#define TILEKILN_DIALECT_COMMONIR_COMMONIR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "tilekiln/Dialect/CommonIR/CommonIRDialect.h.inc"
#include "tilekiln/Dialect/CommonIR/CommonIREnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/CommonIR/CommonIRAttributes.h.inc"
#define GET_OP_CLASSES
#include "tilekiln/Dialect/CommonIR/CommonIROps.h.inc"

namespace tilekiln::commonir {

/// The memory space of global tensors, in every target's description.
inline constexpr llvm::StringLiteral globalSpaceName = "gm";
/// On `scf.for`: how many stages the author asked the loop to be pipelined in.
inline constexpr llvm::StringLiteral numStagesAttrName = "commonir.num_stages";
/// On a function's index argument: the symbol that it stands for.
inline constexpr llvm::StringLiteral symbolAttrName = "commonir.symbol";
/// On a function's scalar argument: the parameter's name.
inline constexpr llvm::StringLiteral parameterAttrName = "commonir.name";

/// On a window that may start before its tensor or past its end and is meant so, as
/// where a condition guards it: both sides are clamped.
inline constexpr llvm::StringLiteral guardedAttrName = "commonir.guarded";

/// True where the type lies in global memory.
bool isGlobal(mlir::Type type);

/// Models that let upstream's ValueBounds see block indices, element-wise
/// indices and the sizes of global tensors.
void registerValueBoundsModels(mlir::DialectRegistry &registry);

} // namespace tilekiln::commonir

#endif // TILEKILN_DIALECT_COMMONIR_COMMONIR_H
