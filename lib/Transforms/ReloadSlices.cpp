//===- ReloadSlices.cpp - Operands that are a tile of their own -----------===//
//
// The cube's library reads an operand as whole fractals that lie side by side.
// A slice of a resident tile is that only if it takes whole columns of fractals;
// of any other slice the library would read other elements. Such a slice is
// loaded from global memory by itself, where nothing writes the tensor meanwhile.
// So is an operand that a loop in front of the product loaded: to carry it, it would
// have to lie in the vector unit's memory, and the vendor's compiler drops that load.
//
//===----------------------------------------------------------------------===//
#include "LoadedSlices.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_RELOADSLICES
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

/// A row of a fractal, which operands are cut into, on every Ascend cube.
constexpr int64_t fractalRowBytes = 32;

/// Whether a slice is whole columns of fractals, of one plane of the tile.
bool isWholeFractals(tensor::ExtractSliceOp slice) {
  RankedTensorType type = slice.getSourceType();
  int64_t rank = type.getRank();
  if (rank < 2 || !slice.hasUnitStride())
    return false;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (!isConstantIntValue(sizes[dim], 1))
      return false;
  auto isWhole = [&](int64_t dim) {
    return isConstantIntValue(offsets[dim], 0) &&
           isConstantIntValue(sizes[dim], type.getDimSize(dim));
  };
  if (!isWhole(rank - 2))
    return false;
  int64_t rowElements = fractalRowBytes * 8 / type.getElementTypeBitWidth();
  return isWhole(rank - 1) || (isMultipleOf(offsets[rank - 1], rowElements) &&
                               isMultipleOf(sizes[rank - 1], rowElements));
}

struct ReloadSlices : tilekiln::impl::ReloadSlicesBase<ReloadSlices> {
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    IRRewriter rewriter(&getContext());
    for (GemmOp gemm : gemms)
      for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
        if (auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
            slice && !isWholeFractals(slice))
          reloadSlice(*operand, rewriter);
    bool isReloaded = false;
    for (GemmOp gemm : gemms)
      for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
        isReloaded |= reloadLastStep(*operand, rewriter);
    if (!isReloaded)
      return;
    // Loops no longer carry what nobody reads.
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
