//===- Fit.cpp - Into how many parts a block's work is cut to fit ---------===//
#include "Fit.h"
#include "tilekiln/Transforms/Capacity.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// More would leave parts of a few rows, which no unit works on well.
constexpr int64_t mostParts = 64;

LaunchParts LaunchParts::cutMore(StringRef space, const Target &target) const {
  bool byStep = space == target.findRole("operand") && steps < mostParts;
  return byStep ? LaunchParts{rows, steps * 2} : LaunchParts{rows * 2, steps};
}

static SmallVector<LaunchOp> launchesOf(ModuleOp module) {
  SmallVector<LaunchOp> launches;
  for (auto function : module.getOps<func::FuncOp>())
    llvm::append_range(launches, function.getOps<LaunchOp>());
  return launches;
}

static OwningOpRef<ModuleOp> cut(ModuleOp valueForm, ArrayRef<LaunchParts> parts) {
  OwningOpRef<ModuleOp> module(valueForm.clone());
  if (llvm::all_of(parts, [](const LaunchParts &launch) { return launch == LaunchParts(); }))
    return module;
  OpBuilder builder(module->getContext());
  for (auto [launch, wanted] : llvm::zip_equal(launchesOf(*module), parts)) {
    launch->setAttr(rowPartsAttrName, builder.getI64IntegerAttr(wanted.rows));
    launch->setAttr(stepPartsAttrName, builder.getI64IntegerAttr(wanted.steps));
  }
  PassManager passes(module->getContext());
  passes.addNestedPass<func::FuncOp>(createRetile());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return succeeded(passes.run(*module)) ? std::move(module) : nullptr;
}

/// What is short, per launch; nothing at all where the placement fails.
static std::optional<SmallVector<std::optional<Overfull>>>
tryPlacement(ModuleOp module, const LoweringOptions &options) {
  OwningOpRef<ModuleOp> placed(module.clone());
  InferPlacementOptions placement;
  placement.target = options.targetFile.str();
  placement.assumeLoopsRun = options.assumeLoopsRun;
  PassManager passes(module->getContext());
  passes.addNestedPass<func::FuncOp>(createInferPlacement(placement));
  if (failed(passes.run(*placed)))
    return std::nullopt;
  SmallVector<std::optional<Overfull>> found;
  for (LaunchOp launch : launchesOf(*placed)) {
    // A product that waits for its loads is slower than one in smaller steps.
    auto unit = launch->getAttrOfType<StringAttr>(unitAttrName);
    bool isCube = unit && unit.getValue() == "cube";
    found.push_back(findOverfull(launch, options.target, /*doubleBuffered=*/isCube));
  }
  return found;
}

OwningOpRef<ModuleOp> tilekiln::fitOnChip(ModuleOp valueForm, const LoweringOptions &options,
                                          SmallVectorImpl<LaunchParts> &parts) {
  parts.resize(launchesOf(valueForm).size());
  if (!options.retile)
    return OwningOpRef<ModuleOp>(valueForm.clone());
  SmallVector<LaunchParts> tried(parts.begin(), parts.end());
  {
    // What the passes say of attempts is nobody's to read.
    ScopedDiagnosticHandler quiet(valueForm->getContext(),
                                  [](Diagnostic &) { return success(); });
    while (true) {
      OwningOpRef<ModuleOp> module = cut(valueForm, tried);
      auto found = module ? tryPlacement(*module, options) : std::nullopt;
      if (!found)
        break;
      bool fits = true, canCutMore = true;
      for (auto [launch, overfull] : llvm::zip_equal(tried, *found)) {
        if (!overfull)
          continue;
        fits = false;
        launch = launch.cutMore(overfull->space, options.target);
        canCutMore &= launch.rows <= mostParts;
      }
      if (fits) {
        parts = tried;
        break;
      }
      if (!canCutMore)
        break;
    }
  }
  return cut(valueForm, parts);
}
