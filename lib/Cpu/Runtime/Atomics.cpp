//===- Atomics.cpp - Atomic stores of tiles to global memory --------------===//
//
// Read-modify-write of every element of a tile, against other blocks on other
// threads. Sums of floats depend on their order, so those wait for the block's
// turn and are the same in every run.
//
//===----------------------------------------------------------------------===//
#include "Runtime/BlockOrder.h"
#include "Runtime/Runtime.h"
#include "Runtime/Tile.h"
#include <type_traits>

namespace tilekiln {

namespace {

template <typename T>
T combine(AtomicKind kind, T before, T value) {
  using Compute = typename ComputeType<T>::type;
  Compute x = Compute(before), y = Compute(value);
  switch (kind) {
  case AtomicKind::Add:
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(x) + std::make_unsigned_t<T>(y));
    else
      return T(x + y);
  case AtomicKind::Max:
    // A NaN wins, as with arith.maximumf.
    return x != x || x > y ? before : value;
  case AtomicKind::Min:
    return x != x || x < y ? before : value;
  case AtomicKind::And:
  case AtomicKind::Or:
  case AtomicKind::Xor:
    if constexpr (std::is_integral_v<T>)
      return kind == AtomicKind::And  ? T(x & y)
             : kind == AtomicKind::Or ? T(x | y)
                                      : T(x ^ y);
    break;
  }
  return before;
}

template <size_t bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = uint8_t;
};
template <>
struct BitsOf<2> {
  using type = uint16_t;
};
template <>
struct BitsOf<4> {
  using type = uint32_t;
};
template <>
struct BitsOf<8> {
  using type = uint64_t;
};

template <typename T>
void update(T *target, T value, AtomicKind kind) {
  using Bits = typename BitsOf<sizeof(T)>::type;
  auto *word = reinterpret_cast<Bits *>(target);
  Bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (true) {
    T old;
    std::memcpy(&old, &before, sizeof(T));
    T combined = combine(kind, old, value);
    Bits after;
    std::memcpy(&after, &combined, sizeof(T));
    if (__atomic_compare_exchange_n(word, &before, after, /*weak=*/true,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

template <typename T>
void atomicStore(int64_t sourceRank, void *sourceDescriptor, int64_t targetRank,
                 void *targetDescriptor, int32_t kind) {
  Tile<T> source(sourceRank, sourceDescriptor);
  Tile<T> target(targetRank, targetDescriptor);
  if (!std::is_integral_v<T>)
    BlockOrder::waitForTurn();
  forEachPosition(source.sizes, [&](llvm::ArrayRef<int64_t> position) {
    update(target.data + linearOffset(position, target.strides),
           source.data[linearOffset(position, source.strides)],
           AtomicKind(kind));
  });
}

} // namespace

void addAtomicSymbols(SymbolSink sink) {
#define TILEKILN_ADD(SUFFIX, TYPE)                                             \
  sink("tilekilnAtomicStore_" #SUFFIX,                                         \
       reinterpret_cast<void *>(&atomicStore<TYPE>));
  TILEKILN_FOR_EACH_ELEMENT(TILEKILN_ADD)
#undef TILEKILN_ADD
}

} // namespace tilekiln
