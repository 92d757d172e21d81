//===- DecodeTester.h - Final IR in a test, decoded and run ---------------===//
#ifndef TILEKILN_UNITTESTS_SIM_DECODETESTER_H
#define TILEKILN_UNITTESTS_SIM_DECODETESTER_H

#include "tilekiln/Sim/Core/Simulator.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "gtest/gtest.h"

namespace tilekiln::sim {

/// A vector kernel as the vendor's compiler writes its frame. `%a`, `%b` ... of
/// `arguments` are the user's; the body ends before `return`.
inline std::string vectorKernel(const std::string &arguments,
                                const std::string &body,
                                const std::string &others = "") {
  return R"(
#map = affine_map<()[s0] -> (s0 mod 2)>
module {
  func.func @kernel(
      %ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      )" + arguments +
         R"(, %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    )" + body +
         R"(
    return
  }
)" + others +
         "}\n";
}

/// Arguments of a type in global memory.
inline std::string tensors(std::initializer_list<const char *> namesAndTypes) {
  std::string text;
  for (auto it = namesAndTypes.begin(); it != namesAndTypes.end(); it += 2)
    text += (text.empty() ? std::string() : ", ") + "%" + it[0] + ": memref<?x" +
            it[1] + ", #hivm.address_space<gm>>";
  return text;
}

class DecodeTester : public ::testing::Test {
protected:
  std::unique_ptr<Program> decodes(const std::string &text) {
    auto decoded = decodeText(text, "kernel.mlir");
    if (!decoded) {
      ADD_FAILURE() << llvm::toString(decoded.takeError());
      return nullptr;
    }
    return std::move(*decoded);
  }

  /// The error of a text that cannot be decoded.
  std::string refusal(const std::string &text) {
    auto decoded = decodeText(text, "kernel.mlir");
    if (decoded) {
      ADD_FAILURE() << "decoded";
      return "";
    }
    return llvm::toString(decoded.takeError());
  }

  template <typename T>
  void give(std::vector<T> &data, const std::string &name = "") {
    launch.arguments.push_back(SimArgument::tensor(
        data.data(), int64_t(data.size() * sizeof(T)), name));
  }

  SimResult runs(const std::string &text) {
    std::unique_ptr<Program> program = decodes(text);
    return program ? runs(*program) : SimResult();
  }

  SimResult runs(const Program &program) {
    Target target = llvm::cantFail(
        loadTarget(TILEKILN_SHARE_FOLDER "/targets/ascend910b3.json"));
    auto result = simulate(program, target, launch);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return SimResult();
    }
    for (const Fault &fault : result->faults)
      faults.push_back(toString(fault, program, target));
    return std::move(*result);
  }

  void expectNoFaults() {
    for (const std::string &fault : faults)
      ADD_FAILURE() << fault;
  }

  Launch launch;
  std::vector<std::string> faults;
};

} // namespace tilekiln::sim

#endif // TILEKILN_UNITTESTS_SIM_DECODETESTER_H
