//===- SplitIndices.h - One index as the digits of a number ---------------===//
//
// An index that the body takes apart, as in i floordiv 32 and i mod 32, is two
// indices of a larger iteration space. With them the accesses are boxes.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_SPLITINDICES_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_SPLITINDICES_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"

namespace tilekiln::elementwise {

/// The same work over the digits, in front of `op`; null where the body takes no
/// index apart. `extents` are those of `op`.
commonir::ElementwiseOp splitIndices(commonir::ElementwiseOp op,
                                     llvm::ArrayRef<int64_t> extents);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_SPLITINDICES_H
