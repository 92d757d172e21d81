//===- VendorCompilerTest.cpp - The vendor's own compiler -----------------===//
//
// Runs bishengir-compile where it is installed: what it makes of good kernels,
// how it fails, and whether each of its silent errors is reported. The kernels
// are in Inputs; their first line says what they are.
//
//===----------------------------------------------------------------------===//
#include "Process.h"
#include "tilekiln/Bishengir/Bishengir.h"
#include "tilekiln/Bishengir/Placement.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"

using namespace tilekiln::bishengir;

namespace {

/// TILEKILN_BISHENGIR_COMPILE, then the active virtual environment, then PATH.
std::string findCompiler() {
  if (const char *path = ::getenv("TILEKILN_BISHENGIR_COMPILE"))
    return path;
  if (const char *environment = ::getenv("VIRTUAL_ENV")) {
    llvm::SmallString<128> libraries(environment);
    llvm::sys::path::append(libraries, "lib");
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(libraries, error), end;
         entry != end && !error; entry.increment(error)) {
      llvm::SmallString<256> candidate(entry->path());
      llvm::sys::path::append(candidate, "site-packages", "ascendnpuir", "bin",
                              "bishengir-compile");
      if (llvm::sys::fs::can_execute(candidate))
        return candidate.str().str();
    }
  }
  if (auto found = llvm::sys::findProgramByName("bishengir-compile"))
    return *found;
  return "";
}

class VendorCompiler
    : public testing::TestWithParam<std::pair<const char *, const char *>> {
protected:
  void SetUp() override {
    options.compiler = findCompiler();
    if (options.compiler.empty())
      GTEST_SKIP() << "bishengir-compile is not installed; set "
                      "TILEKILN_BISHENGIR_COMPILE or VIRTUAL_ENV";
  }

  static std::string getInput(llvm::StringRef name) {
    std::string text =
        readFile((TILEKILN_TEST_INPUTS "/" + name + ".mlir").str());
    EXPECT_FALSE(text.empty()) << "no input " << name.str();
    return text;
  }

  VendorResult succeed(llvm::StringRef name) {
    auto result = runBishengir(getInput(name), options);
    if (result)
      return std::move(*result);
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }

  VendorError fail(llvm::StringRef name) {
    auto result = runBishengir(getInput(name), options);
    VendorError taken(VendorError::Kind::NoFinalIR, "there was no error");
    EXPECT_FALSE(static_cast<bool>(result));
    if (!result)
      llvm::handleAllErrors(
          result.takeError(), [&](VendorError &error) { taken = error; },
          [&](llvm::ErrorInfoBase &other) { taken.text = other.message(); });
    return taken;
  }

  static llvm::StringSet<> getChecks(const std::vector<Finding> &findings) {
    llvm::StringSet<> names;
    for (const Finding &finding : findings)
      names.insert(finding.check);
    return names;
  }

  static ExpectedPlacement getExpectedCube() {
    ExpectedPlacement expected;
    expected.unit = Unit::Cube;
    expected.roundTrips = 0;
    expected.doubleBufferedOperands = true;
    expected.storedResults = 1;
    expected.buffers = {{"A", "l1", 128 * 64 * 2, {"kernel.py", 30, 5}},
                        {"C", "l0c", 128 * 128 * 4, {}}};
    expected.source = {"kernel.py", 1, 1};
    return expected;
  }

  VendorOptions options;
};

/// Same fixture, one run per silent error.
using SilentError = VendorCompiler;

} // namespace

TEST_F(VendorCompiler, PureCubeKernel) {
  VendorResult result = succeed("cube-gemm");
  EXPECT_TRUE(result.findings.empty());
  EXPECT_TRUE(result.notes.empty());
  EXPECT_EQ(result.facts.unit, Unit::Cube);
  EXPECT_EQ(result.facts.taskType, 20);
  EXPECT_EQ(result.facts.workspaceBytesPerBlock, 0);
  EXPECT_TRUE(result.facts.hasSourceLines);
  for (const Finding &finding : checkPlacement(result.facts, getExpectedCube()))
    ADD_FAILURE() << finding.text;
  // The multiplication keeps its line through the vendor's compiler.
  ASSERT_EQ(result.facts.functions.size(), 1u);
  ASSERT_EQ(result.facts.functions[0].matmuls.size(), 1u);
  EXPECT_EQ(result.facts.functions[0].matmuls[0].source,
            (SourceLine{"kernel.py", 42, 5}));
  // No name of a temporary file gets out.
  EXPECT_EQ(result.finalIR.find("tilekiln-bishengir"), std::string::npos);
}

TEST_F(VendorCompiler, NaiveKernelFailsThePlacementCheck) {
  VendorResult result = succeed("naive-gemm");
  llvm::StringSet<> checks =
      getChecks(checkPlacement(result.facts, getExpectedCube()));
  EXPECT_TRUE(checks.contains("placement-unit"));
  EXPECT_TRUE(checks.contains("placement-workspace"));
  EXPECT_TRUE(checks.contains("placement-round-trips"));
  EXPECT_TRUE(checks.contains("placement-cross-core"));
}

TEST_F(VendorCompiler, VectorKernel) {
  VendorResult result = succeed("vector-exp");
  EXPECT_TRUE(result.findings.empty());
  ExpectedPlacement expected;
  expected.unit = Unit::Vector;
  EXPECT_TRUE(checkPlacement(result.facts, expected).empty());
}

TEST_F(VendorCompiler, SameTextGivesSameModule) {
  EXPECT_EQ(succeed("cube-gemm").finalIR, succeed("cube-gemm").finalIR);
}

TEST_F(VendorCompiler, OverflowsAreInBytes) {
  VendorError ub = fail("ub-overflow");
  EXPECT_EQ(ub.kind, VendorError::Kind::Overflow);
  ASSERT_FALSE(ub.overflows.empty());
  EXPECT_EQ(ub.overflows.back().space, "ub");
  EXPECT_EQ(ub.overflows.back().neededBytes, 512 * 128 * 4);
  EXPECT_EQ(ub.overflows.back().availableBytes, 192 * 1024);
  EXPECT_NE(ub.text.find("262144 bytes"), std::string::npos);

  VendorError l1 = fail("l1-overflow");
  ASSERT_FALSE(l1.overflows.empty());
  EXPECT_EQ(l1.overflows.back().space, "l1");
  EXPECT_EQ(l1.overflows.back().availableBytes, 512 * 1024);

  VendorError l0c = fail("l0c-overflow");
  ASSERT_FALSE(l0c.overflows.empty());
  EXPECT_EQ(l0c.overflows.back().space, "l0c");
  EXPECT_EQ(l0c.overflows.back().neededBytes, 1024 * 1024);
}

TEST_F(VendorCompiler, RetryIsNeverSilent) {
  VendorResult result = succeed("retry");
  EXPECT_FALSE(result.notes.empty());
  EXPECT_TRUE(getChecks(result.findings).contains("overflow-retry"));
  EXPECT_TRUE(getChecks(checkPlacement(result.facts, getExpectedCube()))
                  .contains("placement-double-buffer"));
}

TEST_F(VendorCompiler, CrashKeepsTheLinkedText) {
  auto folder = TemporaryFolder::create("tilekiln-test");
  ASSERT_TRUE(static_cast<bool>(folder));
  options.reproducerFolder = folder->pathOf("reproducers");
  for (llvm::StringRef name : {"crash-dense", "crash-copy"}) {
    VendorError error = fail(name);
    EXPECT_EQ(error.kind, VendorError::Kind::Crash) << name.str();
    EXPECT_TRUE(
        llvm::StringRef(readFile(error.reproducer)).ends_with(getInput(name)));
  }
}

TEST_F(VendorCompiler, RefusalIsAtThePythonLine) {
  VendorError error = fail("rejected-cast");
  EXPECT_EQ(error.kind, VendorError::Kind::Rejected);
  EXPECT_EQ(error.source, (SourceLine{"kernel.py", 77, 9}));
}

TEST_F(VendorCompiler, UnreadableInputIsRefused) {
  auto result = runBishengir("this is no module", options);
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_NE(llvm::toString(result.takeError()).find("linked.mlir:1"),
            std::string::npos);
}

TEST_F(VendorCompiler, MissingFunctionIsFoundAtItsLine) {
  VendorResult result = succeed("missing-function");
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].check, "missing-library-function");
  EXPECT_EQ(result.findings[0].source, (SourceLine{"kernel.py", 42, 5}));
}

TEST_F(VendorCompiler, AtLeastOneIterationIsEnough) {
  EXPECT_TRUE(succeed("guarded-zero-trip").findings.empty());
}

TEST_F(VendorCompiler, LauncherMayAnswerForLoops) {
  options.loopsRun = true;
  EXPECT_TRUE(succeed("trap-zero-trip").findings.empty());
}

TEST_P(SilentError, IsReported) {
  auto [input, check] = GetParam();
  EXPECT_TRUE(getChecks(succeed(input).findings).contains(check));
}

INSTANTIATE_TEST_SUITE_P(
    Traps, SilentError,
    testing::Values(
        std::pair("trap-strided-operand", "strided-operand"),    // T5
        std::pair("trap-strided-load", "strided-load"),          // T6
        std::pair("trap-conditional-init", "conditional-init"),  // T7
        std::pair("trap-zero-trip", "zero-trip-accumulator"),    // T8
        std::pair("trap-carried-read", "unfilled-buffer"),       // T9
        std::pair("trap-parallel-loop", "unplanned-buffer"),     // T10
        std::pair("trap-misaligned-cast", "misaligned-slice"),   // T12
        std::pair("trap-misaligned-bf16", "misaligned-slice"),   // T12
        std::pair("trap-misaligned-atomic", "misaligned-slice"), // T12
        std::pair("trap-quantisation", "unscaled-quantisation"), // T15
        std::pair("trap-bias", "bias-too-wide"),                 // T16
        std::pair("trap-scalar-math", "scalar-math"),
        std::pair("trap-atomic-rmw", "unlowered-op"),
        std::pair("trap-assert", "unlowered-op"),
        std::pair("trap-bitcast", "bitcast"),
        std::pair("trap-i64-abs", "element-loop"),
        std::pair("no-entry", "no-entry")),
    [](const auto &info) {
      std::string name = info.param.first;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });
