//===- AccessRange.cpp - Where an access can lie in its tensor ------------===//
#include "tilekiln/Analysis/AccessRange.h"
#include "tilekiln/Analysis/IterationDomain.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;

/// The offset that `extreme` really has at its iteration, if the access is
/// certain to run there.
static std::optional<int64_t>
reachedStart(std::optional<IterationDomain::Extreme> &extreme, const Access &access,
             unsigned dim) {
  if (!extreme || !extreme->iteration.reaches(access.op))
    return std::nullopt;
  return extreme->iteration.evaluate(access.offsets[dim]);
}

static DimensionRange rangeOf(const Access &access, unsigned dim,
                              IterationDomain &domain) {
  DimensionRange range;
  AffineExpr start = domain.expr(access.offsets[dim]);
  std::optional<int64_t> size = getConstantIntValue(access.sizes[dim]);
  std::optional<int64_t> stride = getConstantIntValue(access.strides[dim]);
  if (size && stride && *size > 0)
    range.span = (*size - 1) * *stride + 1;

  if (OpFoldResult extent = access.extents[dim]) {
    range.extent = getConstantIntValue(extent);
    AffineExpr end = domain.expr(extent);
    bool fromZero = domain.isAlwaysAtMost(domain.getExpr(0), start);
    range.startInBounds = fromZero && domain.isAlwaysLess(start, end);
    // A stride that is not a number makes this semi-affine: never proven.
    AffineExpr last = start + (domain.expr(access.sizes[dim]) - 1) *
                                  domain.expr(access.strides[dim]);
    range.inBounds = fromZero && domain.isAlwaysLess(last, end);
  }

  std::optional<IterationDomain::Extreme> lowest = domain.minimum(start);
  std::optional<IterationDomain::Extreme> highest = domain.maximum(start);
  if (lowest)
    range.lowestStart = lowest->value;
  if (highest)
    range.highestStart = highest->value;
  // Nothing can be in range of an empty tensor, and nothing is lost by it.
  if (range.inBounds || !range.extent || *range.extent == 0)
    return range;

  if (std::optional<int64_t> first = reachedStart(lowest, access, dim);
      first && *first < 0) {
    range.violated = true;
    range.lowestStart = first;
  }
  // A tile that starts inside is clamped; a view has to end inside as well.
  bool mustEndInside = access.kind == Access::Kind::View && range.span;
  int64_t beyond = mustEndInside ? *range.span - 1 : 0;
  if (std::optional<int64_t> last = reachedStart(highest, access, dim);
      last && *last + beyond >= *range.extent) {
    range.violated = true;
    range.highestStart = last;
  }
  return range;
}

/// Finds a dimension to exchange `dim` with so that all starts fit.
static std::optional<unsigned> partnerOf(ArrayRef<DimensionRange> ranges,
                                         unsigned dim) {
  auto fits = [](const DimensionRange &range, const DimensionRange &other) {
    return range.lowestStart && *range.lowestStart >= 0 && range.highestStart &&
           other.extent && *range.highestStart < *other.extent;
  };
  for (unsigned other = 0; other < ranges.size(); ++other)
    if (other != dim && fits(ranges[dim], ranges[other]) &&
        fits(ranges[other], ranges[dim]))
      return other;
  return std::nullopt;
}

AccessRange tilekiln::computeAccessRange(const Access &access) {
  AccessRange result;
  IterationDomain domain(access.op);
  for (unsigned dim = 0; dim < access.offsets.size(); ++dim)
    result.dimensions.push_back(rangeOf(access, dim, domain));
  if (access.kind != Access::Kind::Tile)
    return result;
  for (unsigned dim = 0; dim < access.offsets.size(); ++dim)
    if (result.dimensions[dim].violated && !result.looksTransposed)
      if (std::optional<unsigned> other = partnerOf(result.dimensions, dim))
        result.looksTransposed = std::minmax(dim, *other);
  return result;
}
