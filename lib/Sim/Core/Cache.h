//===- Cache.h - Which lines of the tensors are in L2 ---------------------===//
//
// Remembers for every line when it was last touched, in lines filled since the
// start; a line whose last touch is a whole cache of fills ago is gone. For data
// that is read over and over this is LRU, also when it does not fit: a loop over
// more than the cache never hits.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_CACHE_H
#define TILEKILN_LIB_SIM_CORE_CACHE_H

#include "tilekiln/Sim/Core/Buffer.h"
#include <vector>

namespace tilekiln::sim {

class Cache {
public:
  Cache(int64_t capacityBytes, std::vector<int64_t> tensorBytes);

  struct Result {
    /// Read from HBM, and written to it to make room.
    int64_t missBytes = 0, evictedBytes = 0;
  };
  /// Touches the lines of an access in global memory.
  Result access(const Access &access);

  static constexpr int64_t lineBytes = 512;

private:
  int64_t capacityLines;
  /// Fill number plus one at the last touch, per tensor and line; 0: never.
  std::vector<std::vector<uint32_t>> lastTouch;
  std::vector<int64_t> tensorBytes;
  uint64_t fills = 0, dirtyFills = 0;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_CACHE_H
