//===- SourcePlaces.h - Lines of the author's script ----------------------===//
//
// Every instruction carries the line that it was made from; lines are kept once
// per program.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_DECODE_SOURCEPLACES_H
#define TILEKILN_LIB_SIM_DECODE_SOURCEPLACES_H

#include "tilekiln/Sim/Core/Program.h"
#include "mlir/IR/Operation.h"
#include <map>

namespace tilekiln::sim {

/// The first file position within a location; line 0 where there is none.
SourcePlace getSourcePlace(mlir::Location location);

/// Of the op, or where it has no position (the vendor's own ops), of what it
/// stands in.
SourcePlace getSourcePlace(mlir::Operation *op);

/// An error at the op's line.
llvm::Error errorAt(mlir::Operation *op, const llvm::Twine &text);

class SourcePlaces {
public:
  explicit SourcePlaces(Program &program) : program(program) {}
  LineId get(mlir::Operation *op);

private:
  Program &program;
  std::map<std::pair<std::string, unsigned>, LineId> ids;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_DECODE_SOURCEPLACES_H
