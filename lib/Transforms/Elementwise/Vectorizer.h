//===- Vectorizer.h - A body of scalar ops as whole-tile ops --------------===//
//
// Walks the body of one commonir.elementwise in order and builds, right before
// the op, the same statements on whole tiles: each load reads a tile, each
// store writes one. All iterations do a statement before any does the next,
// which independent iterations cannot tell from the written order.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_VECTORIZER_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_VECTORIZER_H

#include "Guard.h"
#include "TileEmitter.h"

namespace tilekiln::elementwise {

class Vectorizer {
public:
  /// `anchor` is an op in front of the builder's insertion point.
  Vectorizer(commonir::ElementwiseOp op, llvm::ArrayRef<int64_t> extents,
             mlir::OpBuilder &builder, mlir::Operation *anchor);

  /// Builds the tile ops. On failure, with a reason that follows "because",
  /// what was built is incomplete and must be erased.
  llvm::Error run();

private:
  // Vectorizer.cpp: statements.
  llvm::Error emitBlock(mlir::Block &block, const Guard &guard);
  llvm::Error emitOp(mlir::Operation *op, const Guard &guard);
  llvm::Error emitIf(mlir::scf::IfOp op, const Guard &guard);
  llvm::Error emitUniformIf(mlir::scf::IfOp op, const Guard &guard);
  llvm::Error emitFor(mlir::scf::ForOp op, const Guard &guard);
  llvm::Error emitYield(mlir::Block &block, mlir::ValueRange results);
  mlir::Type typeOf(mlir::Value original);
  bool isLazy(mlir::Operation *op);
  bool isGuardedZeroLoad(mlir::Value condition, mlir::Value loaded,
                         mlir::Value other);
  /// All conditions at once over these dimensions; null where there are none.
  llvm::Expected<mlir::Value> maskOf(mlir::Location loc, const Guard &guard,
                                     DimMask dims);

  // Accesses.cpp, GlobalStores.cpp, Atomics.cpp: loads and stores. A box is what an access
  // picks, in the buffer's order.
  llvm::Error emitLoad(mlir::memref::LoadOp op, const Guard &guard);
  llvm::Error emitStore(mlir::memref::StoreOp op, const Guard &guard);
  llvm::Error emitAtomic(commonir::AtomicElementOp update, const Guard &guard);
  mlir::Value readBox(mlir::Location loc, const Access &access);
  mlir::Value loadBox(mlir::Location loc, const Access &access,
                      const Guard &guard);
  mlir::Value arrange(mlir::Location loc, const Access &access,
                      mlir::Value box);
  void writeBox(mlir::Location loc, const Access &access, mlir::Value box);
  llvm::Error storeBox(mlir::Location loc, const Access &access,
                       mlir::Value box, const Guard &guard);
  /// Nothing was written between this op and the insertion point.
  bool isUnwrittenSince(mlir::Operation *op);
  bool isInside(mlir::Location loc, const Access &access);
  mlir::Value buildWindow(mlir::Location loc, const Access &access,
                          llvm::ArrayRef<mlir::OpFoldResult> offsets,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes);

  commonir::ElementwiseOp op;
  mlir::OpBuilder &builder;
  IndexAnalysis analysis;
  TileEmitter emitter;
};

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_VECTORIZER_H
