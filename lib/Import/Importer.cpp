//===- Importer.cpp - Entry, diagnostics, limits, constants ---------------===//
#include "Importer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilekiln;

static Location fallbackLocation(MLIRContext *context, const ImportOptions &options) {
  StringRef file = options.fallbackFile;
  if (file.empty())
    file = "kernel.py";
  return FileLineColLoc::get(context, file, std::max(1u, options.fallbackLine), 1);
}

Importer::Importer(const TirGraph &graph, MLIRContext *context,
                   const ImportOptions &options)
    : context(context), graph(graph), options(options), builder(context),
      here(fallbackLocation(context, options)) {}

OwningOpRef<ModuleOp> Importer::run() {
  OwningOpRef<ModuleOp> owner(ModuleOp::create(here));
  module = *owner;
  builder.setInsertionPointToEnd(module.getBody());
  if (failed(importFunction(graph.root())))
    return nullptr;
  tidy();
  if (failed(verify(module)))
    return nullptr;
  return owner;
}

/// Unused are names that the kernel never reads and constants that were folded
/// away. Tensors stay: they say how the arguments are laid out. The order of the
/// constants would otherwise tell in which order the TIR was read.
void Importer::tidy() {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *&op : llvm::reverse(ops))
    if (!isa<commonir::TensorOp>(op) && isOpTriviallyDead(op)) {
      op->erase();
      op = nullptr;
    }
  Operation *last = nullptr;
  llvm::SmallPtrSet<Operation *, 16> placed;
  for (Operation *op : ops) {
    if (!op || isa<arith::ConstantOp>(op))
      continue;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<arith::ConstantOp>();
      if (!constant || !placed.insert(constant).second)
        continue;
      if (last)
        constant->moveAfter(last);
      else
        constant->moveBefore(&function.getBody().front(), function.getBody().front().begin());
      last = constant;
    }
  }
}

OwningOpRef<ModuleOp> tilekiln::importTir(StringRef json, MLIRContext *context,
                                          const ImportOptions &options) {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  commonir::CommonIRDialect>();
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  commonir::registerValueBoundsModels(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);

  llvm::Expected<std::unique_ptr<TirGraph>> graph = TirGraph::parse(json);
  if (!graph) {
    emitError(fallbackLocation(context, options)) << toString(graph.takeError());
    return nullptr;
  }
  return Importer(**graph, context, options).run();
}

//===----------------------------------------------------------------------===//
// Diagnostics and limits
//===----------------------------------------------------------------------===//

InFlightDiagnostic Importer::fail() { return emitError(here); }

Location Importer::locationOf(TirNode node) {
  TirNode span = node.isNone() ? TirNode() : node["span"];
  if (span.isNone() || !span.is("Span") || span.integer("line") < 1)
    return here;
  return FileLineColLoc::get(context, span["source_name"].text(),
                             unsigned(span.integer("line")), 1);
}

Importer::At::At(Importer &importer, TirNode node)
    : importer(importer), saved(importer.here) {
  importer.here = importer.locationOf(node);
}

Importer::Step::Step(Importer &importer) : importer(importer), good(true) {
  if (++importer.depth > depthLimit) {
    importer.fail() << "the TIR is nested deeper than " << depthLimit
                    << " levels; split the expression or the loops";
    good = false;
  } else if (++importer.work > workLimit) {
    importer.fail() << "the TIR unfolds to more than " << workLimit
                    << " expressions and statements; split the kernel";
    good = false;
  }
}

//===----------------------------------------------------------------------===//
// Constants and names
//===----------------------------------------------------------------------===//

Value Importer::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastConstant)
      builder.setInsertionPointAfter(lastConstant);
    else
      builder.setInsertionPointToStart(&function.getBody().front());
    auto op = builder.create<arith::ConstantOp>(function.getLoc(), value);
    lastConstant = op;
    known = op;
  }
  return known;
}

Value Importer::indexConstant(int64_t value) {
  return constant(builder.getIndexAttr(value));
}

Value Importer::trueConstant(bool value) {
  return constant(builder.getBoolAttr(value));
}

Value Importer::valueOf(OpFoldResult folded) {
  if (auto value = dyn_cast<Value>(folded))
    return value;
  return indexConstant(cast<IntegerAttr>(cast<Attribute>(folded)).getInt());
}

std::string Importer::uniqueName(StringRef wanted) {
  std::string name = wanted.empty() ? "unnamed" : wanted.str();
  for (unsigned i = 1; !names.insert(name).second; ++i)
    name = (wanted + "_" + llvm::Twine(i)).str();
  return name;
}

std::optional<DType> Importer::dtype(StringRef name) {
  std::optional<DType> type = parseDType(name, context);
  if (!type)
    fail() << "element type '" << name
           << "' is not supported; use bool, int8 to int64, uint8 to uint64, "
              "float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2; "
              "smaller integers go two to an int8";
  return type;
}
