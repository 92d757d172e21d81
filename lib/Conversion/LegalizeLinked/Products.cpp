//===- Products.cpp - What follows a matrix product -----------------------===//
//
// The vendor's compiler takes some operations on a product for the cube's own
// and has the cube do them while it writes the product, right or wrong: an
// integer product that is cut short becomes a quantisation, which scales it,
// and a bias wider than the bias table is copied past the table's end. An
// operation of the vector unit in between keeps them apart.
//
//===----------------------------------------------------------------------===//
#include "../Casts.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilekiln {
namespace {

constexpr int64_t biasTableBytes = 1024;

/// Whether the value comes from the cube with nothing done to it since.
bool isProduct(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op))
    return true;
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isProduct(loop.getYieldedValues()[result.getResultNumber()], depth - 1);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isProduct(branch.thenYield().getOperand(result.getResultNumber()), depth - 1) ||
           isProduct(branch.elseYield().getOperand(result.getResultNumber()), depth - 1);
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return isProduct(op->getOperand(0), depth - 1);
  return false;
}

struct TruncateProduct : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    unsigned bits = type ? type.getElementTypeBitWidth() : 0;
    if (bits <= 1 || !isProduct(op.getIn()))
      return failure();
    // It changes no bit that is kept.
    Value kept = constantLike(op.getIn(), (int64_t(1) << bits) - 1, op.getLoc(), rewriter);
    Value low = rewriter.create<arith::AndIOp>(op.getLoc(), op.getIn(), kept);
    rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(low); });
    return success();
  }
};

struct WideBias : OpRewritePattern<linalg::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    if (type.getRank() != 1 || !type.hasStaticShape() || op.getDimensions() != ArrayRef<int64_t>{0} ||
        type.getNumElements() * 4 <= biasTableBytes || isCopy(op.getInput()) ||
        llvm::none_of(op->getUsers(), [](Operation *user) {
          return isa<arith::AddFOp, arith::AddIOp>(user) &&
                 llvm::any_of(user->getOperands(),
                              [](Value operand) { return isProduct(operand); });
        }))
      return failure();
    Value empty = rewriter.create<tensor::EmptyOp>(op.getLoc(), type.getShape(),
                                                   type.getElementType());
    Value copy = rewriter.create<linalg::CopyOp>(op.getLoc(), op.getInput(), empty)
                     .getResult(0);
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(copy); });
    return success();
  }

  static bool isCopy(Value value) { return bool(value.getDefiningOp<linalg::CopyOp>()); }
};

} // namespace

void populateProductPatterns(RewritePatternSet &patterns) {
  patterns.add<TruncateProduct, WideBias>(patterns.getContext());
}

} // namespace tilekiln
