//===- DeviceLibrary.h - Can the final IR be linked? ----------------------===//
//
// bishengir-compile succeeds on kernels that call library functions which do
// not exist; only hivmc would notice. The library is LLVM bitcode beside the
// compiler, so its symbol table answers the question here.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_DEVICELIBRARY_H
#define TILEKILN_BISHENGIR_DEVICELIBRARY_H

#include "tilekiln/Bishengir/Finding.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilekiln::bishengir {

class DeviceLibrary {
public:
  /// Reads meta_op.aic.bc and meta_op.aiv.bc of a folder, once per process.
  static llvm::Expected<const DeviceLibrary *> load(llvm::StringRef folder);

  /// Whether the cube (or vector) library defines what a call to `callee`
  /// links to.
  bool hasCubeFunction(llvm::StringRef callee) const;
  bool hasVectorFunction(llvm::StringRef callee) const;

  const std::string &folder() const { return folderPath; }

private:
  std::string folderPath;
  llvm::StringSet<> cubeSymbols, vectorSymbols;
};

/// Calls of functions that the library lacks on the core that calls them. Ops
/// that are left unlowered are the lint's (Lint.h).
std::vector<Finding> checkLink(mlir::ModuleOp module,
                               const DeviceLibrary &library);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_DEVICELIBRARY_H
