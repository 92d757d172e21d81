//===- Simulation.cpp - Launches on the simulated machine -----------------===//
//
// The same arguments as on any device; besides values a run gives faults, which
// are an error of the launch, and predicted time, which is a profile's subject.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "tilekiln/Sim/Core/Timing.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// "simulated Ascend 910B3, 20 cores".
static std::string describeMachine(const Target &target) {
  StringRef name = target.vendorName;
  std::string spaced =
      name.consume_front("Ascend") ? ("Ascend " + name).str() : name.str();
  const CoreKind *aic = target.findCore("aic");
  return llvm::formatv("simulated {0}, {1} cores", spaced,
                       aic ? int64_t(aic->count.value) : 0);
}

/// In the order of the entry's user arguments: declared ones, then symbols.
std::vector<sim::SimArgument>
Kernel::getSimArguments(ArrayRef<KernelArgument> passed) {
  func::FuncOp kernel = declaration();
  SmallVector<BlockArgument> declared;
  for (BlockArgument argument : kernel.getArguments())
    if (!kernel.getArgAttr(argument.getArgNumber(), symbolAttrName))
      declared.push_back(argument);
  std::vector<sim::SimArgument> result;
  for (auto [i, argument] : llvm::enumerate(passed)) {
    if (argument.kind == KernelArgument::Kind::Integer) {
      result.push_back(sim::SimArgument::scalar(argument.integer));
    } else if (argument.kind == KernelArgument::Kind::Real) {
      result.push_back(sim::SimArgument::scalar(argument.real));
    } else {
      Type element = cast<MemRefType>(declared[i].getType()).getElementType();
      int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
      TensorOp tensor = tensorOf(declared[i]);
      result.push_back(sim::SimArgument::tensor(argument.data,
                                                argument.elementCount * elementBytes,
                                                tensor.getName().str()));
    }
  }
  return result;
}

llvm::Error Kernel::launchOnSim(ArrayRef<Argument> arguments) {
  return forEachLaunch(
      arguments, "sim",
      [&](LaunchUnit &unit, ArrayRef<KernelArgument> passed, int64_t blocks) -> llvm::Error {
        sim::Launch launch;
        launch.gridX = blocks;
        launch.arguments = getSimArguments(passed);
        auto result = sim::simulate(*unit.program, *target, launch);
        if (!result)
          return result.takeError();
        if (result->faults.empty())
          return llvm::Error::success();
        std::string text =
            llvm::formatv("'{0}' has {1} {2} ({3}):", unit.entryName, result->faults.size(),
                          result->faults.size() == 1 ? "fault" : "faults",
                          describeMachine(*target));
        for (const sim::Fault &fault : result->faults)
          text += "\n" + sim::toString(fault, *unit.program, *target);
        return llvm::createStringError(text);
      });
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

/// What is known of the arguments without any: shapes that are numbers.
llvm::Expected<std::vector<Argument>> Kernel::declaredArguments() {
  std::vector<Argument> result;
  func::FuncOp kernel = declaration();
  auto refuse = [&](BlockArgument argument, const Twine &what) {
    return llvm::createStringError(what + " of argument " +
                                   Twine(argument.getArgNumber()) + " of '" +
                                   kernel.getName() +
                                   "' is not known before a launch; give the "
                                   "arguments to be profiled with");
  };
  for (BlockArgument argument : kernel.getArguments()) {
    if (kernel.getArgAttr(argument.getArgNumber(), symbolAttrName))
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

namespace {
/// Sums up launches; most kernels have one.
class ProfileReport {
public:
  ProfileReport(const Target &target, StringRef kernel) : target(target), kernel(kernel) {}

  void add(const LaunchUnit &unit, const sim::SimResult &result) {
    seconds += result.totalSeconds;
    flops += result.flops;
    readBytes += result.globalReadBytes;
    writeBytes += result.globalWriteBytes;
    hbmBytes += result.hbmBytes;
    for (const sim::Fault &fault : result.faults)
      faults.push_back(llvm::json::Object{
          {"kind", sim::getName(fault.kind)},
          {"text", sim::toString(fault, *unit.program, target)},
          {"count", int64_t(fault.count)}});
    llvm::json::Object launch{{"name", unit.entryName},
                              {"blocks", int64_t(result.blocks)},
                              {"cores_used", int64_t(result.coresUsed)},
                              {"kernel_cycles", result.kernelCycles},
                              {"total_cycles", result.totalCycles}};
    addRates(launch, result.totalSeconds, result.flops,
             result.globalReadBytes + result.globalWriteBytes);
    launches.push_back(std::move(launch));
  }

  llvm::json::Object take() {
    llvm::json::Object report{
        {"kernel", kernel.str()},
        {"machine", "predicted (" + describeMachine(target) + ")"},
        {"bytes", llvm::json::Object{{"global_read", readBytes},
                                     {"global_write", writeBytes},
                                     {"hbm", hbmBytes}}},
        {"faults", std::move(faults)},
        {"launches", std::move(launches)}};
    addRates(report, seconds, flops, readBytes + writeBytes);
    return report;
  }

private:
  static void addRates(llvm::json::Object &object, double seconds, double flops,
                       int64_t bytes) {
    object["predicted_us"] = seconds * 1e6;
    object["predicted_tflops"] = seconds > 0 ? flops / seconds * 1e-12 : 0;
    object["predicted_gbps"] = seconds > 0 ? double(bytes) / seconds * 1e-9 : 0;
  }

  const Target &target;
  StringRef kernel;
  double seconds = 0, flops = 0;
  int64_t readBytes = 0, writeBytes = 0, hbmBytes = 0;
  llvm::json::Array faults, launches;
};
} // namespace

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
  std::string kernelName = name();
  ProfileReport report(machine, kernelName);
  llvm::Error error = forEachLaunch(
      arguments, "sim",
      [&](LaunchUnit &unit, ArrayRef<KernelArgument> passed, int64_t blocks) -> llvm::Error {
        sim::Launch launch;
        launch.gridX = blocks;
        launch.arguments = getSimArguments(passed);
        sim::SimOptions simOptions;
        simOptions.values = profile.values;
        simOptions.threads = profile.threads;
        simOptions.progress = profile.progress;
        auto result = sim::simulate(*unit.program, machine, launch, simOptions);
        if (!result)
          return result.takeError();
        report.add(unit, *result);
        return llvm::Error::success();
      });
  if (error)
    return error;
  return report.take();
}
