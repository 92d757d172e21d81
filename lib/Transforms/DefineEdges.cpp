//===- DefineEdges.cpp - What a product is beyond its operands' edges -----===//
//
// Outside of its tensor a loaded operand is zero, so the product's rows and columns
// there are too. The vendor's compiler leaves them out instead: it multiplies only
// as many rows and columns as were loaded, and the rest of the sum is whatever the
// accumulator's memory held. Where that could be seen, a selection puts the zeros
// back.
//
//===----------------------------------------------------------------------===//
#include "LoadedSlices.h"
#include "Retile/DimClasses.h"
#include "Retile/Retile.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_DEFINEEDGES
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

/// The dimension of a tensor that a dimension of a tile moves along, and where.
struct Place {
  WindowOp window;
  int64_t dim;

  OpFoldResult offset() { return window.getMixedOffsets()[dim]; }
  OpFoldResult extent() {
    auto tensor = window.getSource().getDefiningOp<TensorOp>();
    return tensor ? tensor.getMixedSizes()[dim] : OpFoldResult();
  }
  bool isInside() {
    auto flags = window->getAttrOfType<DenseBoolArrayAttr>(inBoundsAttrName);
    return flags && flags[dim];
  }
};

/// Where an operand was loaded from, if it may reach past the tensor's end there.
std::optional<Place> edgeOf(Value operand, int64_t dim) {
  auto load = operand.getDefiningOp<CopyOp>();
  auto window = load ? load.getSource().getDefiningOp<WindowOp>() : WindowOp();
  if (!window)
    return std::nullopt;
  Place place{window, window.getDims()[dim]};
  return place.isInside() || !place.extent() ? std::nullopt : std::optional(place);
}

/// A product with what it is added to: in loops, once they are done.
struct Sum {
  Value start, end;
};

Sum sumOf(GemmOp gemm) {
  Sum sum{gemm.getInit(), gemm->getResult(0)};
  if (gemm.getClear())
    return sum;
  // Other products of the sum may end elsewhere, and are to be kept there.
  Sum outer = sum;
  while (auto argument = dyn_cast<BlockArgument>(outer.start)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !isAccumulatorSlot(argument) || !outer.end.hasOneUse() ||
        loop.getTiedLoopYieldedValue(argument)->get() != outer.end)
      return sum;
    outer = {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopResult(argument)};
  }
  return outer;
}

bool areEqual(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(a, b);
  return succeeded(equal) && *equal;
}

/// Whether a place can be computed where `at` is: all that it comes from is known.
bool isKnownAt(OpFoldResult place, Value at) {
  auto dynamic = dyn_cast<Value>(place);
  if (!dynamic)
    return true;
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, dynamic.getContext());
  SmallVector<Value> operands{dynamic};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  return llvm::all_of(operands, [&](Value operand) {
    return operand.getParentRegion()->isAncestor(at.getParentRegion());
  });
}

/// Whether what lies beyond the edge is never seen: nothing looks across the
/// dimension, and every store along it ends where the operand's tensor does.
bool isCutOff(Value sum, int64_t dim, Place edge, ArrayRef<DimClass> separable) {
  for (const DimClass &along : separable) {
    if (llvm::none_of(along.dims, [&](TileDim d) { return d.tile == sum && d.dim == dim; }))
      continue;
    return llvm::all_of(along.dims, [&](TileDim d) {
      auto window = d.tile.getDefiningOp<WindowOp>();
      bool isStored = window && llvm::any_of(window->getUsers(), [&](Operation *user) {
        auto copy = dyn_cast<CopyOp>(user);
        return !copy || copy.getInit() == d.tile;
      });
      if (!isStored)
        return true;
      Place place{window, window.getDims()[d.dim]};
      return place.extent() && areEqual(place.extent(), edge.extent()) &&
             areEqual(place.offset(), edge.offset());
    });
  }
  return false;
}

/// i1 over the tile: before the edge along `dim`.
Value maskBefore(Place edge, RankedTensorType tile, int64_t dim, Location loc,
                 RewriterBase &rewriter) {
  MLIRContext *context = rewriter.getContext();
  int64_t extent = tile.getDimSize(dim);
  AffineExpr whole = getAffineSymbolExpr(0, context), start = getAffineSymbolExpr(1, context);
  OpFoldResult left = affine::makeComposedFoldedAffineApply(rewriter, loc, whole - start,
                                                            {edge.extent(), edge.offset()});
  Value count = getValueOrCreateConstantIndexOp(rewriter, loc, left);
  auto index = [&](int64_t value) {
    return rewriter.create<arith::ConstantIndexOp>(loc, value);
  };
  count = rewriter.create<arith::MaxSIOp>(loc, count, index(0));
  count = rewriter.create<arith::MinSIOp>(loc, count, index(extent));
  auto numbers = RankedTensorType::get({extent}, rewriter.getI32Type());
  Value number = rewriter.create<IotaOp>(loc, numbers);
  Value end = rewriter.create<tensor::SplatOp>(
      loc, rewriter.create<arith::IndexCastOp>(loc, rewriter.getI32Type(), count), numbers);
  Value line =
      rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, end);
  Value empty = rewriter.create<tensor::EmptyOp>(loc, tile.getShape(), rewriter.getI1Type());
  return rewriter.create<linalg::BroadcastOp>(loc, line, empty, ArrayRef<int64_t>{1 - dim})
      ->getResult(0);
}

/// An edge of a product that shows.
struct OpenEdge {
  GemmOp gemm;
  Place edge;
  int64_t dim;
};

struct DefineEdges : tilekiln::impl::DefineEdgesBase<DefineEdges> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (LaunchOp launch : getOperation().getOps<LaunchOp>()) {
      SmallVector<OpenEdge> edges;
      launch.walk([&](GemmOp gemm) {
        if (auto edge = edgeOf(gemm.getA(), gemm.getTransposeA()))
          edges.push_back({gemm, *edge, 0});
        if (auto edge = edgeOf(gemm.getB(), !gemm.getTransposeB()))
          edges.push_back({gemm, *edge, 1});
      });
      if (edges.empty())
        continue;
      separateStarts(launch, rewriter);
      SmallVector<DimClass> separable = DimClasses(launch, /*cut=*/false).getSeparable();
      llvm::erase_if(edges, [&](OpenEdge &open) {
        return isCutOff(sumOf(open.gemm).end, open.dim, open.edge, separable);
      });
      for (OpenEdge &open : edges)
        define(open, rewriter);
    }
  }

  /// Beyond the edge the sum is what it started from.
  void define(OpenEdge &open, RewriterBase &rewriter) {
    Sum sum = sumOf(open.gemm);
    // A place that changes from step to step has to be looked at in each.
    if (!isKnownAt(open.edge.offset(), sum.end))
      sum = {open.gemm.getInit(), open.gemm->getResult(0)};
    Location loc = open.gemm.getLoc();
    auto type = cast<RankedTensorType>(sum.end.getType());
    rewriter.setInsertionPointAfterValue(sum.end);
    Value start = sum.start;
    if (Value clear = open.gemm.getClear()) {
      Value zero = rewriter.create<arith::ConstantOp>(
          loc, SplatElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType())));
      start = matchPattern(clear, m_One())
                  ? zero
                  : rewriter.create<arith::SelectOp>(loc, clear, zero, start).getResult();
    }
    Value mask = maskBefore(open.edge, type, open.dim, loc, rewriter);
    auto select = rewriter.create<arith::SelectOp>(loc, mask, sum.end, start);
    rewriter.replaceAllUsesExcept(sum.end, select, select);
  }
};

} // namespace
