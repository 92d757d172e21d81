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

/// An operand of a product as numbers.
struct Operand {
  OpBuilder &b;
  Location loc;
  AffineMap map; // from the product's loops to its dimensions
  Value pointer;
  SmallVector<Value> sizes, strides;

  Operand(OpBuilder &b, linalg::LinalgOp product, unsigned number)
      : b(b), loc(product.getLoc()), map(product.getIndexingMapsArray()[number]) {
    Value memref = product->getOperand(number);
    auto metadata = b.create<memref::ExtractStridedMetadataOp>(loc, memref);
    sizes.assign(metadata.getSizes().begin(), metadata.getSizes().end());
    strides.assign(metadata.getStrides().begin(), metadata.getStrides().end());
    pointer = b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, memref);
    advance(metadata.getOffset());
  }

  unsigned dimOf(unsigned loop) const {
    return *map.getResultPosition(b.getAffineDimExpr(loop));
  }
  Value sizeAlong(unsigned loop) const { return sizes[dimOf(loop)]; }
  Value strideAlong(unsigned loop) const { return strides[dimOf(loop)]; }

  /// `elements` f32 further.
  void advance(Value elements) {
    Value size = b.create<arith::ConstantIndexOp>(loc, sizeof(float));
    Value bytes = b.create<arith::MulIOp>(loc, elements, size);
    pointer = b.create<arith::AddIOp>(loc, pointer, bytes);
  }

  /// One matrix of a stack.
  void select(unsigned loop, Value index) {
    advance(b.create<arith::MulIOp>(loc, index, strideAlong(loop)));
  }
};

/// A product of two matrices, or of two stacks of them, however its operands are
/// transposed.
bool isProductOfF32(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || !linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return cast<MemRefType>(type).getElementType().isF32() &&
               isStrided(cast<MemRefType>(type));
      }))
    return false;
  auto loops = linalg::inferContractionDims(op);
  return succeeded(loops) && loops->batch.size() <= 1 && loops->m.size() == 1 &&
         loops->n.size() == 1 && loops->k.size() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

void callMatmul(RewriterBase &rewriter, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  auto loops = *linalg::inferContractionDims(op);
  unsigned m = loops.m[0], n = loops.n[0], k = loops.k[0];
  rewriter.setInsertionPoint(op);
  Operand left(rewriter, op, 0), right(rewriter, op, 1), out(rewriter, op, 2);
  if (!loops.batch.empty()) {
    Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    auto loop = rewriter.create<scf::ForOp>(
        loc, zero, out.sizeAlong(loops.batch[0]), one);
    rewriter.setInsertionPointToStart(loop.getBody());
    for (Operand *operand : {&left, &right, &out})
      operand->select(loops.batch[0], loop.getInductionVar());
  }
  callRuntime(rewriter, loc, "tilekilnMatmul",
              {left.pointer, left.strideAlong(m), left.strideAlong(k),
               right.pointer, right.strideAlong(k), right.strideAlong(n),
               out.pointer, out.strideAlong(m), out.strideAlong(n),
               out.sizeAlong(m), out.sizeAlong(n), left.sizeAlong(k)});
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
