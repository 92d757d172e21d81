//===- CallRuntime.cpp - Matrix products and copies on memrefs ------------===//
//
// See cpu-call-runtime in Passes.td.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "tilekiln/Cpu/Passes.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_CPUCALLRUNTIME
#include "tilekiln/Cpu/Passes.h.inc"

namespace {

/// A matrix, or a stack of them, as numbers.
struct Matrix {
  Value pointer;
  SmallVector<Value> sizes, strides;

  Matrix(OpBuilder &b, Location loc, Value memref) {
    auto metadata = b.create<memref::ExtractStridedMetadataOp>(loc, memref);
    sizes.assign(metadata.getSizes().begin(), metadata.getSizes().end());
    strides.assign(metadata.getStrides().begin(), metadata.getStrides().end());
    Value base = b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, memref);
    pointer = advance(b, loc, base, metadata.getOffset());
  }

  /// `elements` f32 further.
  static Value advance(OpBuilder &b, Location loc, Value pointer,
                       Value elements) {
    Value size = b.create<arith::ConstantIndexOp>(loc, sizeof(float));
    Value bytes = b.create<arith::MulIOp>(loc, elements, size);
    return b.create<arith::AddIOp>(loc, pointer, bytes);
  }

  /// One matrix of a stack.
  void select(OpBuilder &b, Location loc, Value index) {
    Value elements = b.create<arith::MulIOp>(loc, index, strides[0]);
    pointer = advance(b, loc, pointer, elements);
    sizes.erase(sizes.begin());
    strides.erase(strides.begin());
  }
};

bool isProductOfF32(linalg::LinalgOp op) {
  return isa<linalg::MatmulOp, linalg::MatmulTransposeAOp,
             linalg::MatmulTransposeBOp, linalg::BatchMatmulOp,
             linalg::BatchMatmulTransposeAOp, linalg::BatchMatmulTransposeBOp>(
             op.getOperation()) &&
         op.hasPureBufferSemantics() &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return cast<MemRefType>(type).getElementType().isF32() &&
                  isStrided(cast<MemRefType>(type));
         });
}

void callMatmul(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Matrix left(rewriter, loc, op->getOperand(0));
  Matrix right(rewriter, loc, op->getOperand(1));
  Matrix out(rewriter, loc, op->getOperand(2));
  if (out.sizes.size() == 3) {
    Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    auto loop = rewriter.create<scf::ForOp>(loc, zero, out.sizes[0], one);
    rewriter.setInsertionPointToStart(loop.getBody());
    for (Matrix *matrix : {&left, &right, &out})
      matrix->select(rewriter, loc, loop.getInductionVar());
  }
  if (isa<linalg::MatmulTransposeAOp, linalg::BatchMatmulTransposeAOp>(
          op.getOperation())) {
    std::swap(left.sizes[0], left.sizes[1]);
    std::swap(left.strides[0], left.strides[1]);
  }
  if (isa<linalg::MatmulTransposeBOp, linalg::BatchMatmulTransposeBOp>(
          op.getOperation()))
    std::swap(right.strides[0], right.strides[1]);
  callRuntime(rewriter, loc, "tilekilnMatmul",
              {left.pointer, left.strides[0], left.strides[1], right.pointer,
               right.strides[0], right.strides[1], out.pointer, out.strides[0],
               out.strides[1], out.sizes[0], out.sizes[1], left.sizes[1]});
  rewriter.eraseOp(op);
}

struct CpuCallRuntime : impl::CpuCallRuntimeBase<CpuCallRuntime> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          linalgOp && isProductOfF32(linalgOp))
        products.push_back(linalgOp);
      // Upstream calls a slow function for a strided copy; a loop is
      // vectorised.
      if (auto copy = dyn_cast<memref::CopyOp>(op);
          copy && isa<MemRefType>(copy.getSource().getType()) &&
          isa<MemRefType>(copy.getTarget().getType()))
        copies.push_back(copy);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : products)
      callMatmul(rewriter, op);
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    }
  }
};

} // namespace
} // namespace tilekiln
