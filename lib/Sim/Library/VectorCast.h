//===- VectorCast.h - Conversions between element types -------------------===//
//
// The VCONV instruction as other functions use it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORCAST_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORCAST_H

#include "VectorUnit.h"
#include "tilekiln/Sim/Core/Numbers.h"

namespace tilekiln::sim {

struct Conversion {
  ElementType from, to;
  Rounding rounding = Rounding::NearestEven;
  /// Integers that do not fit keep their low bits instead of the nearest value.
  bool wraps = false;
  /// Floats that do not fit become the largest, NaN 0.
  bool saturates = false;
};

/// Whether the hardware has an instruction for the pair.
bool hasInstruction(ElementType from, ElementType to);

/// row.data[0] = row.data[1], converted.
void convertRow(const Conversion &conversion, const Row &row);

/// One instruction, or repeats over the rows of two dimensions.
void issueConversion(const Conversion &conversion, const Buffer &dst,
                     const Buffer &source, Issue &issue);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORCAST_H
