//===- Import.h - From TileLang's TIR to CommonIR -------------------------===//
//
// Reads the object graph that `tilelang.tvm.ir.save_json(prim_func)` writes and
// builds the kernel in CommonIR's buffer form. No part of TVM is needed.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_IMPORT_IMPORT_H
#define TILEKILN_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilekiln {

struct ImportOptions {
  /// The kernel function's place, for what the TIR gives no location:
  /// tilelang 0.1.7 records none at all.
  std::string fallbackFile = "kernel.py";
  unsigned fallbackLine = 1;
};

/// The module holding one function for the PrimFunc in `json`, verified. On
/// failure null, with the reason as a diagnostic of `context` at the Python line.
/// Loads the dialects that it needs.
mlir::OwningOpRef<mlir::ModuleOp> importTir(llvm::StringRef json,
                                            mlir::MLIRContext *context,
                                            const ImportOptions &options = {});

} // namespace tilekiln

#endif // TILEKILN_IMPORT_IMPORT_H
