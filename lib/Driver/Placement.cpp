//===- Placement.cpp - What CommonIR says of a launch's placement ---------===//
#include "Variant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

bishengir::ExpectedPlacement tilekiln::expectedPlacement(LaunchOp launch) {
  bishengir::ExpectedPlacement expected;
  expected.source = bishengir::getSourceLine(launch.getLoc());
  auto unit = launch->getAttrOfType<StringAttr>(unitAttrName);
  if (!unit)
    return expected;
  expected.unit = llvm::StringSwitch<bishengir::Unit>(unit.getValue())
                      .Case("cube", bishengir::Unit::Cube)
                      .Case("vector", bishengir::Unit::Vector)
                      .Default(bishengir::Unit::Mix);
  if (expected.unit != bishengir::Unit::Cube)
    return expected;
  // A product in a loop loads its next operands while it computes.
  launch.walk([&](GemmOp gemm) {
    expected.doubleBufferedOperands |= gemm->getParentOfType<scf::ForOp>() != nullptr;
  });
  unsigned stores = 0;
  launch.walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op))
      stores += copy.isStore();
    stores += isa<AtomicOp>(op);
  });
  expected.storedResults = stores;
  return expected;
}
