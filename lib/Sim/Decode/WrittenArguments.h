//===- WrittenArguments.h - Which arguments a program writes to -----------===//
//
// Follows the entry's buffers through views, selections and loops to the calls
// and stores that end in global memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_DECODE_WRITTENARGUMENTS_H
#define TILEKILN_LIB_SIM_DECODE_WRITTENARGUMENTS_H

#include "tilekiln/Sim/Core/Program.h"

namespace tilekiln::sim {

/// By number of the user argument; what cannot be told counts as written.
std::vector<bool> getWrittenArguments(const Program &program);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_DECODE_WRITTENARGUMENTS_H
