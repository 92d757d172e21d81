//===- Patterns.h - The parts of legalize-linked --------------------------===//
//
// One function per family of ops. What a pattern makes is legal, or made legal
// by another one.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CONVERSION_LEGALIZELINKED_PATTERNS_H
#define TILEKILN_CONVERSION_LEGALIZELINKED_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilekiln {

void populateComparePatterns(mlir::RewritePatternSet &patterns);
void populateConstantPatterns(mlir::RewritePatternSet &patterns);
void populateConvertPatterns(mlir::RewritePatternSet &patterns);
void populateIntegerPatterns(mlir::RewritePatternSet &patterns);
void populateLoopPatterns(mlir::RewritePatternSet &patterns);
void populateMathPatterns(mlir::RewritePatternSet &patterns);
void populateProductPatterns(mlir::RewritePatternSet &patterns);
void populateRemainderPatterns(mlir::RewritePatternSet &patterns);
void populateRoundingPatterns(mlir::RewritePatternSet &patterns);
void populateSlicePatterns(mlir::RewritePatternSet &patterns);

/// The width of a tile's elements, or of a scalar.
inline unsigned bitsOf(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// True for a tile of integers of more than the given number of bits.
inline bool isWideTile(mlir::Value value, unsigned bits) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger() &&
         type.getElementTypeBitWidth() > bits;
}

} // namespace tilekiln

#endif // TILEKILN_CONVERSION_LEGALIZELINKED_PATTERNS_H
