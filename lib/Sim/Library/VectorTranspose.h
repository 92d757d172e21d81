//===- VectorTranspose.h - Exchanging two axes ----------------------------===//
//
// The VNCHWCONV instructions as other functions use them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORTRANSPOSE_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORTRANSPOSE_H

#include "VectorUnit.h"

namespace tilekiln::sim {

/// dst(j, i) = source(i, j) of 8-, 16- or 32-bit elements, padding included:
/// rows and columns are rounded up to whole tiles. Ends with a barrier.
void issueTranspose(const Buffer &dst, const Buffer &source, Issue &issue);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORTRANSPOSE_H
