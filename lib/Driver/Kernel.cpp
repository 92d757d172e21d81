//===- Kernel.cpp - From TIR to a kernel that can be launched -------------===//
//
// The way through, top to bottom: import, checks, value form, linked IR, then
// the CPU's or the vendor's compiler.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "Messages.h"
#include "Pipelines.h"
#include "VendorFailure.h"
#include "tilekiln/Bishengir/Placement.h"
#include "tilekiln/Conversion/Passes.h"
#include "tilekiln/Dialect/HIVM/Annotation.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "tilekiln/Import/Import.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "tilekiln/Target/Target.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

CompiledKernel::~CompiledKernel() = default;

namespace {
/// Adds the time of its life to a list, in milliseconds.
class Stopwatch {
public:
  Stopwatch(std::vector<std::pair<std::string, double>> &into, std::string name)
      : into(into), name(std::move(name)), start(Clock::now()) {}
  ~Stopwatch() {
    std::chrono::duration<double, std::milli> spent = Clock::now() - start;
    into.emplace_back(name, spent.count());
  }

private:
  using Clock = std::chrono::steady_clock;
  std::vector<std::pair<std::string, double>> &into;
  std::string name;
  Clock::time_point start;
};

std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registry.insert<CommonIRDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect, hfusion::HFusionDialect,
                  hivm::AnnotationDialect, hivm::HIVMDialect>();
  registerValueBoundsModels(registry);
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  // One kernel at a time: threads cost more than they save.
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  // A linked IR from outside may hold vendor ops that we never write.
  context->allowUnregisteredDialects();
  // Messages are for authors of kernels; our ops' text tells them nothing.
  context->printOpOnDiagnostic(false);
  return context;
}

std::optional<StringRef> replacement(const CompileOptions &options, StringRef stage) {
  for (auto &[name, path] : options.replacedStages)
    if (name == stage)
      return StringRef(path);
  return std::nullopt;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef stage, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "the file given for stage '" + stage + "', " + path +
                                       ", cannot be read: " + buffer.getError().message());
  return std::move(*buffer);
}

/// A stage that somebody edited: one kernel with its launches, and where it stands
/// in for `made`, the same parameters and as many launches.
llvm::Expected<OwningOpRef<ModuleOp>> readStage(StringRef stage, StringRef path,
                                                MLIRContext *context,
                                                func::FuncOp made = nullptr) {
  auto buffer = readFile(stage, path);
  if (!buffer)
    return buffer.takeError();
  auto module = parseSourceString<ModuleOp>((*buffer)->getBuffer(), context, path);
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("the file given for stage '" + stage + "', " + path + ", " +
                                   why);
  };
  if (!module)
    return refuse("is not MLIR that can be read");
  auto functions = llvm::to_vector(module->getOps<func::FuncOp>());
  if (functions.size() != 1 || !functions[0].getBody().hasOneBlock())
    return refuse("must hold one function, of one block");
  auto launches = llvm::range_size(functions[0].getOps<LaunchOp>());
  if (!launches)
    return refuse("has no commonir.launch in its function");
  if (!made)
    return module;
  if (functions[0].getArgumentTypes() != made.getArgumentTypes())
    return refuse("has other parameters than the kernel");
  if (launches != llvm::range_size(made.getOps<LaunchOp>()))
    return refuse("has another number of launches than the kernel");
  return module;
}
} // namespace

Kernel::Kernel(const CompileOptions &options)
    : options(options), context(createContext()) {
  llvm::SmallString<128> path(options.shareFolder);
  llvm::sys::path::append(path, "targets", options.target + ".json");
  targetFile = path.str().str();
}

/// Passes read the description themselves; here is where a wrong name is noticed.
llvm::Error Kernel::readTarget() {
  llvm::Expected<Target> described = loadTarget(targetFile);
  if (!described)
    return llvm::createStringError("target '" + options.target + "' cannot be used: " +
                                   llvm::toString(described.takeError()));
  target = std::move(*described);
  return llvm::Error::success();
}

llvm::Error Kernel::import(StringRef tirJson) {
  Stopwatch watch(timingsMs, "import");
  if (auto path = replacement(options, "commonir")) {
    auto module = readStage("commonir", *path, context.get());
    if (!module)
      return module.takeError();
    bufferForm = std::move(*module);
    return llvm::Error::success();
  }
  ImportOptions import;
  import.fallbackFile = options.fallbackFile;
  import.fallbackLine = options.fallbackLine;
  bufferForm = importTir(tirJson, context.get(), import);
  return llvm::Error::success();
}

llvm::Error Kernel::transform() {
  {
    Stopwatch watch(timingsMs, "transforms");
    PassManager checks(context.get());
    addCheckPasses(checks, options);
    if (failed(checks.run(*bufferForm)))
      return llvm::createStringError("the kernel's accesses could not be checked");
    if (auto path = replacement(options, "tiles")) {
      auto module = readStage("tiles", *path, context.get(), declaration());
      if (!module)
        return module.takeError();
      valueForm = std::move(*module);
    } else {
      valueForm = bufferForm->clone();
      PassManager tiles(context.get());
      addTilePasses(tiles, options);
      if (failed(tiles.run(*valueForm)))
        return llvm::createStringError("the kernel's tiles could not be made values");
    }
  }
  Stopwatch watch(timingsMs, "conversion");
  main = lower(/*assumeLoopsRun=*/true);
  if (!main)
    return llvm::createStringError("the kernel could not be lowered");
  if (auto path = replacement(options, "linked")) {
    auto buffer = readFile("linked", *path);
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = main->replaceLinked((*buffer)->getBuffer()))
      return error;
  }
  if (auto path = replacement(options, "hivm")) {
    auto buffer = readFile("hivm", *path);
    if (!buffer)
      return buffer.takeError();
    return main->replaceFinalIR((*buffer)->getBuffer());
  }
  return llvm::Error::success();
}

std::unique_ptr<Variant> Kernel::lower(bool assumeLoopsRun) {
  bool retile = !llvm::is_contained(options.disabledPasses, "retile");
  return Variant::create(*valueForm, {*target, targetFile, assumeLoopsRun, retile}, parts);
}

llvm::Error Kernel::build(StringRef tirJson) {
  MessageCollector collector(context.get());
  llvm::Error error = readTarget();
  if (!error)
    error = import(tirJson);
  if (!error && !bufferForm)
    error = llvm::createStringError("the TIR could not be read");
  if (!error)
    error = transform();
  if (error) {
    std::string otherwise = llvm::toString(std::move(error));
    return collector.takeError(otherwise);
  }
  if (options.device == "cpu") {
    Stopwatch watch(timingsMs, "jit");
    if (llvm::Error failed = main->compileForCpu()) {
      std::string otherwise = llvm::toString(std::move(failed));
      return collector.takeError(otherwise);
    }
  }
  said = std::move(collector.messages);
  if (options.device == "hivm")
    return checkVendor();
  if (options.device == "sim") {
    if (llvm::Error refused = checkVendor())
      return refused;
    return decodeForSim();
  }
  return llvm::Error::success();
}

llvm::Error Kernel::decodeForSim() {
  Stopwatch watch(timingsMs, "decode");
  if (llvm::Error error = main->compileForSim(options))
    return vendorFailure(std::move(error), *main, *target);
  return llvm::Error::success();
}

/// The space that was too small, if that is what `error` says.
static llvm::Error findOverflow(llvm::Error error, std::string &space) {
  using bishengir::VendorError;
  return llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<VendorError> vendor) -> llvm::Error {
        if (vendor->kind == VendorError::Kind::Overflow && !vendor->overflows.empty())
          space = vendor->overflows.back().space;
        return llvm::Error(std::move(vendor));
      });
}

/// The vendor's compiler on each launch. Where its own temporaries are too many for
/// the space that is left, on smaller parts of the tiles; where those do not help,
/// the error is that of the tiles as they are written.
llvm::Error Kernel::compileForVendor() {
  std::string space;
  llvm::Error error = findOverflow(main->compileForVendor(options), space);
  if (!error || space.empty() || replacement(options, "linked") ||
      llvm::is_contained(options.disabledPasses, "retile"))
    return error;
  SmallVector<LaunchParts> before(parts);
  std::unique_ptr<Variant> smaller;
  for (Variant *tried = main.get(); !space.empty(); tried = smaller.get()) {
    auto failed = llvm::find_if(tried->units, [](LaunchUnit &unit) { return !unit.vendor; });
    LaunchParts &launch = parts[failed - tried->units.begin()];
    launch = launch.cutMore(space, *target);
    MessageCollector collector(context.get());
    std::unique_ptr<Variant> next = lower(/*assumeLoopsRun=*/true);
    // Where nothing more can be cut, the next would come out as the one before.
    if (!next || next->tilesText() == tried->tilesText())
      break;
    smaller = std::move(next);
    space.clear();
    llvm::Error again = findOverflow(smaller->compileForVendor(options), space);
    if (!again) {
      llvm::consumeError(std::move(error));
      llvm::append_range(said, collector.messages);
      main = std::move(smaller);
      return llvm::Error::success();
    }
    llvm::consumeError(std::move(again));
  }
  parts = before;
  return error;
}

/// The vendor's compiler, its findings, and the placement that it chose.
llvm::Error Kernel::checkVendor() {
  {
    Stopwatch watch(timingsMs, "vendor");
    if (llvm::Error error = compileForVendor())
      return vendorFailure(std::move(error), *main, *target);
  }
  std::vector<Message> found;
  for (LaunchUnit &unit : main->units) {
    for (const bishengir::Finding &finding : unit.vendor->findings)
      found.push_back(toMessage(finding));
    if (options.checkPlacement == "off")
      continue;
    for (bishengir::Finding finding :
         bishengir::checkPlacement(unit.vendor->facts, expectedPlacement(unit.launch))) {
      if (options.checkPlacement == "warn")
        finding.severity = bishengir::Severity::Warning;
      found.push_back(toMessage(finding));
    }
  }
  if (hasErrors(found))
    return llvm::make_error<CompileError>(std::move(found));
  llvm::append_range(said, found);
  return llvm::Error::success();
}

llvm::Expected<std::string> Kernel::ir(StringRef stage) {
  if (stage == "commonir")
    return printModule(*bufferForm, false);
  if (stage == "tiles")
    return main->tilesText();
  if (stage == "linked")
    return main->linkedText();
  if (stage == "hivm") {
    if (llvm::Error error = compileForVendor())
      return vendorFailure(std::move(error), *main, *target);
    return main->vendorText();
  }
  return llvm::createStringError("there is no stage '" + stage +
                                 "'; the stages are commonir, tiles, linked and hivm");
}

llvm::Expected<std::unique_ptr<CompiledKernel>>
tilekiln::compile(StringRef tirJson, const CompileOptions &options) {
  if (options.device != "cpu" && options.device != "hivm" && options.device != "sim")
    return llvm::createStringError("device '" + options.device +
                                   "' is unknown; use cpu, sim or hivm");
  for (const std::string &flag : options.disabledPasses)
    if (!llvm::is_contained(disableablePasses, flag))
      return llvm::createStringError("disabled_passes: there is no pass '" + flag +
                                     "' that can be left out; those that can are " +
                                     llvm::join(std::begin(disableablePasses),
                                                std::end(disableablePasses), ", "));
  auto kernel = std::make_unique<Kernel>(options);
  if (llvm::Error error = kernel->build(tirJson))
    return error;
  return kernel;
}
