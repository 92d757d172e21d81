//===- GemmTest.cpp - Matrix products out of the library's pieces ---------===//
#include "SimTester.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include <random>

using namespace tilekiln;
using namespace tilekiln::sim;

namespace {

struct Form {
  const char *name;
  ElementType type;
  const char *library, *callee, *fixpipe;
  bool transposedA, transposedB;
  int64_t m, n, k;
};

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/// An L1 buffer for a row-major matrix.
std::vector<int64_t> fractals(int64_t rows, int64_t columns, ElementType type) {
  int64_t perBlock = 32 / getBytes(type);
  return {up(columns, perBlock) / perBlock, up(rows, 16) / 16, 16, perBlock};
}

void put(std::vector<uint8_t> &bytes, size_t i, double value, ElementType type) {
  switch (type) {
  case ElementType::F16: {
    uint16_t bits = toF16(float(value));
    memcpy(&bytes[i * 2], &bits, 2);
    return;
  }
  case ElementType::BF16: {
    uint16_t bits = toBF16(float(value));
    memcpy(&bytes[i * 2], &bits, 2);
    return;
  }
  case ElementType::F32: {
    float bits = float(value);
    memcpy(&bytes[i * 4], &bits, 4);
    return;
  }
  default:
    bytes[i] = uint8_t(int8_t(value));
  }
}

class GemmForms : public testing::TestWithParam<Form> {};

// One block, one k step, the whole problem a tile.
TEST_P(GemmForms, matchTheProduct) {
  const Form &form = GetParam();
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIC);
  int64_t rowsA = form.transposedA ? form.k : form.m;
  int64_t columnsA = form.transposedA ? form.m : form.k;
  int64_t rowsB = form.transposedB ? form.n : form.k;
  int64_t columnsB = form.transposedB ? form.k : form.n;
  unsigned bytes = getBytes(form.type);
  std::vector<uint8_t> a(size_t(rowsA * columnsA) * bytes),
      b(size_t(rowsB * columnsB) * bytes);
  std::vector<double> exactA(size_t(rowsA * columnsA)),
      exactB(size_t(rowsB * columnsB));
  std::mt19937 random(7);
  // Small integers: exact in every type and in any order of the sum.
  std::uniform_int_distribution<int> some(-4, 4);
  for (size_t i = 0; i < exactA.size(); ++i)
    put(a, i, exactA[i] = some(random), form.type);
  for (size_t i = 0; i < exactB.size(); ++i)
    put(b, i, exactB[i] = some(random), form.type);
  std::vector<float> c(size_t(form.m * form.n), 99.0f);

  Register gmA = tester.tensor(code, 0, form.type, a, {rowsA, columnsA});
  Register gmB = tester.tensor(code, 1, form.type, b, {rowsB, columnsB});
  Register gmC = tester.tensor(
      code, 2, form.type == ElementType::I8 ? ElementType::I32 : ElementType::F32,
      c, {form.m, form.n});
  std::vector<int64_t> shapeA = fractals(rowsA, columnsA, form.type);
  std::vector<int64_t> shapeB = fractals(rowsB, columnsB, form.type);
  Register l1A = code.pointer(Space::L1, form.type, 0, shapeA);
  Register l1B = code.pointer(Space::L1, form.type, 262144, shapeB);
  Register flatA = code.pointer(Space::L1, form.type, 0, {131072 / bytes});
  Register flatB = code.pointer(Space::L1, form.type, 262144, {131072 / bytes});
  Register l0C = code.pointer(
      Space::L0C, form.type == ElementType::I8 ? ElementType::I32 : ElementType::F32,
      0, {up(form.n, 16) / 16, up(form.m, 16) / 16, 16, 16});
  using T = SimTester;
  std::string set = std::string("set_l1_2d_") + form.library;
  tester.call(code, set, {T::real(0), T::buffer(flatA)});
  tester.call(code, set, {T::real(0), T::buffer(flatB)});
  code.barrier(Pipe::MTE2);
  std::string load = std::string("nd2nz_") + form.library;
  tester.call(code, load, {T::buffer(gmA), T::buffer(l1A)});
  code.setFlag(Pipe::MTE2, Pipe::MTE1, 0);
  tester.call(code, load, {T::buffer(gmB), T::buffer(l1B)});
  code.setFlag(Pipe::MTE2, Pipe::MTE1, 1);
  tester.call(code, form.callee,
              {T::buffer(l1A), T::buffer(l1B), T::number(1), T::number(form.m),
               T::number(form.k), T::number(form.n), T::buffer(l0C), T::number(0),
               T::number(1), T::number(-1), T::number(-1), T::number(0),
               T::number(-1), T::number(-1), T::number(0)});
  code.setFlag(Pipe::M, Pipe::FIX, 0);
  code.waitFlag(Pipe::M, Pipe::FIX, 0);
  tester.call(code, form.fixpipe,
              {T::buffer(l0C), T::buffer(gmC), T::number(0), T::number(0),
               T::number(0), T::number(0)});
  code.barrier(Pipe::All);
  SimResult result = tester.run();

  for (int64_t i = 0; i < form.m; ++i)
    for (int64_t j = 0; j < form.n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < form.k; ++l)
        sum += exactA[size_t(form.transposedA ? l * form.m + i : i * form.k + l)] *
               exactB[size_t(form.transposedB ? j * form.k + l : l * form.n + j)];
      float value = c[size_t(i * form.n + j)];
      if (form.type == ElementType::I8) {
        int32_t bits;
        memcpy(&bits, &value, 4);
        ASSERT_EQ(bits, int32_t(sum)) << i << ", " << j;
      } else {
        ASSERT_EQ(value, float(sum)) << i << ", " << j;
      }
    }
  // The two buffers of one address are meant: the library fills all of L1.
  for (const Fault &fault : result.faults)
    EXPECT_EQ(fault.kind, FaultKind::Overlap)
        << toString(fault, tester.program, tester.target);
  EXPECT_GT(result.kernelCycles, 0);
}

constexpr const char *toF32 = "fixpipe_nz2nd_float_to_float_4d_to_2d";
INSTANTIATE_TEST_SUITE_P(
    All, GemmForms,
    testing::Values(
        Form{"half", ElementType::F16, "half", "mma_tile_half_to_float", toF32, false,
             false, 128, 256, 64},
        Form{"halfParts", ElementType::F16, "half", "mma_tile_half_to_float", toF32,
             false, false, 128, 256, 200},
        Form{"halfEdge", ElementType::F16, "half", "mma_tile_half_to_float", toF32,
             false, false, 104, 232, 40},
        Form{"halfTb", ElementType::F16, "half", "mma_tile_half_to_float_tb", toF32,
             false, true, 48, 100, 72},
        Form{"halfTa", ElementType::F16, "half", "mma_tile_half_to_float_ta", toF32,
             true, false, 70, 48, 33},
        Form{"halfTaTb", ElementType::F16, "half", "mma_tile_half_to_float_ta_tb",
             toF32, true, true, 70, 48, 33},
        Form{"bf16", ElementType::BF16, "bfloat16_t", "mma_tile_bfloat16_t_to_float",
             toF32, false, false, 64, 64, 64},
        Form{"f32", ElementType::F32, "float", "mma_tile_float_to_float", toF32,
             false, false, 64, 72, 100},
        Form{"hf32Ta", ElementType::F32, "float", "mma_tile_float_to_float_hf32_ta",
             toF32, true, false, 24, 40, 64},
        Form{"int8", ElementType::I8, "int8_t", "mma_tile_int8_t_to_int32_t",
             "fixpipe_nz2nd_int32_t_to_int32_t_4d_to_2d", false, false, 64, 96, 300},
        Form{"int8Tb", ElementType::I8, "int8_t", "mma_tile_int8_t_to_int32_t_tb",
             "fixpipe_nz2nd_int32_t_to_int32_t_4d_to_2d", false, true, 33, 40, 64}),
    [](const testing::TestParamInfo<Form> &info) { return info.param.name; });

} // namespace
