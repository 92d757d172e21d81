//===- VendorOpParser.cpp - Reading vendor ops that we do not model -------===//
//
// See the header. The parser walks the tokens of one line and keeps what a
// message or a listing needs: operands, types, the attribute dictionary.
//
//===----------------------------------------------------------------------===//
#include "VendorOpParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilekiln::hivm {
namespace {

/// One op, token by token.
class VendorOpParser {
public:
  VendorOpParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), line(parser.getNameLoc().getPointer()) {
    // The buffer ends with a zero, so this stays within it.
    lineEnd = line;
    while (*lineEnd != '\0' && *lineEnd != '\n')
      ++lineEnd;
  }

  ParseResult parse() {
    while (!atEnd())
      if (parseToken())
        return failure();
    // The vendor leaves out types that are always i64: flags, base addresses.
    return parser.resolveOperands(pending, parser.getBuilder().getI64Type(),
                                  state.operands);
  }

private:
  const char *position() { return parser.getCurrentLocation().getPointer(); }

  bool atEnd() {
    const char *at = position();
    return at >= lineEnd || StringRef(at, lineEnd - at).starts_with("loc(");
  }

  ParseResult parseToken() {
    char next = *position();
    switch (next) {
    case '%': {
      OpAsmParser::UnresolvedOperand operand;
      if (parser.parseOperand(operand))
        return failure();
      pending.push_back(operand);
      return success();
    }
    case '{':
      return parser.parseOptionalAttrDict(state.attributes);
    case '#': {
      Attribute attribute;
      return parser.parseAttribute(attribute);
    }
    case '"':
      return parser.parseString(&ignoredText);
    case '@': {
      StringAttr symbol;
      return parser.parseSymbolName(symbol);
    }
    case '!':
      return parseType();
    default:
      break;
    }
    if (StringRef(position(), lineEnd - position()).starts_with("->"))
      return parser.parseArrow();
    if (llvm::isDigit(next) || next == '-') {
      Attribute number;
      return parser.parseAttribute(number);
    }
    if (llvm::isAlpha(next) || next == '_')
      return parseWord();
    return parsePunctuation();
  }

  /// A type goes to the operand that has waited longest, else to a result.
  void take(Type type) {
    if (!pending.empty()) {
      failed = failed ||
               parser.resolveOperand(pending.front(), type, state.operands);
      pending.erase(pending.begin());
      return;
    }
    if (state.types.size() < parser.getNumResults())
      state.addTypes(type);
  }

  ParseResult parseType() {
    Type type;
    if (parser.parseType(type))
      return failure();
    take(type);
    return failure(failed);
  }

  ParseResult parseWord() {
    Type type;
    OptionalParseResult parsed = parser.parseOptionalType(type);
    if (parsed.has_value()) {
      if (failed || *parsed)
        return failure();
      take(type);
      return failure(failed);
    }
    StringRef word;
    return parser.parseKeyword(&word);
  }

  ParseResult parsePunctuation() {
    if (succeeded(parser.parseOptionalLParen()) ||
        succeeded(parser.parseOptionalRParen()) ||
        succeeded(parser.parseOptionalLSquare()) ||
        succeeded(parser.parseOptionalRSquare()) ||
        succeeded(parser.parseOptionalLess()) ||
        succeeded(parser.parseOptionalGreater()) ||
        succeeded(parser.parseOptionalComma()) ||
        succeeded(parser.parseOptionalColon()) ||
        succeeded(parser.parseOptionalEqual()) ||
        succeeded(parser.parseOptionalStar()) ||
        succeeded(parser.parseOptionalQuestion()))
      return success();
    return parser.emitError(parser.getCurrentLocation())
           << "'" << state.name.getStringRef()
           << "' is a vendor op with text that cannot be read";
  }

  OpAsmParser &parser;
  OperationState &state;
  const char *line;
  const char *lineEnd;
  std::string ignoredText;
  SmallVector<OpAsmParser::UnresolvedOperand> pending;
  bool failed = false;
};

} // namespace

ParseResult parseVendorOp(OpAsmParser &parser, OperationState &state) {
  return VendorOpParser(parser, state).parse();
}

Attribute parseVendorAttribute(DialectAsmParser &parser, StringRef dialect) {
  MLIRContext *context = parser.getContext();
  return OpaqueAttr::get(StringAttr::get(context, dialect),
                         parser.getFullSymbolSpec(), NoneType::get(context));
}

} // namespace tilekiln::hivm
