//===- Retile.h - Two ways of doing a block's work in parts ---------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_RETILE_RETILE_H
#define TILEKILN_LIB_TRANSFORMS_RETILE_RETILE_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// Common subexpressions join tiles that have nothing to do with each other: what
/// costs nothing to make is made for each reader anew.
void separateStarts(commonir::LaunchOp launch, mlir::RewriterBase &rewriter);

/// Does the launch's work in at least `parts` parts along one dimension of its
/// tiles, one after another. False where no dimension allows it.
bool cutRows(commonir::LaunchOp launch, int64_t parts, mlir::RewriterBase &rewriter);

/// Does each product of loaded operands in at least `parts` steps along K. False
/// where there is none that can be.
bool cutSteps(commonir::LaunchOp launch, int64_t parts, mlir::RewriterBase &rewriter);

/// The largest divisor of `extent` that is a multiple of `alignment` and at most
/// `extent / parts`; nothing where there is none.
std::optional<int64_t> partOf(int64_t extent, int64_t parts, int64_t alignment);

} // namespace tilekiln

#endif // TILEKILN_LIB_TRANSFORMS_RETILE_RETILE_H
