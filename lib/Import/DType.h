//===- DType.h - TileLang's element types in MLIR -------------------------===//
//
// MLIR's integers carry no sign, so a DType keeps it for casts, comparisons
// and divisions. A bool is i1 as a scalar and i8 (0 or 1) in memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_IMPORT_DTYPE_H
#define TILEKILN_IMPORT_DTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tilekiln {

/// Floats of eight bits: bytes in memory, float32 as values.
enum class Float8 { None, E4M3FN, E5M2 };

struct DType {
  mlir::Type scalar, memory;
  bool isUnsigned = false;
  bool isBool = false;
  Float8 float8 = Float8::None;

  bool isFloat8() const { return float8 != Float8::None; }

  bool isFloat() const;
  bool isInteger() const { return !isFloat() && !isBool; }
  bool isSigned() const { return isInteger() && !isUnsigned; }
  bool operator==(const DType &other) const {
    return scalar == other.scalar && isUnsigned == other.isUnsigned && float8 == other.float8;
  }
};

/// None where the accelerator-independent dialects have no such type.
std::optional<DType> parseDType(llvm::StringRef name, mlir::MLIRContext *context);

} // namespace tilekiln

#endif // TILEKILN_IMPORT_DTYPE_H
