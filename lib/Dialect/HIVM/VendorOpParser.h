//===- VendorOpParser.h - Reading vendor ops that we do not model ---------===//
//
// The vendor's dialects have over a hundred ops; the final IR should hold a
// dozen. When one of the others is left over, the module must still parse, so
// that the op can be named in a message. The pretty syntax of those ops is
// regular (clauses of operands with their types, attributes, one op a line), so
// one parser reads them all into unregistered ops.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_DIALECT_HIVM_VENDOROPPARSER_H
#define TILEKILN_LIB_DIALECT_HIVM_VENDOROPPARSER_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

namespace tilekiln::hivm {

/// Fills in operands, result types and the attribute dictionary; attributes
/// outside of a dictionary are read and dropped.
mlir::ParseResult parseVendorOp(mlir::OpAsmParser &parser,
                                mlir::OperationState &state);

/// An attribute kept as text: the builtin opaque attribute.
mlir::Attribute parseVendorAttribute(mlir::DialectAsmParser &parser,
                                     llvm::StringRef dialect);

} // namespace tilekiln::hivm

#endif // TILEKILN_LIB_DIALECT_HIVM_VENDOROPPARSER_H
