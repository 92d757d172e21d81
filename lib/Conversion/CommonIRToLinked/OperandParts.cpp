//===- OperandParts.cpp - Parts of tiles as operands of products ----------===//
//
// The vendor's library reads an operand by its sizes and ignores its strides,
// so that a product of some rows of a larger tile in L1 would read other
// elements. Such a part is loaded by itself: it is a part of the window that
// the tile was loaded from. Whole columns, a block of them, are where the
// library looks for them.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace {

constexpr int64_t blockBytes = 32;

/// Whether the library finds the part in the tile.
bool isFound(tensor::ExtractSliceOp part) {
  RankedTensorType type = part.getSourceType();
  auto start = getConstantIntValue(part.getMixedOffsets()[1]);
  int64_t bytes = std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  return isConstantIntValue(part.getMixedOffsets()[0], 0) &&
         isConstantIntValue(part.getMixedSizes()[0], type.getDimSize(0)) && start &&
         *start * bytes % blockBytes == 0;
}

/// Whether the kernel itself changes the tensor, so that a later load sees
/// something else.
bool isWritten(TensorOp tensor) {
  for (Operation *user : tensor->getUsers()) {
    auto window = dyn_cast<WindowOp>(user);
    if (!window) {
      if (!isa<memref::LoadOp>(user))
        return true;
      continue;
    }
    for (OpOperand &use : window->getUses()) {
      auto copy = dyn_cast<CopyOp>(use.getOwner());
      if (!copy || use.getOperandNumber() != 0)
        return true;
    }
  }
  return false;
}

/// The part of the window, clamped as the window is.
WindowOp partOf(WindowOp window, tensor::ExtractSliceOp part, RewriterBase &rewriter) {
  SmallVector<OpFoldResult> offsets = window.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = window.getMixedSizes();
  AffineExpr a = rewriter.getAffineSymbolExpr(0), b = rewriter.getAffineSymbolExpr(1);
  for (auto [dim, offset, size] :
       llvm::zip_equal(window.getDims(), part.getMixedOffsets(), part.getMixedSizes())) {
    offsets[dim] = affine::makeComposedFoldedAffineApply(rewriter, window.getLoc(), a + b,
                                                         {offsets[dim], offset});
    sizes[dim] = size;
  }
  auto result = rewriter.create<WindowOp>(window.getLoc(), window.getSource(), offsets,
                                          sizes, window.getDims());
  // It starts within the tensor only where all of the window lies there.
  if (Attribute inside = window->getAttr(inBoundsAttrName)) {
    result->setAttr(inBoundsAttrName, inside);
    result->setAttr(startInBoundsAttrName, inside);
  }
  return result;
}

void loadPart(OpOperand &operand, RewriterBase &rewriter) {
  auto part = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  auto copy = part ? part.getSource().getDefiningOp<CopyOp>() : CopyOp();
  auto window = copy ? copy.getSource().getDefiningOp<WindowOp>() : WindowOp();
  auto tensor = window ? window.getSource().getDefiningOp<TensorOp>() : TensorOp();
  if (!tensor || part.getSourceType().getRank() != 2 || part.getType().getRank() != 2 ||
      !part.getType().hasStaticShape() || !part.hasUnitStride() || isFound(part) ||
      isWritten(tensor))
    return;
  rewriter.setInsertionPoint(part);
  WindowOp narrow = partOf(window, part, rewriter);
  Value empty = rewriter.create<tensor::EmptyOp>(part.getLoc(), part.getType(), ValueRange());
  auto load = rewriter.create<CopyOp>(copy.getLoc(), TypeRange{part.getType()}, narrow, empty);
  rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(load->getResult(0)); });
  if (part->use_empty())
    rewriter.eraseOp(part);
  if (copy->use_empty())
    rewriter.eraseOp(copy);
}

} // namespace

void tilekiln::loadOperandParts(func::FuncOp entry, RewriterBase &rewriter) {
  SmallVector<GemmOp> gemms;
  entry.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
  for (GemmOp gemm : gemms)
    for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
      loadPart(*operand, rewriter);
}
