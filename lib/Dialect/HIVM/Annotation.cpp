//===- Annotation.cpp - Hints to the vendor's compiler --------------------===//
#include "tilekiln/Dialect/HIVM/Annotation.h"
#include "VendorOpParser.h"

using namespace mlir;

namespace tilekiln::hivm {

AnnotationDialect::AnnotationDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<AnnotationDialect>()) {
  allowUnknownOperations();
  allowUnknownTypes();
}

Attribute AnnotationDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return parseVendorAttribute(parser, getNamespace());
}

std::optional<Dialect::ParseOpHook>
AnnotationDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(parseVendorOp);
}

void createMark(OpBuilder &builder, Location loc, Value value, StringRef attribute) {
  OperationState state(loc, "annotation.mark");
  state.addOperands(value);
  state.addAttribute(attribute, builder.getUnitAttr());
  builder.create(state);
}

} // namespace tilekiln::hivm
