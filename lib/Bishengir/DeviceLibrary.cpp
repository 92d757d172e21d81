//===- DeviceLibrary.cpp - Can the final IR be linked? --------------------===//
//
// Symbol tables are read through LLVM's object layer, which does not
// materialise function bodies, and are kept for the life of the process.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/DeviceLibrary.h"
#include "LibraryCall.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/IRObjectFile.h"
#include "llvm/Object/SymbolicFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <memory>
#include <mutex>

using namespace mlir;

namespace tilekiln::bishengir {

static constexpr StringLiteral symbolPrefix = "_mlir_ciface_";

static llvm::Error readSymbols(StringRef folder, StringRef file,
                               llvm::StringSet<> &symbols) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, file);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(
        buffer.getError(),
        "device library %s cannot be read: %s; it comes with the Python "
        "package ascendnpu-ir, in the folder lib beside bin",
        path.c_str(), buffer.getError().message().c_str());
  llvm::LLVMContext context;
  auto object =
      llvm::object::IRObjectFile::create((*buffer)->getMemBufferRef(), context);
  if (!object)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "device library %s is no bitcode: %s",
        path.c_str(), llvm::toString(object.takeError()).c_str());
  for (const llvm::object::BasicSymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) {
      llvm::consumeError(flags.takeError());
      continue;
    }
    if (*flags & llvm::object::BasicSymbolRef::SF_Undefined)
      continue;
    std::string name;
    llvm::raw_string_ostream os(name);
    if (llvm::Error error = symbol.printName(os)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    if (StringRef(name).starts_with(symbolPrefix))
      symbols.insert(name);
  }
  if (symbols.empty())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "device library %s defines no function %s*: wrong file?", path.c_str(),
        symbolPrefix.data());
  return llvm::Error::success();
}

llvm::Expected<const DeviceLibrary *> DeviceLibrary::load(StringRef folder) {
  static std::mutex mutex;
  static llvm::StringMap<std::unique_ptr<DeviceLibrary>> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = loaded.find(folder);
  if (found != loaded.end())
    return found->second.get();

  auto library = std::make_unique<DeviceLibrary>();
  library->folderPath = folder.str();
  if (llvm::Error error =
          readSymbols(folder, "meta_op.aic.bc", library->cubeSymbols))
    return error;
  if (llvm::Error error =
          readSymbols(folder, "meta_op.aiv.bc", library->vectorSymbols))
    return error;
  return (loaded[folder] = std::move(library)).get();
}

static bool contains(const llvm::StringSet<> &symbols, StringRef callee) {
  // Debug functions are called by their full symbol.
  if (callee.starts_with(symbolPrefix))
    return symbols.contains(callee);
  return symbols.contains((symbolPrefix + callee).str());
}

bool DeviceLibrary::hasCubeFunction(StringRef callee) const {
  return contains(cubeSymbols, callee);
}

bool DeviceLibrary::hasVectorFunction(StringRef callee) const {
  return contains(vectorSymbols, callee);
}

/// The core that runs a call: that of the function around it. A function
/// without one was not lowered for the device; its callee decides then.
static std::optional<hivm::FuncCoreType> getCore(func::CallOp call) {
  auto coreOf = [](func::FuncOp function) {
    return function ? function->getAttrOfType<hivm::FuncCoreTypeAttr>(
                          "hivm.func_core_type")
                    : hivm::FuncCoreTypeAttr();
  };
  if (auto core = coreOf(call->getParentOfType<func::FuncOp>()))
    return core.getValue();
  if (auto core = coreOf(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr())))
    return core.getValue();
  return std::nullopt;
}

std::vector<Finding> checkLink(ModuleOp module, const DeviceLibrary &library) {
  std::vector<Finding> findings;
  for (func::CallOp call : getLibraryCalls(module)) {
    StringRef callee = call.getCallee();
    std::optional<hivm::FuncCoreType> core = getCore(call);
    bool onCube = core == hivm::FuncCoreType::AIC;
    bool onVector = core == hivm::FuncCoreType::AIV;
    bool exists = onCube     ? library.hasCubeFunction(callee)
                  : onVector ? library.hasVectorFunction(callee)
                             : library.hasCubeFunction(callee) ||
                                   library.hasVectorFunction(callee);
    if (exists)
      continue;
    std::string text = ("the final IR calls '" + callee +
                        "', which the vendor's device library does not define")
                           .str();
    if (onCube || onVector)
      text += onCube ? " for cube cores" : " for vector cores";
    findings.push_back(findingAt(
        call, "missing-library-function", std::move(text),
        "this combination of types or memory spaces does not exist on the "
        "device; go through float32, or through global memory where the "
        "spaces are the reason"));
  }
  return findings;
}

} // namespace tilekiln::bishengir
