//===- Scan.cpp - Running sums and products -------------------------------===//
//
// hfusion.cumsum and cumprod along one dimension, either way.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Runtime.h"
#include "Runtime/Tile.h"
#include <type_traits>

namespace tilekiln {

namespace {

template <typename T>
void scan(int64_t sourceRank, void *sourceDescriptor, int64_t targetRank,
          void *targetDescriptor, int32_t dim, int32_t isProduct,
          int32_t isReverse) {
  Tile<T> source(sourceRank, sourceDescriptor);
  Tile<T> target(targetRank, targetDescriptor);
  // Integers wrap; f16 and bf16 are summed in f32 and rounded when stored.
  using Compute = typename ComputeType<T>::type;
  using Sum = typename std::conditional_t<std::is_integral_v<Compute>,
                                          std::common_type<uint64_t>,
                                          std::common_type<Compute>>::type;
  llvm::SmallVector<int64_t, 6> lines(source.sizes);
  int64_t length = lines[dim];
  lines[dim] = length ? 1 : 0;
  forEachPosition(lines, [&](llvm::ArrayRef<int64_t> start) {
    const T *from = source.data + linearOffset(start, source.strides);
    T *to = target.data + linearOffset(start, target.strides);
    Sum total = isProduct ? 1 : 0;
    for (int64_t step = 0; step < length; ++step) {
      int64_t i = isReverse ? length - 1 - step : step;
      Sum value = Sum(Compute(from[i * source.strides[dim]]));
      total = isProduct ? total * value : total + value;
      to[i * target.strides[dim]] = T(total);
    }
  });
}

} // namespace

void addScanSymbols(SymbolSink sink) {
#define TILEKILN_ADD(SUFFIX, TYPE)                                             \
  sink("tilekilnScan_" #SUFFIX, reinterpret_cast<void *>(&scan<TYPE>));
  TILEKILN_FOR_EACH_ELEMENT(TILEKILN_ADD)
#undef TILEKILN_ADD
}

} // namespace tilekiln
