//===- HACCDialect.cpp - The vendor's host-accelerator attributes ---------===//
//
// Only the device description is typed; see HACCAttrs.td.
//
//===----------------------------------------------------------------------===//
#include "VendorOpParser.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HACCAttrs.cpp.inc"

namespace tilekiln::hacc {

void HACCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilekiln/Dialect/HIVM/HACCAttrs.cpp.inc"
      >();
}

void HACCDialect::initialize() { registerAttributes(); }

Attribute HACCDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value())
    return attribute;
  return hivm::parseVendorAttribute(parser, getNamespace());
}

void HACCDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

} // namespace tilekiln::hacc
