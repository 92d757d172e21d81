//===- Steps.cpp - A product in several steps along K ---------------------===//
#include "../LoadedSlices.h"
#include "Retile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// `length` of a matrix from `start` of one dimension.
static Value slice(Value matrix, int64_t dim, Value start, int64_t length,
                   RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(matrix.getType());
  SmallVector<OpFoldResult> offsets(2, rewriter.getIndexAttr(0)),
      sizes(getAsIndexOpFoldResult(rewriter.getContext(), type.getShape())),
      strides(2, rewriter.getIndexAttr(1));
  offsets[dim] = start;
  sizes[dim] = rewriter.getIndexAttr(length);
  return rewriter.create<tensor::ExtractSliceOp>(matrix.getLoc(), matrix, offsets, sizes,
                                                 strides);
}

static bool cutProduct(GemmOp gemm, int64_t parts, RewriterBase &rewriter) {
  // A clear belongs to the first step alone.
  if (gemm.getClear() || !getRepeatableLoad(gemm.getA()) || !getRepeatableLoad(gemm.getB()))
    return false;
  int64_t depthOfA = !gemm.getTransposeA(), depthOfB = gemm.getTransposeB();
  auto type = cast<RankedTensorType>(gemm.getA().getType());
  constexpr int64_t fractalRows = 16, fractalRowBytes = 32;
  int64_t alignment = std::max<int64_t>(
      fractalRows, fractalRowBytes * 8 / type.getElementTypeBitWidth());
  int64_t depth = type.getDimSize(depthOfA);
  std::optional<int64_t> part = partOf(depth, parts, alignment);
  if (!part)
    return false;
  gemm.emitRemark() << "the operands do not fit on chip together as they are written; they are "
                       "loaded and multiplied "
                    << *part << " of K's " << depth << " at a time";
  Location loc = gemm.getLoc();
  rewriter.setInsertionPoint(gemm);
  auto index = [&](int64_t value) {
    return rewriter.create<arith::ConstantIndexOp>(loc, value);
  };
  auto loop = rewriter.create<scf::ForOp>(loc, index(0), index(depth), index(*part),
                                          ValueRange{gemm.getInit()});
  rewriter.setInsertionPointToStart(loop.getBody());
  Value start = loop.getInductionVar();
  Value a = slice(gemm.getA(), depthOfA, start, *part, rewriter);
  Value b = slice(gemm.getB(), depthOfB, start, *part, rewriter);
  auto step = cast<GemmOp>(rewriter.clone(*gemm));
  step.getAMutable().assign(a);
  step.getBMutable().assign(b);
  step.getInitMutable().assign(loop.getRegionIterArg(0));
  rewriter.create<scf::YieldOp>(loc, step->getResults());
  rewriter.replaceOp(gemm, loop.getResults());
  reloadSlice(step.getAMutable(), rewriter);
  reloadSlice(step.getBMutable(), rewriter);
  return true;
}

bool tilekiln::cutSteps(LaunchOp launch, int64_t parts, RewriterBase &rewriter) {
  SmallVector<GemmOp> gemms;
  launch.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
  bool any = false;
  for (GemmOp gemm : gemms)
    any |= cutProduct(gemm, parts, rewriter);
  return any;
}
