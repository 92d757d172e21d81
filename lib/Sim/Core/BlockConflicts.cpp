//===- BlockConflicts.cpp - Blocks that touch each other's bytes ----------===//
#include "BlockConflicts.h"

using namespace tilekiln::sim;

static constexpr int64_t granuleBytes = 32;

BlockConflicts::BlockConflicts(int64_t sizeBytes)
    : granules(size_t((sizeBytes + granuleBytes - 1) / granuleBytes)) {}

void BlockConflicts::forget() {
  std::fill(granules.begin(), granules.end(), Owners());
  parts.clear();
}

std::optional<BlockConflict>
BlockConflicts::touch(Owners &owners, Access::Mode mode, unsigned block,
                      LineId line, int64_t addressBytes) {
  uint32_t self = block + 1;
  std::optional<BlockConflict> conflict;
  bool isAtomic = mode == Access::Mode::Atomic;
  if (owners.writer && owners.writer != self && !(isAtomic && owners.isAtomic))
    conflict = BlockConflict{owners.writer - 1, true, addressBytes,
                             owners.writerLine};
  if (mode == Access::Mode::Read) {
    if (!owners.reader || owners.reader == self) {
      owners.reader = self;
      owners.readerLine = line;
    }
    return conflict;
  }
  if (!conflict && owners.reader && owners.reader != self)
    conflict = BlockConflict{owners.reader - 1, false, addressBytes,
                             owners.readerLine};
  owners.writer = self;
  owners.writerLine = line;
  owners.isAtomic = isAtomic;
  return conflict;
}

std::optional<BlockConflict> BlockConflicts::access(const Access &access,
                                                    unsigned block, LineId line) {
  std::optional<BlockConflict> first;
  auto keep = [&](std::optional<BlockConflict> conflict) {
    if (conflict && !first)
      first = conflict;
  };
  for (int64_t run = 0; run < access.runs; ++run) {
    int64_t begin = access.beginBytes + run * access.strideBytes;
    int64_t end = begin + access.runBytes;
    for (int64_t granule = begin / granuleBytes; granule * granuleBytes < end;
         ++granule) {
      int64_t low = granule * granuleBytes, high = low + granuleBytes;
      auto part = parts.empty() ? parts.end() : parts.find(granule);
      bool isWhole = begin <= low && end >= high;
      if (isWhole && part == parts.end()) {
        keep(touch(granules[size_t(granule)], access.mode, block, line, low));
        continue;
      }
      if (part == parts.end()) {
        part = parts.try_emplace(granule).first;
        for (Owners &owners : part->second.owners)
          owners = granules[size_t(granule)];
      }
      for (int64_t at = std::max(begin, low); at < std::min(end, high); ++at)
        keep(touch(part->second.owners[at - low], access.mode, block, line, at));
    }
  }
  return first;
}
