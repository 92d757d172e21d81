//===- Pipelines.cpp - The passes, in order -------------------------------===//
#include "Pipelines.h"
#include "tilekiln/Conversion/Passes.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilekiln;

static bool isOn(const CompileOptions &options, StringRef flag) {
  assert(llvm::is_contained(disableablePasses, flag) && "an option that compile() refuses");
  return !llvm::is_contained(options.disabledPasses, flag);
}

void tilekiln::addCheckPasses(OpPassManager &passes, const CompileOptions &options) {
  CheckBoundsOptions bounds;
  bounds.outOfBounds = options.outOfBounds;
  passes.addNestedPass<func::FuncOp>(createCheckBounds(bounds));
}

void tilekiln::addTilePasses(OpPassManager &passes, const CompileOptions &options) {
  VectorizeElementwiseOptions vectorize;
  vectorize.scalarOnly = !isOn(options, "vectorize-elementwise");
  passes.addNestedPass<func::FuncOp>(createVectorizeElementwise(vectorize));
  // The windows that element accesses became: marked, not judged, since a single
  // element outside of its tensor is no error.
  CheckBoundsOptions mark;
  mark.outOfBounds = "zero";
  passes.addNestedPass<func::FuncOp>(createCheckBounds(mark));
  passes.addNestedPass<func::FuncOp>(createPromoteTiles());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (isOn(options, "hoist-clear"))
    passes.addNestedPass<func::FuncOp>(createHoistClear());
  passes.addNestedPass<func::FuncOp>(createReloadSlices());
  passes.addNestedPass<func::FuncOp>(createDefineEdges());
}

void tilekiln::addPlacementPasses(OpPassManager &passes, StringRef targetFile,
                                  bool assumeLoopsRun) {
  InferPlacementOptions placement;
  placement.target = targetFile.str();
  placement.assumeLoopsRun = assumeLoopsRun;
  passes.addNestedPass<func::FuncOp>(createInferPlacement(placement));
  CheckCapacityOptions capacity;
  capacity.target = placement.target;
  passes.addNestedPass<func::FuncOp>(createCheckCapacity(capacity));
}

void tilekiln::addLinkedPasses(OpPassManager &passes) {
  passes.addPass(createConvertCommonIRToLinked());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createLegalizeLinked());
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createAvoidVendorFaults());
}
