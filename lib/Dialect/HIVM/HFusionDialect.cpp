//===- HFusionDialect.cpp - Tile ops of the vendor in linked IR -----------===//
//
// Ops that HFusionOps.td does not name become unregistered ops: in a final IR
// they can then be listed as left over.
//
//===----------------------------------------------------------------------===//
#include "VendorOpParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tilekiln/Dialect/HIVM/HFusionDialect.cpp.inc"
#include "tilekiln/Dialect/HIVM/HFusionEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilekiln/Dialect/HIVM/HFusionAttrs.cpp.inc"

namespace tilekiln::hfusion {

void HFusionDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilekiln/Dialect/HIVM/HFusionAttrs.cpp.inc"
      >();
}

void HFusionDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tilekiln/Dialect/HIVM/HFusionOps.cpp.inc"
      >();
  allowUnknownOperations();
  allowUnknownTypes();
}

Attribute HFusionDialect::parseAttribute(DialectAsmParser &parser,
                                         Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value())
    return attribute;
  return hivm::parseVendorAttribute(parser, getNamespace());
}

void HFusionDialect::printAttribute(Attribute attribute,
                                    DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

std::optional<Dialect::ParseOpHook>
HFusionDialect::getParseOperationHook(StringRef name) const {
  return ParseOpHook(hivm::parseVendorOp);
}

/// On tensors an op gives the tile that its destination has become.
static LogicalResult verifyResults(Operation *op, Value init) {
  bool isValue = isa<RankedTensorType>(init.getType());
  if (op->getNumResults() != (isValue ? 1 : 0) ||
      (isValue && op->getResult(0).getType() != init.getType()))
    return op->emitOpError("must give a tensor of its destination's type for a "
                           "tensor, and nothing for a buffer");
  return success();
}

LogicalResult ArangeOp::verify() {
  auto type = dyn_cast<ShapedType>(getInit().getType());
  if (!type || !type.hasRank() ||
      size_t(type.getRank()) != getStrides().size())
    return emitOpError("needs one stride for each dimension of its destination");
  if (!type.getElementType().isIntOrIndex())
    return emitOpError("counts in integers, not ") << type.getElementType();
  return verifyResults(*this, getInit());
}

LogicalResult CastOp::verify() {
  auto from = cast<ShapedType>(getSource().getType());
  auto to = cast<ShapedType>(getInit().getType());
  if (failed(verifyCompatibleShape(from, to)))
    return emitOpError("changes the elements of a tile, not its shape: ")
           << from << " to " << to;
  return verifyResults(*this, getInit());
}

} // namespace tilekiln::hfusion

#define GET_OP_CLASSES
#include "tilekiln/Dialect/HIVM/HFusionOps.cpp.inc"
