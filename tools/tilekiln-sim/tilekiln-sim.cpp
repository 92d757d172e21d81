//===- tilekiln-sim.cpp - Runs a final IR on the simulated machine --------===//
//
//   tilekiln-sim kernel.mlir --target share/targets/ascend910b3.json --grid 512
//     --arg a.bin --arg b.bin --arg c.bin
//
// Arguments in the kernel's order: a file is a tensor, read before and written
// back after the run; `int:N` and `float:X` are numbers; `bytes:N` is a tensor of
// N zero bytes that is not kept.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Sim/Core/Simulator.h"
#include "tilekiln/Sim/Core/Timing.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "tilekiln/Sim/Views/Report.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace llvm;
using namespace tilekiln;
using namespace tilekiln::sim;

static cl::opt<std::string> input(cl::Positional, cl::desc("<final IR>"),
                                  cl::Required);
static cl::opt<std::string> targetFile("target", cl::desc("description of the machine"),
                                       cl::Required);
static cl::list<int64_t> grid("grid", cl::desc("extents x,y,z"), cl::CommaSeparated);
static cl::opt<int64_t> blocks("blocks", cl::desc("blocks, if not the grid's"));
static cl::list<std::string> args("arg", cl::desc("argument of the kernel"));
static cl::list<std::string> sets("set", cl::desc("name=value of a figure"));
static cl::opt<bool> noValues("no-values", cl::desc("time alone"));
static cl::opt<bool> noTime("no-time", cl::desc("values alone"));
static cl::opt<bool> noFaults("no-faults", cl::desc("no search for faults"));
static cl::opt<unsigned> threads("host-threads", cl::desc("host threads for values"));
static cl::opt<std::string> traceFile("trace", cl::desc("Chrome trace to write"));
static cl::opt<bool> asJson("json", cl::desc("report as JSON"));

static Error run() {
  Expected<Target> target = loadTarget(targetFile);
  if (!target)
    return target.takeError();
  for (const std::string &assignment : sets)
    if (Error error = setFigure(*target, assignment))
      return error;
  auto text = errorOrToExpected(MemoryBuffer::getFileOrSTDIN(input));
  if (!text)
    return text.takeError();
  auto program = decodeText((*text)->getBuffer(), input);
  if (!program)
    return program.takeError();

  Launch launch;
  if (grid.size() > 0)
    launch.gridX = grid[0];
  if (grid.size() > 1)
    launch.gridY = grid[1];
  if (grid.size() > 2)
    launch.gridZ = grid[2];
  launch.blockCount = blocks;
  std::vector<std::vector<char>> tensors(args.size());
  std::vector<size_t> files;
  for (size_t i = 0; i < args.size(); ++i) {
    StringRef arg = args[i], rest = arg;
    std::vector<char> &tensor = tensors[i];
    int64_t bytes = 0, integer = 0;
    double real = 0;
    if (rest.consume_front("int:") && !rest.getAsInteger(10, integer)) {
      launch.arguments.push_back(SimArgument::scalar(integer));
    } else if (rest.consume_front("float:") && !rest.getAsDouble(real)) {
      launch.arguments.push_back(SimArgument::scalar(real));
    } else if (rest.consume_front("bytes:") && !rest.getAsInteger(10, bytes)) {
      if (!noValues)
        tensor.resize(size_t(bytes));
      launch.arguments.push_back(SimArgument::tensor(
          noValues ? nullptr : tensor.data(), bytes, arg.str()));
    } else {
      auto file = errorOrToExpected(MemoryBuffer::getFile(arg));
      if (!file)
        return createStringError("cannot read argument '" + arg + "': " +
                                 toString(file.takeError()));
      tensor.assign((*file)->getBufferStart(), (*file)->getBufferEnd());
      launch.arguments.push_back(
          SimArgument::tensor(tensor.data(), int64_t(tensor.size()), arg.str()));
      files.push_back(i);
    }
  }
  SimOptions options;
  options.values = !noValues;
  options.time = !noTime;
  options.faults = !noFaults;
  options.threads = threads;
  ReportCollector collector(**program, *target);
  options.listeners.push_back(&collector);
  std::unique_ptr<raw_fd_ostream> traceStream;
  std::optional<TraceWriter> trace;
  if (!traceFile.empty()) {
    std::error_code code;
    traceStream = std::make_unique<raw_fd_ostream>(traceFile, code);
    if (code)
      return createStringError("cannot write '" + traceFile + "': " + code.message());
    trace.emplace(*traceStream, **program, *target);
    options.listeners.push_back(&*trace);
  }
  auto begin = std::chrono::steady_clock::now();
  Expected<SimResult> result = simulate(**program, *target, launch, options);
  if (!result)
    return result.takeError();
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  json::Object report = collector.report(*result);
  if (asJson)
    outs() << formatv("{0:2}\n", json::Value(std::move(report)));
  else
    outs() << toText(report);
  errs() << format("simulated in %.3f s\n", seconds);
  if (noValues)
    return Error::success();
  for (size_t i : files) {
    std::error_code code;
    raw_fd_ostream os(args[i], code);
    if (code)
      return createStringError("cannot write '" + args[i] + "': " + code.message());
    os.write(tensors[i].data(), tensors[i].size());
  }
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Runs a final IR on the simulated machine\n");
  if (Error error = run()) {
    errs() << "tilekiln-sim: error: " << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
