//===- InRange.h - Conversions that need no saturation --------------------===//
//
// A mark on arith.fptosi between cpu-matmul-to-f32, which knows that a sum of
// products fits, and cpu-legalize-scalars, which would make every conversion
// saturate at three times the cost.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_INRANGE_H
#define TILEKILN_LIB_CPU_INRANGE_H

namespace tilekiln {

extern const char inRangeAttribute[];

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_INRANGE_H
