//===- SimTester.h - Small kernels for the simulator's tests --------------===//
#ifndef TILEKILN_UNITTESTS_SIM_SIMTESTER_H
#define TILEKILN_UNITTESTS_SIM_SIMTESTER_H

#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Simulator.h"
#include "gtest/gtest.h"
#include <optional>

namespace tilekiln::sim {

/// A program with one function per kind of core, and its launch.
class SimTester {
public:
  SimTester() : target(loadB3()) { program.name = "kernel"; }

  static Target loadB3() {
    return llvm::cantFail(
        loadTarget(TILEKILN_SHARE_FOLDER "/targets/ascend910b3.json"));
  }

  /// Begins the code of a core; finished by run().
  FunctionBuilder &begin(CoreType kind) {
    std::unique_ptr<Function> &function =
        kind == CoreType::AIC ? program.aic : program.aiv;
    function = std::make_unique<Function>();
    function->name = "kernel";
    function->core = kind;
    auto &builder = builders[kind == CoreType::AIC ? 0 : 1];
    builder.emplace(program, *function);
    return *builder;
  }

  /// Adds a tensor argument and gives its buffer register in `builder`.
  template <typename T>
  Register tensor(FunctionBuilder &builder, unsigned index, ElementType type,
                  std::vector<T> &data, std::vector<int64_t> shape) {
    if (launch.arguments.size() <= index)
      launch.arguments.resize(index + 1);
    launch.arguments[index] = SimArgument::tensor(
        data.data(), int64_t(data.size() * sizeof(T)), "t" + std::to_string(index));
    Parameter parameter;
    parameter.kind = Parameter::Kind::User;
    parameter.isBuffer = true;
    parameter.type = type;
    parameter.user = index;
    parameter.shape = std::move(shape);
    return builder.parameter(parameter);
  }

  /// A call with buffer registers and constants: callee(buffers and scalars).
  struct Operand {
    CallOperand operand;
    bool isConstant = false;
    int64_t value = 0;
  };
  static Operand buffer(Register reg) {
    return {{CallOperand::Kind::Buffer, ElementType::I8, reg}, false, 0};
  }
  static Operand number(int64_t value) {
    return {{CallOperand::Kind::Scalar, ElementType::I64, 0}, true, value};
  }
  static Operand real(double value) {
    return {{CallOperand::Kind::Scalar, ElementType::F32, 0}, true,
            Scalar::real(value).i};
  }
  static Operand scalar(Register reg, ElementType type) {
    return {{CallOperand::Kind::Scalar, type, reg}, false, 0};
  }
  void call(FunctionBuilder &builder, llvm::StringRef callee,
            std::vector<Operand> operands) {
    std::vector<CallOperand> given;
    for (Operand &operand : operands) {
      if (operand.isConstant)
        operand.operand.reg =
            builder.constant(operand.value, operand.operand.type);
      given.push_back(operand.operand);
    }
    llvm::Error error = builder.call(callee, given);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }

  SimResult run() {
    for (auto &builder : builders)
      if (builder) {
        builder->ret();
        builder->finish();
        builder.reset();
      }
    llvm::Expected<SimResult> result = simulate(program, target, launch, options);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return SimResult();
    }
    return *result;
  }

  /// Faults as text, one a line.
  std::string faults(const SimResult &result) {
    std::string text;
    for (const Fault &fault : result.faults)
      text += toString(fault, program, target) + "\n";
    return text;
  }

  Target target;
  Program program;
  Launch launch;
  SimOptions options;

private:
  std::optional<FunctionBuilder> builders[2];
};

/// The kinds of a result's faults, in order.
inline std::vector<FaultKind> kinds(const SimResult &result) {
  std::vector<FaultKind> list;
  for (const Fault &fault : result.faults)
    list.push_back(fault.kind);
  return list;
}

} // namespace tilekiln::sim

#endif // TILEKILN_UNITTESTS_SIM_SIMTESTER_H
