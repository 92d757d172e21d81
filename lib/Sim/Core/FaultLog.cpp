//===- FaultLog.cpp - Collecting faults from all threads ------------------===//
#include "FaultLog.h"
#include <algorithm>

using namespace tilekiln::sim;

static auto order(const Fault &fault) {
  return std::tuple(fault.cycle, fault.block, fault.core, fault.pipe, fault.line,
                    fault.addressBytes);
}

void FaultLog::add(Fault fault) {
  std::lock_guard<std::mutex> guard(mutex);
  Key key{fault.kind, fault.line,     fault.otherLine,
          fault.pipe, fault.coreKind, fault.instruction};
  auto [found, isNew] = faults.try_emplace(key, fault);
  if (isNew)
    return;
  uint64_t count = found->second.count + fault.count;
  if (order(fault) < order(found->second))
    found->second = std::move(fault);
  found->second.count = count;
}

std::vector<Fault> FaultLog::take(unsigned limit) {
  std::lock_guard<std::mutex> guard(mutex);
  std::vector<Fault> result;
  for (auto &entry : faults)
    result.push_back(std::move(entry.second));
  faults.clear();
  std::stable_sort(result.begin(), result.end(),
                   [](const Fault &a, const Fault &b) { return order(a) < order(b); });
  if (limit && result.size() > limit)
    result.resize(limit);
  return result;
}
