//===- LowerVendorOps.h - Shared by the lowerings of vendor operations ----===//
//
// One function per operation, and how their attributes are read: they are
// unregistered here, so their properties are a dictionary and their
// enumerations opaque text.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_CPU_LOWERVENDOROPS_H
#define TILEKILN_LIB_CPU_LOWERVENDOROPS_H

#include "mlir/IR/PatternMatch.h"

namespace tilekiln {

/// An attribute among an unregistered operation's properties or attributes.
mlir::Attribute vendorAttribute(mlir::Operation *op, llvm::StringRef name);
/// "rint" of `#hfusion.round_mode<rint>`; empty if there is none.
std::string vendorKeyword(mlir::Operation *op, llvm::StringRef name);
bool vendorFlag(mlir::Operation *op, llvm::StringRef name, bool otherwise);
/// At least so many operands, and either one tensor as result or none.
mlir::LogicalResult checkVendorOp(mlir::Operation *op, unsigned minOperands,
                                  bool tensorResult);
/// Replaces an operation by a linalg.generic over its result's shape. A null
/// value from `body`, which has then reported why, makes it fail.
mlir::LogicalResult replaceElementwise(
    mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::ValueRange tensors,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        body);

mlir::LogicalResult lowerArange(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerCast(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerElemwiseUnary(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerElemwiseBinary(mlir::RewriterBase &,
                                        mlir::Operation *);
mlir::LogicalResult lowerGather(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerScan(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerPrint(mlir::RewriterBase &, mlir::Operation *);
mlir::LogicalResult lowerStore(mlir::RewriterBase &, mlir::Operation *);

} // namespace tilekiln

#endif // TILEKILN_LIB_CPU_LOWERVENDOROPS_H
