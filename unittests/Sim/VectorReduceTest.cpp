//===- VectorReduceTest.cpp - Reductions ----------------------------------===//
#include "VectorTester.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace tilekiln::sim;

namespace {

using E = ElementType;
const float nan32 = std::numeric_limits<float>::quiet_NaN();

/// The library's order: halves until a repeat is left, then neighbours. Its scalar
/// loop halves also what is less than two repeats.
float sumInOrder(std::vector<float> x, size_t lanes, bool byScalar = false) {
  if (x.size() > lanes) {
    size_t main = 1;
    while (main * 2 <= x.size())
      main *= 2;
    bool folds = main > lanes || byScalar;
    size_t half = folds ? main / 2 : main, tail = x.size() - main;
    std::vector<float> y(x.begin(), x.begin() + long(half));
    for (size_t i = 0; i < half && folds; ++i)
      y[i] = x[i] + x[half + i];
    for (size_t i = 0; i < tail; ++i)
      y[i % half] += x[main + i];
    while (y.size() > lanes) {
      for (size_t i = 0; i < y.size() / 2; ++i)
        y[i] += y[y.size() / 2 + i];
      y.resize(y.size() / 2);
    }
    x = y;
  }
  while (x.size() > 1) {
    std::vector<float> y;
    for (size_t i = 0; i + 1 < x.size(); i += 2)
      y.push_back(x[i] + x[i + 1]);
    if (x.size() % 2)
      y.push_back(x.back());
    x = y;
  }
  return x[0];
}

std::vector<float> rowOf(const std::vector<float> &x, size_t row, size_t columns) {
  return std::vector<float>(x.begin() + long(row * columns),
                            x.begin() + long((row + 1) * columns));
}

TEST(VectorReduce, RowsOfFloats) {
  for (int64_t columns : {1, 2, 4, 8, 40, 64, 72, 128, 200, 256, 1000}) {
    int64_t rows = 5, pitch = (columns + 7) / 8 * 8;
    VectorTester t;
    auto a = randomFloats(size_t(rows * columns));
    Buffer x = t.put(E::F32, a, {rows, columns}, {pitch, 1});
    Buffer tmp = t.room(E::F32, {rows * 1024});
    Buffer sum = t.room(E::F32, {rows, 1}, {1, 1}), most = t.room(E::F32, {rows, 1}, {1, 1});
    Buffer least = t.room(E::F32, {rows, 1}, {8, 1});
    t.call("enablevc_reduce_sum_ar_float", {x, sum, tmp, 0.0f});
    t.call("enablevc_reduce_max_ar_float", {x, most, tmp, 0.0f});
    t.call("enablevc_reduce_min_ar_float", {x, least, tmp, 0.0f});
    for (size_t r = 0; r < size_t(rows); ++r) {
      auto row = rowOf(a, r, size_t(columns));
      EXPECT_EQ(t.get<float>(sum)[r], sumInOrder(row, 64)) << columns << " " << r;
      EXPECT_EQ(t.get<float>(most)[r], *std::max_element(row.begin(), row.end()));
      EXPECT_EQ(t.get<float>(least)[r], *std::min_element(row.begin(), row.end()));
    }
    EXPECT_TRUE(t.isWritten(sum)) << columns;
    EXPECT_TRUE(t.ran("vcmin"));
    EXPECT_TRUE(t.faults.empty());
  }
}

TEST(VectorReduce, DocumentedSequences) {
  VectorTester t;
  Buffer x = t.put(E::F32, randomFloats(32 * 128), {32, 128});
  Buffer out = t.room(E::F32, {32, 1}, {1, 1}), tmp = t.room(E::F32, {32 * 64});
  t.call("enablevc_reduce_max_ar_float", {x, out, tmp, 0.0f});
  EXPECT_EQ(t.instructions, (std::vector<std::string>{"vmax", "vcmax"}));
  Buffer y = t.put(E::F32, randomFloats(4 * 200), {4, 200});
  t.call("enablevc_reduce_sum_ar_float", {y, out, tmp, 0.0f});
  EXPECT_EQ(t.instructions, (std::vector<std::string>{"vadd", "vadd", "vadd", "vcadd"}));
}

TEST(VectorReduce, HalvesRoundAndNanWins) {
  VectorTester t;
  auto a = randomFloats(3 * 300);
  a[5] = nan32;
  Buffer x = t.put(E::F16, toHalves(a), {3, 300}, {304, 1});
  Buffer out = t.room(E::F16, {3, 1}, {1, 1}), tmp = t.room(E::F16, {3 * 128});
  t.call("enablevc_reduce_max_ar_half", {x, out, tmp, 0.0f});
  auto got = fromHalves(t.get<uint16_t>(out));
  EXPECT_TRUE(std::isnan(got[0]));
  auto row = rowOf(fromHalves(toHalves(a)), 1, 300);
  EXPECT_EQ(got[1], *std::max_element(row.begin(), row.end()));
  t.call("enablevc_reduce_sum_ar_half", {x, out, tmp, 0.0f});
  EXPECT_NEAR(fromHalves(t.get<uint16_t>(out))[2],
              std::accumulate(a.begin() + 600, a.end(), 0.0f), 0.5f);
}

TEST(VectorReduce, MisalignedRowsGiveTheSame) {
  VectorTester t;
  auto a = randomFloats(4 * 100);
  Buffer x = t.put(E::F32, a, {4, 100}, {101, 1});
  Buffer out = t.room(E::F32, {4, 1}, {1, 1});
  t.call("enablevc_reduce_sum_ar_float", {x, out, t.room(E::F32, {512}), 0.0f});
  EXPECT_EQ(t.get<float>(out)[3], sumInOrder(rowOf(a, 3, 100), 64, true));
  EXPECT_TRUE(t.instructions.empty());
}

TEST(VectorReduce, ByBlocks) {
  VectorTester t;
  auto a = randomFloats(2 * 256);
  Buffer x = t.put(E::F32, a, {2, 256}), out = t.room(E::F32, {2, 1}, {1, 1});
  t.call("enablevcg_reduce_sum_ar_float", {x, out, t.room(E::F32, {512}), 0.0f});
  EXPECT_NEAR(t.get<float>(out)[1], sumInOrder(rowOf(a, 1, 256), 64), 1e-3);
  EXPECT_TRUE(t.ran("vcgadd"));
}

TEST(VectorReduce, RowsOfIntegers) {
  for (int64_t columns : {3, 8, 20, 64, 100, 256}) {
    VectorTester t;
    int64_t pitch = (columns + 7) / 8 * 8;
    auto a = randomIntegers<int32_t>(size_t(6 * columns));
    Buffer x = t.put(E::I32, a, {6, columns}, {pitch, 1});
    Buffer tmp = t.room(E::I32, {8192});
    auto check = [&](const char *op, int32_t init, auto f) {
      Buffer out = t.room(E::I32, {6, 1}, {1, 1});
      t.call(std::string("reduce_") + op + "_ar_int32_t", {x, out, tmp, init});
      for (int64_t r = 0; r < 6; ++r) {
        int32_t expected = a[size_t(r * columns)];
        for (int64_t c = 1; c < columns; ++c)
          expected = f(expected, a[size_t(r * columns + c)]);
        EXPECT_EQ(t.get<int32_t>(out)[size_t(r)], expected) << op << columns;
      }
      EXPECT_TRUE(t.isWritten(out)) << op << columns;
    };
    auto wrap = [](auto x) { return int32_t(uint32_t(x)); };
    check("sum", 0, [&](int32_t p, int32_t q) { return wrap(int64_t(p) + q); });
    check("prod", 1, [&](int32_t p, int32_t q) { return wrap(int64_t(p) * q); });
    check("max", INT32_MIN, [](int32_t p, int32_t q) { return std::max(p, q); });
    check("min", INT32_MAX, [](int32_t p, int32_t q) { return std::min(p, q); });
    check("andi", -1, [](int32_t p, int32_t q) { return p & q; });
    check("ori", 0, [](int32_t p, int32_t q) { return p | q; });
    check("xori", 0, [](int32_t p, int32_t q) { return p ^ q; });
  }
}

TEST(VectorReduce, RowsOfBytes) {
  for (int64_t columns : {2, 7, 40}) {
    VectorTester t;
    auto a = randomIntegers<int8_t>(size_t(3 * columns));
    Buffer x = t.put(E::I8, a, {3, columns}, {64, 1});
    Buffer out = t.room(E::I8, {3, 1}, {32, 1}), tmp = t.room(E::I8, {8192});
    t.call("reduce_xori_ar_int8_t", {x, out, tmp, 0});
    for (int64_t r = 0; r < 3; ++r) {
      int8_t expected = 0;
      for (int64_t c = 0; c < columns; ++c)
        expected = int8_t(expected ^ a[size_t(r * columns + c)]);
      EXPECT_EQ(t.get<int8_t>(out)[size_t(r)], expected) << columns;
    }
  }
}

TEST(VectorReduce, Columns) {
  for (int64_t rows : {1, 2, 3, 8, 13}) {
    VectorTester t;
    auto a = randomFloats(size_t(rows * 20));
    Buffer x = t.put(E::F32, a, {rows, 20}, {24, 1});
    Buffer out = t.room(E::F32, {1, 20}, {24, 1}), tmp = t.room(E::F32, {rows * 24});
    t.call("reduce_sum_ra_float", {x, out, tmp, 0.0f});
    for (size_t c = 0; c < 20; ++c) {
      float sum = 0;
      for (size_t r = 0; r < size_t(rows); ++r)
        sum += a[r * 20 + c];
      EXPECT_NEAR(t.get<float>(out)[c], sum, 1e-4) << rows;
    }
    t.call("reduce_max_ra_float", {x, out, tmp, 0.0f});
    float most = a[0];
    for (size_t r = 0; r < size_t(rows); ++r)
      most = std::max(most, a[r * 20]);
    EXPECT_EQ(t.get<float>(out)[0], most);
    EXPECT_TRUE(t.isWritten(out));
  }
}

TEST(VectorReduce, ColumnsMisaligned) {
  VectorTester t;
  auto a = randomFloats(6 * 20);
  Buffer x = t.put(E::F32, a, {6, 20}, {24, 1}, 3);
  Buffer out = t.room(E::F32, {1, 20}, {24, 1}, 3), tmp = t.room(E::F32, {256});
  t.call("reduce_max_ra_float", {x, out, tmp, 0.0f});
  for (size_t c = 0; c < 20; ++c) {
    float most = a[c];
    for (size_t r = 1; r < 6; ++r)
      most = std::max(most, a[r * 20 + c]);
    EXPECT_EQ(t.get<float>(out)[c], most);
  }
  EXPECT_TRUE(t.ran("vmax"));
}

TEST(VectorReduce, ThreeAxes) {
  const size_t n0 = 4, n1 = 6, n2 = 16;
  auto a = randomIntegers<int32_t>(n0 * n1 * n2);
  auto at = [&](size_t i, size_t j, size_t k) { return a[(i * n1 + j) * n2 + k]; };
  VectorTester t;
  Buffer x = t.put(E::I32, a, {4, 6, 16}), tmp = t.room(E::I32, {8192});
  Buffer middle = t.room(E::I32, {4, 1, 16}), first = t.room(E::I32, {1, 6, 16});
  Buffer last = t.room(E::I32, {4, 6, 1}, {48, 8, 1});
  t.call("reduce_sum_ara_int32_t", {x, middle, tmp, 0});
  t.call("reduce_xori_ra0a1_int32_t", {x, first, tmp, 0});
  t.call("reduce_max_aar_int32_t", {x, last, tmp, INT32_MIN});
  for (size_t i = 0; i < n0; ++i)
    for (size_t k = 0; k < n2; ++k) {
      uint32_t sum = 0;
      for (size_t j = 0; j < n1; ++j)
        sum += uint32_t(at(i, j, k));
      EXPECT_EQ(t.get<int32_t>(middle)[i * n2 + k], int32_t(sum));
    }
  for (size_t j = 0; j < n1; ++j)
    for (size_t k = 0; k < n2; ++k)
      EXPECT_EQ(t.get<int32_t>(first)[j * n2 + k],
                at(0, j, k) ^ at(1, j, k) ^ at(2, j, k) ^ at(3, j, k));
  for (size_t i = 0; i < n0; ++i)
    for (size_t j = 0; j < n1; ++j) {
      int32_t most = at(i, j, 0);
      for (size_t k = 1; k < n2; ++k)
        most = std::max(most, at(i, j, k));
      EXPECT_EQ(t.get<int32_t>(last)[i * n1 + j], most);
    }
}

TEST(VectorReduce, OneAxis) {
  for (int64_t count : {1, 5, 64, 100, 1000}) {
    VectorTester t;
    auto a = randomFloats(size_t(count));
    auto b = randomIntegers<int32_t>(size_t(count));
    Buffer x = t.put(E::F32, a), y = t.put(E::I32, b), tmp = t.room(E::F32, {2048});
    Buffer out = t.room(E::F32, {1}), whole = t.room(E::I32, {1});
    t.call("enablevc_reduce_sum_r_float", {x, out, tmp, 0.0f});
    EXPECT_EQ(t.get<float>(out)[0], sumInOrder(a, 64)) << count;
    t.call("enablevc_reduce_max_r_float",
           {x, out, tmp, -std::numeric_limits<float>::infinity()});
    EXPECT_EQ(t.get<float>(out)[0], *std::max_element(a.begin(), a.end()));
    EXPECT_TRUE(t.isWritten(out));
    Buffer scratch = t.room(E::I32, {2048});
    t.call("reduce_sum_r_int32_t", {y, whole, scratch, 0});
    uint32_t sum = 0;
    for (int32_t v : b)
      sum += uint32_t(v);
    EXPECT_EQ(t.get<int32_t>(whole)[0], int32_t(sum)) << count;
    t.call("reduce_max_r_int32_t", {y, whole, scratch, INT32_MIN});
    EXPECT_EQ(t.get<int32_t>(whole)[0], *std::max_element(b.begin(), b.end()));
  }
}

TEST(VectorReduce, WithPlaces) {
  VectorTester t;
  std::vector<float> a{1, 5, 5, 2, 3, 3, 0, 3};
  Buffer x = t.put(E::F32, a, {2, 4}, {8, 1});
  Buffer value = t.room(E::F32, {2, 1}, {1, 1}), index = t.room(E::I32, {2, 1}, {1, 1});
  Buffer tmp = t.room(E::F32, {64});
  t.call("reduce_max_with_index_left_ar_float", {x, value, index, tmp, 0.0f});
  EXPECT_EQ(t.get<float>(value), (std::vector<float>{5, 3}));
  EXPECT_EQ(t.get<int32_t>(index), (std::vector<int32_t>{1, 0}));
  Buffer line = t.put(E::F32, a), one = t.room(E::F32, {1}), place = t.room(E::I32, {1});
  t.call("reduce_min_with_index_left_r_float", {line, one, place, tmp, 0.0f});
  EXPECT_EQ(t.get<int32_t>(place)[0], 6);
  Buffer top = t.room(E::F32, {1, 4}, {8, 1}), where = t.room(E::I32, {1, 4}, {8, 1});
  Buffer scratch = t.room(E::I32, {256});
  std::vector<float> b{1, 5, 5, 2, 3, 5, 0, 2};
  Buffer y = t.put(E::F32, b, {2, 4}, {8, 1});
  t.call("reduce_max_with_index_left_ra_float", {y, top, where, scratch});
  EXPECT_EQ(t.get<float>(top), (std::vector<float>{3, 5, 5, 2}));
  EXPECT_EQ(t.get<int32_t>(where), (std::vector<int32_t>{1, 0, 0, 0}));
  t.call("reduce_max_with_index_right_ra_float", {y, top, where, scratch});
  EXPECT_EQ(t.get<int32_t>(where), (std::vector<int32_t>{1, 1, 0, 1}));
  Buffer indices = t.put(E::I32, std::vector<int32_t>{10, 11, 12, 13, 20, 21, 22, 23},
                         {2, 4});
  t.call("reduce_max_with_index_left_with_specified_index_ar_float",
         {x, indices, value, index, tmp, 0.0f});
  EXPECT_EQ(t.get<int32_t>(index), (std::vector<int32_t>{11, 20}));
}

TEST(VectorReduce, UnwrittenElementsReachOnlyTheirRow) {
  VectorTester t;
  Buffer x = t.room(E::F32, {2, 64});
  Buffer row = x;
  row.sizes[0] = 1;
  t.setWritten(row);
  Buffer out = t.room(E::F32, {2, 1}, {1, 1});
  t.call("enablevc_reduce_max_ar_float", {x, out, t.room(E::F32, {128}), 0.0f});
  EXPECT_TRUE(t.isWritten(slice(out, 1)));
  EXPECT_FALSE(t.isWritten(slice(out, 2)));
}

} // namespace
