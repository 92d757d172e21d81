//===- Lint.cpp - Ops and entries that hivmc would not take ---------------===//
//
// What the vendor's compiler forgets to lower it leaves in place and succeeds.
// The lists here say what stays and what it means.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/Lint.h"
#include "Trace.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilekiln::bishengir {
namespace {

std::string getName(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

void lintOp(Operation *op, std::vector<Finding> &findings) {
  if (hivm::isUnloweredVendorOp(op)) {
    findings.push_back(findingAt(
        op, "unlowered-op",
        "the vendor's compiler left " + getName(op) +
            " unlowered, and hivmc does not take it",
        "write the operation in another form or type that the vendor lowers"));
    return;
  }
  if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
    findings.push_back(findingAt(
        op, "unplanned-buffer",
        "a buffer was left without an address; the values in it are never "
        "produced, usually because an accumulator is read in the iteration "
        "that also writes it, or because a parallel loop lost its body",
        "keep such a state in UB: multiply into a cleared accumulator and add "
        "the result on vector cores"));
    return;
  }
  if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op)) {
    findings.push_back(
        findingAt(op, "unlowered-op",
                 "the vendor's compiler does not lower " + getName(op),
                 "use an atomic store of a tile of one element"));
    return;
  }
  if (isa<hivm::BitcastOp>(op)) {
    findings.push_back(findingAt(
        op, "bitcast",
        "a bit cast stays in the final IR; whether hivmc takes it is not known",
        "avoid pow of two tensors, isinf, isfinite and reductions with an "
        "index",
        Severity::Warning));
    return;
  }
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<math::MathDialect>(dialect)) {
    findings.push_back(findingAt(
        op, "scalar-math",
        getName(op) + " on a single number is not lowered: the scalar unit has "
                      "no such instruction",
        "apply it to a tile of at least 8 elements"));
    return;
  }
  if (isa<memref::CopyOp, cf::AssertOp>(op) ||
      isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect,
                      bufferization::BufferizationDialect>(dialect))
    findings.push_back(findingAt(op, "unlowered-op",
                                "the vendor's compiler left " + getName(op) +
                                    " unlowered, and hivmc does not take it",
                                "write the operation in another form"));
}

void lintEntries(ModuleOp module, std::vector<Finding> &findings) {
  bool hasEntry = false;
  Operation *firstBody = nullptr;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr("hacc.entry"))
      hasEntry = true;
    if (!function.isExternal() && !firstBody)
      firstBody = function;
  }
  if (hasEntry)
    return;
  findings.push_back(findingAt(
      firstBody ? firstBody : module.getOperation(), "no-entry",
      "no function of the final IR is an entry, so there is no kernel to "
      "launch and nothing was lowered for a core",
      "the linked IR's kernel needs the attribute global_kernel and the "
      "vendor's entry signature"));
}

} // namespace

void lintLeftovers(ModuleOp module, std::vector<Finding> &findings) {
  module.walk([&](Operation *op) { lintOp(op, findings); });
  lintEntries(module, findings);
}

std::vector<Finding> lintFinalIR(ModuleOp module, const LintOptions &options) {
  std::vector<Finding> findings;
  lintLeftovers(module, findings);
  lintCube(module, options, findings);
  lintVector(module, findings);
  return findings;
}

} // namespace tilekiln::bishengir
