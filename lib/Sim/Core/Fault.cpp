//===- Fault.cpp - Names and texts of faults ------------------------------===//
#include "tilekiln/Sim/Core/Fault.h"
#include "tilekiln/Sim/Core/Simulator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilekiln;
using namespace tilekiln::sim;

EventListener::~EventListener() = default;

llvm::StringRef tilekiln::sim::getName(FaultKind kind) {
  static constexpr llvm::StringRef names[] = {
      "out-of-range", "unwritten",  "race",          "overlap",
      "deadlock",     "flag-left",  "flag-overflow", "misaligned",
      "invalid",      "assert"};
  return names[unsigned(kind)];
}

static std::string describe(const Program &program, LineId line) {
  if (line >= program.lines.size() || !program.lines[line].line)
    return "";
  const SourcePlace &place = program.lines[line];
  return llvm::formatv("{0}:{1}", place.file, place.line).str();
}

std::string tilekiln::sim::toString(const Fault &fault, const Program &program,
                                    const Target &target) {
  std::string text = describe(program, fault.line);
  if (!text.empty())
    text += ": ";
  text += llvm::formatv("{0}: {1}", getName(fault.kind), fault.text).str();
  if (std::string other = describe(program, fault.otherLine); !other.empty())
    text += llvm::formatv("; the other one is at {0}", other).str();
  text += llvm::formatv(" [{0} on pipe {1} of {2} {3}, block {4}, cycle {5:F0}",
                        fault.instruction.empty() ? "?" : fault.instruction,
                        getName(fault.pipe), getName(fault.coreKind), fault.core,
                        fault.block, fault.cycle)
              .str();
  if (fault.count > 1)
    text += llvm::formatv(", {0} times", fault.count).str();
  return text + "]";
}

SimArgument SimArgument::tensor(void *data, int64_t sizeBytes, std::string name) {
  SimArgument argument;
  argument.kind = Kind::Tensor;
  argument.data = data;
  argument.sizeBytes = sizeBytes;
  argument.name = std::move(name);
  return argument;
}

SimArgument SimArgument::scalar(int64_t value) {
  SimArgument argument;
  argument.integer = value;
  return argument;
}

SimArgument SimArgument::scalar(double value) {
  SimArgument argument;
  argument.kind = Kind::Real;
  argument.real = value;
  return argument;
}
