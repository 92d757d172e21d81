//===- HostValues.h - Index values that the launcher needs ----------------===//
//
// Grids, extents and trip counts are SSA values over the kernel's symbols. Once
// the symbols are known they are computed by folding the ops that make them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DRIVER_HOSTVALUES_H
#define TILEKILN_DRIVER_HOSTVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace tilekiln {

class HostValues {
public:
  /// Gives an argument of the kernel its value.
  void bind(mlir::BlockArgument argument, int64_t value);
  bool isBound(mlir::BlockArgument argument) const;

  /// The value, where it depends on bound arguments and constants alone.
  std::optional<int64_t> get(mlir::OpFoldResult value);

private:
  mlir::Attribute fold(mlir::Value value);
  llvm::DenseMap<mlir::Value, mlir::Attribute> known;
};

} // namespace tilekiln

#endif // TILEKILN_DRIVER_HOSTVALUES_H
