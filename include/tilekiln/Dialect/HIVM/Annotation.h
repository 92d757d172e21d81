//===- Annotation.h - Hints to the vendor's compiler ----------------------===//
//
// Its dialect of one op: `annotation.mark` on a value, with attributes that its
// passes look for. Written into linked IR where only a hint keeps a pass from
// going wrong; left over in a final IR it is listed as such.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_ANNOTATION_H
#define TILEKILN_DIALECT_HIVM_ANNOTATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"

namespace tilekiln::hivm {

class AnnotationDialect : public mlir::Dialect {
public:
  static constexpr llvm::StringLiteral getDialectNamespace() { return "annotation"; }
  explicit AnnotationDialect(mlir::MLIRContext *context);

  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                 mlir::Type type) const override;
  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnnotationDialect)
};

/// Marks the value with a unit attribute.
void createMark(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                llvm::StringRef attribute);

} // namespace tilekiln::hivm

#endif // TILEKILN_DIALECT_HIVM_ANNOTATION_H
