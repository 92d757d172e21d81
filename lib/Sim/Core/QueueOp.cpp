//===- QueueOp.cpp - Declaring what an instruction touches ----------------===//
#include "tilekiln/Sim/Core/QueueOp.h"

using namespace tilekiln::sim;

/// In front of what is written: an instruction whose destination is one of its
/// sources has read it by then, in whatever order its row declares them.
QueueOp &QueueOp::reads(const Buffer &buffer, int64_t roundUpBytes) {
  Accesses added;
  appendAccesses(buffer, Access::Mode::Read, added, roundUpBytes);
  accesses.insert(accesses.begin(), added.begin(), added.end());
  return *this;
}

QueueOp &QueueOp::writes(const Buffer &buffer, int64_t roundUpBytes) {
  appendAccesses(buffer, Access::Mode::Write, accesses, roundUpBytes);
  return *this;
}

QueueOp &QueueOp::atomic(const Buffer &buffer) {
  appendAccesses(buffer, Access::Mode::Atomic, accesses);
  return *this;
}

QueueOp &QueueOp::access(const Access &access) {
  bool isRead = access.mode == Access::Mode::Read;
  accesses.insert(isRead ? accesses.begin() : accesses.end(), access);
  return *this;
}

QueueOp &QueueOp::job(Job job) {
  work = std::move(job);
  return *this;
}

QueueOp &QueueOp::counts(double newFlops, int64_t newLocalBytes) {
  flops = newFlops;
  localBytes = newLocalBytes;
  return *this;
}
