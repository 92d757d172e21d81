//===- VectorLanes.h - Arithmetic on rows of elements ---------------------===//
//
// What the vector unit's instructions compute, in the precision of the hardware:
// every operation rounds to the element type, integers wrap. Rows are processed
// a repeat at a time (256 bytes are read before 256 bytes are written), through
// lanes that are floats or integers, so that compilers can vectorise.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORLANES_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORLANES_H

#include "VectorUnit.h"

namespace tilekiln::sim {

enum class LaneOp : uint8_t {
  // Two sources.
  Add,
  Sub,
  Mul,
  Div,
  /// NaN if either is.
  Max,
  Min,
  And,
  Or,
  Xor,
  ShiftLeft,
  /// Keeps the sign of signed types.
  ShiftRight,
  // One source.
  Exp,
  Ln,
  Sqrt,
  Rsqrt,
  Rec,
  Abs,
  Relu,
  Not,
  /// The software routines that the library's scalar loops call instead: other
  /// last bits, and other results at the edges.
  SoftExp,
  SoftLn,
  SoftSqrt,
  SoftRsqrt
};

bool isUnary(LaneOp op);
/// What the library's scalar loop computes in place of an instruction.
LaneOp getScalarTwin(LaneOp op);

/// Lanes of floats (F16, BF16, F32): loads and stores convert, to nearest even;
/// too large is infinity.
void loadLanes(ElementType type, const uint8_t *data, int64_t strideBytes,
               int64_t count, float *lanes);
void storeLanes(ElementType type, const float *lanes, int64_t count,
                uint8_t *data, int64_t strideBytes);
/// Lanes of integers (I8 to I64, U8 to U64).
void loadLanes(ElementType type, const uint8_t *data, int64_t strideBytes,
               int64_t count, int64_t *lanes);
void storeLanes(ElementType type, const int64_t *lanes, int64_t count,
                uint8_t *data, int64_t strideBytes);

/// row.data[0] = op(row.data[1], row.data[2]), or op(row.data[1]).
void applyToRow(LaneOp op, ElementType type, const Row &row);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORLANES_H
