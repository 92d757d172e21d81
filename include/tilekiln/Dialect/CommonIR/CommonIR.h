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
/// On a tile op in value form: the buffer that the author wrote to.
inline constexpr llvm::StringLiteral bufferAttrName = "commonir.buffer";
/// On a window, or on an access of one element: per dimension of the tensor,
/// proven to lie inside of it for every block and iteration.
inline constexpr llvm::StringLiteral inBoundsAttrName = "commonir.in_bounds";
/// On a window: per dimension of the tensor, proven to start inside of it.
inline constexpr llvm::StringLiteral startInBoundsAttrName = "commonir.start_in_bounds";
/// On a launch: the units that it uses ("cube", "vector" or "mix"), and how many
/// of its transfers go through global memory for want of a path.
inline constexpr llvm::StringLiteral unitAttrName = "commonir.unit";
inline constexpr llvm::StringLiteral roundTripsAttrName = "commonir.round_trips";
/// On `scf.for`: the compiled code is right only where the loop runs, which the
/// launcher checks.
inline constexpr llvm::StringLiteral assumedToRunAttrName = "commonir.assumed_to_run";
/// On a launch whose tiles do not fit as they are: into how many parts, at the
/// least, its rows and its products' steps along K are to be cut.
inline constexpr llvm::StringLiteral rowPartsAttrName = "commonir.row_parts";
inline constexpr llvm::StringLiteral stepPartsAttrName = "commonir.step_parts";
/// On a copy between on-chip spaces: no op of the destination's unit reads it, so
/// that the copy itself must be one.
inline constexpr llvm::StringLiteral realTransferAttrName = "commonir.real_transfer";
/// On a function's index argument: the symbol that it stands for.
inline constexpr llvm::StringLiteral symbolAttrName = "commonir.symbol";
/// On a function's argument: the element type as the author wrote it ("uint8"),
/// where MLIR's says less.
inline constexpr llvm::StringLiteral dtypeAttrName = "commonir.dtype";
/// On a function's scalar argument: the parameter's name.
inline constexpr llvm::StringLiteral parameterAttrName = "commonir.name";

/// On a function's pointer argument: memory that lasts for one call, which the
/// launcher provides (T.alloc_global).
inline constexpr llvm::StringLiteral scratchAttrName = "commonir.scratch";

/// True where the type lies in global memory.
bool isGlobal(mlir::Type type);

/// Models that let upstream's ValueBounds see block indices, element-wise
/// indices and the sizes of global tensors.
void registerValueBoundsModels(mlir::DialectRegistry &registry);

} // namespace tilekiln::commonir

#endif // TILEKILN_DIALECT_COMMONIR_COMMONIR_H
