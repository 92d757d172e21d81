//===- Pipelines.h - The passes, in order ---------------------------------===//
#ifndef TILEKILN_DRIVER_PIPELINES_H
#define TILEKILN_DRIVER_PIPELINES_H

#include "tilekiln/Driver/Compiler.h"
#include "mlir/Pass/PassManager.h"

namespace tilekiln {

/// Flags of the passes that CompileOptions::disabledPasses may name.
inline constexpr llvm::StringLiteral disableablePasses[] = {"vectorize-elementwise",
                                                            "hoist-clear", "retile"};

/// Buffer form: every access is judged; what is not proven inside is marked.
void addCheckPasses(mlir::OpPassManager &passes, const CompileOptions &options);

/// Buffer form to value form.
void addTilePasses(mlir::OpPassManager &passes, const CompileOptions &options);

/// Value form: spaces and units. `assumeLoopsRun` as in infer-placement.
void addPlacementPasses(mlir::OpPassManager &passes, llvm::StringRef targetFile,
                        bool assumeLoopsRun);

/// Value form to the vendor's input.
void addLinkedPasses(mlir::OpPassManager &passes);

} // namespace tilekiln

#endif // TILEKILN_DRIVER_PIPELINES_H
