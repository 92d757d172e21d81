//===- TilePlaces.h - Where a tile value comes to lie ---------------------===//
//
// What a tile is follows from what makes it: a product lies where the cube adds,
// a load where its readers want it, everything else where the vector unit works.
// Values that loops and branches carry share a storage; where those that meet in
// one are of different kinds, it is the vector unit's, and the others get there
// by an explicit transfer. Returns kinds; knows no target.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_ANALYSIS_TILEPLACES_H
#define TILEKILN_ANALYSIS_TILEPLACES_H

#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilekiln {

bool isTile(mlir::Value value);

/// True for an op that only gives its first operand's storage another type; null is
/// none.
bool isTileView(mlir::Operation *op);

/// From "says nothing" to "holds for everything".
enum class TileKind {
  /// Undefined or zero: a start that any unit can make.
  Start,
  /// A sum that the cube makes.
  Sum,
  /// Loaded from global memory as it is, and read as a product's operand only.
  Operand,
  /// Work of the vector unit.
  Vector
};

/// What a reader of a tile needs it to be.
enum class TileNeed {
  Vector,
  Operand,
  /// The reader carries it on, in the place that its own result has.
  Carried,
  /// Both units can do it: a store to global memory.
  Any
};

TileNeed needOf(mlir::OpOperand &use);

/// The value that `use` is carried into, of which it takes the place; null for
/// uses that are not carried.
mlir::Value carriedInto(mlir::OpOperand &use);

class TilePlaces {
public:
  explicit TilePlaces(mlir::Operation *root);

  TileKind kindOf(mlir::Value tile) const { return kinds.lookup(tile); }
  /// Every tile under the root, in program order.
  llvm::ArrayRef<mlir::Value> tiles() const { return order; }

private:
  void collect(mlir::Operation *root);
  bool raise(mlir::Value tile, TileKind kind);
  bool update(mlir::Value tile);
  TileKind kindFromMaker(mlir::Value tile) const;
  void settleStarts();

  llvm::DenseMap<mlir::Value, TileKind> kinds;
  llvm::SmallVector<mlir::Value> order;
  /// Per carried value: what flows into it.
  llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Value>> sources;
};

} // namespace tilekiln

#endif // TILEKILN_ANALYSIS_TILEPLACES_H
