//===- TileEmitter.h - Values of the body as scalars and tiles ------------===//
//
// Gives, for each value of an element-wise body, what stands for it in the
// whole-tile form: a scalar where it is the same in all iterations, otherwise a
// tensor over just those dimensions that it depends on. Indices become tensors
// only where something uses them as numbers, and i1 values only at the shape at
// which they are used: the vendor's compiler cannot broadcast masks well, so
// the numbers are broadcast and compared then.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEEMITTER_H
#define TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEEMITTER_H

#include "IndexAnalysis.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"

namespace tilekiln::elementwise {

/// A scalar (no dimensions) or a tensor over `dims` in ascending order.
struct Tile {
  mlir::Value value;
  DimMask dims = 0;
};

class TileEmitter {
public:
  /// Everything is built at the insertion point of the builder, index tensors
  /// right behind `anchor`, which is in front of all of it.
  TileEmitter(IndexAnalysis &analysis, mlir::OpBuilder &builder,
              mlir::Operation *anchor)
      : analysis(analysis), builder(builder), anchor(anchor) {}

  void define(mlir::Value original, Tile tile) { tiles[original] = tile; }
  /// The scalar of a value that is uniform.
  mlir::Value scalarOf(mlir::Value original);
  /// The value as it is, a scalar or a tile over what it depends on.
  llvm::Expected<Tile> get(mlir::Location loc, mlir::Value original);
  /// The value over exactly these dimensions (a scalar for none).
  llvm::Expected<mlir::Value> get(mlir::Location loc, mlir::Value original,
                                  DimMask dims);
  /// Those that the value is over.
  DimMask dimsOf(mlir::Value original);

  /// An expression over symbols, as a constant or an index value.
  mlir::OpFoldResult indexOf(mlir::Location loc, mlir::AffineExpr uniform);
  mlir::Value indexValueOf(mlir::Location loc, mlir::AffineExpr uniform);
  /// Any expression as numbers of type i32 over its dimensions.
  llvm::Expected<Tile> numbersOf(mlir::Location loc, mlir::AffineExpr expr);
  Tile broadcast(mlir::Location loc, Tile tile, DimMask dims);

  mlir::RankedTensorType typeOver(DimMask dims, mlir::Type elementType);
  llvm::SmallVector<int64_t> shapeOver(DimMask dims);
  mlir::OpBuilder &getBuilder() { return builder; }
  IndexAnalysis &getAnalysis() { return analysis; }

private:
  llvm::Expected<mlir::Value> maskOf(mlir::Location loc, mlir::Value original,
                                     DimMask dims);
  llvm::Expected<mlir::Value> buildMask(mlir::Location loc,
                                        mlir::Value original, DimMask dims);
  llvm::Expected<mlir::Value> compareIndices(mlir::arith::CmpIOp op,
                                             DimMask dims);
  llvm::Expected<mlir::Value> compareNumbers(mlir::Operation *op, DimMask dims);
  mlir::Value linearTile(mlir::Location loc,
                         llvm::ArrayRef<int64_t> coefficients, DimMask dims);
  llvm::Expected<Tile> dividedNumbers(mlir::Location loc,
                                      mlir::AffineBinaryOpExpr expr);
  mlir::Value iota(mlir::Location loc, unsigned dim);
  /// The i32 of an index that fits it.
  mlir::Value narrow(mlir::Location loc, mlir::OpFoldResult index);

  IndexAnalysis &analysis;
  mlir::OpBuilder &builder;
  mlir::Operation *anchor;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  llvm::DenseMap<unsigned, mlir::Value> iotas;
  llvm::DenseMap<std::pair<mlir::Value, DimMask>, mlir::Value> masks;
};

} // namespace tilekiln::elementwise

#endif // TILEKILN_LIB_TRANSFORMS_ELEMENTWISE_TILEEMITTER_H
