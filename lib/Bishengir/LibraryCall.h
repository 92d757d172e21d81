//===- LibraryCall.h - Calls into the vendor's device library -------------===//
//
// The library's functions are told apart by name; the argument order of those
// that the checks look into is written down here once.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_BISHENGIR_LIBRARYCALL_H
#define TILEKILN_LIB_BISHENGIR_LIBRARYCALL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilekiln::bishengir {

enum class CallFamily {
  /// Global memory to L1, row-major to fractal order.
  LoadL1,
  /// A constant into L1.
  FillL1,
  Matmul,
  /// L0C to global memory.
  Fixpipe,
  /// Global memory to UB.
  LoadUB,
  /// UB to global memory.
  StoreUB,
  /// Arithmetic and copies within UB whose first operand, where it is a
  /// buffer, is a source.
  Compute,
  /// Print, assert and their set-up.
  Debug,
  /// Everything else: constants and index tiles, locks.
  Other
};

CallFamily getCallFamily(llvm::StringRef callee);

/// Calls of declared functions, that is of the library.
bool isLibraryCall(mlir::func::CallOp call);

/// The calls of a function, in order.
llvm::SmallVector<mlir::func::CallOp> getLibraryCalls(mlir::Operation *root);

/// Arguments of mma_tile_*.
struct MatmulCall {
  mlir::func::CallOp call;
  /// L1, L1 and L0C; the bias is in L1 and may be absent.
  mlir::Value a, b, bias, c;
  mlir::Value init, m, k, n;

  /// None for a call that is no mma_tile or has another argument list.
  static std::optional<MatmulCall> get(mlir::func::CallOp call);
};

/// Source and destination of the functions that move data.
struct TransferCall {
  mlir::func::CallOp call;
  mlir::Value source, destination;

  static std::optional<TransferCall> get(mlir::func::CallOp call,
                                         CallFamily family);
};

} // namespace tilekiln::bishengir

#endif // TILEKILN_LIB_BISHENGIR_LIBRARYCALL_H
