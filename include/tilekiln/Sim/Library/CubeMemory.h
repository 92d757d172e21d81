//===- CubeMemory.h - L0A, L0B and L0C as the matrix functions keep them --===//
//
// The cube's memories are seen by matrix functions alone, so they hold what the
// host multiplies fastest: dense f32 (or i32) matrices instead of fractals, each
// at its hardware address. Which rows and columns are not written is kept with
// them: padding may be undefined as long as no result depends on it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_LIBRARY_CUBEMEMORY_H
#define TILEKILN_SIM_LIBRARY_CUBEMEMORY_H

#include "tilekiln/Sim/Core/Types.h"
#include <map>
#include <vector>

namespace tilekiln::sim {

/// A dense row-major matrix, stored as it lay in L1 (transposed or not).
struct CubeOperand {
  std::vector<float> values;
  int64_t rows = 0, columns = 0;
  /// Per row of A, or per column of B: whether something that nothing wrote is
  /// in it; empty: nothing is.
  std::vector<bool> undefined;
};

/// A result tile in L0C, as wide and as high as its buffer.
struct CubeResult {
  bool isInteger = false;
  int64_t rows = 0, columns = 0;
  std::vector<float> real;
  std::vector<int32_t> integer;
  std::vector<bool> undefinedRows, undefinedColumns;

  bool isUndefined(int64_t row, int64_t column) const;
};

class CubeMemory {
public:
  /// The half of L0A or L0B that starts at a byte.
  CubeOperand &a(int64_t addressBytes) { return left[addressBytes]; }
  CubeOperand &b(int64_t addressBytes) { return right[addressBytes]; }

  /// The tile that begins at a byte of L0C with this shape; made, undefined, if
  /// another one or none is there. Tiles that it overlaps are given up.
  CubeResult &tile(int64_t addressBytes, int64_t rows, int64_t columns,
                   bool isInteger);
  /// The tile that holds a byte, and where it begins; null if there is none.
  CubeResult *find(int64_t addressBytes, int64_t &begin);

  void forget();
  /// The bias table.
  std::vector<float> bias;
  bool biasIsUndefined = true;
  /// Working space of the matrix product.
  std::vector<float> scratch;

private:
  std::map<int64_t, CubeOperand> left, right;
  std::map<int64_t, CubeResult> results;
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_LIBRARY_CUBEMEMORY_H
