//===- VectorCompareTest.cpp - Compares, selects and casts ----------------===//
#include "VectorTester.h"
#include <cmath>
#include <limits>

using namespace tilekiln::sim;

namespace {

using E = ElementType;
const float nan32 = std::numeric_limits<float>::quiet_NaN();

bool compare(const std::string &op, float a, float b) {
  return op == "eq"   ? a == b
         : op == "ne" ? a != b
         : op == "lt" ? a < b
         : op == "gt" ? a > b
         : op == "ge" ? a >= b
                      : a <= b;
}

TEST(VectorCompare, EveryRelation) {
  for (std::string op : {"eq", "ne", "lt", "gt", "ge", "le"}) {
    VectorTester t;
    auto a = randomFloats(150, 1), b = randomFloats(150, 2);
    for (size_t i = 0; i < 150; i += 7)
      b[i] = a[i];
    a[3] = nan32;
    a[4] = b[4] = nan32;
    Buffer mask = t.room(E::I1, {150});
    t.call("vcmp_" + op + "_1d_float", {t.put(E::F32, a), t.put(E::F32, b), mask});
    auto bits = t.getFlags(mask);
    for (size_t i = 0; i < 150; ++i)
      EXPECT_EQ(bits[i], compare(op, a[i], b[i])) << op << " " << i;
    EXPECT_TRUE(t.isWritten(mask));
    Buffer half = t.room(E::I1, {150});
    t.call("vcmps_" + op + "_1d_half", {t.put(E::F16, toHalves(a)), 1.0f, half});
    for (size_t i = 0; i < 150; ++i)
      EXPECT_EQ(t.getFlags(half)[i], compare(op, fromF16(toF16(a[i])), 1.0f));
  }
}

TEST(VectorCompare, WholeRepeatsAreWritten) {
  VectorTester t;
  Buffer a = t.put(E::F32, std::vector<float>(70, 1)), mask = t.room(E::I1, {70});
  std::memset(t.data(mask), 0, 24);
  t.call("vcmp_eq_1d_float", {a, a, mask});
  // 2 repeats of 64 lanes are 16 bytes; the 17th stays.
  EXPECT_EQ(t.data(mask)[8] & 0x3f, 0x3f);
  EXPECT_EQ(t.data(mask)[16], 0);
  EXPECT_EQ(t.instructions, std::vector<std::string>{"vcmp"});
}

TEST(VectorCompare, IntegersHaveOnlyEqual) {
  VectorTester t;
  std::vector<int32_t> a{1, 2, 1 << 24, (1 << 24) + 1}, b{1, 3, 1 << 24, 1 << 24};
  Buffer mask = t.room(E::I1, {4});
  t.call("vcmp_ne_1d_int32_t", {t.put(E::I32, a), t.put(E::I32, b), mask});
  EXPECT_EQ(t.getFlags(mask), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(t.instructions, (std::vector<std::string>{"vcmp", "vnot"}));
  t.call("vcmps_eq_1d_int32_t", {t.put(E::I32, a), 2, mask});
  EXPECT_EQ(t.getFlags(mask), (std::vector<bool>{false, true, false, false}));
}

TEST(VectorCompare, MisalignedSetsSingleBits) {
  VectorTester t;
  auto a = randomFloats(20);
  Buffer x = t.put(E::F32, a, {20}, {1}, 1), mask = t.room(E::I1, {20}, {1}, 5);
  t.call("vcmps_gt_1d_float", {x, 0.0f, mask});
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(t.data(mask)[(5 + i) / 8] >> ((5 + i) % 8) & 1, a[size_t(i)] > 0);
  EXPECT_TRUE(t.instructions.empty());
}

TEST(VectorCompare, TailAtTheEndOfUb) {
  VectorTester t;
  int64_t begin = t.ub.size() - 320;
  Buffer a = Buffer::make(Space::UB, E::F32, begin, {70});
  t.fill(a, std::vector<float>(70, 2));
  Buffer mask = Buffer::make(Space::UB, E::I1, 0, {70});
  t.call("vcmps_eq_1d_float", {a, 2.0f, mask});
  for (bool bit : t.getFlags(mask))
    EXPECT_TRUE(bit);
  EXPECT_EQ(t.instructions.size(), 1u) << "one whole repeat, then six by hand";
}

TEST(VectorSelect, EveryForm) {
  VectorTester t;
  auto a = randomFloats(70, 1), b = randomFloats(70, 2);
  std::vector<bool> bits;
  for (int i = 0; i < 70; ++i)
    bits.push_back(i % 3 != 0);
  Buffer mask = t.flags(bits), out = t.room(E::F32, {70}), tmp = t.room(E::F32, {24});
  Buffer x = t.put(E::F32, a), y = t.put(E::F32, b);
  auto check = [&](auto first, auto second) {
    for (size_t i = 0; i < 70; ++i)
      EXPECT_EQ(t.get<float>(out)[i], bits[i] ? first(i) : second(i)) << i;
    EXPECT_TRUE(t.isWritten(out));
  };
  auto atA = [&](size_t i) { return a[i]; };
  auto atB = [&](size_t i) { return b[i]; };
  auto one = [](size_t) { return 1.0f; };
  auto two = [](size_t) { return 2.0f; };
  t.call("vsel_vv_1d_bool_float", {mask, x, y, out, tmp});
  check(atA, atB);
  t.call("vsel_vs_1d_float", {mask, x, 2.0f, out, tmp});
  check(atA, two);
  t.call("vsel_sv_1d_float", {mask, 1.0f, y, out, tmp});
  check(one, atB);
  t.call("vsel_ss_1d_float", {mask, 1.0f, 2.0f, out, tmp});
  check(one, two);
  EXPECT_EQ(t.instructions, (std::vector<std::string>{"vdup", "vdup", "vsel"}));
}

TEST(VectorSelect, IntegersKeepTheirBits) {
  VectorTester t;
  std::vector<bool> bits{true, false, true};
  Buffer mask = t.flags(bits);
  Buffer out = t.room(E::I32, {3}), wide = t.room(E::I64, {3});
  t.call("vsel_ss_1d_int32_t", {mask, -1, 1 << 30, out, t.room(E::I32, {24})});
  EXPECT_EQ(t.get<int32_t>(out), (std::vector<int32_t>{-1, 1 << 30, -1}));
  std::vector<int64_t> b{7, int64_t(1) << 40, 9};
  t.call("vsel_sv_1d_int64_t",
         {mask, int64_t(5), t.put(E::I64, b), wide, t.room(E::I64, {8})});
  EXPECT_EQ(t.get<int64_t>(wide), (std::vector<int64_t>{5, int64_t(1) << 40, 5}));
  EXPECT_TRUE(t.instructions.empty()) << "64 bits go through the scalar unit";
}

TEST(VectorSelect, WideElementsByBytes) {
  VectorTester t;
  std::vector<int8_t> condition{1, 0, 0, 1, 1};
  std::vector<int64_t> a{1, 2, 3, 4, 5}, b{-1, -2, -3, -4, -5};
  Buffer out = t.room(E::I64, {5});
  t.call("vsel_vv_1d_int8_t_int64_t",
         {t.put(E::I8, condition), t.put(E::I64, a), t.put(E::I64, b), out,
          t.room(E::I64, {32})});
  EXPECT_EQ(t.get<int64_t>(out), (std::vector<int64_t>{1, -2, -3, 4, 5}));
  EXPECT_TRUE(t.ran("vsel"));
}

TEST(VectorSelect, OnlyTheChosenMustBeWritten) {
  VectorTester t;
  Buffer mask = t.flags({true, true, false, true});
  Buffer a = t.put(E::F32, randomFloats(4)), b = t.room(E::F32, {4});
  Buffer out = t.room(E::F32, {4});
  t.call("vsel_vv_1d_bool_float", {mask, a, b, out, t.room(E::F32, {24})});
  EXPECT_TRUE(t.isWritten(slice(out, 2)));
  EXPECT_FALSE(t.isWritten(slice(out, 3)));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

TEST(VectorCast, FiveModesToIntegers) {
  std::vector<float> a{-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 2.4f, -2.6f};
  std::vector<std::vector<int32_t>> expected{{-2, -2, 0, 0, 2, 2, 2, -3},
                                             {-3, -2, -1, 1, 2, 3, 2, -3},
                                             {-3, -2, -1, 0, 1, 2, 2, -3},
                                             {-2, -1, 0, 1, 2, 3, 3, -2},
                                             {-2, -1, 0, 0, 1, 2, 2, -2}};
  for (int mode = 0; mode < 5; ++mode) {
    VectorTester t;
    Buffer out = t.room(E::I32, {8}), wide = t.room(E::I64, {8});
    Buffer whole = t.room(E::F32, {8}), small = t.room(E::I8, {8});
    Buffer x = t.put(E::F32, a);
    t.call("vcast_float_to_int32_t_1d_with_mode", {x, out, mode});
    t.call("vcast_float_to_int64_t_1d_with_mode", {x, wide, mode});
    t.call("vcast_float_to_float_1d_with_mode", {x, whole, mode});
    t.call("vcast_half_to_int8_t_1d_with_mode",
           {t.put(E::F16, toHalves(a)), small, mode});
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(t.get<int32_t>(out)[i], expected[size_t(mode)][i]) << mode << i;
      EXPECT_EQ(t.get<int64_t>(wide)[i], expected[size_t(mode)][i]);
      EXPECT_EQ(t.get<float>(whole)[i], float(expected[size_t(mode)][i]));
      EXPECT_EQ(t.get<int8_t>(small)[i], expected[size_t(mode)][i]);
    }
    EXPECT_TRUE(t.faults.empty());
  }
}

TEST(VectorCast, FloatsSaturateToIntegers) {
  VectorTester t;
  std::vector<float> a{1e20f, -1e20f, nan32, 300, -5};
  Buffer out = t.room(E::I32, {5}), byte = t.room(E::U8, {5}), s = t.room(E::I16, {5});
  t.call("vcast_float_to_int32_t_1d_with_mode", {t.put(E::F32, a), out, 4});
  EXPECT_EQ(t.get<int32_t>(out),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN, 0, 300, -5}));
  t.call("vcast_half_to_uint8_t_1d_with_mode", {t.put(E::F16, toHalves(a)), byte, 4});
  EXPECT_EQ(t.get<uint8_t>(byte), (std::vector<uint8_t>{255, 0, 0, 255, 0}));
  t.call("vcast_float_to_int16_t_1d_with_mode", {t.put(E::F32, a), s, 4});
  EXPECT_EQ(t.get<int16_t>(s), (std::vector<int16_t>{32767, -32768, 0, 300, -5}));
}

TEST(VectorCast, ModesToHalves) {
  VectorTester t;
  // One and a quarter, a half and three quarters of the last place of f16.
  float ulp = std::ldexp(1.0f, -10);
  std::vector<float> a{1 + ulp / 4, 1 + ulp / 2, 1 + 3 * ulp / 4, -1 - ulp / 2};
  auto halves = [&](int mode) {
    Buffer out = t.room(E::F16, {4});
    t.call("vcast_float_to_half_1d_with_mode", {t.put(E::F32, a), out, mode});
    return fromHalves(t.get<uint16_t>(out));
  };
  float up = 1 + ulp;
  EXPECT_EQ(halves(0), (std::vector<float>{1, 1, up, -1}));
  EXPECT_EQ(halves(1), (std::vector<float>{1, up, up, -up}));
  EXPECT_EQ(halves(2), (std::vector<float>{1, 1, 1, -up}));
  EXPECT_EQ(halves(3), (std::vector<float>{up, up, up, -1}));
  EXPECT_EQ(halves(4), (std::vector<float>{1, 1, 1, -1}));
  EXPECT_EQ(halves(5), (std::vector<float>{up, up, up, -up}));
  EXPECT_TRUE(t.faults.empty());
  Buffer out = t.room(E::BF16, {4});
  t.call("vcast_float_to_bfloat16_t_1d_with_mode", {t.put(E::F32, a), out, 5});
  EXPECT_EQ(t.kinds(), std::vector<FaultKind>{FaultKind::Invalid});
}

TEST(VectorCast, WideningIsExact) {
  VectorTester t;
  auto a = randomFloats(130);
  Buffer f = t.room(E::F32, {130});
  t.call("vcast_half_to_float_1d_with_mode", {t.put(E::F16, toHalves(a)), f, 0});
  EXPECT_EQ(t.get<float>(f), fromHalves(toHalves(a)));
  std::vector<uint16_t> b(130);
  toBF16(a.data(), b.data(), 130);
  t.call("vcast_bfloat16_t_to_float_1d_with_mode", {t.put(E::BF16, b), f, 0});
  EXPECT_EQ(t.get<float>(f)[129], fromBF16(b[129]));
  std::vector<int8_t> c{-128, 127, 5};
  Buffer h = t.room(E::F16, {3});
  t.call("vcast_int8_t_to_half_1d_with_mode", {t.put(E::I8, c), h, 0});
  EXPECT_EQ(fromHalves(t.get<uint16_t>(h)), (std::vector<float>{-128, 127, 5}));
  std::vector<int32_t> d{-7, 1 << 30};
  Buffer w = t.room(E::I64, {2});
  t.call("vcast_int32_t_to_int64_t_1d_with_mode", {t.put(E::I32, d), w, 0});
  EXPECT_EQ(t.get<int64_t>(w), (std::vector<int64_t>{-7, 1 << 30}));
}

TEST(VectorCast, IntegersToFloatsRound) {
  VectorTester t;
  std::vector<int32_t> a{(1 << 24) + 1, -(1 << 24) - 1, (1 << 24) + 3};
  auto floats = [&](int mode) {
    Buffer out = t.room(E::F32, {3});
    t.call("vcast_int32_t_to_float_1d_with_mode", {t.put(E::I32, a), out, mode});
    std::vector<int64_t> whole;
    for (float x : t.get<float>(out))
      whole.push_back(int64_t(x) - (x > 0 ? 1 << 24 : -(1 << 24)));
    return whole;
  };
  EXPECT_EQ(floats(0), (std::vector<int64_t>{0, 0, 4}));
  EXPECT_EQ(floats(1), (std::vector<int64_t>{2, -2, 4}));
  EXPECT_EQ(floats(2), (std::vector<int64_t>{0, -2, 2}));
  EXPECT_EQ(floats(3), (std::vector<int64_t>{2, 0, 4}));
  EXPECT_EQ(floats(4), (std::vector<int64_t>{0, 0, 2}));
}

TEST(VectorCast, NarrowingOfIntegers) {
  VectorTester t;
  std::vector<int32_t> a{40000, -40000, 12, -1};
  Buffer s = t.room(E::I16, {4});
  t.call("vcast_int32_t_to_int16_t_1d_with_mode", {t.put(E::I32, a), s, 0});
  EXPECT_EQ(t.get<int16_t>(s), (std::vector<int16_t>{32767, -32768, 12, -1}));
  t.call("vcast_int32_t_to_int16_t_1d_with_overflow",
         {t.put(E::I32, a), s, t.room(E::I32, {64}), 6});
  EXPECT_EQ(t.get<int16_t>(s),
            (std::vector<int16_t>{int16_t(40000), int16_t(-40000), 12, -1}));
}

TEST(VectorCast, NarrowingToBytesKeepsTheLowBits) {
  for (int64_t count : {1, 20, 32, 100, 256})
    for (const char *form : {"", "_no_size_align"}) {
      VectorTester t;
      auto a = randomIntegers<int32_t>(size_t(count), 5);
      auto b = randomIntegers<int16_t>(size_t(count), 6);
      // The library writes whole tiles of 32 x 32.
      Buffer x = t.put(E::I32, a), y = t.put(E::I16, b);
      Buffer out = t.room(E::I8, {count});
      t.room(E::I8, {1024});
      t.call(std::string("vcast_int32_t_to_int8_t_1d_with_overflow") + form,
             {x, out, t.room(E::I32, {6144}), 6});
      for (size_t i = 0; i < size_t(count); ++i)
        EXPECT_EQ(t.get<int8_t>(out)[i], int8_t(a[i])) << count << form << i;
      EXPECT_TRUE(t.isWritten(out)) << count << form;
      t.call(std::string("vcast_int16_t_to_int8_t_1d_with_overflow") + form,
             {y, out, t.room(E::I16, {6144}), 6});
      for (size_t i = 0; i < size_t(count); ++i)
        EXPECT_EQ(t.get<int8_t>(out)[i], int8_t(b[i])) << count << form << i;
      EXPECT_TRUE(t.ran("vnchwconv"));
    }
}

TEST(VectorCast, FlagsToNumbers) {
  std::vector<bool> bits{true, false, false, true, true};
  VectorTester t;
  Buffer mask = t.flags(bits);
  Buffer h = t.room(E::F16, {5}), b = t.room(E::BF16, {5}), i = t.room(E::I32, {5});
  t.call("vcast_bool_to_half_1d_with_temp", {mask, h, t.room(E::F16, {48}), 0});
  EXPECT_EQ(fromHalves(t.get<uint16_t>(h)), (std::vector<float>{1, 0, 0, 1, 1}));
  t.call("vcast_bool_to_bfloat16_t_1d_with_temp",
         {mask, b, t.room(E::BF16, {48}), 0});
  EXPECT_EQ(t.get<uint16_t>(b)[0], 0x3f80);
  t.call("vcast_bool_to_int32_t_1d_with_temp", {mask, i, t.room(E::I32, {24}), 0});
  EXPECT_EQ(t.get<int32_t>(i), (std::vector<int32_t>{1, 0, 0, 1, 1}));
}

TEST(VectorCast, TwoDimensions) {
  VectorTester t;
  auto a = randomFloats(5 * 20);
  Buffer out = t.room(E::F16, {5, 20}, {32, 1});
  t.call("vcast_float_to_half_2d_with_mode",
         {t.put(E::F32, a, {5, 20}, {24, 1}), out, 0});
  EXPECT_EQ(t.get<uint16_t>(out), toHalves(a));
  EXPECT_EQ(t.instructions, std::vector<std::string>{"vcast.f32.f16"});
}

TEST(VectorCast, MisalignedTrapsOrIsSkipped) {
  VectorTester t;
  Buffer x = t.put(E::F32, randomFloats(8), {8}, {1}, 1);
  t.call("vcast_float_to_half_1d_with_mode", {x, t.room(E::F16, {8}), 0});
  t.call("vcast_float_to_bfloat16_t_1d_with_mode", {x, t.room(E::BF16, {8}), 0});
  EXPECT_EQ(t.kinds(),
            (std::vector<FaultKind>{FaultKind::Misaligned, FaultKind::Misaligned}));
  Buffer out = t.room(E::I32, {8});
  t.call("vcast_float_to_int32_t_1d_with_mode", {x, out, 4});
  EXPECT_EQ(t.get<int32_t>(out)[5], int32_t(t.get<float>(x)[5]));
  EXPECT_EQ(t.faults.size(), 2u);
}

} // namespace
