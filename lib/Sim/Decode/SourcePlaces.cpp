//===- SourcePlaces.cpp - Lines of the author's script --------------------===//
#include "SourcePlaces.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace tilekiln::sim;

char DecodeError::ID;

void DecodeError::log(llvm::raw_ostream &os) const {
  if (place.line)
    os << place.file << ':' << place.line << ": ";
  os << text;
}

std::error_code DecodeError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

SourcePlace tilekiln::sim::getSourcePlace(Location location) {
  SourcePlace place;
  location->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    // The vendor marks its own ops as "internal", line 0.
    if (!position || position.getLine() == 0)
      return WalkResult::advance();
    place.file = position.getFilename().str();
    place.line = position.getLine();
    place.column = position.getColumn();
    return WalkResult::interrupt();
  });
  return place;
}

SourcePlace tilekiln::sim::getSourcePlace(Operation *op) {
  for (; op; op = op->getParentOp()) {
    SourcePlace place = getSourcePlace(op->getLoc());
    if (place.line)
      return place;
  }
  return {};
}

llvm::Error tilekiln::sim::errorAt(Operation *op, const llvm::Twine &text) {
  return llvm::make_error<DecodeError>(getSourcePlace(op), text.str());
}

LineId SourcePlaces::get(Operation *op) {
  SourcePlace place = getSourcePlace(op);
  if (!place.line)
    return 0;
  auto [entry, isNew] = ids.try_emplace({place.file, place.line},
                                        LineId(program.lines.size()));
  if (isNew)
    program.lines.push_back(std::move(place));
  return entry->second;
}
