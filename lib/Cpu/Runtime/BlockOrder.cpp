//===- BlockOrder.cpp - Handing out blocks, and waiting for one's turn ----===//
//
// See BlockOrder.h.
//
//===----------------------------------------------------------------------===//
#include "Runtime/BlockOrder.h"

namespace tilekiln {

namespace {
/// The block that this thread runs.
struct CurrentBlock {
  BlockOrder *order = nullptr;
  int64_t index = 0;
  bool hasTurn = false;
};
thread_local CurrentBlock current;
} // namespace

int64_t BlockOrder::begin() {
  int64_t index = next.fetch_add(1, std::memory_order_relaxed);
  if (index >= blockCount)
    return -1;
  current = {this, index, false};
  return index;
}

void BlockOrder::end() {
  std::lock_guard<std::mutex> lock(mutex);
  finishedEarly.insert(current.index);
  while (!finishedEarly.empty() && *finishedEarly.begin() == firstUnfinished) {
    finishedEarly.erase(finishedEarly.begin());
    ++firstUnfinished;
  }
  changed.notify_all();
  current = {};
}

void BlockOrder::waitForTurn() {
  if (!current.order || current.hasTurn)
    return;
  BlockOrder &order = *current.order;
  std::unique_lock<std::mutex> lock(order.mutex);
  order.changed.wait(lock,
                     [&] { return order.firstUnfinished == current.index; });
  current.hasTurn = true;
}

} // namespace tilekiln
