//===- Fluid.cpp - Transfers that share L2 and HBM ------------------------===//
#include "Fluid.h"
#include <algorithm>

using namespace tilekiln::sim;

/// The share s with sum(min(demand, s)) = capacity.
static double fairShare(std::vector<double> &demands, double capacity) {
  std::sort(demands.begin(), demands.end());
  size_t left = demands.size();
  for (double demand : demands) {
    double share = capacity / double(left);
    if (demand > share)
      return share;
    capacity -= demand;
    --left;
  }
  return 1e300;
}

void Fluid::advance(Cycles now) {
  double elapsed = now - time;
  if (elapsed > 0)
    for (Moving &moving : flows)
      moving.left -= moving.rate * elapsed;
  time = std::max(time, now);
}

/// Reads and writes of a port do not disturb each other.
static size_t portIndex(const Flow &flow) {
  return flow.port * 2 + size_t(flow.writes);
}

void Fluid::sharePorts() {
  std::fill(portDemands.begin(), portDemands.end(), 0.0);
  for (Moving &moving : flows) {
    moving.rate = moving.flow.cap;
    size_t port = portIndex(moving.flow);
    if (port >= portDemands.size())
      portDemands.resize(port + 1);
    portDemands[port] += moving.rate;
  }
  static thread_local std::vector<double> demands;
  for (size_t port = 0; port < portDemands.size(); ++port) {
    double capacity = port % 2 ? timing.l2WriteBytesPerCyclePerCore
                               : timing.l2BytesPerCyclePerCore;
    if (portDemands[port] <= capacity)
      continue;
    demands.clear();
    for (const Moving &moving : flows)
      if (portIndex(moving.flow) == port)
        demands.push_back(moving.rate);
    double share = fairShare(demands, capacity);
    for (Moving &moving : flows)
      if (portIndex(moving.flow) == port)
        moving.rate = std::min(moving.rate, share);
  }
}

void Fluid::shareHbm() {
  double demand = 0, weighted = 0;
  bool reads = false, writes = false;
  for (const Moving &moving : flows) {
    double moved = moving.rate * moving.flow.hbmShare;
    demand += moved;
    weighted += moved * moving.flow.hbmCapacity;
    if (moved > 0)
      (moving.flow.writes ? writes : reads) = true;
  }
  if (demand <= 0)
    return;
  double capacity =
      reads && writes ? timing.hbmReadWriteBytesPerCycle : weighted / demand;
  if (demand <= capacity)
    return;
  static thread_local std::vector<double> demands;
  demands.clear();
  for (const Moving &moving : flows)
    if (moving.flow.hbmShare > 0)
      demands.push_back(moving.rate * moving.flow.hbmShare);
  double share = fairShare(demands, capacity);
  for (Moving &moving : flows)
    if (moving.flow.hbmShare > 0)
      moving.rate = std::min(moving.rate, share / moving.flow.hbmShare);
}

void Fluid::shareL2() {
  double demand = 0;
  for (const Moving &moving : flows)
    demand += moving.rate;
  if (demand <= timing.l2BytesPerCycle)
    return;
  static thread_local std::vector<double> demands;
  demands.clear();
  for (const Moving &moving : flows)
    demands.push_back(moving.rate);
  double share = fairShare(demands, timing.l2BytesPerCycle);
  for (Moving &moving : flows)
    moving.rate = std::min(moving.rate, share);
}

void Fluid::share() {
  sharePorts();
  shareHbm();
  shareL2();
  nextEndTime = 1e300;
  for (size_t i = 0; i < flows.size(); ++i) {
    double end = time + std::max(flows[i].left, 0.0) / flows[i].rate;
    if (end < nextEndTime) {
      nextEndTime = end;
      nextIndex = i;
    }
  }
}

void Fluid::start(const Flow &flow, Cycles now) {
  advance(now);
  flows.push_back({flow, flow.bytes, 0});
  if (!flow.writes && flow.sameAddressFactor > 1) {
    // Measured with all cores at one address; fewer hurt less.
    unsigned same = 0;
    for (const Moving &other : flows)
      same += !other.flow.writes && other.flow.line == flow.line;
    double part = double(same - 1) / double(std::max(timing.aicCount, 2u) - 1);
    flows.back().flow.cap /= 1 + (flow.sameAddressFactor - 1) * std::min(part, 1.0);
  }
  share();
}

unsigned Fluid::finish() {
  advance(nextEndTime);
  unsigned id = flows[nextIndex].flow.id;
  flows[nextIndex] = flows.back();
  flows.pop_back();
  share();
  return id;
}
