//===- Runs.h - Walking buffers side by side ------------------------------===//
//
// Library functions move or compute runs of elements; a run is as long as the
// buffers allow.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_LIBRARY_RUNS_H
#define TILEKILN_SIM_LIBRARY_RUNS_H

#include "tilekiln/Sim/Core/Buffer.h"
#include <algorithm>
#include <cstdlib>

namespace tilekiln::sim {

/// Calls `run(element of a, element of b, count)` for all elements that both
/// have (the smaller extent per dimension): places in elements behind element 0,
/// innermost dimension in one run where both have stride 1, else one by one.
template <typename F>
void forEachRun(const Buffer &a, const Buffer &b, F run) {
  unsigned rank = std::min(a.rank, b.rank);
  int64_t sizes[Buffer::maxRank] = {}, index[Buffer::maxRank] = {};
  for (unsigned i = 0; i < rank; ++i) {
    sizes[i] = std::min(a.sizes[i], b.sizes[i]);
    if (sizes[i] == 0)
      return;
  }
  // Innermost dimensions that are dense in both make one run.
  unsigned outer = rank;
  int64_t count = 1;
  while (outer > 0 &&
         ((a.strides[outer - 1] == count && b.strides[outer - 1] == count) ||
          sizes[outer - 1] == 1)) {
    count *= sizes[outer - 1];
    --outer;
  }
  for (;;) {
    int64_t atA = 0, atB = 0;
    for (unsigned i = 0; i < outer; ++i) {
      atA += index[i] * a.strides[i];
      atB += index[i] * b.strides[i];
    }
    run(atA, atB, count);
    unsigned i = outer;
    while (i > 0 && ++index[i - 1] == sizes[i - 1])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_LIBRARY_RUNS_H
