//===- Profile.cpp - What the simulated machine predicts ------------------===//
//
// The simulator's report of each launch, and above them the same figures for the
// kernel as a whole, which most kernels with their one launch need alone.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "tilekiln/Sim/Core/Timing.h"
#include "tilekiln/Sim/Views/Report.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;
using llvm::json::Array;
using llvm::json::Object;

/// What is known of the arguments without any: shapes that are numbers.
llvm::Expected<std::vector<Argument>> Kernel::declaredArguments() {
  std::vector<Argument> result;
  func::FuncOp kernel = declaration();
  auto refuse = [&](BlockArgument argument, const Twine &what) {
    TensorOp tensor = tensorOf(argument);
    std::string name = tensor ? ("'" + tensor.getName() + "'").str()
                              : "argument " + std::to_string(argument.getArgNumber());
    return llvm::createStringError(
        what + " of " + name + " of '" + kernel.getName() +
        "' is not known before a launch; give the arguments to be profiled with");
  };
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isDeclared(argument))
      continue;
    TensorOp tensor = tensorOf(argument);
    if (!tensor)
      return refuse(argument, "the value");
    Argument given;
    given.dtype = dtypeOf(cast<MemRefType>(argument.getType()).getElementType(),
                           kernel.getArgAttrDict(argument.getArgNumber()));
    HostValues host;
    auto append = [&](ArrayRef<OpFoldResult> declared, std::vector<int64_t> &out) {
      for (OpFoldResult value : declared) {
        std::optional<int64_t> known = host.get(value);
        if (!known)
          return false;
        out.push_back(*known);
      }
      return true;
    };
    if (!append(tensor.getMixedSizes(), given.shape) ||
        !append(tensor.getMixedStrides(), given.strides))
      return refuse(argument, "the shape");
    result.push_back(std::move(given));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Several launches
//===----------------------------------------------------------------------===//

static double getNumber(const Object &object, StringRef key) {
  return object.getNumber(key).value_or(0);
}

/// Figures that add up.
static void addNumbers(Object &into, const Object &from) {
  for (auto &[key, value] : from)
    if (std::optional<int64_t> count = value.getAsInteger())
      into[key] = into.getInteger(key).value_or(0) + *count;
    else if (std::optional<double> number = value.getAsNumber())
      into[key] = getNumber(into, key) + *number;
}

/// The kernel as a whole; a report of one launch is that already.
static Object sumUp(const Array &launches, StringRef kernel) {
  if (launches.size() == 1)
    return *launches.front().getAsObject();
  Object sum{{"kernel", kernel.str()}}, bytes;
  Array faults;
  double slowestUs = 0, flops = 0, movedBytes = 0;
  for (const llvm::json::Value &value : launches) {
    const Object &launch = *value.getAsObject();
    double us = getNumber(launch, "predicted_us");
    for (StringRef key : {"predicted_us", "kernel_us", "launch_us", "bound_us"})
      sum[key] = getNumber(sum, key) + getNumber(launch, key);
    flops += getNumber(launch, "predicted_tflops") * us;
    movedBytes += getNumber(launch, "predicted_gbps") * us;
    for (StringRef key : {"blocks", "queue_entries", "scalar_instructions"})
      sum[key] = sum.getInteger(key).value_or(0) + launch.getInteger(key).value_or(0);
    if (const Object *moved = launch.getObject("bytes"))
      addNumbers(bytes, *moved);
    if (const Array *found = launch.getArray("faults"))
      llvm::append_range(faults, *found);
    // What bounds the kernel, and what its pipes do, is that of its longest launch.
    if (us < slowestUs)
      continue;
    slowestUs = us;
    for (StringRef key : {"machine", "cores", "cores_used", "bound", "roofs", "pipes",
                          "critical_path", "critical_path_waiting_us", "title"})
      if (const llvm::json::Value *figure = launch.get(key))
        sum[key] = *figure;
  }
  double us = getNumber(sum, "predicted_us");
  sum["predicted_tflops"] = us > 0 ? flops / us : 0;
  sum["predicted_gbps"] = us > 0 ? movedBytes / us : 0;
  sum["bytes"] = std::move(bytes);
  sum["faults"] = std::move(faults);
  return sum;
}

std::string tilekiln::profileText(const llvm::json::Value &report) {
  const Object *object = report.getAsObject();
  const Array *launches = object ? object->getArray("launches") : nullptr;
  if (!launches)
    return "";
  std::string text;
  for (const llvm::json::Value &launch : *launches)
    if (const Object *figures = launch.getAsObject())
      text += sim::toText(*figures);
  if (launches->size() > 1)
    text += llvm::formatv("kernel '{0}': {1:f2} us in {2} launches, {3}\n",
                          object->getString("kernel").value_or("?"),
                          getNumber(*object, "predicted_us"), launches->size(),
                          object->getString("title").value_or("predicted"))
                .str();
  return text;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The first launch's trace has the name that was asked for.
static std::string getTracePath(StringRef file, size_t launch) {
  if (launch == 0)
    return file.str();
  llvm::SmallString<128> path(file);
  std::string extension = llvm::sys::path::extension(file).str();
  llvm::sys::path::replace_extension(path, "");
  return (path + "-" + Twine(launch + 1) + extension).str();
}

llvm::Error tilekiln::profileLaunch(const sim::Program &program, const Target &machine,
                                    const sim::Launch &launch,
                                    const ProfileOptions &profile, Array &launches) {
  sim::SimOptions options;
  options.values = profile.values;
  options.threads = profile.threads;
  options.progress = profile.progress;
  sim::ReportCollector collector(program, machine);
  options.listeners.push_back(&collector);
  std::unique_ptr<llvm::raw_fd_ostream> file;
  std::optional<sim::TraceWriter> trace;
  if (!profile.traceFile.empty()) {
    std::string path = getTracePath(profile.traceFile, launches.size());
    std::error_code failed;
    file = std::make_unique<llvm::raw_fd_ostream>(path, failed);
    if (failed)
      return llvm::createStringError("the trace cannot be written to " + path + ": " +
                                     failed.message());
    trace.emplace(*file, program, machine);
    options.listeners.push_back(&*trace);
  }
  auto result = sim::simulate(program, machine, launch, options);
  if (!result)
    return result.takeError();
  Object report = collector.report(*result);
  report["title"] = "predicted (" + describeMachine(machine, program) + ")";
  launches.push_back(std::move(report));
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value> Kernel::profile(ArrayRef<Argument> given,
                                                  const ProfileOptions &profile) {
  Target machine = *target;
  for (const std::string &assignment : profile.set)
    if (llvm::Error error = sim::setFigure(machine, assignment))
      return error;
  std::vector<Argument> arguments(given.begin(), given.end());
  if (given.empty()) {
    if (profile.values)
      return llvm::createStringError("values need arrays: pass the kernel's arguments, or "
                                     "values=False to predict the time alone");
    auto declared = declaredArguments();
    if (!declared)
      return declared.takeError();
    arguments = std::move(*declared);
  }
  Array launches;
  llvm::Error error = forEachLaunch(
      arguments, "sim",
      [&](LaunchUnit &unit, ArrayRef<KernelArgument> passed, int64_t blocks) {
        sim::Launch launch;
        launch.gridX = blocks;
        launch.arguments = getSimArguments(passed);
        return profileLaunch(*unit.program, machine, launch, profile, launches);
      });
  if (error)
    return error;
  Object report = sumUp(launches, name());
  report["launches"] = std::move(launches);
  return report;
}
