//===- Memory.cpp - Bytes and which of them are written -------------------===//
#include "tilekiln/Sim/Core/Memory.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tilekiln::sim;

void ByteSet::add(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  auto first = std::lower_bound(
      ranges.begin(), ranges.end(), begin,
      [](const Range &range, int64_t value) { return range.end < value; });
  if (first == ranges.end() || first->begin > end) {
    ranges.insert(first, {begin, end});
    return;
  }
  if (first->begin <= begin && first->end >= end)
    return;
  auto last = first;
  while (last != ranges.end() && last->begin <= end) {
    begin = std::min(begin, last->begin);
    end = std::max(end, last->end);
    ++last;
  }
  *first = {begin, end};
  ranges.erase(first + 1, last);
}

void ByteSet::remove(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  auto first = std::upper_bound(
      ranges.begin(), ranges.end(), begin,
      [](int64_t value, const Range &range) { return value < range.end; });
  std::vector<Range> rest;
  auto last = first;
  while (last != ranges.end() && last->begin < end) {
    if (last->begin < begin)
      rest.push_back({last->begin, begin});
    if (last->end > end)
      rest.push_back({end, last->end});
    ++last;
  }
  first = ranges.erase(first, last);
  ranges.insert(first, rest.begin(), rest.end());
}

bool ByteSet::contains(int64_t begin, int64_t end) const {
  return firstMissing(begin, end) == end;
}

int64_t ByteSet::firstMissing(int64_t begin, int64_t end) const {
  if (begin >= end)
    return end;
  auto found = std::upper_bound(
      ranges.begin(), ranges.end(), begin,
      [](int64_t value, const Range &range) { return value < range.end; });
  if (found == ranges.end() || found->begin > begin)
    return begin;
  return std::min(found->end, end);
}

Memory::Memory(int64_t sizeBytes)
    : owned(new uint8_t[size_t(std::max<int64_t>(sizeBytes, 1))]),
      bytes(owned.get()), sizeBytes(sizeBytes), tracksWrites(true) {}

Memory::Memory(void *data, int64_t sizeBytes)
    : bytes(static_cast<uint8_t *>(data)), sizeBytes(sizeBytes) {}

bool Memory::isWritten(const Access &access) const {
  if (!tracksWrites)
    return true;
  std::lock_guard<std::mutex> guard(mutex);
  // Most memories are one written range: asked once for all runs.
  if (written.contains(access.beginBytes, access.endBytes()))
    return true;
  for (int64_t run = 0; run < access.runs; ++run) {
    int64_t begin = access.beginBytes + run * access.strideBytes;
    if (!written.contains(begin, begin + access.runBytes))
      return false;
  }
  return true;
}

void Memory::setWritten(const Access &access, bool isWritten) {
  if (!tracksWrites)
    return;
  std::lock_guard<std::mutex> guard(mutex);
  if (isWritten && written.contains(access.beginBytes, access.endBytes()))
    return;
  for (int64_t run = 0; run < access.runs; ++run) {
    int64_t begin = access.beginBytes + run * access.strideBytes;
    if (isWritten)
      written.add(begin, begin + access.runBytes);
    else
      written.remove(begin, begin + access.runBytes);
  }
}

void Memory::forget() {
  std::lock_guard<std::mutex> guard(mutex);
  written.clear();
}

ValueContext::~ValueContext() = default;

bool ValueContext::isWritten(const Buffer &buffer) {
  Accesses accesses;
  appendAccesses(buffer, Access::Mode::Read, accesses);
  Memory &space = memory(buffer.space, buffer.tensor);
  return llvm::all_of(accesses, [&](const Access &access) {
    return space.isWritten(access);
  });
}

void ValueContext::setWritten(const Buffer &buffer, bool written) {
  Accesses accesses;
  appendAccesses(buffer, Access::Mode::Write, accesses);
  Memory &space = memory(buffer.space, buffer.tensor);
  for (const Access &access : accesses)
    space.setWritten(access, written);
}

bool ValueContext::requireWritten(const Buffer &buffer, llvm::StringRef what) {
  if (isWritten(buffer))
    return true;
  fault(FaultKind::Unwritten, buffer.space, buffer.addressBytes(),
        what.str() + " has bytes that nothing wrote");
  return false;
}

/// Moves to the next index of a shape; false after the last one.
static bool advance(llvm::MutableArrayRef<int64_t> index,
                    llvm::ArrayRef<int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i])
      return true;
    index[i] = 0;
  }
  return false;
}

void ValueContext::propagate(const Buffer &dst,
                             std::initializer_list<Buffer> sources) {
  bool allWritten = llvm::all_of(
      sources, [&](const Buffer &source) { return isWritten(source); });
  if (allWritten) {
    setWritten(dst);
    return;
  }
  if (dst.isEmpty())
    return;
  // Decided before anything is marked: dst may be one of the sources.
  int64_t bits = getBits(dst.type);
  std::vector<bool> good;
  good.reserve(size_t(dst.elementCount()));
  auto element = [](const Buffer &buffer, llvm::ArrayRef<int64_t> index) {
    int64_t at = buffer.offset;
    unsigned skip = unsigned(index.size()) - buffer.rank;
    for (unsigned i = 0; i < buffer.rank; ++i)
      at += buffer.sizes[i] == 1 ? 0 : index[i + skip] * buffer.strides[i];
    return at;
  };
  auto accessOf = [](const Buffer &buffer, int64_t at) {
    Access access;
    access.space = buffer.space;
    access.tensor = buffer.tensor;
    int64_t width = getBits(buffer.type);
    access.beginBytes = buffer.baseBytes + at * width / 8;
    access.runBytes = std::max<int64_t>(width / 8, 1);
    return access;
  };
  llvm::SmallVector<int64_t, Buffer::maxRank> index(dst.rank, 0);
  do {
    bool ok = true;
    for (const Buffer &source : sources)
      if (source.rank <= dst.rank)
        ok &= memory(source.space, source.tensor)
                  .isWritten(accessOf(source, element(source, index)));
    good.push_back(ok);
  } while (advance(index, dst.shape()));
  std::fill(index.begin(), index.end(), 0);
  Memory &space = memory(dst.space, dst.tensor);
  // Eight flags share a byte: it is written if one of them is.
  if (bits < 8)
    setWritten(dst, false);
  size_t next = 0;
  do {
    bool ok = good[next++];
    if (ok || bits >= 8)
      space.setWritten(accessOf(dst, element(dst, index)), ok);
  } while (advance(index, dst.shape()));
}
