//===- FinalIRRunTest.cpp - Whole final IRs, decoded and run --------------===//
//
// Inputs/*.mlir are what bishengir-compile 1.2.0 made of small TileLang kernels
// with edges in every dimension: a vector kernel, a cube kernel, and one whose
// halves exchange tiles.
//
//===----------------------------------------------------------------------===//
#include "DecodeTester.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilekiln::sim;

namespace {

class FinalIRRun : public DecodeTester {
protected:
  std::unique_ptr<Program> decodesFile(const std::string &name) {
    auto file = llvm::MemoryBuffer::getFile(TILEKILN_TEST_INPUTS "/" + name);
    if (!file) {
      ADD_FAILURE() << "cannot read " << name;
      return nullptr;
    }
    return decodes((*file)->getBuffer().str());
  }

  /// C = A B for (40, 72) x (72, 48), in tiles of 32 x 32 x 32.
  static constexpr size_t rows = 40, columns = 48, depth = 72;

  void runsProduct(const Program &program, bool relu) {
    std::vector<uint16_t> a(rows * depth), b(depth * columns);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = toF16(float(int(i * 7 % 11) - 5));
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = toF16(float(int(i * 5 % 13) - 6));
    std::vector<float> c(rows * columns, 77);
    give(a, "A");
    give(b, "B");
    give(c, "C");
    launch.gridX = 4;
    runs(program);
    expectNoFaults();
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        float expected = 0;
        for (size_t k = 0; k < depth; ++k)
          expected += fromF16(a[i * depth + k]) * fromF16(b[k * columns + j]);
        if (relu)
          expected = std::max(expected, 0.0f);
        ASSERT_EQ(c[i * columns + j], expected) << i << ", " << j;
      }
  }
};

TEST_F(FinalIRRun, VectorKernel) {
  auto program = decodesFile("vector-scaled-add.mlir");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->name, "scaled_add");
  EXPECT_FALSE(program->aic);
  EXPECT_EQ(program->writtenArguments,
            (std::vector<bool>{false, false, true, false}));
  std::vector<float> a(300), b(300), c(300, 77);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = float(i);
    b[i] = float(i * i % 97);
  }
  give(a, "A");
  give(b, "B");
  give(c, "C");
  launch.arguments.push_back(SimArgument::scalar(2.5));
  launch.gridX = 3;
  SimResult result = runs(*program);
  expectNoFaults();
  EXPECT_EQ(result.blocks, 3u);
  EXPECT_GT(result.totalSeconds, 0);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(c[i], a[i] * 2.5f + b[i]) << i;
}

TEST_F(FinalIRRun, CubeKernel) {
  auto program = decodesFile("cube-product.mlir");
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->aiv);
  ASSERT_TRUE(program->aic);
  EXPECT_EQ(program->workspaceBytesPerBlock, 0);
  // Every library call has the line of the script that asked for it.
  for (const Instruction &instruction : program->aic->code)
    if (instruction.opcode == Opcode::Call)
      EXPECT_EQ(program->lines[instruction.line].file, "kernel.py");
  runsProduct(*program, /*relu=*/false);
}

TEST_F(FinalIRRun, MixedKernel) {
  auto program = decodesFile("mixed-product-relu.mlir");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->isMixed());
  EXPECT_EQ(program->aivPerBlock, 2u);
  EXPECT_EQ(program->name, "product");
  // One tile of floats.
  EXPECT_EQ(program->workspaceBytesPerBlock, 32 * 32 * 4);
  EXPECT_EQ(program->writtenArguments, (std::vector<bool>{false, false, true}));
  runsProduct(*program, /*relu=*/true);
}

} // namespace
