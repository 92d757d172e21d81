//===- CubeMemory.cpp - L0A, L0B and L0C as the matrix functions keep them ===//
#include "tilekiln/Sim/Library/CubeMemory.h"

using namespace tilekiln::sim;

bool CubeResult::isUndefined(int64_t row, int64_t column) const {
  return undefinedRows[size_t(row)] || undefinedColumns[size_t(column)];
}

CubeResult &CubeMemory::tile(int64_t addressBytes, int64_t rows, int64_t columns,
                             bool isInteger) {
  auto found = results.find(addressBytes);
  if (found != results.end() && found->second.rows == rows &&
      found->second.columns == columns && found->second.isInteger == isInteger)
    return found->second;
  int64_t end = addressBytes + rows * columns * 4;
  for (auto it = results.begin(); it != results.end();) {
    int64_t otherEnd = it->first + it->second.rows * it->second.columns * 4;
    it = it->first < end && otherEnd > addressBytes ? results.erase(it)
                                                    : std::next(it);
  }
  CubeResult &made = results[addressBytes];
  made.isInteger = isInteger;
  made.rows = rows;
  made.columns = columns;
  if (isInteger)
    made.integer.assign(size_t(rows * columns), 0);
  else
    made.real.assign(size_t(rows * columns), 0);
  made.undefinedRows.assign(size_t(rows), true);
  made.undefinedColumns.assign(size_t(columns), true);
  return made;
}

CubeResult *CubeMemory::find(int64_t addressBytes, int64_t &begin) {
  auto next = results.upper_bound(addressBytes);
  if (next == results.begin())
    return nullptr;
  auto found = std::prev(next);
  int64_t end = found->first + found->second.rows * found->second.columns * 4;
  if (addressBytes >= end)
    return nullptr;
  begin = found->first;
  return &found->second;
}

void CubeMemory::forget() {
  for (auto &[address, tile] : results) {
    tile.undefinedRows.assign(size_t(tile.rows), true);
    tile.undefinedColumns.assign(size_t(tile.columns), true);
  }
  biasIsUndefined = true;
}
