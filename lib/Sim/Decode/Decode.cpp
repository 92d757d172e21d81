//===- Decode.cpp - The vendor's final IR as a program of the simulator ---===//
//
// The module: its entries, what its host functions tell the launcher, and its
// name. Functions are FunctionDecoder's.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Sim/Decode/Decode.h"
#include "FunctionDecoder.h"
#include "WrittenArguments.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

namespace {

/// The vendor's codes of what a kernel runs on.
enum TaskType : int64_t { vectorTask = 10, cubeTask = 20, mixOneToOne = 31, mixOneToTwo = 32 };

class ModuleDecoder {
public:
  explicit ModuleDecoder(ModuleOp module)
      : module(module), program(std::make_unique<Program>()), places(*program) {}

  llvm::Expected<std::unique_ptr<Program>> run() {
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr("hacc.entry") && !function.isExternal())
        if (llvm::Error error = addEntry(function))
          return error;
    if (!program->aic && !program->aiv)
      return errorAt(module, "the vendor's final IR has no entry function: it "
                             "cannot be launched");
    if (llvm::Error error = readHostFunctions())
      return error;
    program->writtenArguments = getWrittenArguments(*program);
    return std::move(program);
  }

private:
  llvm::Error addEntry(func::FuncOp entry) {
    auto core = entry->getAttrOfType<hivm::FuncCoreTypeAttr>("hivm.func_core_type");
    bool isCube = core && core.getValue() == hivm::FuncCoreType::AIC;
    if (!isCube && !(core && core.getValue() == hivm::FuncCoreType::AIV))
      return errorAt(entry, "'" + entry.getName() +
                                "' does not say which core it runs on "
                                "(hivm.func_core_type is neither AIC nor AIV)");
    std::unique_ptr<Function> &place = isCube ? program->aic : program->aiv;
    if (place)
      return errorAt(entry, "the vendor's final IR has two entries for one kind "
                            "of core, '" +
                                place->name + "' and '" + entry.getName() + "'");
    place = std::make_unique<Function>();
    place->name = entry.getName().str();
    place->core = isCube ? CoreType::AIC : CoreType::AIV;
    StringRef name = entry.getName();
    if (!name.consume_back("_mix_aic"))
      name.consume_back("_mix_aiv");
    program->name = name.str();
    return FunctionDecoder(*program, places, *place).run(entry);
  }

  /// The constant that one of the vendor's host functions returns; none where
  /// there is no such function.
  llvm::Error readHostConstant(StringRef kind, std::optional<int64_t> &out) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (hivm::getVendorText(function->getAttr("hacc.host_func_type"),
                              "host_func_type") != kind ||
          function.isExternal())
        continue;
      Operation *result = function.getBody().front().getTerminator();
      APInt value;
      if (result->getNumOperands() != 1 ||
          !matchPattern(result->getOperand(0), m_ConstantInt(&value)))
        return errorAt(function, "the host function '" + function.getName() +
                                     "' does not return a constant, which the "
                                     "simulator's launcher needs");
      out = value.getSExtValue();
    }
    return llvm::Error::success();
  }

  llvm::Error readHostFunctions() {
    std::optional<int64_t> taskType, workspace;
    if (llvm::Error error = readHostConstant("infer_task_type_function", taskType))
      return error;
    if (llvm::Error error =
            readHostConstant("infer_workspace_shape_function", workspace))
      return error;
    program->workspaceBytesPerBlock = workspace.value_or(0);
    if (program->isMixed())
      program->aivPerBlock = taskType == mixOneToOne ? 1 : 2;
    if (!taskType)
      return llvm::Error::success();
    bool fits = program->isMixed() ? *taskType == mixOneToOne || *taskType == mixOneToTwo
                : program->aic     ? *taskType == cubeTask
                                   : *taskType == vectorTask;
    if (fits)
      return llvm::Error::success();
    return errorAt(module, "the task type " + Twine(*taskType) +
                               " does not fit the entries of '" + program->name +
                               "': 10 is vector, 20 cube, 31 and 32 are mixed");
  }

  ModuleOp module;
  std::unique_ptr<Program> program;
  SourcePlaces places;
};

} // namespace

llvm::Expected<std::unique_ptr<Program>> tilekiln::sim::decode(ModuleOp module) {
  return ModuleDecoder(module).run();
}

llvm::Expected<std::unique_ptr<Program>>
tilekiln::sim::decodeText(StringRef text, StringRef name) {
  DialectRegistry registry;
  hivm::registerFinalIRDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = hivm::parseFinalIR(text, name, context);
  if (!module)
    return module.takeError();
  return decode(**module);
}
