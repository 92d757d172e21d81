//===- VendorFaults.cpp - Forms that the vendor's compiler gets wrong -----===//
//
// Found by compiling random tile programs. Each function names the fault and the
// form that avoids it.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "tilekiln/Conversion/Passes.h"
#include "tilekiln/Conversion/StepOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;

namespace tilekiln {
#define GEN_PASS_DEF_AVOIDVENDORFAULTS
#include "tilekiln/Conversion/Passes.h.inc"
} // namespace tilekiln

Value tilekiln::throughVectorUnit(Value tile, Location loc, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tile.getType());
  Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType());
  auto largest = linalg::BinaryFnAttr::get(rewriter.getContext(), linalg::BinaryFn::max_signed);
  return rewriter
      .create<linalg::ElemwiseBinaryOp>(loc, ValueRange{tile, tile}, ValueRange{empty},
                                        rewriter.getNamedAttr("fun", largest))
      .getResult(0);
}

/// Has the vector unit make what `use` reads.
static void makeAnew(OpOperand &use, RewriterBase &rewriter) {
  Operation *reader = use.getOwner();
  rewriter.setInsertionPoint(reader);
  Value made = throughVectorUnit(use.get(), reader->getLoc(), rewriter);
  rewriter.modifyOpInPlace(reader, [&] { use.set(made); });
}

/// True where every step of the loop would compute the same value.
static bool isInvariantIn(LoopLikeOpInterface loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isInvariantIn(loop, operand); });
}

/// optimize-dps-op-with-yielded-insert-slice makes what is inserted into a carried
/// tile start from a slice of that tile. What does not change from step to step is
/// in front of the loop by then, where the tile is not known ("operand #0 does not
/// dominate this use"). It leaves tiles alone that an op of the loop made.
static void separateInvariantInserts(Operation *entry, RewriterBase &rewriter) {
  SmallVector<tensor::InsertSliceOp> inserts;
  entry->walk([&](tensor::InsertSliceOp insert) {
    auto carried = dyn_cast<BlockArgument>(insert.getDest());
    auto loop = carried ? dyn_cast<LoopLikeOpInterface>(carried.getOwner()->getParentOp())
                        : LoopLikeOpInterface();
    if (loop && isInvariantIn(loop, insert.getSource()))
      inserts.push_back(insert);
  });
  for (tensor::InsertSliceOp insert : inserts)
    makeAnew(insert.getDestMutable(), rewriter);
}

/// A product plus zero becomes the product alone, which then lies where nobody
/// expects it (a loop that starts from it has "different type[s]" of memory).
static void separateZeroAddends(Operation *entry, RewriterBase &rewriter) {
  auto isZero = [](Value value) {
    auto fill = value.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.value(), m_AnyZeroFloat());
  };
  SmallVector<OpOperand *> products;
  entry->walk([&](arith::AddFOp sum) {
    for (unsigned i : {0, 1})
      if (sum->getOperand(i).getDefiningOp<linalg::MatmulOp>() &&
          isZero(sum->getOperand(1 - i)))
        products.push_back(&sum->getOpOperand(i));
  });
  for (OpOperand *product : products)
    makeAnew(*product, rewriter);
}

/// Whether a loop hands a carried tile on in another place (a swap): it is taken for
/// one that does not change, the loop goes, and its start is what comes out.
static bool isRotated(OpOperand &yielded, scf::ForOp loop) {
  auto carried = dyn_cast<BlockArgument>(yielded.get());
  return isa<RankedTensorType>(yielded.get().getType()) && carried &&
         carried.getOwner() == loop.getBody() &&
         carried != loop.getRegionIterArg(yielded.getOperandNumber());
}

/// Whether a loop hands a part of a tile on: it lies in the tile's buffer, and the
/// loop's start in the same one. Where the tile has two buffers in turn, nobody
/// chooses between them for the start.
static bool isPart(OpOperand &yielded) {
  auto slice = yielded.get().getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getType().hasStaticShape();
}

static void separateHandedOn(Operation *entry, RewriterBase &rewriter) {
  SmallVector<OpOperand *> handedOn;
  entry->walk([&](scf::ForOp loop) {
    for (OpOperand &yielded : loop.getBody()->getTerminator()->getOpOperands())
      if (isRotated(yielded, loop) || isPart(yielded))
        handedOn.push_back(&yielded);
  });
  for (OpOperand *yielded : handedOn)
    makeAnew(*yielded, rewriter);
}

/// hivm-bind-sub-block gives each of a block's two vector cores half of the rows
/// of every tile. Where a part of a tile is written, it halves the part as well,
/// and what crosses the halves is lost; or it gives up after the stores, which
/// both cores then do. The mark is one of the things that it does not even begin
/// on, wherever it is: the first core alone stores. On a fill it is in nobody's way;
/// on a part that was written the part may find no memory ("from cbuf to cbuf").
static void keepPartsOnOneCore(Operation *entry, RewriterBase &rewriter) {
  Value insert, fill;
  bool usesCube = false;
  entry->walk([&](Operation *op) {
    usesCube |= isa<linalg::MatmulOp>(op);
    if (isa<tensor::InsertSliceOp>(op) && !insert)
      insert = op->getResult(0);
    if (isa<linalg::FillOp>(op) && op->getNumResults() == 1 && !fill)
      fill = op->getResult(0);
  });
  if (!usesCube || !insert)
    return;
  Value marked = fill ? fill : insert;
  rewriter.setInsertionPointAfterValue(marked);
  hivm::createMark(rewriter, marked.getLoc(), marked, "MayImplicitTransposeWithLastAxis");
}

namespace {
struct AvoidVendorFaults : tilekiln::impl::AvoidVendorFaultsBase<AvoidVendorFaults> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    separateInvariantInserts(getOperation(), rewriter);
    separateZeroAddends(getOperation(), rewriter);
    separateHandedOn(getOperation(), rewriter);
    keepPartsOnOneCore(getOperation(), rewriter);
    if (needsStepOrder(getOperation()))
      getOperation()->setAttr(stepOrderAttrName, rewriter.getUnitAttr());
  }
};
} // namespace
