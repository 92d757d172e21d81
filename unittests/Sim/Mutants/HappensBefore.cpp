//===- HappensBefore.cpp - What a kernel's synchronisation really orders --===//
#include "HappensBefore.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace tilekiln::sim;

void IssueRecorder::onIssue(CoreId, unsigned inBlock, unsigned block,
                            const QueueOp &op) {
  blocks[block].push_back({op.kind, inBlock, op.pipe, op.otherPipe, op.crossMode,
                           op.flag, op.unitFlag, op.accesses, op.function});
}

void IssueRecorder::onBlockEnd(CoreId, unsigned block, Cycles) {
  ++endedCores[block];
}

HappensBefore::HappensBefore(const std::vector<Issued> &issued,
                             unsigned vectorsPerBlock)
    : vectorsPerBlock(vectorsPerBlock) {
  build(issued);
  close();
}

HappensBefore::Node HappensBefore::addNode() {
  successors.emplace_back();
  return Node(successors.size() - 1);
}

void HappensBefore::addEdge(Node from, Node to) { successors[from].push_back(to); }

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Whether an instruction of a pipe is over before the next one begins: the
/// others overlap their own instructions, which barriers keep apart.
static bool runsOneByOne(Pipe pipe) {
  return pipe == Pipe::S || pipe == Pipe::M || pipe == Pipe::MTE1;
}

void HappensBefore::build(const std::vector<Issued> &issued) {
  constexpr unsigned cores = 3;
  struct PipeEnds {
    /// What the pipe took last (work, wait, barrier), and the end of all the work
    /// that it took so far.
    Node taken, ended;
  };
  struct CoreEnds {
    Node scalar; // What the scalar unit has waited for.
    PipeEnds pipes[pipeCount];
  };
  std::vector<CoreEnds> ends(cores);
  Node start = addNode();
  for (CoreEnds &core : ends) {
    core.scalar = start;
    for (PipeEnds &pipe : core.pipes)
      pipe = {start, start};
  }
  // Raises and waits in order: (0, core, from, to * 8 + event) within a core,
  // (1, core, flag, mode) for what a core raises for others or waits for.
  std::map<Key, std::vector<Node>> raised, waited;
  std::map<Key, std::set<Pipe>> raisingPipes, waitingPipes;

  for (const Issued &op : issued) {
    CoreEnds &core = ends[op.core];
    if (op.pipe == Pipe::All) {
      // The scalar unit goes on when every queue is done.
      Node all = addNode();
      addEdge(core.scalar, all);
      for (PipeEnds &pipe : core.pipes) {
        addEdge(pipe.taken, all);
        addEdge(pipe.ended, all);
      }
      core.scalar = all;
      continue;
    }
    PipeEnds &pipe = core.pipes[unsigned(op.pipe)];
    Node node = addNode();
    addEdge(core.scalar, node);
    addEdge(pipe.taken, node);
    bool isScalar = op.pipe == Pipe::S;
    switch (op.kind) {
    case QueueOp::Kind::Execute:
    case QueueOp::Kind::Transfer:
    case QueueOp::Kind::Scalar: {
      if (op.unitFlag != UnitFlag::Off)
        trouble = "unit flags order work too";
      if (runsOneByOne(op.pipe))
        addEdge(pipe.ended, node);
      Node end = addNode();
      addEdge(node, end);
      addEdge(pipe.ended, end);
      works[{op.core, unsigned(op.pipe)}].push_back({node, end, &op});
      pipe = {node, end};
      break;
    }
    case QueueOp::Kind::Barrier:
      addEdge(pipe.ended, node);
      pipe.taken = node;
      break;
    case QueueOp::Kind::SetFlag:
    case QueueOp::Kind::CrossSet: {
      // After all that the pipe was given before; nothing comes after a raise.
      addEdge(pipe.ended, node);
      bool crosses = op.kind == QueueOp::Kind::CrossSet;
      if (crosses && op.mode == CrossMode::InterBlock)
        trouble = "cores of other blocks take part";
      Key key = crosses ? Key{1, op.core, op.flag, unsigned(op.mode)}
                        : Key{0, op.core, unsigned(op.pipe),
                              unsigned(op.otherPipe) * 8 + op.flag};
      raised[key].push_back(node);
      raisingPipes[key].insert(op.pipe);
      break;
    }
    case QueueOp::Kind::WaitFlag:
    case QueueOp::Kind::CrossWait: {
      bool crosses = op.kind == QueueOp::Kind::CrossWait;
      Key key = crosses ? Key{1, op.core, op.flag, 0}
                        : Key{0, op.core, unsigned(op.otherPipe),
                              unsigned(op.pipe) * 8 + op.flag};
      waited[key].push_back(node);
      waitingPipes[key].insert(op.pipe);
      // A scalar unit that waits issues nothing.
      (isScalar ? core.scalar : pipe.taken) = node;
      break;
    }
    }
  }
  for (auto *sides : {&raisingPipes, &waitingPipes})
    for (auto &[key, pipes] : *sides)
      if (pipes.size() > 1)
        trouble = "several queues share one end of a cross-core flag";
  match(raised, waited);
}

/// Joins each wait with the raise that it belongs to.
void HappensBefore::match(std::map<Key, std::vector<Node>> &raised,
                          const std::map<Key, std::vector<Node>> &waited) {
  // What cores raise, as those see it that count it.
  std::map<Key, std::vector<Node>> seen;
  auto raiseFor = [&](unsigned core, unsigned flag, std::vector<Node> nodes) {
    if (nodes.empty())
      return;
    std::vector<Node> &list = seen[{1, core, flag, 0}];
    if (!list.empty())
      trouble = "several cores raise one cross-core flag";
    list = std::move(nodes);
  };
  for (unsigned flag = 0; flag < 16; ++flag) {
    unsigned intra = unsigned(CrossMode::IntraBlock),
             sub = unsigned(CrossMode::InterSubblock);
    for (unsigned vector = 1; vector <= vectorsPerBlock; ++vector)
      raiseFor(vector, flag, raised[{1, 0, flag, intra}]);
    // Counts when all AIVs have raised it.
    for (unsigned mode : {intra, sub}) {
      std::vector<Node> both;
      size_t count = raised[{1, 1, flag, mode}].size();
      for (unsigned vector = 2; vector <= vectorsPerBlock; ++vector) {
        size_t own = raised[{1, vector, flag, mode}].size();
        balanced &= own == count;
        count = std::min(count, own);
      }
      for (size_t i = 0; i < count; ++i) {
        both.push_back(addNode());
        for (unsigned vector = 1; vector <= vectorsPerBlock; ++vector)
          addEdge(raised[{1, vector, flag, mode}][i], both.back());
      }
      if (mode == intra)
        raiseFor(0, flag, both);
      for (unsigned vector = 1; mode == sub && vector <= vectorsPerBlock; ++vector)
        raiseFor(vector, flag, both);
    }
  }
  for (auto &[key, nodes] : raised)
    if (std::get<0>(key) == 0)
      seen[key] = nodes;
  for (auto &[key, waits] : waited) {
    const std::vector<Node> &raises = seen[key];
    for (size_t i = 0; i < std::min(waits.size(), raises.size()); ++i)
      addEdge(raises[i], waits[i]);
  }
  for (auto &[key, raises] : seen) {
    auto waits = waited.find(key);
    balanced &= raises.size() == (waits == waited.end() ? 0 : waits->second.size());
  }
}

/// Everything that each node reaches, from the last to the first.
void HappensBefore::close() {
  size_t count = successors.size();
  std::vector<unsigned> incoming(count, 0);
  for (auto &list : successors)
    for (Node to : list)
      ++incoming[to];
  std::vector<Node> order;
  for (Node node = 0; node < count; ++node)
    if (!incoming[node])
      order.push_back(node);
  for (size_t i = 0; i < order.size(); ++i)
    for (Node to : successors[order[i]])
      if (!--incoming[to])
        order.push_back(to);
  // A circle: who waits in it waits for ever.
  balanced &= order.size() == count;
  reachable.assign(count, std::vector<uint64_t>((count + 63) / 64));
  for (Node node : llvm::reverse(order)) {
    std::vector<uint64_t> &bits = reachable[node];
    for (Node to : successors[node]) {
      bits[to / 64] |= uint64_t(1) << (to % 64);
      for (size_t word = 0; word < bits.size(); ++word)
        bits[word] |= reachable[to][word];
    }
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool HappensBefore::isBefore(const Work &a, const Work &b,
                             bool beginIsEnough) const {
  if (a.core == b.core && a.pipe == b.pipe &&
      (beginIsEnough || runsOneByOne(Pipe(a.pipe))))
    return a.index < b.index;
  return reaches(placeOf(a).end, placeOf(b).begin);
}

namespace {
/// Touches of one memory of one core, or of one tensor.
struct Touch {
  int64_t begin, end;
  Access::Mode mode;
  Work work;
};
} // namespace

std::vector<WorkPair> HappensBefore::findConflicts() const {
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::vector<Touch>> memories;
  for (auto &[queue, places] : works)
    for (auto [index, place] : llvm::enumerate(places))
      for (const Access &access : place.op->accesses) {
        bool isGlobal = access.space == Space::GM;
        auto &list = memories[{unsigned(access.space), isGlobal ? 0 : queue.first,
                               isGlobal ? access.tensor : 0}];
        for (int64_t run = 0; run < access.runs && access.runBytes > 0; ++run) {
          int64_t begin = access.beginBytes + run * access.strideBytes;
          list.push_back({begin, begin + access.runBytes, access.mode,
                          {queue.first, queue.second, unsigned(index)}});
        }
      }

  std::map<std::pair<Work, Work>, bool> found;
  for (auto &[memory, touches] : memories) {
    llvm::sort(touches, [](const Touch &a, const Touch &b) { return a.begin < b.begin; });
    // Those that began before and are not over.
    std::vector<const Touch *> open;
    for (const Touch &next : touches) {
      llvm::erase_if(open, [&](const Touch *touch) { return touch->end <= next.begin; });
      for (const Touch *touch : open) {
        if (touch->work == next.work ||
            (touch->mode == Access::Mode::Read && next.mode == Access::Mode::Read) ||
            (touch->mode == Access::Mode::Atomic && next.mode == Access::Mode::Atomic))
          continue;
        bool inOrder = touch->work < next.work;
        const Touch &first = inOrder ? *touch : next, &second = inOrder ? next : *touch;
        bool beginOnly = first.work.core == second.work.core &&
                         first.work.pipe == second.work.pipe &&
                         first.mode == Access::Mode::Read;
        auto [it, isNew] = found.try_emplace({first.work, second.work}, beginOnly);
        it->second &= beginOnly;
      }
      open.push_back(&next);
    }
  }
  std::vector<WorkPair> pairs;
  for (auto &[works, beginOnly] : found)
    pairs.push_back({works.first, works.second, beginOnly});
  return pairs;
}

static auto tieOf(const Access &access) {
  return std::tie(access.space, access.mode, access.tensor, access.beginBytes,
                  access.runBytes, access.runs, access.strideBytes);
}

bool HappensBefore::hasSameWork(const HappensBefore &other) const {
  auto isSame = [](const Place &a, const Place &b) {
    return a.op->function == b.op->function &&
           llvm::equal(a.op->accesses, b.op->accesses,
                       [](const Access &x, const Access &y) { return tieOf(x) == tieOf(y); });
  };
  return works.size() == other.works.size() &&
         llvm::all_of(works, [&](const auto &entry) {
           auto found = other.works.find(entry.first);
           return found != other.works.end() &&
                  llvm::equal(entry.second, found->second, isSame);
         });
}
