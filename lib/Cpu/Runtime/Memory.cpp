//===- Memory.cpp - On-chip buffers of a block ----------------------------===//
//
// Every thread keeps the buffers that its blocks freed, by size, and hands them
// out again: a loop over K that allocates two tiles a step touches the same
// cache lines every time and never asks the system. What a block leaves behind
// is taken back before the next one starts.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Runtime.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cstdlib>
#include <vector>

namespace tilekiln {

namespace {

/// In front of every buffer, as long as a cache line to keep it aligned.
struct alignas(64) Header {
  uint32_t sizeClass;
  bool inUse;
};

class BlockMemory {
public:
  void *allocate(uint64_t bytes) {
    unsigned sizeClass = llvm::Log2_64_Ceil(std::max<uint64_t>(bytes, 64));
    std::vector<Header *> &free = freeBySize[sizeClass];
    if (free.empty())
      return create(sizeClass) + 1;
    Header *header = free.back();
    free.pop_back();
    header->inUse = true;
    return header + 1;
  }

  void release(void *buffer) {
    if (!buffer)
      return;
    Header *header = static_cast<Header *>(buffer) - 1;
    header->inUse = false;
    freeBySize[header->sizeClass].push_back(header);
  }

  void reset() {
    for (Header *header : all)
      if (header->inUse)
        release(header + 1);
  }

  ~BlockMemory() {
    for (Header *header : all)
      std::free(header);
  }

private:
  Header *create(unsigned sizeClass) {
    void *memory =
        std::aligned_alloc(64, sizeof(Header) + (uint64_t(1) << sizeClass));
    if (!memory)
      llvm::report_bad_alloc_error("no memory left for a kernel's tiles");
    auto *header = static_cast<Header *>(memory);
    *header = {sizeClass, true};
    all.push_back(header);
    return header;
  }

  std::array<std::vector<Header *>, 64> freeBySize;
  std::vector<Header *> all;
};

thread_local BlockMemory blockMemory;

void *allocateAligned(int64_t /*alignment*/, int64_t bytes) {
  return blockMemory.allocate(bytes);
}
void *allocate(int64_t bytes) { return blockMemory.allocate(bytes); }
void release(void *buffer) { blockMemory.release(buffer); }

} // namespace

void resetBlockMemory() { blockMemory.reset(); }

void addMemorySymbols(SymbolSink sink) {
  // The names that finalize-memref-to-llvm gives to generic functions.
  sink("_mlir_memref_to_llvm_aligned_alloc",
       reinterpret_cast<void *>(&allocateAligned));
  sink("_mlir_memref_to_llvm_alloc", reinterpret_cast<void *>(&allocate));
  sink("_mlir_memref_to_llvm_free", reinterpret_cast<void *>(&release));
}

} // namespace tilekiln
