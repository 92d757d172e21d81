//===- HIVMOps.cpp - Ops that hivmc is given ------------------------------===//
//
// The pieces of syntax that the declarative format has no word for (an event or
// a flag is a constant or a value) and what must hold for each op.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Builders.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"

using namespace mlir;
using namespace tilekiln::hivm;

//===----------------------------------------------------------------------===//
// Syntax: `<EVENT_ID0>` or `%value`; `0` or `%value`
//===----------------------------------------------------------------------===//

/// Operands of these ops are i64: the type is not written.
static ParseResult
parseValueIfAny(OpAsmParser &parser,
                std::optional<OpAsmParser::UnresolvedOperand> &value,
                bool &found) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult parsed = parser.parseOptionalOperand(operand);
  found = parsed.has_value();
  if (!found)
    return success();
  if (failed(*parsed))
    return failure();
  value = operand;
  return success();
}

static ParseResult
parseEventId(OpAsmParser &parser, EventAttr &constant,
             std::optional<OpAsmParser::UnresolvedOperand> &value) {
  bool found;
  if (parseValueIfAny(parser, value, found))
    return failure();
  if (found)
    return success();
  constant = dyn_cast_or_null<EventAttr>(EventAttr::parse(parser, Type()));
  return success(static_cast<bool>(constant));
}

static void printEventId(OpAsmPrinter &printer, Operation *, EventAttr constant,
                         Value value) {
  if (constant)
    constant.print(printer);
  else
    printer << value;
}

static ParseResult
parseFlagId(OpAsmParser &parser, IntegerAttr &constant,
            std::optional<OpAsmParser::UnresolvedOperand> &value) {
  bool found;
  if (parseValueIfAny(parser, value, found))
    return failure();
  if (found)
    return success();
  return parser.parseAttribute(constant, parser.getBuilder().getI64Type());
}

static void printFlagId(OpAsmPrinter &printer, Operation *,
                        IntegerAttr constant, Value value) {
  if (constant)
    printer.printAttributeWithoutType(constant);
  else
    printer << value;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult verifyFlag(OpT op) {
  if (static_cast<bool>(op.getStaticEventIdAttr()) ==
      static_cast<bool>(op.getDynamicEventId()))
    return op.emitOpError("takes either a constant event or a value");
  return success();
}

LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

template <typename OpT>
static LogicalResult verifyBlockFlag(OpT op) {
  IntegerAttr constant = op.getStaticFlagIdAttr();
  if (static_cast<bool>(constant) == static_cast<bool>(op.getDynamicFlagId()))
    return op.emitOpError("takes either a constant flag or a value");
  if (constant && (constant.getInt() < 0 || constant.getInt() > 15))
    return op.emitOpError("flag ")
           << constant.getInt() << " does not exist, a core has flags 0 to 15";
  return success();
}

LogicalResult SyncBlockSetOp::verify() { return verifyBlockFlag(*this); }
LogicalResult SyncBlockWaitOp::verify() { return verifyBlockFlag(*this); }

LogicalResult PointerCastOp::verify() {
  if (getAddrs().empty())
    return emitOpError("needs an address");
  auto type = dyn_cast<MemRefType>(getResult().getType());
  if (!type)
    return emitOpError("gives a ranked buffer");
  if (type.getNumDynamicDims() !=
      static_cast<int64_t>(getDynamicSizes().size()))
    return emitOpError("has ")
           << type.getNumDynamicDims() << " unknown extents but "
           << getDynamicSizes().size() << " sizes";
  return success();
}

#define GET_OP_CLASSES
#include "tilekiln/Dialect/HIVM/HIVMOps.cpp.inc"
