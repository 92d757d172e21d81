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

void Fluid::limit(double capacity, llvm::function_ref<double(const Flow &)> weight) {
  double demand = 0;
  for (const Moving &moving : flows)
    demand += moving.rate * weight(moving.flow);
  if (demand <= capacity)
    return;
  static thread_local std::vector<double> demands;
  demands.clear();
  for (const Moving &moving : flows)
    if (double part = weight(moving.flow); part > 0)
      demands.push_back(moving.rate * part);
  double share = fairShare(demands, capacity);
  for (Moving &moving : flows)
    if (double part = weight(moving.flow); part > 0)
      moving.rate = std::min(moving.rate, share / part);
}

/// What a core waits for from HBM. A line may bring more than was asked for, which
/// stays in L2 for others.
static double getMissShare(const Flow &flow) { return std::min(flow.hbmShare, 1.0); }

void Fluid::sharePorts() {
  for (Port &port : ports)
    port = Port();
  for (Moving &moving : flows) {
    const Flow &flow = moving.flow;
    moving.rate = flow.cap;
    if (flow.port >= ports.size())
      ports.resize(flow.port + 1);
    if (flow.writes)
      continue;
    ports[flow.port].reads += moving.rate;
    ports[flow.port].misses += moving.rate * getMissShare(flow);
  }
  for (unsigned i = 0; i < ports.size(); ++i) {
    if (ports[i].misses > timing.hbmAicBytesPerCycle)
      limit(timing.hbmAicBytesPerCycle, [i](const Flow &flow) {
        return flow.port == i && !flow.writes ? getMissShare(flow) : 0.0;
      });
    if (ports[i].reads > timing.l2PortBytesPerCycle)
      limit(timing.l2PortBytesPerCycle, [i](const Flow &flow) {
        return flow.port == i && !flow.writes ? 1.0 : 0.0;
      });
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
  if (demand > 0)
    limit(reads && writes ? timing.hbmReadWriteBytesPerCycle : weighted / demand,
          [](const Flow &flow) { return flow.hbmShare; });
}

void Fluid::shareL2() {
  limit(timing.l2BytesPerCycle,
        [](const Flow &flow) { return flow.writes ? 0.0 : 1.0; });
  limit(timing.l2WriteBytesPerCycle,
        [](const Flow &flow) { return flow.writes ? 1.0 : 0.0; });
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
