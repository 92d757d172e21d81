//===- Pipeline.h - The order of passes from linked IR to LLVM IR ---------===//
//
// What runs on linked IR before LLVM sees it, and the dialects that it needs.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CPU_PIPELINE_H
#define TILEKILN_CPU_PIPELINE_H

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tilekiln {

/// Everything that linked IR may hold, with the models that bufferization and
/// the translation to LLVM IR ask for.
void registerLinkedDialects(mlir::DialectRegistry &registry);

/// The vendor's operations in linked IR to upstream's.
void buildVendorOpPipeline(mlir::OpPassManager &pm);

/// Linked IR without the vendor's operations to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &pm);

} // namespace tilekiln

#endif // TILEKILN_CPU_PIPELINE_H
