//===- BufferOps.h - Making buffers by recipe -----------------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_BUFFEROPS_H
#define TILEKILN_LIB_SIM_CORE_BUFFEROPS_H

#include "tilekiln/Sim/Core/Program.h"

namespace tilekiln::sim {

/// Null on success, else what is wrong. `source` is not read by recipes that
/// need none; `result` may be the same object.
const char *makeBuffer(const BufferRecipe &recipe, const Buffer &source,
                       const Scalar *registers, Buffer &result);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_BUFFEROPS_H
