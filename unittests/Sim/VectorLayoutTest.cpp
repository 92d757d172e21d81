//===- VectorLayoutTest.cpp - Broadcasts, transposes, gathers, sorts ------===//
#include "VectorTester.h"
#include <algorithm>
#include <cmath>

using namespace tilekiln::sim;

namespace {

using E = ElementType;

TEST(VectorBroadcast, Scalars) {
  VectorTester t;
  for (int64_t count : {1, 7, 64, 300}) {
    Buffer f = t.room(E::F32, {count}), b = t.room(E::I8, {count});
    Buffer w = t.room(E::I64, {count}), h = t.room(E::BF16, {count});
    t.call("broadcast_scalar_float_to_1d", {2.5f, f});
    t.call("broadcast_scalar_int8_t_to_1d", {-3, b});
    t.call("broadcast_scalar_int64_t_to_1d", {int64_t(1) << 40, w});
    t.call("broadcast_scalar_bfloat16_t_to_1d", {1.0f, h});
    for (size_t i = 0; i < size_t(count); ++i) {
      EXPECT_EQ(t.get<float>(f)[i], 2.5f);
      EXPECT_EQ(t.get<int8_t>(b)[i], -3);
      EXPECT_EQ(t.get<int64_t>(w)[i], int64_t(1) << 40);
      EXPECT_EQ(t.get<uint16_t>(h)[i], 0x3f80);
    }
    EXPECT_TRUE(t.isWritten(b) && t.isWritten(w));
  }
  Buffer m = t.room(E::F32, {3, 20}, {24, 1}), flags = t.room(E::I1, {20});
  t.call("broadcast_scalar_float_to_2d", {1.0f, m});
  EXPECT_EQ(t.get<float>(m), std::vector<float>(60, 1));
  EXPECT_EQ(t.instructions.size(), 1u);
  Buffer odd = t.room(E::F32, {5}, {1}, 1);
  t.call("broadcast_scalar_float_to_1d", {4.0f, odd});
  EXPECT_EQ(t.get<float>(odd), std::vector<float>(5, 4));
  EXPECT_TRUE(t.instructions.empty());
  t.call("broadcast_scalar_bool_to_1d", {1, flags});
  for (bool bit : t.getFlags(flags))
    EXPECT_TRUE(bit);
}

TEST(VectorBroadcast, Axes) {
  VectorTester t;
  auto a = randomFloats(20), c = randomFloats(10, 2);
  Buffer row = t.put(E::F32, a, {1, 20}, {24, 1}), tmp = t.room(E::F32, {1024});
  Buffer out = t.room(E::F32, {10, 20}, {24, 1});
  t.call("broadcast_first_axis_align_2d_float", {row, out});
  for (size_t i = 0; i < 200; ++i)
    EXPECT_EQ(t.get<float>(out)[i], a[i % 20]);
  Buffer dense = t.room(E::F32, {10, 20});
  t.call("broadcast_first_axis_unalign_2d_float", {row, dense, tmp});
  EXPECT_EQ(t.get<float>(dense)[25], a[5]);
  EXPECT_TRUE(t.ran("vreducev2"));
  Buffer column = t.put(E::F32, c, {10, 1}, {1, 1});
  for (int64_t width : {3, 8, 20, 64, 100}) {
    Buffer wide = t.room(E::F32, {10, width});
    // Rounded-up rows are written behind dense results.
    t.room(E::F32, {64});
    const char *name = width % 8 ? "broadcast_last_axis_unalign_2d_float"
                                 : "broadcast_last_axis_align_2d_float";
    t.call(name, {column, wide, tmp});
    for (size_t i = 0; i < size_t(10 * width); ++i)
      EXPECT_EQ(t.get<float>(wide)[i], c[i / size_t(width)]) << name << width;
    EXPECT_TRUE(t.isWritten(wide)) << width;
  }
  auto b = randomFloats(2 * 16, 3);
  Buffer cube = t.room(E::F32, {2, 5, 16});
  t.call("broadcast_middle_axis_align_3d_float",
         {t.put(E::F32, b, {2, 1, 16}), cube});
  EXPECT_EQ(t.get<float>(cube)[5 * 16 + 3 * 16 + 7], b[16 + 7]);
  Buffer one = t.room(E::F32, {33});
  t.call("broadcast_1d_float", {t.put(E::F32, std::vector<float>{6}), one});
  EXPECT_EQ(t.get<float>(one), std::vector<float>(33, 6));
}

template <typename T> void checkTranspose(E type, const char *name, int64_t m, int64_t n) {
  VectorTester t;
  auto a = randomIntegers<T>(size_t(m * n));
  int64_t lanes = 64 / int64_t(sizeof(T));
  int64_t pitchN = (n + lanes - 1) / lanes * lanes;
  int64_t pitchM = (m + lanes - 1) / lanes * lanes;
  Buffer x = t.put(type, a, {m, n}, {pitchN, 1});
  t.room(type, {2048});
  Buffer out = t.room(type, {n, m}, {pitchM, 1});
  t.room(type, {2048});
  std::vector<VectorTester::Operand> operands{x, out};
  if (sizeof(T) == 8)
    operands.push_back(t.room(type, {1024}));
  t.call(std::string("transpose_2d_with_last_axis_") + name, operands);
  auto got = t.get<T>(out);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      EXPECT_EQ(got[size_t(j * m + i)], a[size_t(i * n + j)]) << name;
  EXPECT_TRUE(t.isWritten(out));
  EXPECT_TRUE(t.ran("vnchwconv"));
}

TEST(VectorTranspose, LastAxis) {
  checkTranspose<uint16_t>(E::F16, "half", 20, 24);
  checkTranspose<uint32_t>(E::F32, "float", 16, 32);
  checkTranspose<uint32_t>(E::F32, "float", 24, 10);
  checkTranspose<int8_t>(E::I8, "int8_t", 40, 33);
  checkTranspose<int64_t>(E::I64, "int64_t", 5, 9);
}

TEST(VectorTranspose, OtherForms) {
  VectorTester t;
  auto a = randomFloats(3 * 4 * 8);
  Buffer x = t.put(E::F32, a, {3, 4, 8}), out = t.room(E::F32, {4, 3, 8});
  t.call("transpose_3d_without_last_axis_float", {x, out});
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 4; ++j)
      for (size_t k = 0; k < 8; ++k)
        EXPECT_EQ(t.get<float>(out)[(j * 3 + i) * 8 + k], a[(i * 4 + j) * 8 + k]);
  auto b = randomFloats(5 * 7);
  Buffer odd = t.put(E::F32, b, {5, 7}, {9, 1}), turned = t.room(E::F32, {7, 5});
  t.call("transpose_2d_with_last_axis_float", {odd, turned});
  EXPECT_EQ(t.get<float>(turned)[6 * 5 + 4], b[4 * 7 + 6]);
  EXPECT_TRUE(t.instructions.empty());
}

TEST(VectorSequence, Aranges) {
  VectorTester t;
  for (int64_t count : {1, 5, 8, 100}) {
    Buffer i = t.room(E::I32, {count}), h = t.room(E::F16, {count});
    Buffer w = t.room(E::I64, {count});
    t.call("arange_1d_int32_t", {i, 3, 2});
    t.call("arange_1d_half", {h, 0, 1});
    t.call("arange_1d_int64_t", {w, 10, -1});
    for (size_t k = 0; k < size_t(count); ++k) {
      EXPECT_EQ(t.get<int32_t>(i)[k], 3 + 2 * int(k));
      EXPECT_EQ(fromF16(t.get<uint16_t>(h)[k]), float(k));
      EXPECT_EQ(t.get<int64_t>(w)[k], 10 - int64_t(k));
    }
    EXPECT_TRUE(t.isWritten(i));
  }
  Buffer m = t.room(E::I32, {4, 8}), sparse = t.room(E::I32, {3}, {2});
  t.call("arange_2d_int32_t", {m, 1, 8, 1});
  EXPECT_EQ(t.get<int32_t>(m)[31], 32);
  t.call("arange_1d_int32_t", {sparse, 5, 1});
  EXPECT_EQ(t.get<int32_t>(sparse), (std::vector<int32_t>{10, 11, 12}))
      << "the library multiplies the offset by the stride";
}

TEST(VectorSequence, ScansAndFlips) {
  VectorTester t;
  auto a = randomFloats(6 * 10);
  Buffer x = t.put(E::F32, a, {6, 10}, {16, 1}), out = t.room(E::F32, {6, 10}, {16, 1});
  t.call("cumsum_ra_float", {x, out});
  std::vector<float> sum(10, 0);
  for (size_t r = 0; r < 6; ++r)
    for (size_t c = 0; c < 10; ++c) {
      sum[c] = r ? sum[c] + a[r * 10 + c] : a[c];
      EXPECT_EQ(t.get<float>(out)[r * 10 + c], sum[c]);
    }
  t.call("cumprod_ra_reverse_float", {x, out});
  EXPECT_EQ(t.get<float>(out)[40], a[50] * a[40]);
  Buffer cube = t.put(E::F32, randomFloats(2 * 3 * 8, 2), {2, 3, 8});
  Buffer scanned = t.room(E::F32, {2, 3, 8});
  t.call("cumsum_ara_float", {cube, scanned});
  auto b = t.get<float>(cube);
  EXPECT_EQ(t.get<float>(scanned)[24 + 16 + 5], b[24 + 5] + b[24 + 8 + 5] + b[24 + 16 + 5]);
  Buffer line = t.put(E::F32, a), flipped = t.room(E::F32, {60});
  t.call("flip_1d_float", {line, flipped});
  EXPECT_EQ(t.get<float>(flipped)[0], a[59]);
}

TEST(VectorGather, ByIndex) {
  VectorTester t;
  auto a = randomFloats(50);
  std::vector<int32_t> places{49, 0, 7, 7, 31};
  Buffer x = t.put(E::F32, a), i = t.put(E::I32, places), out = t.room(E::F32, {5});
  t.call("gather_1d_float", {x, i, out, t.room(E::I32, {8})});
  for (size_t k = 0; k < 5; ++k)
    EXPECT_EQ(t.get<float>(out)[k], a[size_t(places[k])]);
  EXPECT_EQ(t.instructions, (std::vector<std::string>{"vmuls", "vadds", "vgather"}));
  EXPECT_TRUE(t.isWritten(out));
  t.fill(i, std::vector<int32_t>{0, 50, 1, 2, 3});
  t.call("gather_1d_float", {x, i, out, t.room(E::I32, {8})});
  EXPECT_EQ(t.kinds(), std::vector<FaultKind>{FaultKind::OutOfRange});
}

TEST(VectorGather, ByMask) {
  VectorTester t;
  auto a = randomFloats(40);
  std::vector<bool> bits(40);
  std::vector<float> expected;
  for (size_t i = 0; i < 40; ++i)
    if ((bits[i] = i % 3 == 1))
      expected.push_back(a[i]);
  Buffer out = t.room(E::F32, {40}), count = t.room(E::I64, {1});
  t.call("vgathermask_1d_float", {t.put(E::F32, a), t.flags(bits), out, count});
  EXPECT_EQ(t.get<int64_t>(count)[0], int64_t(expected.size()));
  EXPECT_EQ(t.get<float>(slice(out, int64_t(expected.size()))), expected);
}

TEST(VectorGather, Channels) {
  VectorTester t;
  auto a = randomFloats(20, 1), b = randomFloats(20, 2);
  Buffer both = t.room(E::F32, {40});
  t.call("interleave_1d_float",
         {t.put(E::F32, a), t.put(E::F32, b), both, t.room(E::F32, {1024})});
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(t.get<float>(both)[2 * i], a[i]);
    EXPECT_EQ(t.get<float>(both)[2 * i + 1], b[i]);
  }
  EXPECT_TRUE(t.isWritten(both));
  EXPECT_TRUE(t.ran("vsel"));
  Buffer even = t.room(E::F32, {20}), odd = t.room(E::F32, {20});
  t.call("deinterleave_channel_0_from_2_channels_1d_float", {both, even});
  t.call("deinterleave_channel_1_from_2_channels_1d_float", {both, odd});
  EXPECT_EQ(t.get<float>(even), a);
  EXPECT_EQ(t.get<float>(odd), b);
  Buffer sparse = t.put(E::F32, a, {20}, {8}), packed = t.room(E::F32, {20});
  t.call("deinterleave_channel_0_from_n_channels_1d_float", {sparse, packed});
  EXPECT_EQ(t.get<float>(packed), a);
}

TEST(VectorSort, BothWays) {
  for (int64_t count : {1, 2, 32, 50, 300}) {
    VectorTester t;
    auto a = randomFloats(size_t(count));
    if (count > 2)
      a[1] = a[0];
    int64_t padded = (count + 31) / 32 * 32;
    Buffer x = t.put(E::F32, a), out = t.room(E::F32, {padded});
    t.room(E::F32, {32});
    Buffer index = t.room(E::I32, {padded}), tmp = t.room(E::F32, {padded * 8});
    Buffer line = slice(x, count);
    auto expected = a;
    std::stable_sort(expected.begin(), expected.end());
    t.call("sort_1d_float", {line, slice(out, count), tmp, 0});
    EXPECT_EQ(t.get<float>(slice(out, count)), expected) << count;
    t.call("sort_with_index_1d_float",
           {line, slice(out, count), slice(index, count), tmp, 1});
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(t.get<float>(slice(out, count)), expected) << count;
    auto places = t.get<int32_t>(slice(index, count));
    for (size_t i = 0; i < size_t(count); ++i)
      EXPECT_EQ(a[size_t(places[i])], expected[i]);
  }
}

TEST(VectorDebug, PrintsNeedWrittenValues) {
  VectorTester t;
  Buffer x = t.put(E::F32, std::vector<float>{1, 2.5f, -3, 4}, {2, 2}, {8, 1});
  testing::internal::CaptureStdout();
  t.call("print_2d_float_ubuf", {0, 4, x, 0});
  t.call("print_scalar_int32_t_gm", {0, 4, 255, 1});
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("[[1.000000,2.500000],\n[-3.000000,4.000000]]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("FF"), std::string::npos);
  EXPECT_TRUE(t.faults.empty());
  t.call("init_debug", {});
  t.call("finish_debug", {});
  t.call("assert_1d_int8_t_ubuf",
         {0, 4, t.put(E::I8, std::vector<int8_t>{1, 0})});
  EXPECT_EQ(t.kinds(), std::vector<FaultKind>{FaultKind::Assert});
}

} // namespace
