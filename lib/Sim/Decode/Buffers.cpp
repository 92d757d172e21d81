//===- Buffers.cpp - memref ops and the vendor's pointer_cast -------------===//
#include "FunctionDecoder.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"

using namespace mlir;

namespace tilekiln::sim {

static std::optional<Space> getSpace(Type type) {
  std::optional<hivm::AddressSpace> space = hivm::getAddressSpace(type);
  if (!space)
    return std::nullopt;
  switch (*space) {
  case hivm::AddressSpace::L1:
    return Space::L1;
  case hivm::AddressSpace::L0A:
    return Space::L0A;
  case hivm::AddressSpace::L0B:
    return Space::L0B;
  case hivm::AddressSpace::L0C:
    return Space::L0C;
  case hivm::AddressSpace::UB:
    return Space::UB;
  case hivm::AddressSpace::GM:
  case hivm::AddressSpace::Zero:
    return Space::GM;
  }
  return std::nullopt;
}

/// Static extents and, for the others, the next of `dynamic`.
static std::vector<ShapeOperand> mixSizes(MemRefType type,
                                          ArrayRef<ShapeOperand> dynamic) {
  std::vector<ShapeOperand> sizes;
  for (int64_t extent : type.getShape())
    if (ShapedType::isDynamic(extent)) {
      sizes.push_back(dynamic.front());
      dynamic = dynamic.drop_front();
    } else {
      sizes.push_back(ShapeOperand::value(extent));
    }
  return sizes;
}

void FunctionDecoder::decodeSubview(memref::SubViewOp view) {
  BufferRecipe recipe;
  recipe.kind = BufferRecipe::Kind::Subview;
  recipe.offsets = shapes(view.getMixedOffsets());
  recipe.sizes = shapes(view.getMixedSizes());
  recipe.strides = shapes(view.getMixedStrides());
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (unsigned i = 0; i < dropped.size(); ++i)
    recipe.dropped.push_back(dropped[i]);
  set(view.getResult(), code.makeBuffer(std::move(recipe), get(view.getSource())));
}

bool FunctionDecoder::decodeMemRef(Operation *op) {
  if (isa<memref::CastOp, memref::MemorySpaceCastOp>(op)) {
    set(op->getResult(0), get(op->getOperand(0)));
    return true;
  }
  if (auto cast = dyn_cast<hivm::PointerCastOp>(op)) {
    auto type = mlir::cast<MemRefType>(cast.getResult().getType());
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Pointer;
    std::optional<Space> space = getSpace(type);
    if (!space) {
      problem(op, "a pointer_cast without a memory space");
      space = Space::UB;
    }
    recipe.space = *space;
    recipe.type = typeOf(cast.getResult());
    std::string text;
    llvm::raw_string_ostream os(text);
    type.print(os);
    // Buffers of no elements stand for "none".
    if (!llvm::is_contained(type.getShape(), 0)) {
      recipe.origin = uint32_t(program.origins.size());
      program.origins.push_back(text);
    }
    if (cast.getAddrs().size() != 1)
      problem(op, "the simulator takes a pointer_cast of one address");
    recipe.offsets.push_back(shape(OpFoldResult(cast.getAddrs().front())));
    SmallVector<ShapeOperand> dynamic;
    for (Value size : cast.getDynamicSizes())
      dynamic.push_back(shape(OpFoldResult(size)));
    recipe.sizes = mixSizes(type, dynamic);
    set(cast.getResult(), code.makeBuffer(std::move(recipe)));
    return true;
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::View;
    recipe.type = typeOf(view.getResult());
    recipe.offsets.push_back(shape(OpFoldResult(view.getByteShift())));
    SmallVector<ShapeOperand> dynamic;
    for (Value size : view.getSizes())
      dynamic.push_back(shape(OpFoldResult(size)));
    recipe.sizes = mixSizes(view.getType(), dynamic);
    set(view.getResult(), code.makeBuffer(std::move(recipe), get(view.getSource())));
    return true;
  }
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Reinterpret;
    recipe.offsets = shapes(cast.getMixedOffsets());
    recipe.sizes = shapes(cast.getMixedSizes());
    recipe.strides = shapes(cast.getMixedStrides());
    set(cast.getResult(), code.makeBuffer(std::move(recipe), get(cast.getSource())));
    return true;
  }
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    decodeSubview(view);
    return true;
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Collapse;
    for (const ReassociationIndices &group : collapse.getReassociationIndices())
      recipe.groups.push_back(unsigned(group.size()));
    set(collapse.getResult(),
        code.makeBuffer(std::move(recipe), get(collapse.getSrc())));
    return true;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Expand;
    for (const ReassociationIndices &group : expand.getReassociationIndices())
      recipe.groups.push_back(unsigned(group.size()));
    Builder builder(op->getContext());
    recipe.sizes = shapes(getMixedValues(expand.getStaticOutputShape(),
                                         expand.getOutputShape(), builder));
    set(expand.getResult(), code.makeBuffer(std::move(recipe), get(expand.getSrc())));
    return true;
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Permute;
    for (AffineExpr expr : transpose.getPermutation().getResults())
      recipe.permutation.push_back(cast<AffineDimExpr>(expr).getPosition());
    set(transpose.getResult(),
        code.makeBuffer(std::move(recipe), get(transpose.getIn())));
    return true;
  }
  if (auto cast = dyn_cast<hivm::BitcastOp>(op)) {
    if (!isBuffer(cast.getSrc().getType()) ||
        getBits(typeOf(cast.getSrc())) != getBits(typeOf(cast.getResult())))
      return false;
    BufferRecipe recipe;
    recipe.kind = BufferRecipe::Kind::Retype;
    recipe.type = typeOf(cast.getResult());
    set(cast.getResult(), code.makeBuffer(std::move(recipe), get(cast.getSrc())));
    return true;
  }
  auto field = [&](Value result, Register buffer, BufferField kind, int64_t index) {
    Instruction in;
    in.opcode = Opcode::BufferField;
    in.sub = uint8_t(kind);
    in.a = buffer;
    in.imm = index;
    in.dst = make(result);
    code.emit(in);
  };
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return false;
    field(dim.getResult(), get(dim.getSource()), BufferField::Size, *index);
    return true;
  }
  if (auto data = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    Register source = get(data.getSource());
    // Its users replace offset and shape.
    set(data.getBaseBuffer(), source);
    field(data.getOffset(), source, BufferField::Offset, 0);
    for (auto [i, result] : llvm::enumerate(data.getSizes()))
      field(result, source, BufferField::Size, int64_t(i));
    for (auto [i, result] : llvm::enumerate(data.getStrides()))
      field(result, source, BufferField::Stride, int64_t(i));
    return true;
  }
  if (auto address = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op)) {
    field(address.getResult(), get(address.getSource()), BufferField::AddressBytes, 0);
    return true;
  }
  auto indices = [&](ValueRange values) {
    SmallVector<Register> list;
    for (Value value : values)
      list.push_back(get(value));
    return list;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    set(load.getResult(),
        code.load(get(load.getMemRef()), indices(load.getIndices()),
                  typeOf(load.getResult())));
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    code.store(get(store.getValueToStore()), get(store.getMemRef()),
               indices(store.getIndices()), typeOf(store.getValueToStore()));
    noteWritten(store.getMemRef());
    return true;
  }
  return false;
}

} // namespace tilekiln::sim
