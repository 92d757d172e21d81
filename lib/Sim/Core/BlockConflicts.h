//===- BlockConflicts.h - Blocks that touch each other's bytes ------------===//
//
// Blocks run in no order, so two that touch the same bytes of global memory, one
// of them writing, are a race unless all cores met in between. Kept per 32 bytes
// of the tensors that the kernel writes to; ranges that cover a part of 32 bytes
// are kept byte by byte.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_BLOCKCONFLICTS_H
#define TILEKILN_LIB_SIM_CORE_BLOCKCONFLICTS_H

#include "tilekiln/Sim/Core/Buffer.h"
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilekiln::sim {

struct BlockConflict {
  unsigned otherBlock = 0;
  /// Otherwise the other block reads.
  bool otherWrites = false;
  int64_t addressBytes = 0;
  LineId otherLine = 0;
};

class BlockConflicts {
public:
  explicit BlockConflicts(int64_t sizeBytes);

  std::optional<BlockConflict> access(const Access &access, unsigned block,
                                      LineId line);
  /// All cores met: what was before is in order with what comes.
  void forget();

private:
  /// Blocks are kept plus one; 0 is nobody.
  struct Owners {
    uint32_t writer = 0, reader = 0;
    LineId writerLine = 0, readerLine = 0;
    bool isAtomic = false;
  };
  struct Bytes {
    Owners owners[32];
  };
  std::optional<BlockConflict> touch(Owners &owners, Access::Mode mode,
                                     unsigned block, LineId line,
                                     int64_t addressBytes);

  std::vector<Owners> granules;
  std::unordered_map<int64_t, Bytes> parts;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_BLOCKCONFLICTS_H
