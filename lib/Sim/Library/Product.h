//===- Product.h - Matrix products of the cube unit -----------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_PRODUCT_H
#define TILEKILN_LIB_SIM_LIBRARY_PRODUCT_H

#include "tilekiln/Sim/Library/CubeMemory.h"

namespace tilekiln::sim {

/// tile[0:m, 0:n] (+)= A * B, where A is m x k (k x m if `transposedA`) and B is
/// k x n (n x k if `transposedB`). `clear` starts from zero.
void multiply(CubeResult &tile, const CubeOperand &a, const CubeOperand &b,
              int64_t m, int64_t n, int64_t k, bool transposedA, bool transposedB,
              bool clear, std::vector<float> &scratch);

/// While one exists, BLAS runs on the calling thread alone: the simulator's own
/// threads keep the machine busy.
class SerialProducts {
public:
  SerialProducts();
  ~SerialProducts();
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_PRODUCT_H
