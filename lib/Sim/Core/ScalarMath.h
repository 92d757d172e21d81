//===- ScalarMath.h - Arithmetic of single instructions -------------------===//
#ifndef TILEKILN_LIB_SIM_CORE_SCALARMATH_H
#define TILEKILN_LIB_SIM_CORE_SCALARMATH_H

#include "tilekiln/Sim/Core/Program.h"

namespace tilekiln::sim {

/// A register's integer without its sign, as wide as the type.
uint64_t toUnsigned(int64_t value, ElementType type);

/// Null on success, else what is wrong (a division by zero).
const char *computeInteger(Opcode opcode, ElementType type, int64_t a, int64_t b,
                           int64_t &result);
double computeFloat(Opcode opcode, ElementType type, double a, double b);
double computeMath(MathFunction function, ElementType type, double a, double b,
                   double c);
bool compareIntegers(IntPredicate predicate, ElementType type, int64_t a,
                     int64_t b);
bool compareFloats(FloatPredicate predicate, double a, double b);
/// ExtS to Bitcast.
Scalar convert(Opcode opcode, ElementType from, ElementType to, Scalar value);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_CORE_SCALARMATH_H
