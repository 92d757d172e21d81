//===- Fault.h - What is wrong with a kernel, found while it runs ---------===//
//
// A fault is a finding about the kernel, not a failure of the simulator: the run
// goes on where it can. Faults are the same on every run and for any number of
// host threads.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_FAULT_H
#define TILEKILN_SIM_CORE_FAULT_H

#include "tilekiln/Sim/Core/Types.h"
#include <string>
#include <vector>

namespace tilekiln::sim {

enum class FaultKind : uint8_t {
  /// Outside of a tensor or of a memory of the core.
  OutOfRange,
  /// Memory that nothing wrote reaches a result.
  Unwritten,
  /// Two pipes, two cores or two blocks touch the same bytes, one writes, and
  /// nothing orders them.
  Race,
  /// Bytes of a buffer were overwritten through another buffer before they were
  /// read.
  Overlap,
  /// A queue waits for something that never comes.
  Deadlock,
  /// A flag is still raised when the kernel ends, or counted too far.
  FlagLeft,
  FlagOverflow,
  /// An address or stride that an instruction does not take.
  Misaligned,
  /// An operand that an instruction does not take, or values without meaning.
  Invalid,
  /// device_assert of the kernel.
  Assert
};

/// "out-of-range", "unwritten" ...
llvm::StringRef getName(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::Invalid;
  Cycles cycle = 0;
  unsigned block = 0;
  /// Index of the core among its kind, and its kind.
  CoreType coreKind = CoreType::AIC;
  unsigned core = 0;
  Pipe pipe = Pipe::S;
  Space space = Space::GM;
  int64_t addressBytes = 0;
  LineId line = 0;
  /// The other party of a race or an overlap; 0: none or unknown.
  LineId otherLine = 0;
  /// Which instruction, in the words of the library or of the IR.
  std::string instruction;
  /// What is wrong and what to do, without place.
  std::string text;
  /// How often the same fault (kind, line, other line, pipe) occurred.
  uint64_t count = 1;
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_FAULT_H
