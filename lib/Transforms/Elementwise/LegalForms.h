//===- LegalForms.h - Scalar ops as ops on tiles --------------------------===//
//
// One scalar op on whole tiles, in a form that the vendor's compiler is known
// to compile rightly (linked-IR forms: no unsigned arithmetic wider than 8
// bits, no shift by a tensor, no inexact division of 32-bit integers).
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_LEGALFORMS_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_LEGALFORMS_H

#include "TileEmitter.h"

namespace tilekiln::elementwise {

/// The op, which gives no i1, over these dimensions. `guard` is the mask under
/// which it runs, null for always: elsewhere it must not fault.
llvm::Expected<mlir::Value> emitOnTiles(TileEmitter &emitter,
                                        mlir::Operation *op, DimMask dims,
                                        mlir::Value guard);

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_LEGALFORMS_H
