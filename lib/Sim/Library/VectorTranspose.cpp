//===- VectorTranspose.cpp - Rows of transposes ---------------------------===//
//
// Transposes work on tiles: 32x32 bytes, 16x16 or 16x8. Sizes are rounded up to
// tiles, and what the padding of the source holds is written into the padding of
// the result.
//
//===----------------------------------------------------------------------===//
#include "VectorTranspose.h"
#include "VectorFamilies.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace tilekiln::sim;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

template <typename T>
static void moveTransposed(const uint8_t *source, int64_t sourceStride,
                           uint8_t *dst, int64_t dstStride, int64_t rows,
                           int64_t columns) {
  // In squares that stay in the cache.
  constexpr int64_t side = 16;
  for (int64_t r = 0; r < rows; r += side)
    for (int64_t c = 0; c < columns; c += side)
      for (int64_t j = c; j < std::min(c + side, columns); ++j)
        for (int64_t i = r; i < std::min(r + side, rows); ++i)
          std::memcpy(dst + (j * dstStride + i) * int64_t(sizeof(T)),
                      source + (i * sourceStride + j) * int64_t(sizeof(T)),
                      sizeof(T));
}

/// dst(j, i) = source(i, j); both two-dimensional with unit last strides.
static void computeTranspose(const Buffer &dst, const Buffer &source,
                             ValueContext &values) {
  int64_t rows = size(source, 0), columns = size(source, 1);
  const uint8_t *from = values.data(source);
  uint8_t *to = values.data(dst);
  int64_t fromStride = stride(source, 0), toStride = stride(dst, 0);
  switch (getBytes(dst.type)) {
  case 1:
    moveTransposed<uint8_t>(from, fromStride, to, toStride, rows, columns);
    break;
  case 2:
    moveTransposed<uint16_t>(from, fromStride, to, toStride, rows, columns);
    break;
  case 4:
    moveTransposed<uint32_t>(from, fromStride, to, toStride, rows, columns);
    break;
  default:
    moveTransposed<uint64_t>(from, fromStride, to, toStride, rows, columns);
    break;
  }
  Buffer result = reshape(dst, 0, {columns, rows}, {toStride, 1});
  if (values.isWritten(source)) {
    values.setWritten(result);
    return;
  }
  Buffer turned = reshape(source, 0, {columns, rows}, {1, fromStride});
  values.propagate(result, {turned});
}

static void issueScalarTranspose(const Buffer &dst, const Buffer &source,
                                 VectorUnit &unit) {
  unit.scalarLoop(source.elementCount())
      .reads(source)
      .writes(reshape(dst, 0, {size(source, 1), size(source, 0)},
                      {stride(dst, 0), 1}))
      .job([dst, source](ValueContext &values) {
        computeTranspose(dst, source, values);
      });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static bool isAlignedForTiles(const Buffer &dst, const Buffer &source) {
  int64_t perBlock = lanesPerBlock(source.type);
  int64_t from = stride(source, 0), to = stride(dst, 0);
  if (!isBlockAligned(dst) || !isBlockAligned(source) || from % perBlock != 0 ||
      to % perBlock != 0)
    return false;
  if (getBytes(source.type) != 4)
    return true;
  return (to % 8 == 0 && from % 16 == 0) || (to % 16 == 0 && from % 8 == 0);
}

void tilekiln::sim::issueTranspose(const Buffer &dst, const Buffer &source,
                                   Issue &issue) {
  if (source.isEmpty())
    return;
  VectorUnit unit(issue);
  if (!isAlignedForTiles(dst, source) || source.elementCount() == 1) {
    issueScalarTranspose(dst, source, unit);
    return;
  }
  int64_t perBlock = lanesPerBlock(source.type);
  int64_t rows = roundUp(size(source, 0), perBlock);
  int64_t columns = roundUp(size(source, 1), perBlock);
  int64_t tileRows = perBlock, tileColumns = perBlock, instructionsPerTile = 1;
  if (getBytes(source.type) == 1) {
    instructionsPerTile = 4;
  } else if (getBytes(source.type) == 4) {
    bool tall = rows % 16 == 0;
    if (!tall)
      columns = roundUp(columns, 16);
    tileRows = tall ? 16 : 8;
    tileColumns = tall ? 8 : 16;
  }
  // Instructions loop over the side with fewer tiles and repeat over the other;
  // the scalar unit loads four address registers of eight addresses per loop.
  int64_t tilesDown = rows / tileRows, tilesAcross = columns / tileColumns;
  int64_t loops = std::min(tilesDown, tilesAcross);
  int64_t registers = instructionsPerTile == 4 ? 8 : 4;
  issue.scalar(double(loops * registers * 8) * issue.timing().scalarIssue);

  auto rowStride = [&](const Buffer &buffer, int64_t elements) {
    return size(buffer, 0) == 1 ? roundUp(elements, perBlock) : stride(buffer, 0);
  };
  Buffer from = reshape(source, 0, {rows, columns},
                        {rowStride(source, size(source, 1)), 1});
  Buffer to = reshape(dst, 0, {columns, rows}, {rowStride(dst, size(dst, 1)), 1});
  // Reading padding is harmless; what follows from it is not written.
  unit.repeat("vnchwconv",
              double(tilesDown * tilesAcross * instructionsPerTile))
      .reads(source)
      .writes(to)
      .job([to, from](ValueContext &values) {
        computeTranspose(to, from, values);
      });
  unit.barrier();
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

/// 64-bit elements: tiles of 4x4 through two pieces of scratch, each moved as
/// 16-bit columns twice.
static void issueTranspose64(const Buffer &dst, const Buffer &source,
                             const Buffer &tmp, Issue &issue) {
  if (source.isEmpty())
    return;
  VectorUnit unit(issue);
  if (!isAlignedForTiles(dst, source) || source.elementCount() == 1) {
    issueScalarTranspose(dst, source, unit);
    return;
  }
  constexpr int64_t side = 4, scratchElements = 256;
  int64_t rows = roundUp(size(source, 0), side);
  int64_t columns = roundUp(size(source, 1), side);
  int64_t fromStride = size(source, 0) == 1 ? columns : stride(source, 0);
  int64_t toStride =
      size(dst, 0) == 1 ? roundUp(size(dst, 1), side) : stride(dst, 0);
  Buffer scratch = reshape(retype(tmp, source.type), 0, {2 * scratchElements});
  for (int64_t i = 0; i < rows; i += side)
    for (int64_t j = 0; j < columns; j += side) {
      Buffer from = reshape(source, i * fromStride + j, {side, side},
                            {fromStride, 1});
      Buffer to = reshape(dst, j * toStride + i, {side, side}, {toStride, 1});
      Buffer tile = reshape(scratch, 0, {side, side}, {side, 1});
      Buffer turned = reshape(scratch, scratchElements, {side, side}, {side, 1});
      unit.copy("vcopy", tile, from, double(side * blockBytes) / repeatBytes);
      unit.barrier();
      issue.scalar(32 * issue.timing().scalarIssue);
      unit.repeat("vnchwconv", side).reads(tile).writes(turned).job(
          [tile, turned](ValueContext &values) {
            computeTranspose(turned, tile, values);
          });
      unit.barrier();
      unit.repeat("vcopy", side * side * side * side * blockBytes / repeatBytes);
      unit.barrier();
      issue.scalar(32 * issue.timing().scalarIssue);
      unit.repeat("vnchwconv", side);
      unit.barrier();
      unit.copy("vcopy", to, turned, double(side * blockBytes) / repeatBytes);
      unit.barrier();
    }
}

static void issueTransposeCall(const Signature &signature,
                               const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  bool isWide = getBits(type) == 64;
  if (isWide && arguments.size() < 3) {
    issue.fault(FaultKind::Invalid,
                "a transpose of 64-bit elements needs a scratch buffer");
    return;
  }
  auto run = [&](const Buffer &to, const Buffer &from) {
    if (isWide)
      issueTranspose64(to, from, arguments.buffer(2), issue);
    else
      issueTranspose(to, from, issue);
  };
  if (signature.rank == 2) {
    run(dst, source);
    return;
  }
  // Axes 0 and 2 of three: plane by plane along axis 1.
  for (int64_t i = 0; i < size(source, 1); ++i)
    run(at(dst, 1, i), at(source, 1, i));
}

/// Axes 0 and 1 of three: copies of whole rows.
static void issueTransposeRows(const Signature &signature,
                               const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  Buffer source = retype(arguments.buffer(0), type);
  Buffer dst = retype(arguments.buffer(1), type);
  if (source.isEmpty())
    return;
  VectorUnit unit(issue);
  int64_t perBlock = lanesPerBlock(type);
  int64_t a = size(source, 0), b = size(source, 1), c = size(source, 2);
  auto isAligned = [&](const Buffer &buffer) {
    return isBlockAligned(buffer) && stride(buffer, 0) % perBlock == 0 &&
           stride(buffer, 1) % perBlock == 0 && stride(buffer, 2) == 1;
  };
  bool fast = isAligned(source) && isAligned(dst);
  int64_t width = fast ? roundUp(c, perBlock) : c;
  Buffer from = reshape(source, 0, {b, a, width},
                        {stride(source, 1), stride(source, 0), stride(source, 2)});
  Buffer to = reshape(dst, 0, {b, a, width},
                      {stride(dst, 0), stride(dst, 1), stride(dst, 2)});
  if (fast) {
    unit.copy("vcopy", to, from,
              double(a * b * width * int64_t(getBytes(type))) / repeatBytes);
    return;
  }
  describeCopy(unit.scalarLoop(source.elementCount()), to, from);
}

void tilekiln::sim::addVectorTransposeRows(LibraryTable &table) {
  table.add({
      {"transpose_{rank}d_with_last_axis_{type}", "bbb?", issueTransposeCall},
      {"transpose_3d_without_last_axis_{type}", "bb", issueTransposeRows},
  });
}
