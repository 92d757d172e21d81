//===- CheckBounds.cpp - Accesses that leave their tensor -----------------===//
//
// Turns the results of AccessRange into messages for the author and marks for
// the lowering. A clamp that is not needed costs a slower transfer; one that is
// missing reads foreign memory. So marks are made only of what is proven, and
// errors only of iterations that are certain to run.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/AccessRange.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

namespace tilekiln {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace {
class CheckBounds : public tilekiln::impl::CheckBoundsBase<CheckBounds> {
public:
  using CheckBoundsBase::CheckBoundsBase;
  void runOnOperation() override;

private:
  /// The author's mistake, as opposed to what is guarded.
  bool isError(const Access &access) const;
  void report(const Access &access, const AccessRange &range, unsigned dim);
  void warnAlwaysOutside(const Access &access, const AccessRange &range);
  /// One message for each line, tensor and dimension: an unrolled loop has many
  /// windows that are one to the author.
  llvm::DenseSet<std::tuple<Location, Value, unsigned>> reported;
};
} // namespace

static std::string quoted(Value memory) {
  StringRef name = authorName(memory);
  return name.empty() ? "a tensor" : ("'" + name + "'").str();
}

static std::string shapeText(ArrayRef<int64_t> extents) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(extents, os);
  return text + ")";
}

static void noteTransposed(InFlightDiagnostic &diagnostic, const Access &access,
                           const AccessRange &range) {
  if (!range.looksTransposed)
    return;
  SmallVector<int64_t> declared;
  for (const DimensionRange &dimension : range.dimensions) {
    if (!dimension.extent)
      return;
    declared.push_back(*dimension.extent);
  }
  SmallVector<int64_t> asRead(declared);
  auto [first, second] = *range.looksTransposed;
  std::swap(asRead[first], asRead[second]);
  diagnostic.attachNote(access.memory.getLoc())
      << quoted(access.memory) << " is declared " << shapeText(declared) << " but "
      << access.verb << " as if it were " << shapeText(asRead)
      << ": the declaration looks transposed";
}

bool CheckBounds::isError(const Access &access) const {
  // Nothing clamps an on-chip access.
  if (!isGlobal(access.memory.getType()))
    return true;
  // A single element of a global tensor is guarded, as TileLang does.
  return access.kind == Access::Kind::Tile && outOfBounds == "error";
}

void CheckBounds::report(const Access &access, const AccessRange &range,
                         unsigned dim) {
  Location location = access.op->getLoc();
  if (!reported.insert({location, access.memory, dim}).second)
    return;
  const DimensionRange &dimension = range.dimensions[dim];
  int64_t span = dimension.span.value_or(1);
  InFlightDiagnostic diagnostic = mlir::emitError(location);
  diagnostic << quoted(access.memory) << " is out of range in dimension " << dim
             << " of extent " << *dimension.extent << ": ";
  auto describeRange = [&](int64_t first, int64_t last) {
    if (first == last)
      diagnostic << "element " << first << " is " << access.verb;
    else
      diagnostic << "elements " << first << ".." << last << " are " << access.verb;
  };
  bool low = dimension.lowestStart && *dimension.lowestStart < 0;
  if (dimension.lowestStart && dimension.highestStart)
    describeRange(*dimension.lowestStart, *dimension.highestStart + span - 1);
  else if (low)
    diagnostic << "elements from " << *dimension.lowestStart << " are "
               << access.verb;
  else
    diagnostic << "elements up to " << *dimension.highestStart + span - 1 << " are "
               << access.verb;
  if (access.kind == Access::Kind::Tile) {
    diagnostic << " (";
    if (dimension.span && span > 1)
      diagnostic << "tiles of " << span << " start ";
    else
      diagnostic << "tiles start ";
    if (low)
      diagnostic << "from " << *dimension.lowestStart << ")";
    else
      diagnostic << "at up to " << *dimension.highestStart << ")";
  }
  if (!isGlobal(access.memory.getType()))
    diagnostic << "; make it larger, or the index smaller";
  else if (!range.looksTransposed)
    diagnostic << "; launch fewer blocks or steps so that every tile starts inside, or compile "
                  "with out_of_bounds=\"zero\" to read zeros and write nothing there";
  noteTransposed(diagnostic, access, range);
}

/// A guarded element that no iteration has inside: legal, and hardly meant.
void CheckBounds::warnAlwaysOutside(const Access &access, const AccessRange &range) {
  for (auto [dim, dimension] : llvm::enumerate(range.dimensions)) {
    if (!dimension.violated || !dimension.lowestStart || !dimension.highestStart ||
        !dimension.extent)
      continue;
    int64_t first = *dimension.lowestStart, last = *dimension.highestStart;
    if (first < *dimension.extent && last >= 0)
      continue;
    if (!reported.insert({access.op->getLoc(), access.memory, unsigned(dim)}).second)
      continue;
    InFlightDiagnostic diagnostic = mlir::emitWarning(access.op->getLoc());
    diagnostic << quoted(access.memory) << " is never in range in dimension " << dim
               << " of extent " << *dimension.extent << ": ";
    if (first == last)
      diagnostic << "element " << first << " is " << access.verb;
    else
      diagnostic << "elements " << first << ".." << last << " are " << access.verb;
    diagnostic << (access.verb == "read" ? "; each reads as zero" : "; nothing is written")
               << ", as in TileLang: check the index";
  }
}

/// Writes down what is proven, per dimension.
static void mark(const Access &access, const AccessRange &range) {
  SmallVector<bool> inside, startsInside;
  for (const DimensionRange &dimension : range.dimensions) {
    inside.push_back(dimension.inBounds);
    startsInside.push_back(dimension.startInBounds);
  }
  auto set = [&](StringRef name, ArrayRef<bool> values) {
    access.op->setAttr(name, DenseBoolArrayAttr::get(access.op->getContext(), values));
  };
  set(inBoundsAttrName, inside);
  if (access.kind == Access::Kind::Tile)
    set(startInBoundsAttrName, startsInside);
}

void CheckBounds::runOnOperation() {
  if (outOfBounds != "error" && outOfBounds != "zero") {
    mlir::emitError(getOperation().getLoc())
        << "unknown value '" << outOfBounds
        << "' of out-of-bounds; expected 'error' or 'zero'";
    return signalPassFailure();
  }
  reported.clear();
  bool failed = false;
  getOperation()->walk([&](LaunchOp launch) {
    launch.walk([&](Operation *op) {
      std::optional<Access> access = describeAccess(op);
      if (!access)
        return;
      AccessRange range = computeAccessRange(*access);
      if (isError(*access)) {
        for (auto [dim, dimension] : llvm::enumerate(range.dimensions))
          if (dimension.violated) {
            report(*access, range, dim);
            failed = true;
          }
      } else if (outOfBounds == "error" && access->kind == Access::Kind::Element) {
        warnAlwaysOutside(*access, range);
      }
      if (isGlobal(access->memory.getType()))
        mark(*access, range);
    });
  });
  if (failed)
    signalPassFailure();
}
