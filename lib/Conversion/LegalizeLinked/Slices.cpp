//===- Slices.cpp - Parts of tiles that lie askew in memory ---------------===//
//
// A part of a tile starts wherever it starts, but some functions of the
// vendor's library have no right path for addresses that are no multiple of 32
// bytes: conversions to f16 stop the core, those from and to bf16 and atomic
// stores do nothing. Such parts are copied first. An arithmetic operation that
// changes nothing would not do: the vendor's compiler drops it.
//
// Writing a part of a tile whose rows are no multiple of 32 bytes is taken for
// a concatenation, which its compiler fails on or does by transposing everything.
// Writing it into the same tile with one more dimension is a copy.
//
//===----------------------------------------------------------------------===//
#include "Patterns.h"
#include "../CommonIRToLinked/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include <numeric>

using namespace mlir;

namespace tilekiln {
namespace {

constexpr int64_t blockBytes = 32;

/// A number that surely divides the index; 0 if it is zero.
int64_t divisorOf(OpFoldResult index, unsigned depth = 8) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = dyn_cast<Value>(index);
  if (!value || depth == 0)
    return 1;
  auto of = [&](Value operand) { return divisorOf(operand, depth - 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? std::gcd(of(loop.getLowerBound()), of(loop.getStep()))
               : 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return of(op->getOperand(0)) * of(op->getOperand(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::SelectOp>(op))
    return std::gcd(of(op->getOperand(1)), of(op->getOperand(2)));
  if (isa<arith::IndexCastOp>(op))
    return of(op->getOperand(0));
  return 1;
}

int64_t bytesOf(RankedTensorType type) {
  return std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
}

/// Whether every position of the offsets in such a tile starts a block.
bool startsBlock(RankedTensorType type, ArrayRef<OpFoldResult> offsets) {
  int64_t strideBytes = bytesOf(type);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (divisorOf(offsets[dim]) * strideBytes % blockBytes != 0)
      return false;
    if (type.isDynamicDim(dim))
      return dim == 0;
    strideBytes *= type.getDimSize(dim);
  }
  return true;
}

bool mayBeAskew(Value value) {
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (!startsBlock(slice.getSourceType(), slice.getMixedOffsets()))
        return true;
    } else if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      return false;
    }
    value = op->getOperand(0);
  }
  return false;
}

/// Whether a library function that the operand reaches does not do its work on
/// such a part.
bool failsOnParts(OpOperand &use) {
  Operation *op = use.getOwner();
  Type element = getElementTypeOrSelf(use.get().getType());
  if (auto store = dyn_cast<hivm::StoreOp>(op))
    return store.getAtomicKind().value_or(hivm::AtomicKind::None) !=
           hivm::AtomicKind::None;
  // Comparisons set one bit at a time there and leave the rest of its byte, which
  // the next operation reads.
  if (isa<arith::TruncFOp, arith::CmpFOp, arith::CmpIOp>(op))
    return true;
  bool computes = isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                  isa<linalg::ReduceOp, hfusion::CastOp>(op);
  // bf16 is computed in f32, whatever the operation.
  return computes && element.isBF16();
}

struct CopyAskewPart : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    if (!slice.getType().hasStaticShape())
      return failure();
    return copyFor(slice.getResult(), rewriter);
  }

  /// Uses through a change of shape are uses of the part.
  LogicalResult copyFor(Value part, PatternRewriter &rewriter) const {
    SmallVector<OpOperand *> uses;
    bool changed = false;
    for (OpOperand &use : part.getUses()) {
      if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(use.getOwner()))
        changed |= succeeded(copyFor(use.getOwner()->getResult(0), rewriter));
      else if (failsOnParts(use) && mayBeAskew(part))
        uses.push_back(&use);
    }
    if (uses.empty())
      return success(changed);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(part);
    auto type = cast<RankedTensorType>(part.getType());
    Value empty = rewriter.create<tensor::EmptyOp>(part.getLoc(), type.getShape(),
                                                   type.getElementType());
    Value copy = rewriter.create<linalg::CopyOp>(part.getLoc(), part, empty).getResult(0);
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy); });
    return success();
  }
};

/// A part that loses its dimensions of one element and gets them back: as a view
/// its compiler gets the type of the second step wrong.
struct KeepUnitDims : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto slice = expand.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    RankedTensorType type = expand.getResultType();
    if (!slice || !type.hasStaticShape() || slice.getType().getRank() == slice.getSourceType().getRank() ||
        ArrayRef<int64_t>(slice.getStaticSizes()) != type.getShape())
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        expand, type, slice.getSource(), slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
    return success();
  }
};

/// A part that is written into a later version of its own tile outlives what it
/// is a part of: its compiler fails to plan the memory, so it is copied before the
/// tile is first written.
struct KeepOverwrittenPart : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || slice.getSource() == op.getDest() || !slice.getType().hasStaticShape())
      return failure();
    Operation *first = nullptr;
    for (OpOperand &use : slice.getSource().getUses()) {
      auto write = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      if (write && write.getDest() == slice.getSource() &&
          write->getBlock() == slice->getBlock() && (!first || write->isBeforeInBlock(first)))
        first = write;
    }
    if (!first)
      return failure();
    if (first->isBeforeInBlock(slice)) {
      for (Value operand : slice->getOperands()) {
        Operation *made = operand.getDefiningOp();
        if (made && made->getBlock() == first->getBlock() && !made->isBeforeInBlock(first))
          return failure();
      }
      rewriter.moveOpBefore(slice, first);
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(slice);
    Value copy = throughVectorUnit(slice.getResult(), op.getLoc(), rewriter);
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(copy); });
    return success();
  }
};

/// A column stored atomically. Where its width is known, the library is handed a
/// vector that leaps from row to row, which its atomic path does not store. A
/// width that only the launch knows keeps the rows: the least of 1 and the
/// number of blocks.
struct HideWidthOfAtomicColumn : OpRewritePattern<hivm::StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(hivm::StoreOp store,
                                PatternRewriter &rewriter) const override {
    auto part = store.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    auto place = store.getDest().getDefiningOp<memref::SubViewOp>();
    auto entry = store->getParentOfType<func::FuncOp>();
    if (store.getAtomicKind().value_or(hivm::AtomicKind::None) ==
            hivm::AtomicKind::None ||
        !part || !place || !entry || !entry->hasAttr("WorkspaceArgIdx"))
      return failure();
    int64_t last = part.getSourceType().getRank() - 1;
    if (last < 1 || part.getType().getRank() != last + 1 ||
        place.getType().getRank() != last + 1 ||
        part.getSourceType().getDimSize(last) == 1 ||
        part.getStaticSizes()[last] != 1 || place.getStaticSizes()[last] != 1)
      return failure();
    Location loc = store.getLoc();
    // Of the six integers at the end the first.
    Value blocks = entry.getArgument(entry.getNumArguments() - 6);
    Value one = rewriter.create<arith::ConstantOp>(
        loc, rewriter.getIntegerAttr(blocks.getType(), 1));
    Value width = rewriter.create<arith::IndexCastOp>(
        loc, rewriter.getIndexType(),
        rewriter.create<arith::MinSIOp>(loc, blocks, one));
    auto sizesOf = [&](auto op) {
      SmallVector<OpFoldResult> sizes = op.getMixedSizes();
      sizes[last] = width;
      return sizes;
    };
    Value source = rewriter.create<tensor::ExtractSliceOp>(
        loc, part.getSource(), part.getMixedOffsets(), sizesOf(part),
        part.getMixedStrides());
    Value dest = rewriter.create<memref::SubViewOp>(
        loc, place.getSource(), place.getMixedOffsets(), sizesOf(place),
        place.getMixedStrides());
    rewriter.modifyOpInPlace(store, [&] {
      store.getSourceMutable().assign(source);
      store.getDestMutable().assign(dest);
    });
    return success();
  }
};

struct WritePart : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getDestType(), source = op.getSourceType();
    if (type.getRank() != source.getRank() || type.getRank() == 0 ||
        !type.hasStaticShape() || !source.hasStaticShape() || isLegal(op))
      return failure();
    // What is computed goes through a change of shape, else its compiler has it
    // computed right into the destination, of another rank. What is read from a
    // tile must not: it gets the stride of a padded buffer wrong.
    Value part = op.getSource();
    unsigned more = 1;
    if (!isPart(part)) {
      part = expand(part, 1, op.getLoc(), rewriter);
      more = 2;
    }
    Value whole = expand(op.getDest(), more, op.getLoc(), rewriter);
    auto front = [&](SmallVector<OpFoldResult> list, int64_t first) {
      list.insert(list.begin(), more, rewriter.getIndexAttr(first));
      return list;
    };
    Value written = rewriter.create<tensor::InsertSliceOp>(
        op.getLoc(), part, whole, front(op.getMixedOffsets(), 0),
        front(op.getMixedSizes(), 1), front(op.getMixedStrides(), 1));
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, written,
                                                         groupsOf(type, more));
    return success();
  }

  static bool isPart(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<tensor::ExtractSliceOp>(op))
        return true;
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        return false;
      value = op->getOperand(0);
    }
    return false;
  }

  /// The first dimension stands for `more` of one element as well.
  static SmallVector<ReassociationIndices> groupsOf(RankedTensorType type,
                                                    unsigned more) {
    SmallVector<ReassociationIndices> groups(1);
    for (unsigned dim = 0; dim <= more; ++dim)
      groups[0].push_back(dim);
    for (int64_t dim = 1; dim < type.getRank(); ++dim)
      groups.push_back({dim + more});
    return groups;
  }

  static Value expand(Value tile, unsigned more, Location loc, OpBuilder &builder) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), more, 1);
    return builder.create<tensor::ExpandShapeOp>(
        loc, RankedTensorType::get(shape, type.getElementType()), tile,
        groupsOf(type, more));
  }

  /// Whole blocks into whole blocks are done well as they are.
  static bool isLegal(tensor::InsertSliceOp op) {
    RankedTensorType type = op.getDestType();
    int64_t last = type.getRank() - 1;
    int64_t rowBytes = type.getDimSize(last) * bytesOf(type);
    int64_t partBytes = op.getSourceType().getDimSize(last) * bytesOf(type);
    return op.getSourceType() == type ||
           (rowBytes % blockBytes == 0 && partBytes % blockBytes == 0 &&
            startsBlock(type, op.getMixedOffsets()));
  }
};

} // namespace

void populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<CopyAskewPart, HideWidthOfAtomicColumn, KeepOverwrittenPart, KeepUnitDims,
               WritePart>(patterns.getContext());
}

} // namespace tilekiln
