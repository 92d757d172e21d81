//===- Mutants.h - A kernel with one piece of synchronisation wrong -------===//
#ifndef TILEKILN_UNITTESTS_SIM_MUTANTS_MUTANTS_H
#define TILEKILN_UNITTESTS_SIM_MUTANTS_MUTANTS_H

#include "tilekiln/Sim/Core/Program.h"
#include <string>
#include <vector>

namespace tilekiln::sim {

/// One change of one function's code.
struct Mutant {
  enum class Kind : uint8_t {
    /// The instruction is gone.
    Delete,
    /// It comes behind the next instruction that concerns queues or memory.
    Swap,
    /// All raises of an event and all waits for it are gone: no queue hangs, and
    /// nothing is left over, but nothing is ordered any more either.
    DropEvent
  };
  Kind kind;
  Function *function;
  size_t at = 0, behind = 0;
  std::vector<size_t> all;

  std::string describe(const Program &program) const;
  std::vector<Instruction> code() const;
};

/// All of them: each set_flag, wait_flag, pipe_barrier and cross-core flag deleted
/// and swapped with its neighbour before and after it, and each event dropped.
std::vector<Mutant> findMutants(const Program &program);

} // namespace tilekiln::sim

#endif // TILEKILN_UNITTESTS_SIM_MUTANTS_MUTANTS_H
