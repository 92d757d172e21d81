//===- Cache.cpp - Which lines of the tensors are in L2 -------------------===//
#include "Cache.h"
#include <algorithm>

using namespace tilekiln::sim;

Cache::Cache(int64_t capacityBytes, std::vector<int64_t> tensorBytes)
    : capacityLines(std::max<int64_t>(capacityBytes / lineBytes, 1)),
      lastTouch(tensorBytes.size()), tensorBytes(std::move(tensorBytes)) {}

Cache::Result Cache::access(const Access &access) {
  Result result;
  std::vector<uint32_t> &lines = lastTouch[access.tensor];
  if (lines.empty())
    lines.resize(size_t((tensorBytes[access.tensor] + lineBytes - 1) / lineBytes + 1));
  bool isRead = access.mode == Access::Mode::Read;
  for (int64_t run = 0; run < access.runs; ++run) {
    int64_t begin = access.beginBytes + run * access.strideBytes;
    int64_t end = begin + access.runBytes;
    if (begin < 0 || size_t(end) > lines.size() * lineBytes)
      continue;
    for (int64_t line = begin / lineBytes; line * lineBytes < end; ++line) {
      uint32_t &touched = lines[size_t(line)];
      bool isHit = touched && fills - (touched - 1) <= uint64_t(capacityLines);
      if (!isHit) {
        // A line comes as a whole; a written one is not read first.
        int64_t moved =
            std::min(lineBytes, tensorBytes[access.tensor] - line * lineBytes);
        ++fills;
        if (!isRead)
          ++dirtyFills;
        else
          result.missBytes += moved;
        // A full cache gives up a line, which has to be written back if it was
        // written to: as many are as were filled by writes.
        if (fills > uint64_t(capacityLines))
          result.evictedBytes += int64_t(double(moved) * double(dirtyFills) / double(fills));
      }
      touched = uint32_t(fills + 1);
    }
  }
  return result;
}
