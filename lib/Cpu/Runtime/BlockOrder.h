//===- BlockOrder.h - Handing out blocks, and waiting for one's turn ------===//
//
// Blocks are handed out in order. One that does something whose outcome depends
// on the order between blocks (adding floats to shared memory, printing) waits
// until all blocks before it are done. The earliest unfinished block never
// waits, so this cannot deadlock, and everything else runs in parallel.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_RUNTIME_BLOCKORDER_H
#define TILEKILN_LIB_CPU_RUNTIME_BLOCKORDER_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace tilekiln {

class BlockOrder {
public:
  explicit BlockOrder(int64_t blockCount) : blockCount(blockCount) {}

  /// The next block for the calling thread, or -1 when there is none left.
  int64_t begin();
  /// The calling thread's block is done.
  void end();
  /// Returns when every block before the calling thread's is done.
  static void waitForTurn();

private:
  const int64_t blockCount;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable changed;
  /// All blocks before it are done.
  int64_t firstUnfinished = 0;
  std::set<int64_t> finishedEarly;
};

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_RUNTIME_BLOCKORDER_H
