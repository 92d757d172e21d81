//===- Lowering.h - The parts of convert-commonir-to-linked ---------------===//
//
// One function per family of ops. Each replaces the op at the rewriter's
// insertion point; none knows of the others.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CONVERSION_LOWERING_H
#define TILEKILN_CONVERSION_LOWERING_H

#include "../Casts.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// Tiles on their way between global memory and the chip.
mlir::LogicalResult lowerCopy(commonir::CopyOp op, mlir::RewriterBase &rewriter);
/// An element of a global tensor; outside of it reads give the pad value and
/// writes are dropped.
mlir::LogicalResult lowerLoad(mlir::memref::LoadOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerStore(mlir::memref::StoreOp op, mlir::RewriterBase &rewriter);

/// Work on tiles.
mlir::LogicalResult lowerFill(commonir::FillOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerGemm(commonir::GemmOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerReduce(commonir::ReduceOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerScan(commonir::ScanOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerTranspose(commonir::TransposeOp op,
                                   mlir::RewriterBase &rewriter);

/// What only the vendor's own ops can say.
mlir::LogicalResult lowerAtomic(commonir::AtomicOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerAtomicElement(commonir::AtomicElementOp op,
                                       mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerIota(commonir::IotaOp op, mlir::RewriterBase &rewriter);
mlir::LogicalResult lowerPrint(commonir::PrintOp op, mlir::RewriterBase &rewriter);

/// A tile with one value everywhere.
mlir::Value splatTile(mlir::Value scalar, mlir::RankedTensorType type,
                      mlir::Location loc, mlir::RewriterBase &rewriter);

/// The same values, made by the vector unit. The vendor's compiler places a value by
/// what makes it, and no arith op that keeps all values survives its folding.
mlir::Value throughVectorUnit(mlir::Value tile, mlir::Location loc,
                              mlir::RewriterBase &rewriter);

} // namespace tilekiln

#endif // TILEKILN_CONVERSION_LOWERING_H
