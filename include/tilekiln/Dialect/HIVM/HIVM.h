//===- HIVM.h - The vendor's final IR as MLIR -----------------------------===//
//
// Ops and attributes of the module that bishengir-compile hands to hivmc, and
// the one call that reads such a module. Text that the vendor's compiler prints
// parses as it is; printing it gives text that parses to the same module.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HIVM_H
#define TILEKILN_DIALECT_HIVM_HIVM_H

#include "tilekiln/Dialect/HIVM/VendorInput.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Error.h"

#include "tilekiln/Dialect/HIVM/HIVMDialect.h.inc"
#include "tilekiln/Dialect/HIVM/HIVMEnums.h.inc"

#include "tilekiln/Dialect/HIVM/HACCDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HIVMAttrs.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HACCAttrs.h.inc"

#define GET_OP_CLASSES
#include "tilekiln/Dialect/HIVM/HIVMOps.h.inc"

namespace tilekiln::hivm {

/// Dialects that occur in a final IR, lowered or left over by mistake.
void registerFinalIRDialects(mlir::DialectRegistry &registry);

/// Reads a final IR. The context needs registerFinalIRDialects(); unknown
/// attributes of other front ends (`tt.divisibility`) are let through, so the
/// context is set to allow unregistered dialects. The error carries the
/// parser's messages, one a line.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseFinalIR(llvm::StringRef text, llvm::StringRef name,
             mlir::MLIRContext &context);

/// Whether an op belongs to the vendor's dialects but is none that hivmc takes:
/// it should have been lowered.
bool isUnloweredVendorOp(mlir::Operation *op);

/// The memory of a buffer; none where its type names no vendor space.
std::optional<AddressSpace> getAddressSpace(mlir::Type type);

/// The text within `#dialect.mnemonic<text>` of an attribute that is kept as
/// text; none where it is another attribute.
std::optional<llvm::StringRef> getVendorText(mlir::Attribute attribute,
                                             llvm::StringRef mnemonic);

} // namespace tilekiln::hivm

#endif // TILEKILN_DIALECT_HIVM_HIVM_H
