//===- CommonIRDialect.cpp - Registration, attributes, enums --------------===//
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilekiln::commonir;

#include "tilekiln/Dialect/CommonIR/CommonIRDialect.cpp.inc"
#include "tilekiln/Dialect/CommonIR/CommonIREnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/CommonIR/CommonIRAttributes.cpp.inc"

void CommonIRDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilekiln/Dialect/CommonIR/CommonIRAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilekiln/Dialect/CommonIR/CommonIROps.cpp.inc"
      >();
}

Attribute SpaceAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseLess() || parser.parseKeywordOrString(&name) ||
      parser.parseGreater())
    return {};
  return SpaceAttr::get(parser.getContext(), name);
}

void SpaceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printKeywordOrString(getName());
  printer << ">";
}

bool tilekiln::commonir::isGlobal(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return false;
  auto space = dyn_cast_or_null<SpaceAttr>(memref.getMemorySpace());
  return space && space.getName() == globalSpaceName;
}
