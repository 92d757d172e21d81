//===- ProfileIR.cpp - Predictions for a kernel given as IR ---------------===//
//
// Linked IR or the vendor's final IR, written by hand or by another compiler,
// instead of a PrimFunc: what is known of its arguments is what the caller says.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "Messages.h"
#include "VendorFailure.h"
#include "tilekiln/Bishengir/Bishengir.h"
#include "tilekiln/Sim/Core/Timing.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilekiln;

static llvm::Expected<std::string> getFinalIR(const IRLaunch &launch,
                                              const Target &machine,
                                              const CompileOptions &options) {
  if (launch.stage == "hivm")
    return launch.text;
  if (launch.stage != "linked")
    return llvm::createStringError("a kernel cannot be given as stage '" + launch.stage +
                                   "'; give it as linked or hivm");
  bishengir::VendorOptions vendor;
  vendor.compiler = options.bishengirCompile;
  vendor.deviceLibraryFolder = options.deviceLibraryFolder;
  vendor.timeoutSeconds = options.vendorTimeoutSeconds;
  vendor.reproducerFolder = options.reproducerFolder;
  vendor.target = machine.vendorName;
  vendor.linkedName = launch.name;
  auto compiled = bishengir::runBishengir(launch.text, vendor);
  if (!compiled)
    return compiled.takeError();
  std::vector<Message> found;
  for (const bishengir::Finding &finding : compiled->findings)
    found.push_back(toMessage(finding));
  if (hasErrors(found))
    return llvm::make_error<CompileError>(std::move(found));
  return std::move(compiled->finalIR);
}

static llvm::Expected<std::vector<sim::SimArgument>>
getArguments(ArrayRef<Argument> given, bool needsData) {
  std::vector<sim::SimArgument> result;
  for (auto [i, argument] : llvm::enumerate(given)) {
    if (argument.kind == Argument::Kind::Integer) {
      result.push_back(sim::SimArgument::scalar(argument.integer));
      continue;
    }
    if (argument.kind == Argument::Kind::Float) {
      result.push_back(sim::SimArgument::scalar(argument.real));
      continue;
    }
    if (argument.dtype != "uint8" || argument.shape.size() != 1)
      return llvm::createStringError("argument " + Twine(i) +
                                     " is not given as bytes: its dtype has to be uint8 "
                                     "and its shape one extent");
    if (needsData && !argument.data)
      return llvm::createStringError("argument " + Twine(i) +
                                     " has no data, which values need: pass an array, or "
                                     "values=False to predict the time alone");
    result.push_back(sim::SimArgument::tensor(argument.data, argument.shape[0],
                                              ("argument " + Twine(i)).str()));
  }
  return result;
}

llvm::Expected<llvm::json::Value>
tilekiln::profileIR(const IRLaunch &launch, const CompileOptions &options,
                    const ProfileOptions &profile) {
  SmallString<128> path(options.shareFolder);
  llvm::sys::path::append(path, "targets", options.target + ".json");
  llvm::Expected<Target> machine = loadTarget(path);
  if (!machine)
    return machine.takeError();
  for (const std::string &assignment : profile.set)
    if (llvm::Error error = sim::setFigure(*machine, assignment))
      return error;
  if (launch.grid.size() > 3)
    return llvm::createStringError("a grid has at most 3 extents, but " +
                                   Twine(launch.grid.size()) + " are given");
  auto arguments = getArguments(launch.arguments, profile.values);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<std::string> finalIR = getFinalIR(launch, *machine, options);
  if (!finalIR)
    return finalIR.takeError();
  auto program = sim::decodeText(*finalIR, launch.name);
  if (!program)
    return program.takeError();

  sim::Launch simLaunch;
  SmallVector<int64_t *> extents{&simLaunch.gridX, &simLaunch.gridY, &simLaunch.gridZ};
  for (auto [extent, given] : llvm::zip(extents, launch.grid))
    *extent = given;
  simLaunch.arguments = std::move(*arguments);
  llvm::json::Array launches;
  if (llvm::Error error =
          profileLaunch(**program, *machine, simLaunch, profile, launches))
    return error;
  llvm::json::Object report = *launches.front().getAsObject();
  report["launches"] = std::move(launches);
  return report;
}
