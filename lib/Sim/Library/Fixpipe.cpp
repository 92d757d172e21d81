//===- Fixpipe.cpp - fixpipe_nz2nd: L0C to global memory ------------------===//
//
// Writes a tile's rows, converted and clamped at zero on the way, or adds them to
// what is there when the control register says so.
//
//===----------------------------------------------------------------------===//
#include "UnitFlags.h"
#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "tilekiln/Sim/Library/Atomics.h"
#include "tilekiln/Sim/Library/CubeMemory.h"
#include "tilekiln/Sim/Library/Rows.h"
#include "tilekiln/Sim/Library/Runs.h"
#include <algorithm>
#include <cstring>

using namespace tilekiln::sim;

namespace {
struct Move {
  Buffer source, destination;
  int64_t quantisation, relu;
  AtomicMode atomic;
  bool saturates;
};
} // namespace

/// One row as the element type of global memory.
static void convertRow(const CubeResult &tile, int64_t at, int64_t count,
                       const Move &move, std::vector<uint8_t> &row) {
  row.resize(size_t(count) * 4);
  if (tile.isInteger) {
    const int32_t *from = tile.integer.data() + at;
    for (int64_t i = 0; i < count; ++i) {
      int32_t value = move.relu ? std::max(from[i], 0) : from[i];
      switch (move.destination.type) {
      case ElementType::I8:
        row[size_t(i)] = uint8_t(int8_t(std::clamp(value, -128, 127)));
        break;
      case ElementType::I16: {
        int16_t narrow = int16_t(std::clamp(value, -32768, 32767));
        std::memcpy(row.data() + i * 2, &narrow, 2);
        break;
      }
      case ElementType::F16: {
        uint16_t half = toF16(float(value));
        std::memcpy(row.data() + i * 2, &half, 2);
        break;
      }
      default:
        std::memcpy(row.data() + i * 4, &value, 4);
      }
    }
    return;
  }
  const float *from = tile.real.data() + at;
  static thread_local std::vector<float> clamped;
  if (move.relu) {
    clamped.resize(size_t(count));
    // NaN stays NaN.
    for (int64_t i = 0; i < count; ++i)
      clamped[size_t(i)] = from[i] < 0 ? 0.0f : from[i];
    from = clamped.data();
  }
  if (move.saturates && move.destination.type != ElementType::F32) {
    clamped.resize(size_t(count));
    for (int64_t i = 0; i < count; ++i)
      clamped[size_t(i)] = saturate(from[i], move.destination.type);
    from = clamped.data();
  }
  if (move.destination.type == ElementType::F16)
    toF16(from, reinterpret_cast<uint16_t *>(row.data()), size_t(count));
  else if (move.destination.type == ElementType::BF16)
    toBF16(from, reinterpret_cast<uint16_t *>(row.data()), size_t(count));
  else
    std::memcpy(row.data(), from, size_t(count) * 4);
}

/// Undefined results in the workspace may never be used; in a tensor they are the
/// kernel's result.
static void markUndefined(const Move &move, const CubeResult &tile, int64_t row0,
                          int64_t column0, ValueContext &values) {
  int64_t rows = move.destination.sizes[0], columns = move.destination.sizes[1];
  auto any = [](const std::vector<bool> &flags, int64_t from, int64_t count) {
    auto end = flags.begin() + from + count;
    return std::find(flags.begin() + from, end, true) != end;
  };
  if (!any(tile.undefinedRows, row0, rows) &&
      !any(tile.undefinedColumns, column0, columns))
    return;
  Memory &memory = values.memory(Space::GM, move.destination.tensor);
  if (!memory.knowsWritten()) {
    values.fault(FaultKind::Unwritten, Space::L0C, move.source.addressBytes(),
                 "stores a matrix result that depends on memory that nothing "
                 "wrote");
    return;
  }
  Buffer part = move.destination;
  for (int64_t i = 0; i < rows; ++i)
    if (tile.undefinedRows[size_t(row0 + i)]) {
      part.offset = move.destination.offset + i * part.strides[0];
      part.sizes[0] = 1;
      values.setWritten(part, false);
    }
  part = move.destination;
  part.sizes[1] = 1;
  for (int64_t j = 0; j < columns; ++j)
    if (tile.undefinedColumns[size_t(column0 + j)]) {
      part.offset = move.destination.offset + j * part.strides[1];
      values.setWritten(part, false);
    }
}

static void runMove(const Move &move, ValueContext &values) {
  int64_t rows = move.destination.sizes[0], columns = move.destination.sizes[1];
  int64_t begin = 0, address = move.source.addressBytes();
  CubeResult *tile = values.cube().find(address, begin);
  if (!tile) {
    values.fault(FaultKind::Unwritten, Space::L0C, address,
                 "stores a matrix result, but no product was computed at its "
                 "address");
    return;
  }
  // The place of the tile's part within the tile.
  int64_t element = (address - begin) / 4;
  int64_t column0 = element / (tile->rows * 16) * 16;
  int64_t row0 = element / 16 % tile->rows;
  if (row0 + rows > tile->rows || column0 + columns > tile->columns ||
      move.source.strides[0] != tile->rows * 16) {
    values.fault(FaultKind::Invalid, Space::L0C, address,
                 "stores a part of L0C that is no part of the tile that was "
                 "computed there");
    return;
  }
  int64_t bytes = getBytes(move.destination.type);
  int64_t pitch = move.destination.strides[0];
  uint8_t *to = values.data(move.destination);
  std::vector<uint8_t> row;
  for (int64_t i = 0; i < rows; ++i) {
    convertRow(*tile, (row0 + i) * tile->columns + column0, columns, move, row);
    uint8_t *out = to + i * pitch * bytes;
    if (move.atomic.isOn())
      updateAtomically(out, row.data(), columns, move.destination.type, move.atomic);
    else
      std::memcpy(out, row.data(), size_t(columns * bytes));
  }
  values.setWritten(move.destination);
  markUndefined(move, *tile, row0, column0, values);
}

static void issueFixpipe(const Signature &signature, const CallArguments &arguments,
                         Issue &issue) {
  Move move;
  move.source = arguments.buffer(0);
  move.destination = arguments.buffer(1);
  move.quantisation = arguments.integer(2);
  move.relu = arguments.integer(3);
  move.atomic = AtomicMode::fromControl(issue.state().control);
  move.saturates = issue.state().saturatesFloats();
  const Buffer &source = move.source, &destination = move.destination;
  if (source.rank != 4 || destination.rank != 2)
    return issue.fault(FaultKind::Invalid,
                       "takes a tile of four dimensions and a matrix");
  if (destination.isEmpty())
    return;
  if (destination.sizes[1] > 1 && destination.strides[1] != 1)
    return issue.fault(FaultKind::Invalid,
                       "takes rows whose elements follow each other");
  std::optional<UnitFlag> unitFlag = readUnitFlag(arguments.integer(5));
  if (!unitFlag)
    return issue.fault(FaultKind::Invalid, unitFlagForms);
  if (move.relu > 1)
    return issue.fault(FaultKind::Invalid, "takes relu or nothing");
  QueueOp &op = issue.transfer(Pipe::FIX, "fixpipe", TransferKind::StoreL0c);
  Access read;
  read.space = Space::L0C;
  read.origin = source.origin;
  read.beginBytes = source.addressBytes();
  read.runBytes = destination.sizes[0] * 16 * 4;
  read.runs = ceilDiv(destination.sizes[1], 16);
  read.strideBytes = source.strides[0] * 4;
  op.access(read);
  op.unitFlag = *unitFlag;
  move.atomic.isOn() ? op.atomic(destination) : op.writes(destination);
  op.counts(0, read.totalBytes());
  if (issue.state().wantsValues)
    op.job([move](ValueContext &values) { runMove(move, values); });
}

void tilekiln::sim::addFixpipeRows(LibraryTable &table) {
  table.add({{"fixpipe_nz2nd_{type}_to_{type}_4d_to_2d", "bbssss", issueFixpipe}});
}
