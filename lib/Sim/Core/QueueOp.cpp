//===- QueueOp.cpp - Declaring what an instruction touches ----------------===//
#include "tilekiln/Sim/Core/QueueOp.h"

using namespace tilekiln::sim;

QueueOp &QueueOp::reads(const Buffer &buffer, int64_t roundUpBytes) {
  appendAccesses(buffer, Access::Mode::Read, accesses, roundUpBytes);
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
  accesses.push_back(access);
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
