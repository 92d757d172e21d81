//===- Buffers.cpp - memref and on-chip buffers ---------------------------===//
//
// A view is a recipe: what it takes from its source and what it replaces. Casts
// change the type alone and are no instruction.
//
//===----------------------------------------------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

ShapeOperand FunctionDecoder::shape(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return ShapeOperand::value(*constant);
  return ShapeOperand::inRegister(get(cast<Value>(value)));
}

FunctionDecoder::Shape FunctionDecoder::shape(ArrayRef<OpFoldResult> values) {
  Shape result;
  for (OpFoldResult value : values)
    result.push_back(shape(value));
  return result;
}

/// Type and space come from the result.
llvm::Error FunctionDecoder::makeBuffer(Operation *op, Value result,
                                        BufferRecipe recipe, Value source) {
  auto type = cast<MemRefType>(result.getType());
  if (llvm::Error error = readType(op, type, recipe.type))
    return error;
  std::optional<Space> space = getSpace(type);
  if (!space)
    return errorAt(op, "a buffer of '" + op->getName().getStringRef() +
                           "' names no memory of the core; only buffers in gm, "
                           "cbuf, ca, cb, cc and ub can be simulated");
  recipe.space = *space;
  define(result, builder.makeBuffer(std::move(recipe),
                                    source ? get(source) : noRegister));
  return llvm::Error::success();
}

Register FunctionDecoder::field(BufferField field, Register buffer, int64_t dim) {
  Instruction instruction;
  instruction.opcode = Opcode::BufferField;
  instruction.sub = uint8_t(field);
  instruction.a = buffer;
  instruction.imm = dim;
  return pure(instruction);
}

//===----------------------------------------------------------------------===//
// On-chip buffers
//===----------------------------------------------------------------------===//

llvm::Error FunctionDecoder::decodePointerCast(hivm::PointerCastOp op) {
  auto type = cast<MemRefType>(op.getResult().getType());
  if (op.getAddrs().size() != 1)
    return errorAt(op, "a buffer has " + Twine(op.getAddrs().size()) +
                           " addresses: the vendor's compiler did not choose "
                           "one of its copies; compile it with double buffers "
                           "switched off");
  BufferRecipe recipe;
  recipe.kind = BufferRecipe::Kind::Pointer;
  recipe.offsets.push_back(shape(OpFoldResult(op.getAddrs().front())));
  auto dynamic = op.getDynamicSizes().begin();
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      recipe.sizes.push_back(shape(OpFoldResult(*dynamic++)));
    else
      recipe.sizes.push_back(ShapeOperand::value(extent));
    os << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent)) << 'x';
  }
  // An extent of 0 stands for "no buffer" in the library's signatures.
  if (!llvm::is_contained(type.getShape(), 0)) {
    os << type.getElementType();
    const ShapeOperand &address = recipe.offsets.front();
    if (address.reg == noRegister)
      os << " at byte " << address.constant;
    recipe.origin = uint32_t(program.origins.size());
    program.origins.push_back(text);
  }
  return makeBuffer(op, op.getResult(), std::move(recipe));
}

llvm::Error FunctionDecoder::decodeBitcast(hivm::BitcastOp op) {
  ElementType from, to;
  if (llvm::Error error = readType(op, op.getSrc().getType(), from))
    return error;
  if (llvm::Error error = readType(op, op.getResult().getType(), to))
    return error;
  if (getBits(from) != getBits(to))
    return errorAt(op, "'hivm.hir.bitcast' between types of different widths");
  if (isa<MemRefType>(op.getResult().getType())) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Retype;
    return makeBuffer(op, op.getResult(), std::move(recipe), op.getSrc());
  }
  Instruction instruction;
  instruction.opcode = Opcode::Bitcast;
  instruction.from = from;
  instruction.type = to;
  instruction.a = get(op.getSrc());
  define(op.getResult(), pure(instruction));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

static std::vector<unsigned> getGroups(ArrayRef<ReassociationIndices> groups) {
  std::vector<unsigned> result;
  for (const ReassociationIndices &group : groups)
    result.push_back(unsigned(group.size()));
  return result;
}

llvm::Error
FunctionDecoder::decodeMetadata(memref::ExtractStridedMetadataOp op) {
  Register source = get(op.getSource());
  auto type = cast<MemRefType>(op.getSource().getType());
  // The base is taken up again by a reinterpret_cast, which replaces everything
  // but the memory.
  BufferRecipe base;
  base.kind = BufferRecipe::Kind::Reinterpret;
  base.offsets.push_back(ShapeOperand::value(0));
  if (llvm::Error error = makeBuffer(op, op.getBaseBuffer(), std::move(base),
                                     op.getSource()))
    return error;
  define(op.getOffset(), field(BufferField::Offset, source, 0));
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    define(op.getSizes()[dim], field(BufferField::Size, source, dim));
    define(op.getStrides()[dim], field(BufferField::Stride, source, dim));
  }
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeMemRef(Operation *op) {
  BufferRecipe recipe;
  Builder attributes(op->getContext());
  using Kind = BufferRecipe::Kind;
  if (isa<memref::CastOp, memref::MemorySpaceCastOp>(op)) {
    if (!isa<MemRefType>(op->getOperand(0).getType()) ||
        !isa<MemRefType>(op->getResult(0).getType()))
      return errorAt(op, "the simulator knows no buffers of unknown rank");
    define(op->getResult(0), get(op->getOperand(0)));
    return llvm::Error::success();
  }
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op)) {
    recipe.kind = Kind::Reinterpret;
    recipe.offsets = shape(view.getMixedOffsets());
    recipe.sizes = shape(view.getMixedSizes());
    recipe.strides = shape(view.getMixedStrides());
    return makeBuffer(op, view, std::move(recipe), view.getSource());
  }
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    recipe.kind = Kind::Subview;
    recipe.offsets = shape(view.getMixedOffsets());
    recipe.sizes = shape(view.getMixedSizes());
    recipe.strides = shape(view.getMixedStrides());
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (unsigned dim = 0; dim < dropped.size(); ++dim)
      recipe.dropped.push_back(dropped.test(dim));
    return makeBuffer(op, view, std::move(recipe), view.getSource());
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    recipe.kind = Kind::Collapse;
    recipe.groups = getGroups(collapse.getReassociationIndices());
    return makeBuffer(op, collapse, std::move(recipe), collapse.getSrc());
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    recipe.kind = Kind::Expand;
    recipe.groups = getGroups(expand.getReassociationIndices());
    recipe.sizes = shape(getMixedValues(expand.getStaticOutputShape(),
                                        expand.getOutputShape(), attributes));
    return makeBuffer(op, expand, std::move(recipe), expand.getSrc());
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
    recipe.kind = Kind::Permute;
    for (AffineExpr expr : transpose.getPermutation().getResults())
      recipe.permutation.push_back(cast<AffineDimExpr>(expr).getPosition());
    return makeBuffer(op, transpose, std::move(recipe), transpose.getIn());
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    recipe.kind = Kind::View;
    recipe.offsets.push_back(shape(OpFoldResult(view.getByteShift())));
    recipe.sizes = shape(
        getMixedValues(view.getType().getShape(), view.getSizes(), attributes));
    return makeBuffer(op, view, std::move(recipe), view.getSource());
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    ElementType type;
    if (llvm::Error error = readType(op, load.getType(), type))
      return error;
    std::vector<Register> indices = get(load.getIndices());
    define(load, builder.load(get(load.getMemRef()), indices, type));
    return llvm::Error::success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    ElementType type;
    if (llvm::Error error = readType(op, store.getValue().getType(), type))
      return error;
    std::vector<Register> indices = get(store.getIndices());
    Register value = get(store.getValue());
    builder.store(value, get(store.getMemRef()), indices, type);
    return llvm::Error::success();
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return errorAt(op, "the extent of a dimension that is known only at run "
                         "time cannot be simulated");
    define(dim, field(BufferField::Size, get(dim.getSource()), *index));
    return llvm::Error::success();
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
    return decodeMetadata(metadata);
  if (isa<memref::AssumeAlignmentOp>(op))
    return llvm::Error::success();
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return errorAt(op, "the vendor's compiler left a buffer without an address "
                       "('" +
                           op->getName().getStringRef() +
                           "'), which hivmc cannot place either");
  return unknown(op);
}
