//===- Runtime.h - What compiled kernels call -----------------------------===//
//
// The small library behind code from the JIT: memory of a block, products
// through BLAS, atomic stores, scans and prints. Plain C calling conventions:
// numbers are int64_t or int32_t, tiles are unranked memrefs.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_RUNTIME_RUNTIME_H
#define TILEKILN_LIB_CPU_RUNTIME_RUNTIME_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilekiln {

enum class AtomicKind : int32_t { Add, Max, Min, And, Or, Xor };

/// Called once per function that compiled code may refer to.
using SymbolSink =
    llvm::function_ref<void(llvm::StringRef name, void *address)>;
void forEachRuntimeSymbol(SymbolSink sink);
void addMemorySymbols(SymbolSink sink);
void addMatmulSymbols(SymbolSink sink);
void addAtomicSymbols(SymbolSink sink);
void addScanSymbols(SymbolSink sink);
void addPrintSymbols(SymbolSink sink);

/// Gives everything that the last block on this thread allocated back to it.
void resetBlockMemory();

/// While one lives, BLAS computes on the thread that calls it: blocks are
/// already spread over the machine.
class SerialBlasScope {
public:
  SerialBlasScope();
  ~SerialBlasScope();
  SerialBlasScope(const SerialBlasScope &) = delete;
  SerialBlasScope &operator=(const SerialBlasScope &) = delete;
};

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_RUNTIME_RUNTIME_H
