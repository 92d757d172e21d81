//===- Transfers.cpp - What one transfer of global memory can take --------===//
#include "Transfers.h"
#include <algorithm>

using namespace tilekiln::sim;

/// Bytes per cycle of a pipe that nothing else slows down.
static double getPipeCap(const QueueOp &op, const Access &access,
                         const Timing &timing) {
  double rowBytes = double(std::max<int64_t>(access.runBytes, 1));
  switch (op.transferKind) {
  case TransferKind::LoadL1:
    return timing.mte2BytesPerCycleL1;
  case TransferKind::LoadUb:
    return timing.mte2BytesPerCycleUb;
  case TransferKind::Nd2Nz: {
    // A row costs a slot of the converter, or its bytes.
    double rowCycles = std::max(timing.nd2nzCyclesPerRow,
                                rowBytes / timing.nd2nzBytesPerCycle);
    return rowBytes / rowCycles;
  }
  case TransferKind::StoreUb:
    return timing.mte3BytesPerCycle;
  case TransferKind::StoreL0c: {
    // The pipe is as fast as it reads L0C; a narrower result moves fewer bytes.
    double read = double(std::max<int64_t>(op.localBytes, 1));
    double written = double(std::max<int64_t>(access.totalBytes(), 1));
    return std::min(timing.fixBytesPerCycle * std::min(written / read, 1.0),
                    timing.fixBytesPerCycleAllCores);
  }
  case TransferKind::None:
    break;
  }
  return timing.l2PortBytesPerCycle;
}

TransferCost tilekiln::sim::getTransferCost(const QueueOp &op, CoreType core,
                                            const Timing &timing, Cache &cache) {
  TransferCost cost;
  double cap = 1e300, bytes = 0;
  bool isUnaligned = false;
  for (const Access &access : op.accesses) {
    if (access.space != Space::GM)
      continue;
    Cache::Result touched = cache.access(access);
    double moved = double(access.totalBytes());
    bytes += moved;
    bool isRead = access.mode == Access::Mode::Read;
    if (!cost.flow.line)
      cost.flow.line = (uint64_t(access.tensor) << 48) +
                       uint64_t(access.beginBytes / Cache::lineBytes) + 1;
    (isRead ? cost.readBytes : cost.writeBytes) += access.totalBytes();
    cost.flow.writes |= !isRead;
    cost.hbmBytes += touched.missBytes + touched.evictedBytes;
    cap = std::min(cap, getPipeCap(op, access, timing));
    isUnaligned |= access.beginBytes % 32 != 0 ||
                   (access.runs > 1 && access.strideBytes % 32 != 0);
  }
  if (cap > 1e299)
    cap = timing.l2PortBytesPerCycle;
  cap = std::min(cap, timing.l2PortBytesPerCycle);
  cost.flow.bytes = bytes;
  // Rows off their alignment waste what they pass through, whatever is the limit.
  if (isUnaligned)
    cost.flow.bytes *= op.transferKind == TransferKind::Nd2Nz
                           ? timing.unalignedFactorNd2nz
                           : timing.unalignedFactorUb;
  cost.flow.hbmShare = bytes > 0 ? double(cost.hbmBytes) / bytes : 0;
  if (cost.flow.hbmShare > 0) {
    double perCore = core == CoreType::AIC ? timing.hbmAicBytesPerCycle
                                           : timing.hbmAivBytesPerCycle;
    cap = std::min(cap, perCore / std::min(cost.flow.hbmShare, 1.0));
  }
  cost.flow.sameAddressFactor = core == CoreType::AIC ? timing.sameAddressFactorAic
                                                      : timing.sameAddressFactorAiv;
  cost.flow.hbmCapacity = op.transferKind == TransferKind::Nd2Nz
                              ? timing.hbmNd2nzBytesPerCycle
                              : timing.hbmContiguousBytesPerCycle;
  cost.flow.cap = cap;
  switch (op.pipe) {
  case Pipe::MTE3:
    cost.latency = timing.mte3Latency;
    break;
  case Pipe::FIX:
    cost.latency = timing.fixLatency;
    break;
  default:
    cost.latency = core == CoreType::AIC ? timing.mte2LatencyL1
                                         : timing.mte2LatencyUb;
    cost.minimumBusy = timing.mte2IssueGap;
    break;
  }
  if (cost.flow.hbmShare > 0 && !cost.flow.writes)
    cost.latency += timing.mte2MissLatency;
  return cost;
}
