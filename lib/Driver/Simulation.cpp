//===- Simulation.cpp - Launches on the simulated machine -----------------===//
//
// The same arguments as on any device; besides values a run gives faults, which
// are an error of the launch. Predicted time is Profile.cpp's subject.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

std::string tilekiln::describeMachine(const Target &target, const sim::Program &program) {
  StringRef name = target.vendorName;
  std::string spaced =
      name.consume_front("Ascend") ? ("Ascend " + name).str() : name.str();
  const CoreKind *cores = target.findCore(program.aic ? "aic" : "aiv");
  return llvm::formatv("simulated {0}, {1} cores", spaced,
                       cores ? int64_t(cores->count.value) : 0);
}

/// In the order of the entry's user arguments, which is the function's.
std::vector<sim::SimArgument>
Kernel::getSimArguments(ArrayRef<KernelArgument> passed) {
  func::FuncOp kernel = declaration();
  std::vector<sim::SimArgument> result;
  for (auto [declared, argument] : llvm::zip_equal(kernel.getArguments(), passed)) {
    if (argument.kind == KernelArgument::Kind::Integer) {
      result.push_back(sim::SimArgument::scalar(argument.integer));
    } else if (argument.kind == KernelArgument::Kind::Real) {
      result.push_back(sim::SimArgument::scalar(argument.real));
    } else {
      Type element = cast<MemRefType>(declared.getType()).getElementType();
      int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
      TensorOp tensor = tensorOf(declared);
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
                          describeMachine(*target, *unit.program));
        for (const sim::Fault &fault : result->faults)
          text += "\n" + sim::toString(fault, *unit.program, *target);
        return llvm::createStringError(text);
      });
}
