//===- UnitFlags.h - The last operand of products and fetches -------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_UNITFLAGS_H
#define TILEKILN_LIB_SIM_LIBRARY_UNITFLAGS_H

#include "tilekiln/Sim/Core/QueueOp.h"
#include <optional>

namespace tilekiln::sim {

inline std::optional<UnitFlag> readUnitFlag(int64_t value) {
  if (value != 0 && value != 2 && value != 3)
    return std::nullopt;
  return UnitFlag(value);
}
constexpr const char *unitFlagForms =
    "takes unit flag 0 (off), 2 (check) or 3 (check and set)";

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_UNITFLAGS_H
