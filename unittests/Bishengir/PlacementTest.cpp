//===- PlacementTest.cpp - Is the kernel where it was meant to be? --------===//
//
// Starts from facts of a good cube kernel and spoils one of them at a time.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/Placement.h"
#include "gtest/gtest.h"

using namespace tilekiln::bishengir;

namespace {

ModuleFacts getGoodCube() {
  FunctionFacts kernel;
  kernel.name = "k";
  kernel.core = "AIC";
  kernel.isEntry = true;
  kernel.source = {"kernel.py", 10, 1};
  kernel.buffers = {{"l1", "4x8x16x16xf16", 16384, {0, 49152}, {}},
                    {"l1", "16x4x16x16xf16", 32768, {16384, 65536}, {}},
                    {"l0c", "16x8x16x16xf32", 131072, {0}, {}}};
  kernel.calls = {
      {"mma_tile_half_to_float", {{"kernel.py", 20, 5}}},
      {"fixpipe_nz2nd_float_to_half_4d_to_2d", {{"kernel.py", 30, 5}}}};
  MatmulFacts matmul;
  matmul.callee = "mma_tile_half_to_float";
  matmul.inLoop = true;
  matmul.a = {{0}, true, true};
  matmul.b = {{1}, true, true};
  matmul.source = {"kernel.py", 20, 5};
  kernel.matmuls = {matmul};
  kernel.fixpipesToTensors = 1;

  ModuleFacts facts;
  facts.unit = Unit::Cube;
  facts.kernelName = "k";
  facts.workspaceBytesPerBlock = 0;
  facts.functions = {kernel};
  return facts;
}

ExpectedPlacement getExpectedCube() {
  ExpectedPlacement expected;
  expected.unit = Unit::Cube;
  expected.roundTrips = 0;
  expected.doubleBufferedOperands = true;
  expected.storedResults = 1;
  expected.buffers = {{"A_shared", "l1", 16384, {}},
                      {"C_local", "l0c", 131072, {}}};
  expected.source = {"kernel.py", 9, 1};
  return expected;
}

/// Names of the checks that found something.
std::vector<std::string> check(const ModuleFacts &facts,
                               const ExpectedPlacement &expected) {
  std::vector<std::string> names;
  for (const Finding &finding : checkPlacement(facts, expected)) {
    EXPECT_FALSE(finding.text.empty());
    EXPECT_FALSE(finding.advice.empty());
    EXPECT_TRUE(finding.source.isKnown()) << finding.text;
    names.push_back(finding.check);
  }
  return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST(Placement, PureCubeKernelPasses) {
  EXPECT_EQ(check(getGoodCube(), getExpectedCube()), Names());
}

TEST(Placement, VectorPartIsFound) {
  ModuleFacts facts = getGoodCube();
  facts.unit = Unit::Mix;
  FunctionFacts vector;
  vector.core = "AIV";
  vector.calls = {{"vadd_1d_float", {{"kernel.py", 25, 7}}}};
  facts.functions.push_back(vector);
  std::vector<Finding> findings = checkPlacement(facts, getExpectedCube());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "placement-unit");
  EXPECT_EQ(findings[0].source.line, 25u);
  EXPECT_NE(findings[0].text.find("vadd_1d_float"), std::string::npos);
}

TEST(Placement, WorkspaceAndRoundTripsAreFound) {
  ModuleFacts facts = getGoodCube();
  facts.workspaceBytesPerBlock = 65536;
  facts.functions[0].fixpipesToWorkspace = 1;
  facts.functions[0].firstWorkspaceWrite = {"kernel.py", 21, 1};
  EXPECT_EQ(check(facts, getExpectedCube()),
            (Names{"placement-workspace", "placement-round-trips"}));
}

TEST(Placement, WorkspaceOfUnknownSizeIsNotZero) {
  ModuleFacts facts = getGoodCube();
  facts.workspaceBytesPerBlock = std::nullopt;
  EXPECT_EQ(check(facts, getExpectedCube()), Names{"placement-workspace"});
}

TEST(Placement, CrossCoreFlagIsFound) {
  ModuleFacts facts = getGoodCube();
  facts.functions[0].crossCoreSets = 1;
  EXPECT_EQ(check(facts, getExpectedCube()), Names{"placement-cross-core"});
}

TEST(Placement, SingleBufferIsFoundPerOperand) {
  ModuleFacts facts = getGoodCube();
  facts.functions[0].matmuls[0].b.doubleBuffered = false;
  std::vector<Finding> findings = checkPlacement(facts, getExpectedCube());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "placement-double-buffer");
  EXPECT_NE(findings[0].text.find("operand B"), std::string::npos);
  EXPECT_EQ(findings[0].source.line, 20u);
}

TEST(Placement, ResidentOperandNeedsOneBuffer) {
  ModuleFacts facts = getGoodCube();
  facts.functions[0].matmuls[0].b = {{1}, false, false};
  EXPECT_EQ(check(facts, getExpectedCube()), Names());
}

TEST(Placement, MoreFixpipesThanResultsAreFound) {
  ModuleFacts facts = getGoodCube();
  facts.functions[0].fixpipesToTensors = 2;
  EXPECT_EQ(check(facts, getExpectedCube()), Names{"placement-fixpipe"});
}

TEST(Placement, BufferInAnotherSpaceIsFound) {
  ModuleFacts facts = getGoodCube();
  ExpectedPlacement expected = getExpectedCube();
  expected.buffers = {{"C_local", "ub", 131072, {"kernel.py", 12, 5}}};
  facts.functions[0].buffers[2].source = {"kernel.py", 12, 5};
  std::vector<Finding> findings = checkPlacement(facts, expected);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "placement-space");
  EXPECT_NE(findings[0].text.find("l0c"), std::string::npos);
  EXPECT_EQ(findings[0].source.line, 12u);
}

/// The cube adds a bias or cuts off what is negative while it writes.
TEST(Placement, MixedKernelMayBecomeACubeKernel) {
  ModuleFacts facts = getGoodCube();
  ExpectedPlacement expected;
  expected.unit = Unit::Mix;
  expected.source = {"kernel.py", 9, 1};
  EXPECT_EQ(check(facts, expected), Names());
  facts.unit = Unit::Vector;
  EXPECT_EQ(check(facts, expected), Names{"placement-unit"});
}

TEST(Placement, MixedKernelMayUseTheWorkspace) {
  ModuleFacts facts = getGoodCube();
  facts.unit = Unit::Mix;
  facts.workspaceBytesPerBlock = 65536;
  facts.functions[0].fixpipesToWorkspace = 2;
  facts.functions[0].crossCoreSets = 2;
  ExpectedPlacement expected;
  expected.unit = Unit::Mix;
  expected.source = {"kernel.py", 9, 1};
  EXPECT_EQ(check(facts, expected), Names());
  expected.roundTrips = 1;
  EXPECT_EQ(check(facts, expected), Names{"placement-round-trips"});
}
