//===- AccessMap.cpp - Who touched which bytes last -----------------------===//
#include "AccessMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilekiln::sim;

PipeOrder tilekiln::sim::getPipeOrder(Pipe pipe) {
  switch (pipe) {
  // These overlap their own instructions: barriers separate dependent ones.
  case Pipe::V:
    return {false, false};
  case Pipe::MTE2:
  case Pipe::MTE3:
  case Pipe::FIX:
    return {false, false};
  // One at a time, or chained by the hardware (accumulation in L0C).
  default:
    return {true, true};
  }
}

AccessMap::Segments::iterator AccessMap::split(Segments::iterator segment,
                                               int64_t at) {
  if (segment->first == at)
    return segment;
  Segment tail = segment->second;
  segment->second.end = at;
  return segments.emplace_hint(std::next(segment), at, std::move(tail));
}

void AccessMap::check(const Segment &segment, int64_t begin, const Access &access,
                      const Toucher &self, const Clock &clock, Met &met) {
  auto report = [&](Conflict::Kind kind, const Toucher &other) {
    for (const Conflict &known : met.conflicts)
      if (known.kind == kind && known.other.pipe == other.pipe &&
          known.other.line == other.line)
        return;
    met.conflicts.push_back({kind, other, begin});
  };
  PipeOrder order = getPipeOrder(Pipe(self.pipe % pipeCount));
  bool isRead = access.mode == Access::Mode::Read;
  bool bothAtomic =
      access.mode == Access::Mode::Atomic && segment.writer.isAtomic;
  if (segment.isWritten && !bothAtomic) {
    const Toucher &writer = segment.writer;
    bool sameOrdered = writer.pipe == self.pipe &&
                       (isRead ? order.readAfterWrite : order.writeAfterWrite);
    if (!sameOrdered && writer.sequence > clock.at[writer.pipe])
      report(isRead ? Conflict::Kind::ReadAfterWrite
                    : Conflict::Kind::WriteAfterWrite,
             writer);
    if (isRead && self.origin && writer.origin && self.origin != writer.origin) {
      if (llvm::is_contained(segment.lost, self.origin))
        report(Conflict::Kind::Overlap, writer);
      else
        met.undefined.push_back({begin, segment.end, writer});
    }
  }
  if (isRead)
    return;
  for (const Toucher &reader : segment.readers)
    if (reader.pipe != self.pipe && reader.sequence > clock.at[reader.pipe])
      report(Conflict::Kind::WriteAfterRead, reader);
}

void AccessMap::touch(int64_t begin, int64_t end, const Access &access,
                      const Toucher &self, const Clock &clock, Met &met) {
  bool isRead = access.mode == Access::Mode::Read;
  auto next = segments.upper_bound(begin);
  if (next != segments.begin()) {
    auto before = std::prev(next);
    if (before->second.end > begin)
      next = split(before, begin);
  }
  // What is written is one segment, or several where different buffers lost bytes.
  Segments::iterator last = segments.end();
  auto write = [&](int64_t from, int64_t to, const Segment *before) {
    Segment written;
    written.end = to;
    written.isWritten = true;
    written.writer = self;
    written.writer.isAtomic = access.mode == Access::Mode::Atomic;
    if (before) {
      written.lost = before->lost;
      if (before->isWritten && before->writer.origin &&
          !llvm::is_contained(written.lost, before->writer.origin))
        written.lost.push_back(before->writer.origin);
      llvm::erase(written.lost, self.origin);
    }
    if (last != segments.end() && last->second.lost == written.lost)
      last->second.end = to;
    else
      last = segments.insert_or_assign(from, std::move(written)).first;
  };
  int64_t at = begin;
  while (at < end) {
    if (next == segments.end() || next->first >= end || next->first > at) {
      // Nobody touched these bytes yet.
      int64_t gapEnd =
          next == segments.end() ? end : std::min(end, next->first);
      if (isRead) {
        Segment fresh;
        fresh.end = gapEnd;
        fresh.readers.push_back(self);
        segments.emplace_hint(next, at, std::move(fresh));
      } else {
        write(at, gapEnd, nullptr);
      }
      at = gapEnd;
      continue;
    }
    if (next->second.end > end)
      split(next, end);
    check(next->second, next->first, access, self, clock, met);
    int64_t segmentBegin = next->first;
    at = next->second.end;
    if (isRead) {
      auto known = llvm::find_if(next->second.readers, [&](const Toucher &reader) {
        return reader.pipe == self.pipe;
      });
      if (known == next->second.readers.end())
        next->second.readers.push_back(self);
      else
        *known = self;
      ++next;
    } else {
      Segment before = std::move(next->second);
      next = segments.erase(next);
      write(segmentBegin, at, &before);
    }
  }
}

void AccessMap::access(const Access &access, const Toucher &self,
                       const Clock &clock, Met &met) {
  for (int64_t run = 0; run < access.runs; ++run) {
    int64_t begin = access.beginBytes + run * access.strideBytes;
    if (access.runBytes > 0)
      touch(begin, begin + access.runBytes, access, self, clock, met);
  }
}
