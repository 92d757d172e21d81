//===- CheckPlacement.cpp - checkPlacement() as a pass --------------------===//
#include "tilekiln/Bishengir/Passes.h"
#include "tilekiln/Bishengir/Placement.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilekiln;

namespace tilekiln {
#define GEN_PASS_DEF_CHECKPLACEMENT
#include "tilekiln/Bishengir/Passes.h.inc"
} // namespace tilekiln

namespace {

std::optional<unsigned> countOrAny(int64_t count) {
  return count < 0 ? std::nullopt : std::optional<unsigned>(count);
}

struct CheckPlacement : tilekiln::impl::CheckPlacementBase<CheckPlacement> {
  using CheckPlacementBase::CheckPlacementBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bishengir::ExpectedPlacement expected;
    expected.unit = unit;
    expected.roundTrips = countOrAny(roundTrips);
    expected.storedResults = countOrAny(results);
    expected.doubleBufferedOperands = doubleBuffer;
    expected.source = bishengir::getSourceLine(module.getLoc());
    auto findings = checkPlacement(bishengir::getModuleFacts(module), expected);
    for (const bishengir::Finding &finding : findings) {
      Location loc = module.getLoc();
      if (const bishengir::SourceLine &source = finding.source; source.isKnown())
        loc = FileLineColLoc::get(&getContext(), source.file, source.line, source.column);
      InFlightDiagnostic diagnostic =
          finding.severity == bishengir::Severity::Error ? emitError(loc) : emitWarning(loc);
      diagnostic << finding.text << "; " << finding.advice << " [" << finding.check << "]";
    }
    if (bishengir::hasErrors(findings))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
