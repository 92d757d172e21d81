//===- Types.h - Words of the simulated machine ---------------------------===//
//
// Pipes, memories, element types and cores, with their names. Everything else of
// the simulator's core is written in these words. Knows no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_TYPES_H
#define TILEKILN_SIM_CORE_TYPES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace tilekiln::sim {

/// Time in cycles of the target's clock since the launch.
using Cycles = double;

/// An in-order instruction queue of a core. All is not a queue: it is what a
/// barrier over all of them names.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, All };
constexpr unsigned pipeCount = 7;

enum class Space : uint8_t { GM, L1, L0A, L0B, L0C, UB };
constexpr unsigned spaceCount = 6;

enum class CoreType : uint8_t { AIC, AIV };

/// Buffers are signless (I8 ...); names of library functions tell the unsigned
/// ones apart (U8 ...).
enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64
};

/// 1 for I1.
unsigned getBits(ElementType type);
/// Not for I1, eight of which share a byte.
inline unsigned getBytes(ElementType type) { return getBits(type) / 8; }
bool isFloat(ElementType type);
bool isUnsigned(ElementType type);

/// "S", "MTE2" ...; "ub", "l0c" ...; "aic"; "f16" ...
llvm::StringRef getName(Pipe pipe);
llvm::StringRef getName(Space space);
llvm::StringRef getName(CoreType kind);
llvm::StringRef getName(ElementType type);

/// The device library's spelling: "half", "bfloat16_t", "float", "int8_t",
/// "uint32_t", "bool" ...
std::optional<ElementType> parseLibraryType(llvm::StringRef name);

/// A line of the author's script, as an index into Program::lines; 0 is unknown.
using LineId = uint32_t;

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_TYPES_H
