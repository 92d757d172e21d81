//===- Division.h - Exact integer division on tiles -----------------------===//
//
// The vector unit divides integers through f32, which is inexact from 2^24 on.
// Here the quotient of the floats is improved by integer remainders.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_DIVISION_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_DIVISION_H

#include "mlir/IR/Builders.h"

namespace tilekiln::elementwise {

enum class Rounding { Floor, Ceil, Trunc };

/// Quotient and remainder of two tiles of i32, as with unlimited precision. A
/// divisor of zero gives anything, as does a quotient of 2^31.
std::pair<mlir::Value, mlir::Value>
buildExactDivision(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                   mlir::Value y, Rounding rounding);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_DIVISION_H
