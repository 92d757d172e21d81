//===- AccessMap.h - Who touched which bytes last -------------------------===//
//
// For one memory of one block: the last writer and the readers since, per range
// of bytes. Two accesses that nothing orders, one of them a write, are a race.
//
// Bytes that are read through another buffer than they were written through are an
// overlap where the reader's own bytes were there before. Where they never were,
// the reader has memory that is undefined to it: instructions read whole blocks,
// and a row's padding is as the last user of the place left it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_ACCESSMAP_H
#define TILEKILN_LIB_SIM_CORE_ACCESSMAP_H

#include "Clock.h"
#include "tilekiln/Sim/Core/Buffer.h"
#include <map>

namespace tilekiln::sim {

/// One entry of a queue as the other party of a conflict.
struct Toucher {
  PipeIndex pipe = 0;
  bool isAtomic = false;
  uint32_t sequence = 0;
  LineId line = 0;
  uint32_t origin = 0;
};

struct Conflict {
  enum class Kind : uint8_t { ReadAfterWrite, WriteAfterWrite, WriteAfterRead, Overlap };
  Kind kind;
  Toucher other;
  int64_t addressBytes;
};

/// Whether a pipe finishes an entry before the next one can see its effects, so
/// that its own entries need no barrier.
struct PipeOrder {
  bool readAfterWrite = true, writeAfterWrite = true;
};
PipeOrder getPipeOrder(Pipe pipe);

/// Bytes that were read, but never written through the same buffer.
struct UndefinedRange {
  int64_t begin = 0, end = 0;
  Toucher writer;
};

/// What an access meets.
struct Met {
  /// At most one per other party.
  llvm::SmallVector<Conflict, 4> conflicts;
  llvm::SmallVector<UndefinedRange, 2> undefined;

  void clear() {
    conflicts.clear();
    undefined.clear();
  }
};

class AccessMap {
public:
  /// Records an access by an entry with this clock, and adds to `met`.
  void access(const Access &access, const Toucher &self, const Clock &clock, Met &met);
  void clear() { segments.clear(); }

private:
  struct Segment {
    int64_t end = 0;
    bool isWritten = false;
    Toucher writer;
    /// Buffers through which these bytes were written before, and which a write
    /// through another one has overwritten.
    llvm::SmallVector<uint32_t, 2> lost;
    llvm::SmallVector<Toucher, 2> readers;
  };
  using Segments = std::map<int64_t, Segment>;

  void touch(int64_t begin, int64_t end, const Access &access,
             const Toucher &self, const Clock &clock, Met &met);
  /// Makes `at` a boundary of segments.
  Segments::iterator split(Segments::iterator segment, int64_t at);
  void check(const Segment &segment, int64_t begin, const Access &access,
             const Toucher &self, const Clock &clock, Met &met);

  Segments segments;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_ACCESSMAP_H
