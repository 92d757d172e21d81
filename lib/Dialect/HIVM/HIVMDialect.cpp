//===- HIVMDialect.cpp - The vendor's dialects as far as we read them -----===//
//
// Attributes that the .td files name are typed; every other one is kept as
// text. Ops that the .td files do not name become unregistered ops.
//
//===----------------------------------------------------------------------===//
#include "VendorOpParser.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tilekiln/Dialect/HIVM/HACCDialect.cpp.inc"
#include "tilekiln/Dialect/HIVM/HIVMDialect.cpp.inc"
#include "tilekiln/Dialect/HIVM/HIVMEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HIVMAttrs.cpp.inc"

namespace tilekiln::hivm {

void HIVMDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilekiln/Dialect/HIVM/HIVMAttrs.cpp.inc"
      >();
}

void HIVMDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilekiln/Dialect/HIVM/HIVMOps.cpp.inc"
      >();
  allowUnknownOperations();
}

Attribute HIVMDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value())
    return attribute;
  return parseVendorAttribute(parser, getNamespace());
}

void HIVMDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  // Attributes kept as text are the builtin dialect's and never come here.
  (void)generatedAttributePrinter(attribute, printer);
}

std::optional<Dialect::ParseOpHook>
HIVMDialect::getParseOperationHook(StringRef name) const {
  return ParseOpHook(parseVendorOp);
}

std::optional<AddressSpace> getAddressSpace(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  if (!memref)
    return std::nullopt;
  auto space = dyn_cast_or_null<AddressSpaceAttr>(memref.getMemorySpace());
  if (!space)
    return std::nullopt;
  return space.getValue();
}

std::optional<StringRef> getVendorText(Attribute attribute,
                                       StringRef mnemonic) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  if (!opaque)
    return std::nullopt;
  StringRef text = opaque.getAttrData();
  if (!text.consume_front(mnemonic) || !text.consume_front("<") ||
      !text.consume_back(">"))
    return std::nullopt;
  return text;
}

} // namespace tilekiln::hivm
