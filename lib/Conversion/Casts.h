//===- Casts.h - Element types, by steps that the vendor's compiler has ---===//
//
// Which conversions of tiles the vendor's compiler has an instruction for and
// gets right, and how to put the others together from those.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CONVERSION_CASTS_H
#define TILEKILN_CONVERSION_CASTS_H

#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// Whether integers on one side of a conversion are read as unsigned.
enum class Sign { Signed, Unsigned };

/// A tile (or scalar) in another element type. Floats to integers drop the
/// fraction and saturate, NaN becomes 0; integers wrap; narrower floats round
/// to nearest even; truth values are 0 and 1. Null where there is no way.
mlir::Value castTile(mlir::Value value, mlir::Type elementType, mlir::Location loc,
                     mlir::RewriterBase &rewriter, Sign sign = Sign::Signed);

/// A tile of numbers rounded to whole ones in the named mode of the vendor
/// (rint, round, floor, ceil, trunc), in its own type.
mlir::Value roundTile(mlir::Value tile, llvm::StringRef mode, mlir::Location loc,
                      mlir::RewriterBase &rewriter);

/// One integer in each element, or the scalar where `like` is one.
mlir::Value constantLike(mlir::Value like, int64_t value, mlir::Location loc,
                         mlir::OpBuilder &builder);
/// The same for a float.
mlir::Value realLike(mlir::Value like, double value, mlir::Location loc,
                     mlir::OpBuilder &builder);

} // namespace tilekiln

#endif // TILEKILN_CONVERSION_CASTS_H
