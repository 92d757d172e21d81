//===- Print.cpp - Printing from a kernel ---------------------------------===//
//
// hfusion.print: a prefix and a number, or a tile in brackets, a line each. The
// lines of different blocks come in the order of the blocks.
//
//===----------------------------------------------------------------------===//
#include "Runtime/BlockOrder.h"
#include "Runtime/Runtime.h"
#include "Runtime/Tile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <string>
#include <type_traits>

namespace tilekiln {

namespace {

thread_local std::string line;

void printLetter(int32_t letter) { line.push_back(char(letter)); }

template <typename T>
void printNumber(llvm::raw_ostream &os, T value, bool hex) {
  if (hex) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    os << llvm::format_hex(bits, 2 + 2 * sizeof(T));
  } else if constexpr (std::is_integral_v<T>) {
    os << int64_t(value);
  } else {
    os << llvm::format("%g", double(typename ComputeType<T>::type(value)));
  }
}

template <typename T>
void printTile(int64_t rank, void *descriptor, int32_t hex) {
  Tile<T> tile(rank, descriptor);
  llvm::raw_string_ostream os(line);
  if (tile.isEmpty())
    os << "[]";
  forEachPosition(tile.sizes, [&](llvm::ArrayRef<int64_t> position) {
    // The dimensions that start and end at this element.
    int64_t opened = 0, closed = 0;
    while (opened < rank && position[rank - 1 - opened] == 0)
      ++opened;
    while (closed < rank &&
           position[rank - 1 - closed] == tile.sizes[rank - 1 - closed] - 1)
      ++closed;
    if (opened < rank)
      os << ", ";
    os << std::string(opened, '[');
    printNumber(os, tile.data[linearOffset(position, tile.strides)], hex);
    os << std::string(closed, ']');
  });
  os << '\n';
  BlockOrder::waitForTurn();
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  line.clear();
}

} // namespace

void addPrintSymbols(SymbolSink sink) {
  sink("tilekilnPrintLetter", reinterpret_cast<void *>(&printLetter));
#define TILEKILN_ADD(SUFFIX, TYPE)                                             \
  sink("tilekilnPrintTile_" #SUFFIX,                                           \
       reinterpret_cast<void *>(&printTile<TYPE>));
  TILEKILN_FOR_EACH_ELEMENT(TILEKILN_ADD)
#undef TILEKILN_ADD
}

} // namespace tilekiln
