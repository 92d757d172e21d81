//===- Executor.cpp - Values of linked IR on the host ---------------------===//
//
// create: passes, then LLVM's JIT. launch: arguments, then blocks over threads.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Cpu/Executor.h"
#include "Runtime/BlockOrder.h"
#include "Runtime/Runtime.h"
#include "Runtime/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tilekiln/Cpu/Pipeline.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <deque>
#include <limits>
#include <system_error>
#include <thread>

using namespace mlir;

namespace tilekiln {

/// The lock and the workspace come first, grid and block index last.
static constexpr unsigned leadingArguments = 2, trailingArguments = 6;

/// What the entry is called in compiled code.
static constexpr char compiledName[] = "tilekilnKernel";

KernelArgument KernelArgument::buffer(void *data, int64_t elementCount) {
  KernelArgument argument;
  argument.kind = Kind::Buffer;
  argument.data = data;
  argument.elementCount = elementCount;
  return argument;
}

KernelArgument KernelArgument::scalar(int64_t value) {
  KernelArgument argument;
  argument.integer = value;
  return argument;
}

KernelArgument KernelArgument::scalar(double value) {
  KernelArgument argument;
  argument.kind = Kind::Real;
  argument.real = value;
  return argument;
}

Executor::Executor() = default;
Executor::~Executor() = default;

template <typename... Args>
static llvm::Error makeError(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

llvm::Error Executor::readSignature(ModuleOp linked, StringRef entryName) {
  auto function = linked.lookupSymbol<func::FuncOp>(entryName);
  if (!function || function.isDeclaration())
    return makeError("the module has no function '{0}' to run", entryName);
  ArrayRef<Type> types = function.getArgumentTypes();
  auto isBytes = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getRank() == 1 &&
           memref.getElementType().isInteger(8);
  };
  if (types.size() < leadingArguments + trailingArguments ||
      !isBytes(types[0]) || !isBytes(types[1]) ||
      !llvm::all_of(types.take_back(trailingArguments),
                    [](Type type) { return type.isInteger(32); }) ||
      function.getNumResults() != 0)
    return makeError(
        "function '{0}' is not a kernel: its arguments must be lock "
        "and workspace (memref<?xi8>), the user's, then grid and "
        "block index (six i32), and it returns nothing",
        entryName);
  name = entryName.str();
  for (auto [index, type] : llvm::enumerate(
           types.drop_front(leadingArguments).drop_back(trailingArguments))) {
    auto slot = llvm::TypeSwitch<Type, std::optional<Slot>>(type)
                    .Case([](MemRefType memref) -> std::optional<Slot> {
                      if (memref.getRank() != 1 || !memref.isDynamicDim(0) ||
                          !memref.getLayout().isIdentity())
                        return std::nullopt;
                      return Slot::Buffer;
                    })
                    .Case([](IndexType) { return Slot::I64; })
                    .Case([](IntegerType integer) -> std::optional<Slot> {
                      switch (integer.getWidth()) {
                      case 1:
                        return Slot::I1;
                      case 8:
                        return Slot::I8;
                      case 16:
                        return Slot::I16;
                      case 32:
                        return Slot::I32;
                      case 64:
                        return Slot::I64;
                      }
                      return std::nullopt;
                    })
                    .Case([](Float16Type) { return Slot::F16; })
                    .Case([](BFloat16Type) { return Slot::BF16; })
                    .Case([](Float32Type) { return Slot::F32; })
                    .Case([](Float64Type) { return Slot::F64; })
                    .Default([](Type) { return std::nullopt; });
    if (!slot)
      return makeError("argument {0} of kernel '{1}' has type {2}; the CPU "
                       "executor takes memref<?xT>, integers and floats",
                       index, name, type);
    userSlots.push_back(*slot);
  }
  return llvm::Error::success();
}

/// Errors of passes as one text, a line each: "file:line:column: what".
static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ':' << place.getLine() << ':'
       << place.getColumn() << ": ";
  os << diagnostic << '\n';
  return text;
}

namespace {
/// Keeps the errors that MLIR reports while it lives.
struct ErrorCollector {
  std::string messages;
  ScopedDiagnosticHandler handler;

  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += describe(diagnostic);
          return success();
        }) {}
  StringRef text() const { return StringRef(messages).rtrim(); }
};
} // namespace

llvm::Expected<OwningOpRef<ModuleOp>> parseLinked(StringRef text,
                                                  MLIRContext &context) {
  DialectRegistry registry;
  registerLinkedDialects(registry);
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();
  ErrorCollector errors(&context);
  // Not verified: see lower().
  auto module = parseSourceString<ModuleOp>(
      text, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return makeError("cannot read the linked IR: {0}", errors.text());
  return module;
}

static llvm::Error lower(ModuleOp module) {
  ErrorCollector errors(module.getContext());
  auto run = [&](void (*build)(OpPassManager &)) {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    pm.enableVerifier(false);
    build(pm);
    return pm.run(module);
  };
  // Only without the vendor's operations can the module be verified: the bodies
  // of theirs end in upstream's linalg.yield, which wants a linalg parent.
  if (succeeded(run(buildVendorOpPipeline)) && succeeded(verify(module)) &&
      succeeded(run(buildCpuPipeline)))
    return llvm::Error::success();
  return makeError("cannot compile the kernel for the CPU: {0}", errors.text());
}

/// A copy to change. MLIR 19 forgets the properties of unregistered operations
/// when it clones them.
static OwningOpRef<ModuleOp> copyOf(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  auto unregisteredOf = [](ModuleOp root) {
    SmallVector<Operation *> ops;
    root.walk([&](Operation *op) {
      if (!op->isRegistered())
        ops.push_back(op);
    });
    return ops;
  };
  for (auto [from, to] :
       llvm::zip_equal(unregisteredOf(module), unregisteredOf(*copy)))
    *to->getPropertiesStorage().as<Attribute *>() =
        from->getPropertiesAsAttribute();
  return copy;
}

/// What the JIT cannot know: on-chip buffers overlap nothing.
static void annotate(llvm::Module &module) {
  for (const char *allocator :
       {"_mlir_memref_to_llvm_aligned_alloc", "_mlir_memref_to_llvm_alloc"})
    if (llvm::Function *function = module.getFunction(allocator)) {
      function->setReturnDoesNotAlias();
      function->setDoesNotThrow();
    }
}

static void initializeLlvmOnce() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)done;
}

llvm::Expected<std::unique_ptr<Executor>>
Executor::create(ModuleOp linked, StringRef entryName) {
  std::unique_ptr<Executor> executor(new Executor());
  if (llvm::Error error = executor->readSignature(linked, entryName))
    return error;
  DialectRegistry registry;
  registerLinkedDialects(registry);
  linked.getContext()->appendDialectRegistry(registry);

  OwningOpRef<ModuleOp> module = copyOf(linked);
  auto function = module->lookupSymbol<func::FuncOp>(entryName);
  // A name of our own: a kernel may be called "expf" or "memcpy". Helpers are
  // inlined and dropped, so that theirs are free as well.
  for (auto helper : module->getOps<func::FuncOp>())
    if (helper != function)
      helper.setPrivate();
  function.setSymName(compiledName);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(linked.getContext()));
  if (llvm::Error error = lower(*module))
    return error;

  initializeLlvmOnce();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto target = host->createTargetMachine();
  if (!target)
    return target.takeError();
  auto optimize =
      makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0, target->get());
  auto transform = [&](llvm::Module *llvmModule) {
    annotate(*llvmModule);
    return optimize(llvmModule);
  };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(*module, options);
  if (!engine)
    return engine.takeError();
  executor->engine = std::move(*engine);
  executor->engine->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    forEachRuntimeSymbol([&](StringRef symbol, void *address) {
      symbols[mangle(symbol)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                 llvm::JITSymbolFlags::Exported |
                                     llvm::JITSymbolFlags::Callable};
    });
    return symbols;
  });
  auto entry = executor->engine->lookupPacked(
      ("_mlir_ciface_" + Twine(compiledName)).str());
  if (!entry)
    return entry.takeError();
  executor->entry = *entry;
  return executor;
}

namespace {

/// memref<?xT> as the C interface takes it.
struct BufferDescriptor {
  void *allocated, *aligned;
  int64_t offset, size, stride;
};

/// One value of any argument type, in its own bytes.
union ScalarCell {
  int64_t integer;
  float f32;
  double f64;
  _Float16 f16;
  uint16_t bits16;
};

/// The arguments of a launch in the form that compiled code reads, without the
/// block index.
struct PackedArguments {
  std::deque<BufferDescriptor> buffers;
  std::deque<BufferDescriptor *> bufferPointers;
  std::deque<ScalarCell> scalars;
  std::vector<void *> pointers;

  void addBuffer(void *data, int64_t size) {
    buffers.push_back({data, data, 0, size, 1});
    bufferPointers.push_back(&buffers.back());
    pointers.push_back(&bufferPointers.back());
  }
  ScalarCell &addScalar() {
    ScalarCell cell;
    cell.integer = 0;
    scalars.push_back(cell);
    pointers.push_back(&scalars.back());
    return scalars.back();
  }
};

} // namespace

llvm::Error Executor::launch(llvm::ArrayRef<KernelArgument> userArguments,
                             int64_t gridX, int64_t gridY, int64_t gridZ,
                             const LaunchOptions &options) {
  if (userArguments.size() != userSlots.size())
    return makeError("kernel '{0}' takes {1} arguments, not {2}", name,
                     userSlots.size(), userArguments.size());
  constexpr int64_t maxExtent = std::numeric_limits<int32_t>::max();
  for (int64_t extent : {gridX, gridY, gridZ})
    if (extent < 0 || extent > maxExtent)
      return makeError("grid {0} x {1} x {2} of kernel '{3}' does not fit i32",
                       gridX, gridY, gridZ, name);
  int64_t blockCount;
  if (llvm::MulOverflow(gridX, gridY, blockCount) ||
      llvm::MulOverflow(blockCount, gridZ, blockCount))
    return makeError("grid {0} x {1} x {2} of kernel '{3}' has too many blocks",
                     gridX, gridY, gridZ, name);

  PackedArguments packed;
  packed.addBuffer(nullptr, 0); // lock
  packed.addBuffer(nullptr, 0); // workspace
  for (auto [index, argument, slot] :
       llvm::enumerate(userArguments, userSlots)) {
    bool isBuffer = argument.kind == KernelArgument::Kind::Buffer;
    if (isBuffer != (slot == Slot::Buffer))
      return makeError("argument {0} of kernel '{1}' is a {2}, not a {3}",
                       index, name, isBuffer ? "number" : "buffer",
                       isBuffer ? "buffer" : "number");
    if (isBuffer) {
      if (argument.elementCount < 0 ||
          (!argument.data && argument.elementCount > 0))
        return makeError("argument {0} of kernel '{1}' has {2} elements at "
                         "address {3}",
                         index, name, argument.elementCount, argument.data);
      packed.addBuffer(argument.data, argument.elementCount);
      continue;
    }
    bool isReal = argument.kind == KernelArgument::Kind::Real;
    double real = isReal ? argument.real : double(argument.integer);
    ScalarCell &cell = packed.addScalar();
    switch (slot) {
    case Slot::F16:
      cell.f16 = _Float16(real);
      break;
    case Slot::BF16:
      cell.bits16 = BFloat16(float(real)).bits;
      break;
    case Slot::F32:
      cell.f32 = float(real);
      break;
    case Slot::F64:
      cell.f64 = real;
      break;
    default:
      if (isReal)
        return makeError("argument {0} of kernel '{1}' is an integer, not {2}",
                         index, name, real);
      // Little endian: narrower integers are the low bytes.
      cell.integer = argument.integer;
      if (slot == Slot::I1)
        cell.integer &= 1;
    }
  }
  for (int64_t extent : {gridX, gridY, gridZ})
    packed.addScalar().integer = extent;

  BlockOrder order(blockCount);
  auto work = [&] {
    int32_t position[3];
    std::vector<void *> pointers = packed.pointers;
    for (int32_t &coordinate : position)
      pointers.push_back(&coordinate);
    for (int64_t block; (block = order.begin()) >= 0; order.end()) {
      position[2] = int32_t(block % gridZ);
      position[1] = int32_t(block / gridZ % gridY);
      position[0] = int32_t(block / gridZ / gridY);
      entry(pointers.data());
      resetBlockMemory();
    }
  };
  SerialBlasScope serialBlas;
  int64_t threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(threads, blockCount); ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error &) {
      break; // no more threads to be had: those that run do all the work
    }
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
  return llvm::Error::success();
}

} // namespace tilekiln
