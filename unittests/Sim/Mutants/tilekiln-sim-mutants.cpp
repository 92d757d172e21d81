//===- tilekiln-sim-mutants.cpp - Does the simulator see what is missing? -===//
//
//   tilekiln-sim-mutants kernel.mlir --target share/targets/ascend910b3.json
//     --grid 4 --arg a.bin --arg bytes:4096
//
// Breaks the synchronisation of a final IR in one place at a time and runs each mutant on the simulated machine. A mutant matters where the
// oracle (HappensBefore.h) finds two pieces of work that touch the same bytes and
// are no longer ordered as they were, or a flag out of balance. Every mutant that
// matters has to be reported, and nothing else may be; the kernel itself neither.
// Arguments are those of tilekiln-sim. Prints the counts as JSON, and each
// disagreement; exit code 1 where the share of mutants reported is below --least.
//
//===----------------------------------------------------------------------===//
#include "HappensBefore.h"
#include "Mutants.h"
#include "tilekiln/Sim/Core/Simulator.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace tilekiln;
using namespace tilekiln::sim;

static cl::opt<std::string> input(cl::Positional, cl::desc("<final IR>"), cl::Required);
static cl::opt<std::string> targetFile("target", cl::desc("description of the machine"),
                                       cl::Required);
static cl::list<int64_t> grid("grid", cl::desc("extents x,y,z"), cl::CommaSeparated);
static cl::opt<int64_t> blocks("blocks", cl::desc("blocks, if not the grid's"));
static cl::list<std::string> args("arg", cl::desc("argument of the kernel"));
static cl::opt<double> least("least", cl::init(0.99),
                             cl::desc("share of the mutants that matter to be reported"));
static cl::opt<bool> verbose("each", cl::desc("print the verdict on each mutant"));

namespace {

/// The launch, with its own copy of the tensors for each run.
struct Runner {
  const Program &program;
  const Target &target;
  Launch launch;
  std::vector<std::vector<char>> given;

  Error prepare() {
    launch.gridX = grid.size() > 0 ? grid[0] : 1;
    launch.gridY = grid.size() > 1 ? grid[1] : 1;
    launch.gridZ = grid.size() > 2 ? grid[2] : 1;
    launch.blockCount = blocks;
    for (const std::string &arg : args) {
      StringRef rest = arg;
      int64_t integer = 0;
      double real = 0;
      std::vector<char> &tensor = given.emplace_back();
      if (rest.consume_front("int:") && !rest.getAsInteger(10, integer)) {
        launch.arguments.push_back(SimArgument::scalar(integer));
        continue;
      }
      if (rest.consume_front("float:") && !rest.getAsDouble(real)) {
        launch.arguments.push_back(SimArgument::scalar(real));
        continue;
      }
      if (rest.consume_front("bytes:") && !rest.getAsInteger(10, integer)) {
        tensor.resize(size_t(integer));
      } else {
        auto file = errorOrToExpected(MemoryBuffer::getFile(arg));
        if (!file)
          return createStringError("cannot read argument '" + arg +
                                   "': " + toString(file.takeError()));
        tensor.assign((*file)->getBufferStart(), (*file)->getBufferEnd());
      }
      launch.arguments.push_back(
          SimArgument::tensor(nullptr, int64_t(tensor.size()), arg));
    }
    return Error::success();
  }

  Expected<SimResult> run(bool values, IssueRecorder &recorder) {
    std::vector<std::vector<char>> tensors = given;
    for (auto [argument, tensor] : zip(launch.arguments, tensors))
      if (argument.kind == SimArgument::Kind::Tensor)
        argument.data = tensor.data();
    SimOptions options;
    options.values = values;
    options.time = false;
    options.threads = 1;
    options.listeners.push_back(&recorder);
    return simulate(program, target, launch, options);
  }
};

/// What the oracle knows of a run.
class Order {
public:
  Order(const IssueRecorder &recorder, unsigned vectors)
      : endedCores(recorder.endedCores) {
    for (auto &[block, issued] : recorder.blocks)
      blocks.emplace(block, HappensBefore(issued, vectors));
  }

  /// Empty where all is in order.
  std::string complaint(const std::map<unsigned, std::vector<WorkPair>> &conflicts) const {
    for (auto &[block, order] : blocks) {
      if (!order.problem().empty())
        return order.problem();
      if (!order.isBalanced())
        return "raises and waits do not match";
      for (const WorkPair &pair : conflicts.at(block))
        if (!order.isBefore(pair.a, pair.b, pair.needsBeginOnly) &&
            !order.isBefore(pair.b, pair.a, false))
          return describe(pair, "are not ordered");
    }
    return "";
  }

  std::map<unsigned, std::vector<WorkPair>> conflicts() const {
    std::map<unsigned, std::vector<WorkPair>> result;
    for (auto &[block, order] : blocks)
      result[block] = order.findConflicts();
    return result;
  }

  /// Why this run may compute something else than the original one; empty where
  /// it cannot: it does the same work, and all that touches the same bytes comes
  /// in the same order.
  std::string difference(const Order &original,
                         const std::map<unsigned, std::vector<WorkPair>> &conflicts) const {
    if (endedCores != original.endedCores)
      return "a core waits for ever";
    for (auto &[block, order] : blocks) {
      if (!order.problem().empty())
        return order.problem();
      if (!order.isBalanced())
        return "raises and waits do not match";
      const HappensBefore &was = original.blocks.at(block);
      if (!order.hasSameWork(was))
        return "other work is done";
      for (const WorkPair &pair : conflicts.at(block)) {
        bool wasBefore = was.isBefore(pair.a, pair.b, pair.needsBeginOnly);
        if (wasBefore ? !order.isBefore(pair.a, pair.b, pair.needsBeginOnly)
                      : !order.isBefore(pair.b, pair.a, false))
          return describe(pair, "are not ordered as they were");
      }
    }
    return "";
  }

private:
  static std::string describe(const WorkPair &pair, const char *what) {
    auto name = [](const Work &work) {
      static constexpr const char *cores[] = {"AIC", "AIV 0", "AIV 1"};
      return formatv("entry {0} of pipe {1} of {2}", work.index,
                     getName(Pipe(work.pipe)), cores[work.core])
          .str();
    };
    return name(pair.a) + " and " + name(pair.b) + " touch the same bytes and " + what;
  }

  std::map<unsigned, HappensBefore> blocks;
  std::map<unsigned, unsigned> endedCores;
};

} // namespace

static Expected<bool> run() {
  Expected<Target> target = loadTarget(targetFile);
  if (!target)
    return target.takeError();
  auto text = errorOrToExpected(MemoryBuffer::getFileOrSTDIN(input));
  if (!text)
    return text.takeError();
  auto program = decodeText((*text)->getBuffer(), input);
  if (!program)
    return program.takeError();
  Runner runner{**program, *target, {}, {}};
  if (Error error = runner.prepare())
    return error;
  unsigned vectors = (*program)->isMixed() ? (*program)->aivPerBlock : 1;

  // The kernel as it is. Where its control flow reads no memory, faults but those
  // of unwritten memory need no values.
  IssueRecorder recorder;
  Expected<SimResult> original = runner.run(true, recorder);
  if (!original)
    return original.takeError();
  IssueRecorder again;
  Expected<SimResult> without = runner.run(false, again);
  bool needsValues = !without;
  if (!without)
    consumeError(without.takeError());
  Order order(recorder, vectors);
  auto conflicts = order.conflicts();
  bool isGood = true;
  for (const Fault &fault : original->faults) {
    outs() << "the kernel itself: " << toString(fault, **program, *target) << '\n';
    isGood = false;
  }
  if (std::string complaint = order.complaint(conflicts); !complaint.empty()) {
    outs() << "the kernel itself: " << complaint << '\n';
    isGood = false;
  }
  size_t pairs = 0;
  for (auto &[block, list] : conflicts)
    pairs += list.size();

  std::vector<Mutant> mutants = findMutants(**program);
  size_t matter = 0, reported = 0, falseAlarms = 0;
  for (const Mutant &mutant : mutants) {
    std::string name = mutant.describe(**program);
    std::vector<Instruction> code = mutant.code();
    mutant.function->code.swap(code);
    IssueRecorder issued;
    Expected<SimResult> result = runner.run(needsValues, issued);
    if (result && result->faults.empty() && !needsValues) {
      issued = IssueRecorder();
      result = runner.run(true, issued);
    }
    mutant.function->code.swap(code);
    // A run that cannot go on is as good as a fault.
    std::string report;
    if (!result)
      report = toString(result.takeError());
    else if (!result->faults.empty())
      report = toString(result->faults.front(), **program, *target);
    std::string reason = Order(issued, vectors).difference(order, conflicts);
    matter += !reason.empty();
    reported += !reason.empty() && !report.empty();
    if (verbose)
      outs() << name << ": " << (reason.empty() ? "cannot matter" : reason) << "; "
             << (report.empty() ? "no fault" : report) << '\n';
    if (!reason.empty() && report.empty())
      outs() << "not reported: " << name << ": " << reason << '\n';
    if (reason.empty() && !report.empty()) {
      ++falseAlarms;
      outs() << "reported though it cannot matter: " << name << ": " << report << '\n';
    }
  }
  outs() << formatv("{0}\n", json::Value(json::Object{
                                 {"mutants", int64_t(mutants.size())},
                                 {"matter", int64_t(matter)},
                                 {"reported", int64_t(reported)},
                                 {"false_alarms", int64_t(falseAlarms)},
                                 {"conflicting_pairs", int64_t(pairs)}}));
  return isGood && falseAlarms == 0 && double(reported) >= least * double(matter);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Breaks a kernel's synchronisation and counts what the "
                              "simulator reports\n");
  Expected<bool> isGood = run();
  if (!isGood) {
    errs() << "tilekiln-sim-mutants: error: " << toString(isGood.takeError()) << '\n';
    return 2;
  }
  return *isGood ? 0 : 1;
}
