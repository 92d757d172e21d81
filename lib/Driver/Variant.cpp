//===- Variant.cpp - One way of compiling a kernel ------------------------===//
#include "Variant.h"
#include "Pipelines.h"
#include "tilekiln/Analysis/Accumulator.h"
#include "tilekiln/Bishengir/Placement.h"
#include "tilekiln/Conversion/StepOrder.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

std::string tilekiln::printModule(ModuleOp module, bool locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo();
  module.print(os, flags);
  os << "\n";
  return text;
}

/// A module that holds one entry function of `linked` alone: the vendor's
/// compiler takes one at a time.
static OwningOpRef<ModuleOp> extractEntry(ModuleOp linked, StringRef name) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(linked.getLoc()));
  auto entry = linked.lookupSymbol<func::FuncOp>(name);
  module->push_back(entry.clone());
  return module;
}

std::unique_ptr<Variant> Variant::create(ModuleOp valueForm, const LoweringOptions &options,
                                         SmallVectorImpl<LaunchParts> &parts) {
  auto variant = std::make_unique<Variant>();
  variant->tiles = fitOnChip(valueForm, options, parts);
  if (!variant->tiles)
    return nullptr;
  PassManager placement(valueForm.getContext());
  addPlacementPasses(placement, options.targetFile, options.assumeLoopsRun);
  if (failed(placement.run(*variant->tiles)))
    return nullptr;
  OwningOpRef<ModuleOp> linked = variant->tiles->clone();
  PassManager lowering(valueForm.getContext());
  addLinkedPasses(lowering);
  if (failed(lowering.run(*linked)))
    return nullptr;
  auto entries = llvm::to_vector(linked->getOps<func::FuncOp>());
  auto launches = llvm::to_vector(variant->kernel().getOps<LaunchOp>());
  for (auto [launch, entry] : llvm::zip_equal(launches, entries)) {
    LaunchUnit unit;
    unit.launch = launch;
    unit.entryName = entry.getName().str();
    unit.linked = extractEntry(*linked, entry.getName());
    variant->units.push_back(std::move(unit));
  }
  return variant;
}

llvm::Error Variant::replaceLinked(StringRef text) {
  llvm::Expected<OwningOpRef<ModuleOp>> module = parseLinked(text, *tiles->getContext());
  if (!module)
    return module.takeError();
  for (LaunchUnit &unit : units) {
    if (!(*module)->lookupSymbol<func::FuncOp>(unit.entryName))
      return llvm::createStringError("the linked IR that replaces ours has no function '" +
                                     unit.entryName + "'");
    unit.linked = extractEntry(**module, unit.entryName);
    unit.executor.reset();
    unit.vendor.reset();
    unit.program.reset();
  }
  return llvm::Error::success();
}

/// Between the launches of a kernel's final IR.
constexpr StringLiteral finalIRSeparator = "// -----\n";

llvm::Error Variant::replaceFinalIR(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, finalIRSeparator);
  if (parts.size() != units.size())
    return llvm::createStringError("the final IR that replaces the vendor's has " +
                                   Twine(parts.size()) + " launches, the kernel has " +
                                   Twine(units.size()));
  for (auto [unit, part] : llvm::zip_equal(units, parts)) {
    DialectRegistry registry;
    hivm::registerFinalIRDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    auto module = hivm::parseFinalIR(part, unit.entryName + ".hivm.mlir", context);
    if (!module)
      return module.takeError();
    unit.vendor.emplace();
    unit.vendor->finalIR = part.str();
    unit.vendor->facts = bishengir::getModuleFacts(**module);
    unit.program.reset();
  }
  return llvm::Error::success();
}

func::FuncOp Variant::kernel() { return *tiles->getOps<func::FuncOp>().begin(); }

static void forEachAssumedLoop(func::FuncOp kernel, llvm::function_ref<void(scf::ForOp)> fn) {
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(assumedToRunAttrName))
      fn(loop);
  });
}

bool Variant::holds(HostValues &values) {
  bool all = true;
  forEachAssumedLoop(kernel(), [&](scf::ForOp loop) {
    auto low = values.get(loop.getLowerBound()), high = values.get(loop.getUpperBound());
    all &= low && high && *low < *high;
  });
  return all;
}

bool Variant::hasAssumptions() {
  bool any = false;
  forEachAssumedLoop(kernel(), [&](scf::ForOp) { any = true; });
  return any;
}

llvm::Error Variant::compileForCpu() {
  for (LaunchUnit &unit : units) {
    if (unit.executor)
      continue;
    auto executor = Executor::create(*unit.linked, unit.entryName);
    if (!executor)
      return executor.takeError();
    unit.executor = std::move(*executor);
  }
  return llvm::Error::success();
}

/// Lines on which every loop is proven to run.
static std::vector<bishengir::SourceLine> getRunningLoops(LaunchOp launch) {
  std::vector<bishengir::SourceLine> running, others;
  launch.walk([&](scf::ForOp loop) {
    (provenToRun(loop) ? running : others).push_back(bishengir::getSourceLine(loop.getLoc()));
  });
  llvm::erase_if(running, [&](const bishengir::SourceLine &line) {
    return llvm::is_contained(others, line);
  });
  return running;
}

llvm::Error Variant::compileForVendor(const CompileOptions &options) {
  for (LaunchUnit &unit : units) {
    if (unit.vendor)
      continue;
    bishengir::VendorOptions vendor;
    vendor.compiler = options.bishengirCompile;
    vendor.deviceLibraryFolder = options.deviceLibraryFolder;
    vendor.timeoutSeconds = options.vendorTimeoutSeconds;
    vendor.reproducerFolder = options.reproducerFolder;
    vendor.runningLoops = getRunningLoops(unit.launch);
    vendor.loopsRun = hasAssumptions(); // the launcher takes the other variant then
    vendor.linkedName = unit.entryName + ".linked.mlir";
    vendor.entryName = unit.entryName;
    vendor.entrySource = bishengir::getSourceLine(kernel().getLoc());
    // The vendor lets the cube run ahead by way of buffers in the workspace.
    auto entry = unit.linked->lookupSymbol<func::FuncOp>(unit.entryName);
    if (entry && entry->hasAttr(stepOrderAttrName))
      vendor.extraFlags.push_back("--limit-auto-multi-buffer-only-for-local-buffer=true");
    auto result = bishengir::runBishengir(printModule(*unit.linked, true), vendor);
    if (!result)
      return result.takeError();
    unit.vendor = std::move(*result);
  }
  return llvm::Error::success();
}

llvm::Error Variant::compileForSim(const CompileOptions &options) {
  if (llvm::Error error = compileForVendor(options))
    return error;
  for (LaunchUnit &unit : units) {
    if (unit.program)
      continue;
    auto program =
        sim::decodeText(unit.vendor->finalIR, unit.entryName + ".hivm.mlir");
    if (!program)
      return program.takeError();
    unit.program = std::move(*program);
  }
  return llvm::Error::success();
}

std::string Variant::tilesText() { return printModule(*tiles, false); }

std::string Variant::linkedText() {
  if (units.size() == 1)
    return printModule(*units[0].linked, false);
  OwningOpRef<ModuleOp> all(ModuleOp::create(tiles->getLoc()));
  for (LaunchUnit &unit : units)
    for (Operation &op : unit.linked->getOps())
      all->push_back(op.clone());
  return printModule(*all, false);
}

std::string Variant::vendorText() {
  std::string text;
  for (auto [i, unit] : llvm::enumerate(units)) {
    if (i)
      text += finalIRSeparator;
    text += unit.vendor->finalIR;
  }
  return text;
}
