//===- CommonIROps.cpp - The kernel's frame: tensors, launches, windows ---===//
//
// Verifiers cite the numbered constraints of docs/spec/commonir.md.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tilekiln::commonir;

#define GET_OP_CLASSES
#include "tilekiln/Dialect/CommonIR/CommonIROps.cpp.inc"

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> TensorOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}

SmallVector<OpFoldResult> TensorOp::getMixedStrides() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticStrides(), getStrides(), builder);
}

LogicalResult TensorOp::verify() {
  auto pointer = cast<MemRefType>(getPointer().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (pointer.getRank() != 1 || !pointer.isDynamicDim(0)) // (C1)
    return emitOpError("expected a pointer of type ")
           << MemRefType::get({ShapedType::kDynamic}, pointer.getElementType())
           << ", got " << pointer << " [tensor_c1]";
  if (pointer.getElementType() != result.getElementType()) // (C2)
    return emitOpError("element type ")
           << result.getElementType() << " differs from the pointer's "
           << pointer.getElementType() << " [tensor_c2]";
  if (getStaticSizes() != result.getShape() ||
      getStaticStrides().size() != getStaticSizes().size()) // (C3)
    return emitOpError("sizes and strides do not match the result's shape ")
           << result << " [tensor_c3]";
  if (!isGlobal(result)) // (C4)
    return emitOpError("the result must lie in #commonir.space<")
           << globalSpaceName << "> [tensor_c4]";
  if (auto pad = dyn_cast_or_null<TypedAttr>(getPadAttr()))
    if (pad.getType() != result.getElementType()) // (C5)
      return emitOpError("pad value is of type ")
             << pad.getType() << " when the elements are "
             << result.getElementType() << " [tensor_c5]";
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(getStridesAndOffset(result, strides, offset))) // (C6)
    return emitOpError("the result's layout has no strides: ")
           << result << " [tensor_c6]";
  auto differ = [](int64_t a, int64_t b) {
    return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
  };
  for (auto [declared, typed] : llvm::zip_equal(getStaticStrides(), strides))
    if (differ(declared, typed) || differ(offset, 0)) // (C6)
      return emitOpError("strides (")
             << getStaticStrides() << ") differ from those of the result " << result
             << " [tensor_c6]";
  return success();
}

void TensorOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

//===----------------------------------------------------------------------===//
// launch and elementwise: a list of index arguments, one per bound
//===----------------------------------------------------------------------===//

/// Parses `(%i, %j) in (%a, %b) { body } attributes`.
static ParseResult parseIndexSpace(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> bounds;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(bounds, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(bounds, index, state.operands))
    return failure();
  for (OpAsmParser::Argument &argument : indices)
    argument.type = index;
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, indices) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (body->empty())
    body->emplaceBlock().addArguments(
        SmallVector<Type>(indices.size(), index),
        SmallVector<Location>(indices.size(), state.location));
  return success();
}

static void printIndexSpace(OpAsmPrinter &printer, Operation *op) {
  Region &body = op->getRegion(0);
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](Value v) { printer << v; });
  printer << ") in (" << op->getOperands() << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs());
}

static void buildIndexSpace(OpBuilder &builder, OperationState &state,
                            ValueRange bounds) {
  state.addOperands(bounds);
  Block &body = state.addRegion()->emplaceBlock();
  for (size_t i = 0; i < bounds.size(); ++i)
    body.addArgument(builder.getIndexType(), state.location);
}

static LogicalResult verifyIndexSpace(Operation *op, StringRef label) {
  Block &body = op->getRegion(0).front();
  if (body.getNumArguments() != op->getNumOperands()) // (C1)
    return op->emitOpError("has ")
           << body.getNumArguments() << " indices for " << op->getNumOperands()
           << " bounds [" << label << "_c1]";
  for (BlockArgument argument : body.getArguments())
    if (!argument.getType().isIndex()) // (C1)
      return op->emitOpError("indices must be of type index [") << label << "_c1]";
  return success();
}

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIndexSpace(parser, state);
}
void LaunchOp::print(OpAsmPrinter &printer) { printIndexSpace(printer, *this); }
void LaunchOp::build(OpBuilder &builder, OperationState &state, ValueRange grid) {
  buildIndexSpace(builder, state, grid);
}

LogicalResult LaunchOp::verify() {
  if (getOperation()->getParentOfType<LaunchOp>()) // (C2)
    return emitOpError("cannot be inside another launch [launch_c2]");
  return verifyIndexSpace(*this, "launch");
}

void LaunchOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"bx", "by", "bz"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

ParseResult ElementwiseOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIndexSpace(parser, state);
}
void ElementwiseOp::print(OpAsmPrinter &printer) {
  printIndexSpace(printer, *this);
}
void ElementwiseOp::build(OpBuilder &builder, OperationState &state,
                          ValueRange extents) {
  buildIndexSpace(builder, state, extents);
}

LogicalResult ElementwiseOp::verify() {
  return verifyIndexSpace(*this, "elementwise");
}

void ElementwiseOp::getAsmBlockArgumentNames(Region &region,
                                             OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"i", "j", "k"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

//===----------------------------------------------------------------------===//
// alloc
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (!type.getLayout().isIdentity()) // (C1)
    return emitOpError("a buffer is contiguous, got ") << type << " [alloc_c1]";
  if (isGlobal(type)) // (C2)
    return emitOpError("a buffer is on chip; global tensors are "
                       "commonir.tensor [alloc_c2]");
  if (!llvm::is_contained({"shared", "fragment", "local", "var"}, getScope())) // (C3)
    return emitOpError("unknown scope \"")
           << getScope() << "\", expected shared, fragment, local or var [alloc_c3]";
  return success();
}

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

//===----------------------------------------------------------------------===//
// window
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> WindowOp::getMixedOffsets() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticOffsets(), getOffsets(), builder);
}

SmallVector<OpFoldResult> WindowOp::getMixedSizes() {
  Builder builder(getContext());
  return mlir::getMixedValues(getStaticSizes(), getSizes(), builder);
}

MemRefType WindowOp::inferResultType(MemRefType source,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes,
                                     ArrayRef<int64_t> dims) {
  auto [sourceStrides, sourceOffset] = getStridesAndOffset(source);
  SmallVector<int64_t> shape, strides;
  for (int64_t dim : dims) {
    // A size given by a value stays dynamic even where the value is a constant, so
    // that folding an operand does not make the op invalid.
    auto size = dyn_cast<Attribute>(sizes[dim]);
    shape.push_back(size ? *getConstantIntValue(size) : ShapedType::kDynamic);
    strides.push_back(sourceStrides[dim]);
  }
  // The offset depends on the block and loop indices; it is never read off the type.
  auto layout = StridedLayoutAttr::get(source.getContext(), ShapedType::kDynamic,
                                       strides);
  return MemRefType::get(shape, source.getElementType(), layout,
                         source.getMemorySpace());
}

void WindowOp::build(OpBuilder &builder, OperationState &state, Value source,
                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                     ArrayRef<int64_t> dims) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  build(builder, state,
        inferResultType(cast<MemRefType>(source.getType()), offsets, sizes, dims),
        source, dynamicOffsets, dynamicSizes, staticOffsets, staticSizes, dims);
}

LogicalResult WindowOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (!getSource().getDefiningOp<TensorOp>()) // (C1)
    return emitOpError("is a view of what commonir.tensor gives; for a buffer use "
                       "memref.subview [window_c1]");
  size_t rank = source.getRank();
  if (getStaticOffsets().size() != rank || getStaticSizes().size() != rank) // (C2)
    return emitOpError("needs ") << rank << " offsets and sizes, got "
           << getStaticOffsets().size() << " and " << getStaticSizes().size()
           << " [window_c2]";
  int64_t last = -1;
  for (int64_t dim : getDims()) {
    if (dim <= last || dim >= int64_t(rank)) // (C3)
      return emitOpError("kept dimensions must be ascending and below ")
             << rank << " [window_c3]";
    last = dim;
  }
  for (auto [dim, size] : llvm::enumerate(getMixedSizes()))
    if (!llvm::is_contained(getDims(), int64_t(dim)) &&
        !isConstantIntValue(size, 1)) // (C4)
      return emitOpError("drops dimension ")
             << dim << ", whose size is not 1 [window_c4]";
  MemRefType expected =
      inferResultType(source, getMixedOffsets(), getMixedSizes(), getDims());
  if (getResult().getType() != expected) // (C5)
    return emitOpError("expected result type ")
           << expected << ", got " << getResult().getType() << " [window_c5]";
  return success();
}

void WindowOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (auto tensor = getSource().getDefiningOp<TensorOp>())
    setName(getResult(), (tensor.getName() + "_window").str());
}

namespace {
/// Offsets and sizes that are constants become static ones. The result type
/// may get more static; the users are tile ops, which accept that.
struct FoldConstantWindow : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WindowOp op, PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    bool changed = false;
    for (SmallVector<OpFoldResult> *list : {&offsets, &sizes})
      for (OpFoldResult &value : *list)
        if (isa<Value>(value))
          if (std::optional<int64_t> constant = getConstantIntValue(value)) {
            value = rewriter.getIndexAttr(*constant);
            changed = true;
          }
    if (!changed)
      return failure();
    DictionaryAttr proven = op->getDiscardableAttrDictionary();
    auto window = rewriter.replaceOpWithNewOp<WindowOp>(op, op.getSource(), offsets,
                                                        sizes, op.getDims());
    window->setDiscardableAttrs(proven);
    return success();
  }
};
} // namespace

void WindowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FoldConstantWindow>(context);
}
