//===- HFusion.h - Tile ops of the vendor in linked IR --------------------===//
//
// The few ops by which linked IR says what upstream dialects cannot. Their
// printed form is input of bishengir-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HFUSION_H
#define TILEKILN_DIALECT_HIVM_HFUSION_H

#include "tilekiln/Dialect/HIVM/VendorInput.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tilekiln/Dialect/HIVM/HFusionDialect.h.inc"
#include "tilekiln/Dialect/HIVM/HFusionEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HFusionAttrs.h.inc"

#define GET_OP_CLASSES
#include "tilekiln/Dialect/HIVM/HFusionOps.h.inc"

#endif // TILEKILN_DIALECT_HIVM_HFUSION_H
