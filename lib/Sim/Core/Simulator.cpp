//===- Simulator.cpp - Running a program on the simulated machine ---------===//
#include "tilekiln/Sim/Core/Simulator.h"
#include "../Library/Product.h"
#include "Engine.h"

using namespace tilekiln;
using namespace tilekiln::sim;

llvm::Expected<SimResult> tilekiln::sim::simulate(const Program &program,
                                                  const Target &target,
                                                  const Launch &launch,
                                                  const SimOptions &options) {
  llvm::Expected<Timing> timing = Timing::get(target);
  if (!timing)
    return timing.takeError();
  SerialProducts serial;
  Engine engine(program, *timing, launch, options);
  return engine.run();
}
