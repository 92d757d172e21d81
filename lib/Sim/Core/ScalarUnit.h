//===- ScalarUnit.h - Interpreter of a core's register code ---------------===//
//
// Runs the instructions that concern registers alone and stops at every one that
// concerns memory, queues or other cores; the core does those and goes on. In a
// run without values it knows which registers depend on memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_SCALARUNIT_H
#define TILEKILN_LIB_SIM_CORE_SCALARUNIT_H

#include "tilekiln/Sim/Core/Program.h"

namespace tilekiln::sim {

class ScalarUnit {
public:
  ScalarUnit(const Function &function, bool tracksUnknown);

  /// To the next instruction that is not this unit's, or one that fails.
  const Instruction &run();
  /// Goes on behind the instruction that run() gave.
  void skip() { ++pc; }

  Scalar &scalar(Register reg) { return scalars[reg]; }
  Buffer &buffer(Register reg) { return buffers[reg]; }
  bool isUnknown(Register reg) const { return tracksUnknown && unknown[reg]; }
  void setUnknown(Register reg, bool value) {
    if (tracksUnknown)
      unknown[reg] = value;
  }

  const Function &function() const { return code; }
  /// Instructions since the last call of takeCount().
  uint64_t takeCount() {
    uint64_t result = count;
    count = 0;
    return result;
  }
  /// What stopped the program for good; empty while all is well.
  const std::string &failure() const { return failed; }

private:
  bool execute(const Instruction &instruction);
  void trackUnknown(const Instruction &instruction);

  const Function &code;
  bool tracksUnknown;
  int64_t pc = 0;
  uint64_t count = 0;
  std::vector<Scalar> scalars;
  std::vector<Buffer> buffers;
  std::vector<uint8_t> unknown;
  std::string failed;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_SCALARUNIT_H
