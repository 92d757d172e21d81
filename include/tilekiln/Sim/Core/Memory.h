//===- Memory.h - Bytes of the simulated memories -------------------------===//
//
// A memory holds real bytes and knows which of them something wrote. Jobs, which
// compute values, see memories through a ValueContext; they run on host threads,
// the jobs of one block in the order of the block's synchronisation.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_MEMORY_H
#define TILEKILN_SIM_CORE_MEMORY_H

#include "tilekiln/Sim/Core/Buffer.h"
#include "tilekiln/Sim/Core/Fault.h"
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilekiln::sim {

/// Disjoint half-open ranges of bytes, sorted. Few ranges in practice: whole
/// buffers are written.
class ByteSet {
public:
  void add(int64_t begin, int64_t end);
  void remove(int64_t begin, int64_t end);
  bool contains(int64_t begin, int64_t end) const;
  /// First byte in [begin, end) that is not in the set; `end` if there is none.
  int64_t firstMissing(int64_t begin, int64_t end) const;
  void clear() { ranges.clear(); }

private:
  struct Range {
    int64_t begin, end;
  };
  std::vector<Range> ranges;
};

class Memory {
public:
  /// Bytes of its own, none of them written.
  explicit Memory(int64_t sizeBytes);
  /// Somebody else's, all of them written.
  Memory(void *data, int64_t sizeBytes);

  uint8_t *data() { return bytes; }
  int64_t size() const { return sizeBytes; }
  /// Whether it knows what is written; somebody else's tensor does not, all of it
  /// counts as written.
  bool knowsWritten() const { return tracksWrites; }

  bool isWritten(const Access &access) const;
  void setWritten(const Access &access, bool written = true);
  /// Forgets what was written: a new block starts on the core.
  void forget();

private:
  std::unique_ptr<uint8_t[]> owned;
  uint8_t *bytes = nullptr;
  int64_t sizeBytes = 0;
  bool tracksWrites = false;
  ByteSet written;
  /// Blocks on several host threads share the workspace.
  mutable std::mutex mutex;
};

class CubeMemory;

/// What a job sees: the memories of its core and global memory. Everything that
/// the instruction declared as its accesses is in range.
class ValueContext {
public:
  virtual ~ValueContext();

  virtual Memory &memory(Space space, unsigned tensor) = 0;
  /// L0A, L0B and L0C as the matrix functions keep them.
  virtual CubeMemory &cube() = 0;
  /// Reports at the instruction that the job belongs to.
  virtual void fault(FaultKind kind, Space space, int64_t addressBytes,
                     std::string text) = 0;

  /// The byte that holds element 0.
  uint8_t *data(const Buffer &buffer) {
    return memory(buffer.space, buffer.tensor).data() + buffer.addressBytes();
  }
  template <typename T> T *data(const Buffer &buffer) {
    return reinterpret_cast<T *>(data(buffer));
  }

  /// Whether every element was written.
  bool isWritten(const Buffer &buffer);
  void setWritten(const Buffer &buffer, bool written = true);
  /// Faults where not every element was written: for results that leave the
  /// core or steer the program. `what` names the operand.
  bool requireWritten(const Buffer &buffer, llvm::StringRef what);
  /// After an element-wise instruction: an element of `dst` is written if those
  /// that it was computed from are. Sources of size 1 in a dimension are
  /// broadcast along it. Cheap where all sources are written.
  void propagate(const Buffer &dst, std::initializer_list<Buffer> sources);
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_MEMORY_H
