//===- Transfers.h - What one transfer of global memory can take ----------===//
#ifndef TILEKILN_LIB_SIM_CORE_TRANSFERS_H
#define TILEKILN_LIB_SIM_CORE_TRANSFERS_H

#include "Cache.h"
#include "Fluid.h"
#include "tilekiln/Sim/Core/QueueOp.h"

namespace tilekiln::sim {

struct TransferCost {
  Flow flow;
  /// After the last byte, until a flag may say that it is there.
  double latency = 0;
  /// The pipe's at least.
  double minimumBusy = 0;
  int64_t readBytes = 0, writeBytes = 0, hbmBytes = 0;
};

/// Touches the cache.
TransferCost getTransferCost(const QueueOp &op, CoreType core,
                             const Timing &timing, Cache &cache);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_TRANSFERS_H
