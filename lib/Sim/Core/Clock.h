//===- Clock.h - Who has seen whose work ----------------------------------===//
//
// Vector clocks of the pipes of one block: an AIC and its AIVs. `clock[p]` is the
// number of entries of pipe p whose results can be seen. Flags and barriers carry
// clocks, so an access is ordered after another one exactly if something in the
// program orders them, whatever the timing.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_CLOCK_H
#define TILEKILN_LIB_SIM_CORE_CLOCK_H

#include "tilekiln/Sim/Core/Types.h"
#include <algorithm>

namespace tilekiln::sim {

/// A pipe of a block: 7 * (0 AIC, 1 and 2 AIVs) + pipe.
using PipeIndex = uint8_t;
constexpr unsigned coresPerBlock = 3;
constexpr unsigned blockPipes = coresPerBlock * pipeCount;

struct Clock {
  uint32_t at[24] = {}; // blockPipes, rounded up for the host's vectors.

  void join(const Clock &other) {
    for (unsigned i = 0; i < 24; ++i)
      at[i] = std::max(at[i], other.at[i]);
  }
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_CLOCK_H
