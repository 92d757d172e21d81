//===- Target.h - Description of an accelerator ---------------------------===//
//
// What passes, checks and the simulator know of a machine, read from
// share/targets/<name>.json. Spaces, units, cores and timing constants are data:
// a second accelerator is a second file. Every figure says where it is from and
// how far it can be trusted. Knows no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_TARGET_TARGET_H
#define TILEKILN_TARGET_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilekiln {

/// High: two independent sources or raw counters. Medium: one measured source.
/// Low: an estimate.
enum class Confidence { High, Medium, Low };

/// Where sources differ: written [lowest, highest].
struct Range {
  double lowest = 0, highest = 0;
};

/// A number with its origin: {"value": 20, "unit": "core", "source": "...",
/// "confidence": "high"}, and where sources differ "range": [lowest, highest].
struct Figure {
  double value = 0;
  std::string unit, source;
  Confidence confidence = Confidence::Low;
  std::optional<Range> range;
};

template <typename T> using NameMap = std::map<std::string, T, std::less<>>;

/// A kind of core, of which the machine has `count`.
struct CoreKind {
  Figure count;
};

/// A memory that a value can be placed in: one for the whole machine, or where
/// `core` names a kind of core, one in each of them.
struct MemorySpace {
  std::string core;
  Figure capacity, align;
  int64_t capacityBytes() const { return int64_t(capacity.value); }
  int64_t alignBytes() const { return int64_t(align.value); }
};

/// What computes or moves, with the spaces it takes operands from and gives
/// results to.
struct Unit {
  std::vector<std::string> cores, reads, writes;
};

/// A way from one space to another. Direct paths name the unit and its queue;
/// others name the space that the data has to go through.
struct Path {
  std::string from, to, unit, queue, through;
  bool isDirect() const { return through.empty(); }
};

struct Target {
  std::string name;
  /// What the vendor's compiler calls it.
  std::string vendorName;
  std::string description;
  Figure clock;
  NameMap<CoreKind> cores;
  NameMap<MemorySpace> spaces;
  NameMap<Unit> units;
  std::vector<Path> paths;
  /// Which space serves for what: "accumulator" (sums of products), "operand"
  /// (matrices that products read) and "vector" (element-wise work).
  NameMap<std::string> roles;
  /// Bounds of instructions and of the hardware's counters.
  NameMap<Figure> limits;
  /// Constants of the timing model.
  NameMap<Figure> timing;

  /// Null where the target has no such thing.
  const CoreKind *findCore(llvm::StringRef name) const;
  const MemorySpace *findSpace(llvm::StringRef name) const;
  const Unit *findUnit(llvm::StringRef name) const;
  /// The space that has the role; empty where none has.
  llvm::StringRef findRole(llvm::StringRef role) const;
  const Path *findPath(llvm::StringRef from, llvm::StringRef to) const;
  const Figure *findLimit(llvm::StringRef name) const;
  const Figure *findTiming(llvm::StringRef name) const;

  /// Checks the constraints (C1)-(C8) that are numbered in Target.cpp; the error
  /// names all that are broken.
  llvm::Error validate() const;
};

/// Reads and validates a description. `"extends": "other"` takes over everything
/// from other.json beside it that the file does not state itself; a figure and a
/// list are replaced as a whole. An unknown key is an error with its JSON path.
llvm::Expected<Target> loadTarget(llvm::StringRef path);

} // namespace tilekiln

#endif // TILEKILN_TARGET_TARGET_H
