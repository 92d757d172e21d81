//===- RuntimeCalls.h - Calls from compiled kernels to the run-time -------===//
//
// How passes declare and call the functions of Runtime/Runtime.h. Tiles are
// handed over as unranked memrefs (rank, pointer to descriptor), so that one
// function serves every shape.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_RUNTIMECALLS_H
#define TILEKILN_LIB_CPU_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilekiln {

/// Calls a run-time function without result, declared on first use.
inline void callRuntime(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::StringRef name, mlir::ValueRange arguments) {
  mlir::Operation *here = builder.getInsertionBlock()->getParentOp();
  auto module = llvm::dyn_cast<mlir::ModuleOp>(here);
  if (!module)
    module = here->getParentOfType<mlir::ModuleOp>();
  if (!module.lookupSymbol(name)) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto function = builder.create<mlir::func::FuncOp>(
        loc, name, builder.getFunctionType(arguments.getTypes(), {}));
    function.setPrivate();
  }
  builder.create<mlir::func::CallOp>(loc, name, mlir::TypeRange(), arguments);
}

/// A memref without its rank, as the run-time takes it.
inline mlir::Value unrank(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref) {
  auto type = llvm::cast<mlir::MemRefType>(memref.getType());
  return builder.create<mlir::memref::CastOp>(
      loc, mlir::UnrankedMemRefType::get(type.getElementType(), 0), memref);
}

/// The end of a function's name: "f16", "i32" ...; empty for a type that the
/// run-time does not know.
inline std::string elementSuffix(mlir::Type type) {
  if (!type.isF16() && !type.isBF16() && !type.isF32() && !type.isF64() &&
      !type.isSignlessInteger(8) && !type.isSignlessInteger(16) &&
      !type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_RUNTIMECALLS_H
