//===- Timing.cpp - Reading timing constants out of a description ---------===//
#include "tilekiln/Sim/Core/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln;
using namespace tilekiln::sim;
using llvm::StringRef;

namespace {

class Reader {
public:
  explicit Reader(const Target &target) : target(target) {}

  double timing(StringRef name) {
    if (const Figure *figure = target.findTiming(name))
      return figure->value;
    missing.push_back("timing." + name.str());
    return 0;
  }

  int64_t limit(StringRef name) {
    if (const Figure *figure = target.findLimit(name))
      return int64_t(figure->value);
    missing.push_back("limits." + name.str());
    return 0;
  }

  unsigned cores(StringRef name) {
    if (const CoreKind *core = target.findCore(name))
      return unsigned(core->count.value);
    missing.push_back("cores." + name.str());
    return 0;
  }

  int64_t capacity(StringRef name) {
    if (const MemorySpace *space = target.findSpace(name))
      return space->capacityBytes();
    missing.push_back("spaces." + name.str());
    return 0;
  }

  std::vector<std::string> missing;

private:
  const Target &target;
};

} // namespace

llvm::Expected<Timing> Timing::get(const Target &target) {
  Timing t;
  Reader read(target);
  t.hertz = target.clock.value * 1e6;
  t.aicCount = read.cores("aic");
  t.aivCount = read.cores("aiv");
  t.aivPerAic = unsigned(read.limit("aivPerAic"));
  for (unsigned i = 0; i < spaceCount; ++i)
    t.capacityBytes[i] = read.capacity(getName(Space(i)));

  t.mmadCyclesPerFractal = read.timing("mmad.cyclesPerFractal");
  t.mmadCyclesPerFractalF32 = read.timing("mmad.cyclesPerFractal.f32");
  t.mmadIssueGap = read.timing("mmad.issueGap");
  t.mmadResultLatency = read.timing("mmad.resultLatency");
  t.mte1L0aBytesPerCycle = read.timing("mte1.l0aBytesPerCycle");
  t.mte1L0bBytesPerCycle = read.timing("mte1.l0bBytesPerCycle");
  t.mte1IssueGap = read.timing("mte1.issueGap");
  t.mte1PairSync = read.timing("mte1.pairSync");
  t.mte2IssueGap = read.timing("mte2.issueGap");
  t.mte2LatencyL1 = read.timing("mte2.latency.l1");
  t.mte2LatencyUb = read.timing("mte2.latency.ub");
  t.mte2MissLatency = read.timing("mte2.missLatency");
  t.mte2BytesPerCycleL1 = read.timing("mte2.bytesPerCycle.l1");
  t.mte2BytesPerCycleUb = read.timing("mte2.bytesPerCycle.ub");
  t.nd2nzCyclesPerRow = read.timing("nd2nz.cyclesPerRow");
  t.nd2nzBytesPerCycle = read.timing("nd2nz.bytesPerCycle");
  t.l2CapacityBytes = read.timing("l2.capacityBytes");
  t.l2SectorBytes = read.timing("l2.sectorBytes");
  t.l2PortBytesPerCycle = read.timing("l2.portBytesPerCycle");
  t.l2WriteBytesPerCyclePerCore = read.timing("l2.writeBytesPerCyclePerCore");
  double perCycle = t.hertz > 0 ? 1 / t.hertz : 0;
  // Each core brings its part of the way to L2, up to what L2 itself can give.
  t.l2BytesPerCycle =
      std::min(read.timing("l2.bytesPerSecond") * perCycle,
               read.timing("l2.bytesPerCyclePerCore") * double(t.aicCount));
  t.l2WriteBytesPerCycle = t.l2WriteBytesPerCyclePerCore * double(t.aicCount);
  t.hbmContiguousBytesPerCycle =
      read.timing("hbm.bytesPerSecond.contiguous") * perCycle;
  t.hbmNd2nzBytesPerCycle = read.timing("hbm.bytesPerSecond.nd2nz") * perCycle;
  t.hbmReadWriteBytesPerCycle =
      read.timing("hbm.bytesPerSecond.readWrite") * perCycle;
  t.hbmAicBytesPerCycle = read.timing("hbm.bytesPerCycle.aic");
  t.hbmAivBytesPerCycle = read.timing("hbm.bytesPerCycle.aiv");
  t.unalignedFactorUb = read.timing("unaligned.factor.ub");
  t.unalignedFactorNd2nz = read.timing("unaligned.factor.nd2nz");
  t.sameAddressFactorAic = read.timing("sameAddress.factor.aic");
  t.sameAddressFactorAiv = read.timing("sameAddress.factor.aiv");
  t.fixLatency = read.timing("fix.latency");
  t.fixBytesPerCycle = read.timing("fix.bytesPerCycle");
  t.fixBytesPerCycleAllCores = read.timing("fix.bytesPerCycle.allCores");
  t.mte3Latency = read.timing("mte3.latency");
  t.mte3BytesPerCycle = read.timing("mte3.bytesPerCycle");
  t.vectorBytesPerRepeat = read.timing("vector.bytesPerRepeat");
  t.vectorCountMode = read.timing("vector.countMode");
  t.vectorBankConflictFactor = read.timing("vector.bankConflictFactor");
  t.scalarIssue = read.timing("scalar.issue");
  t.scalarDependent = read.timing("scalar.dependent");
  t.scalarLoopBody = read.timing("scalar.loopBody");
  t.flagIssue = read.timing("flag.issue");
  t.flagLatency = read.timing("flag.latency");
  t.barrierVector = read.timing("barrier.vector");
  t.crossCoreFlagLatency = read.timing("crossCoreFlag.latency");
  t.launchCycles = read.timing("launch.seconds") * t.hertz;
  t.launchMixCycles = read.timing("launch.mixSeconds") * t.hertz;
  t.crossCoreFlagCount = read.limit("crossCoreFlagCount");
  t.crossCoreFlagIds = read.limit("crossCoreFlagIds");
  t.eventIds = read.limit("eventIds");
  // A queue of nothing would hold up everything for ever.
  t.queueDepth = std::max<int64_t>(1, read.limit("queueDepth"));
  t.vectorPowerRounds = read.timing("vector.power.rounds");

  // vector.<instruction>.{perRepeat,startup}
  for (const auto &[name, figure] : target.timing) {
    StringRef rest = name;
    if (!rest.consume_front("vector."))
      continue;
    if (rest.consume_back(".perRepeat"))
      t.vectorCosts[rest].perRepeat = figure.value;
    else if (rest.consume_back(".startup"))
      t.vectorCosts[rest].startup = figure.value;
  }
  if (!t.vectorCosts.count("vadd"))
    read.missing.push_back("timing.vector.vadd.perRepeat");
  if (t.hertz <= 0)
    read.missing.push_back("clock");
  if (read.missing.empty())
    return t;
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("the simulator cannot time target '{0}': its description "
                    "lacks {1}",
                    target.name, llvm::join(read.missing, ", "))
          .str());
}

VectorCost Timing::vector(StringRef instruction) const {
  auto found = vectorCosts.find(instruction);
  if (found == vectorCosts.end())
    found = vectorCosts.find("vadd");
  return found == vectorCosts.end() ? VectorCost() : found->second;
}

llvm::Error tilekiln::sim::setFigure(Target &target, StringRef assignment) {
  auto [name, text] = assignment.split('=');
  name = name.trim();
  double value;
  if (text.trim().getAsDouble(value) || value < 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        llvm::formatv("'{0}' does not set a figure: expected name=number, such "
                      "as cores=24",
                      assignment)
            .str());
  auto set = [&](Figure &figure) {
    figure.value = value;
    figure.source = "set by the user";
    figure.confidence = Confidence::Low;
    figure.range.reset();
    return llvm::Error::success();
  };
  if (name == "clock")
    return set(target.clock);
  if (name == "cores") {
    for (auto &[kind, core] : target.cores) {
      const Figure *perAic = target.findLimit("aivPerAic");
      Figure &count = core.count;
      llvm::cantFail(set(count));
      if (kind == "aiv" && perAic)
        count.value *= perAic->value;
    }
    return llvm::Error::success();
  }
  auto key = std::string_view(name.data(), name.size());
  for (NameMap<Figure> *map : {&target.timing, &target.limits})
    if (auto found = map->find(key); found != map->end())
      return set(found->second);

  std::vector<std::pair<unsigned, StringRef>> near;
  for (NameMap<Figure> *map : {&target.timing, &target.limits})
    for (auto &entry : *map)
      near.push_back({name.edit_distance(entry.first, true), entry.first});
  llvm::sort(near);
  near.resize(std::min<size_t>(near.size(), 3));
  std::string names;
  for (auto &[distance, candidate] : near)
    names += (names.empty() ? "" : ", ") + candidate.str();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("target '{0}' has no figure '{1}' to set; near are: {2}, and "
                    "'cores' and 'clock' can be set",
                    target.name, name, names)
          .str());
}
