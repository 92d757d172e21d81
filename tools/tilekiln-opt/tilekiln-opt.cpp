//===- tilekiln-opt.cpp - Runs single passes over text --------------------===//
#include "tilekiln/Bishengir/Passes.h"
#include "tilekiln/Conversion/Passes.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  tilekiln::registerTileKilnTransformsPasses();
  tilekiln::registerTileKilnConversionPasses();
  tilekiln::registerTileKilnBishengirPasses();
  registry.insert<tilekiln::commonir::CommonIRDialect>();
  tilekiln::hivm::registerFinalIRDialects(registry);
  tilekiln::commonir::registerValueBoundsModels(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TileKiln's pass driver\n", registry));
}
