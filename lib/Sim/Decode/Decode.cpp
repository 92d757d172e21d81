//===- Decode.cpp - The vendor's final IR as a program --------------------===//
#include "tilekiln/Sim/Decode/Decode.h"
#include "FunctionDecoder.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilekiln::sim {

static llvm::Error fail(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// What a host function of the module returns; none where there is none.
static llvm::Expected<std::optional<int64_t>> readHostFunction(ModuleOp module,
                                                               StringRef kind) {
  std::optional<int64_t> result;
  for (auto function : module.getOps<func::FuncOp>()) {
    Attribute type = function->getAttr("hacc.host_func_type");
    if (!type || hivm::getVendorText(type, "host_func_type") != kind)
      continue;
    APInt value;
    auto ret = function.isDeclaration()
                   ? func::ReturnOp()
                   : dyn_cast<func::ReturnOp>(function.getBody().front().back());
    if (!ret || ret.getNumOperands() != 1 ||
        !matchPattern(ret.getOperand(0), m_ConstantInt(&value)))
      return fail("host function '" + function.getName() +
                  "' does not return a constant, which the simulator needs");
    result = value.getSExtValue();
  }
  return result;
}

static std::optional<CoreType> getCore(func::FuncOp function) {
  if (auto core = function->getAttrOfType<hivm::FuncCoreTypeAttr>(
          "hivm.func_core_type"))
    return core.getValue() == hivm::FuncCoreType::AIC ? CoreType::AIC
                                                      : CoreType::AIV;
  return std::nullopt;
}

llvm::Expected<std::unique_ptr<Program>> decode(ModuleOp module) {
  auto program = std::make_unique<Program>();
  auto workspace = readHostFunction(module, "infer_workspace_shape_function");
  if (!workspace)
    return workspace.takeError();
  program->workspaceBytesPerBlock = workspace->value_or(0);
  auto taskType = readHostFunction(module, "infer_task_type_function");
  if (!taskType)
    return taskType.takeError();
  // 31 is a cube core with one vector core, 32 with two.
  program->aivPerBlock = *taskType == 32 || !*taskType ? 2 : 1;

  std::vector<std::string> problems;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("hacc.entry") || function.isDeclaration())
      continue;
    std::optional<CoreType> core = getCore(function);
    if (!core) {
      problems.push_back("entry '" + function.getName().str() +
                         "' does not say which core runs it");
      continue;
    }
    std::unique_ptr<Function> &slot =
        *core == CoreType::AIC ? program->aic : program->aiv;
    if (slot) {
      problems.push_back("the module has several entries for one kind of core");
      continue;
    }
    StringRef name = function.getName();
    if (!name.consume_back("_mix_aic"))
      name.consume_back("_mix_aiv");
    program->name = name.str();
    slot = std::make_unique<Function>();
    slot->name = function.getName().str();
    slot->core = *core;
    FunctionDecoder(*program, *slot, problems).decode(function);
  }
  if (!program->aic && !program->aiv)
    problems.push_back("the module has no function with the attribute hacc.entry");
  if (problems.empty())
    return program;
  return fail("the kernel cannot be simulated:\n" + llvm::join(problems, "\n"));
}

llvm::Expected<std::unique_ptr<Program>> decodeText(StringRef text, StringRef name) {
  DialectRegistry registry;
  hivm::registerFinalIRDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = hivm::parseFinalIR(text, name, context);
  if (!module)
    return module.takeError();
  return decode(**module);
}

} // namespace tilekiln::sim
