//===- Atomics.h - Updates of global memory by DMA ------------------------===//
#ifndef TILEKILN_SIM_LIBRARY_ATOMICS_H
#define TILEKILN_SIM_LIBRARY_ATOMICS_H

#include "tilekiln/Sim/Core/Types.h"

namespace tilekiln::sim {

struct AtomicMode {
  enum class Kind : uint8_t { None, Add, Max, Min };
  Kind kind = Kind::None;

  bool isOn() const { return kind != Kind::None; }
  /// Bits 6 to 10 of the control register.
  static AtomicMode fromControl(uint64_t control);
  /// The store functions' argument: 0 none, 1 add, 2 max, 3 min.
  static AtomicMode fromArgument(int64_t argument);
};

/// to[i] = to[i] op from[i], in the element type's own arithmetic.
void updateAtomically(uint8_t *to, const uint8_t *from, int64_t count,
                      ElementType type, AtomicMode mode);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_LIBRARY_ATOMICS_H
