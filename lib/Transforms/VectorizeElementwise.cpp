//===- VectorizeElementwise.cpp - Element-wise loops to whole-tile ops ----===//
//
// Each commonir.elementwise becomes ops on whole tiles where that is possible
// and right, and a loop nest of the same scalar ops where it is not, with a
// remark that says why: the scalar unit is about a hundred times slower.
//
//===----------------------------------------------------------------------===//
#include "Elementwise/SplitIndices.h"
#include "Elementwise/Vectorizer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilekiln/Transforms/Passes.h"

namespace tilekiln {
#define GEN_PASS_DEF_VECTORIZEELEMENTWISE
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

using namespace mlir;
using namespace tilekiln;

/// The same scalar ops in a loop nest.
static void convertToLoops(commonir::ElementwiseOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
  Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
  SmallVector<Value> indices;
  for (Value extent : op.getExtents()) {
    auto loop = builder.create<scf::ForOp>(loc, zero, extent, one);
    indices.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  Block *body = &op.getBody().front();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body->getOperations());
  for (auto [argument, index] : llvm::zip(body->getArguments(), indices))
    argument.replaceAllUsesWith(index);
  op.erase();
}

/// Erases those that nothing uses, and those in their regions, users first.
static void eraseDead(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        eraseDead(llvm::to_vector(llvm::make_pointer_range(block)));
    if (isOpTriviallyDead(op))
      op->erase();
  }
}

/// Tile ops in front of `op`, or nothing and the reason.
static llvm::Error convertToTiles(commonir::ElementwiseOp op,
                                  ArrayRef<int64_t> extents) {
  OpBuilder builder(op);
  // What is built lies between the anchor and the op.
  Operation *anchor = builder.create<arith::ConstantIndexOp>(op.getLoc(), 0);
  llvm::Error error =
      elementwise::Vectorizer(op, extents, builder, anchor).run();
  if (error)
    while (op->getPrevNode() != anchor)
      op->getPrevNode()->erase();
  eraseDead(llvm::to_vector(llvm::make_pointer_range(
      llvm::make_range(std::next(anchor->getIterator()), op->getIterator()))));
  anchor->erase();
  return error;
}

namespace {
struct VectorizeElementwise
    : tilekiln::impl::VectorizeElementwiseBase<VectorizeElementwise> {
  using VectorizeElementwiseBase::VectorizeElementwiseBase;

  void runOnOperation() override {
    SmallVector<commonir::ElementwiseOp> ops;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](commonir::ElementwiseOp op) { ops.push_back(op); });
    for (commonir::ElementwiseOp op : ops)
      convert(op);
  }

  /// Over the digits of indices that the body takes apart; true where that can be
  /// done on tiles.
  bool convertDigits(commonir::ElementwiseOp op, ArrayRef<int64_t> extents) {
    commonir::ElementwiseOp split = elementwise::splitIndices(op, extents);
    if (!split)
      return false;
    SmallVector<int64_t> counts;
    for (Value extent : split.getExtents())
      counts.push_back(*getConstantIntValue(extent));
    llvm::Error error = convertToTiles(split, counts);
    bool isDone = !error;
    llvm::consumeError(std::move(error));
    split.erase();
    return isDone;
  }

  void convert(commonir::ElementwiseOp op) {
    if (scalarOnly)
      return convertToLoops(op);
    SmallVector<int64_t> extents;
    for (auto [position, extent] : llvm::enumerate(op.getExtents())) {
      std::optional<int64_t> constant = getConstantIntValue(extent);
      if (!constant) {
        emitRemark(op.getLoc(), "runs on the scalar unit: extent ")
            << position << " is known only at run time";
        return convertToLoops(op);
      }
      extents.push_back(*constant);
    }
    if (llvm::any_of(extents, [](int64_t n) { return n <= 0; }))
      return op.erase();
    llvm::Error error = convertToTiles(op, extents);
    if (error && convertDigits(op, extents)) {
      llvm::consumeError(std::move(error));
      error = llvm::Error::success();
    }
    if (error) {
      emitRemark(op.getLoc(), "runs on the scalar unit: ")
          << llvm::toString(std::move(error));
      return convertToLoops(op);
    }
    op.erase();
  }
};
} // namespace
