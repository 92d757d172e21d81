//===- HappensBefore.h - What a kernel's synchronisation really orders ----===//
//
// An oracle for the simulator's search for races that shares nothing with it. The
// simulator keeps vector clocks and the last party that touched each byte; here
// the run's whole program is kept, with everything that each instruction touches,
// as a graph of begins and ends whose edges are what the hardware promises. From
// it follows, for each pair of instructions that touch the same bytes, whether
// one is over before the other begins on every machine that keeps the promises.
//
// Flags are counted and each is raised and waited for by one queue, so the n-th
// wait belongs to the n-th raise whatever the timing: one run tells the graph of
// all runs.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_UNITTESTS_SIM_MUTANTS_HAPPENSBEFORE_H
#define TILEKILN_UNITTESTS_SIM_MUTANTS_HAPPENSBEFORE_H

#include "tilekiln/Sim/Core/Listener.h"
#include "tilekiln/Sim/Core/QueueOp.h"
#include <map>
#include <string>
#include <vector>

namespace tilekiln::sim {

/// Something that a core's scalar unit issued.
struct Issued {
  QueueOp::Kind kind;
  unsigned core; // 0 the AIC, 1 and 2 the AIVs.
  Pipe pipe, otherPipe;
  CrossMode mode;
  unsigned flag;
  UnitFlag unitFlag;
  Accesses accesses;
  llvm::StringRef function;

  bool isWork() const {
    return kind == QueueOp::Kind::Execute || kind == QueueOp::Kind::Transfer ||
           kind == QueueOp::Kind::Scalar;
  }
};

/// Keeps all that the cores of each block issued, in program order per core.
class IssueRecorder : public EventListener {
public:
  void onIssue(CoreId core, unsigned inBlock, unsigned block,
               const QueueOp &op) override;
  void onBlockEnd(CoreId core, unsigned block, Cycles time) override;

  std::map<unsigned, std::vector<Issued>> blocks;
  /// Cores that came to the end of a block: the others wait for ever.
  std::map<unsigned, unsigned> endedCores;
};

/// A piece of work, named in a way that survives a change of synchronisation:
/// the `index`-th one of a pipe of a core.
struct Work {
  unsigned core = 0, pipe = 0, index = 0;
  auto key() const { return std::tie(core, pipe, index); }
  bool operator<(const Work &other) const { return key() < other.key(); }
  bool operator==(const Work &other) const { return key() == other.key(); }
};

/// Two pieces of work that touch the same bytes, one of them writing.
struct WorkPair {
  Work a, b;
  /// On one pipe: the first reads what the second writes and nothing else, which
  /// beginning in order is enough for.
  bool needsBeginOnly = false;
};

/// The graph of one block's run.
class HappensBefore {
public:
  HappensBefore(const std::vector<Issued> &issued, unsigned vectorsPerBlock);

  /// Why nothing can be said: a flag with several raising queues, cores of other
  /// blocks ... Empty where the graph is complete.
  const std::string &problem() const { return trouble; }
  /// All waits have a raise, all raises a wait, and no wait is for something
  /// that comes after it.
  bool isBalanced() const { return balanced; }
  /// Whether the first is over before the second begins.
  bool isBefore(const Work &a, const Work &b, bool beginIsEnough) const;
  /// All pairs that touch the same bytes.
  std::vector<WorkPair> findConflicts() const;
  /// Same pieces of work, pipe by pipe, that touch the same.
  bool hasSameWork(const HappensBefore &other) const;

private:
  using Node = unsigned;
  struct Place {
    Node begin, end;
    const Issued *op;
  };
  using Key = std::tuple<unsigned, unsigned, unsigned, unsigned>;

  Node addNode();
  void addEdge(Node from, Node to);
  void build(const std::vector<Issued> &issued);
  void match(std::map<Key, std::vector<Node>> &raised,
             const std::map<Key, std::vector<Node>> &waited);
  void close();
  const Place &placeOf(const Work &work) const {
    return works.at({work.core, work.pipe})[work.index];
  }
  bool reaches(Node from, Node to) const {
    return reachable[from][to / 64] >> (to % 64) & 1;
  }

  unsigned vectorsPerBlock;
  std::vector<std::vector<Node>> successors;
  std::vector<std::vector<uint64_t>> reachable;
  std::map<std::pair<unsigned, unsigned>, std::vector<Place>> works;
  std::string trouble;
  bool balanced = true;
};

} // namespace tilekiln::sim

#endif // TILEKILN_UNITTESTS_SIM_MUTANTS_HAPPENSBEFORE_H
