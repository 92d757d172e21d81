//===- LegalizeLinked.cpp - What the vendor's compiler gets right ---------===//
//
// The forms that bishengir-compile 1.2 refuses or compiles into something else
// are listed in the files of this folder, a family each. Scalars go to an
// ordinary instruction selector and need none of it, mathematics apart.
//
//===----------------------------------------------------------------------===//
#include "Patterns.h"
#include "tilekiln/Conversion/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_LEGALIZELINKED
#include "tilekiln/Conversion/Passes.h.inc"

namespace {
struct LegalizeLinked : impl::LegalizeLinkedBase<LegalizeLinked> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateComparePatterns(patterns);
    populateConstantPatterns(patterns);
    populateConvertPatterns(patterns);
    populateIntegerPatterns(patterns);
    populateLoopPatterns(patterns);
    populateMathPatterns(patterns);
    populateProductPatterns(patterns);
    populateRemainderPatterns(patterns);
    populateRoundingPatterns(patterns);
    populateSlicePatterns(patterns);
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config))) {
      getOperation().emitError(
          "legalize-linked does not come to an end on this kernel");
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace tilekiln
