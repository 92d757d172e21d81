//===- Regions.cpp - The operands of tile operations ----------------------===//
#include "Importer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;

/// "(64, 128)", with "?" for what is known only at run time.
static std::string print(ArrayRef<OpFoldResult> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "(";
  llvm::interleaveComma(sizes, os, [&](OpFoldResult size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      os << *known;
    else
      os << "?";
  });
  os << ")";
  return text;
}

FailureOr<Importer::Region> Importer::importRegion(TirNode node) {
  TirList starts, extents;
  TirNode buffer;
  auto addIndex = [&](TirNode index) -> LogicalResult {
    bool isRange = index.is("Ramp");
    if (isRange && index["stride"].constant() != 1)
      return fail() << "a region with a step is not supported; use T.Parallel";
    starts.push_back(isRange ? index["base"] : index);
    extents.push_back(isRange ? index["lanes"] : TirNode());
    return success();
  };
  if (node.is("BufferLoad")) {
    buffer = node["buffer"];
    for (TirNode index : node.list("indices"))
      if (failed(addIndex(index)))
        return failure();
  } else if (node.is("BufferRegion")) {
    buffer = node["buffer"];
    for (TirNode range : node.list("region")) {
      if (!range.is("Range"))
        return FailureOr<Region>(fail() << "malformed TIR: a region of '"
                                        << range.spelledType() << "'");
      starts.push_back(range["min"]);
      extents.push_back(range["extent"]);
    }
  } else if (node.is("Call") && callee(node) == "region") {
    TirList args = node.list("args");
    if (args.size() < 2 || !args[0].is("BufferLoad"))
      return FailureOr<Region>(fail() << "malformed TIR: a region without a buffer");
    buffer = args[0]["buffer"];
    starts = args[0].list("indices");
    extents.assign(args.begin() + 2, args.end());
  } else {
    return FailureOr<Region>(fail() << "expected a buffer or a part of one, got a '"
                                    << node.spelledType() << "'");
  }
  Region region;
  region.buffer = lookUp(buffer);
  if (!region.buffer)
    return failure();
  if (region.buffer->isPerThread)
    return FailureOr<Region>(fail() << "'" << region.buffer->name
                                    << "' is another buffer for each thread, a tile operation "
                                       "is work of all threads together; use a shared or "
                                       "fragment buffer, or loops over the elements");
  size_t rank = region.buffer->shape.size();
  if (starts.size() != rank || extents.size() != rank)
    return FailureOr<Region>(fail() << "malformed TIR: a region of '" << region.buffer->name
                                    << "' has " << starts.size() << " starts and "
                                    << extents.size() << " extents for " << rank
                                    << " dimensions");
  const SmallVector<OpFoldResult> shape = region.buffer->shape;
  for (auto [start, extent, dimension] : llvm::zip(starts, extents, shape)) {
    FailureOr<OpFoldResult> offset = importFoldedIndex(start);
    if (failed(offset))
      return failure();
    FailureOr<OpFoldResult> size = OpFoldResult(builder.getIndexAttr(1));
    if (!extent.isNone())
      size = importFoldedIndex(extent);
    if (failed(size))
      return failure();
    if (getConstantIntValue(*size).value_or(0) < 0)
      return FailureOr<Region>(fail() << "a region of '" << region.buffer->name
                                      << "' has a negative size");
    region.offsets.push_back(fromEnd(*offset, dimension));
    region.sizes.push_back(*size);
  }
  return region;
}

Value Importer::tile(const Region &region, ArrayRef<int64_t> keep) {
  const BufferInfo &info = *region.buffer;
  if (info.isGlobal)
    return builder.create<commonir::WindowOp>(here, info.memref, region.offsets,
                                              region.sizes, keep);
  bool isWhole = keep.size() == region.sizes.size();
  for (auto [dim, offset, size, extent] :
       llvm::enumerate(region.offsets, region.sizes, info.shape)) {
    std::optional<int64_t> start = getConstantIntValue(offset), count = getConstantIntValue(size);
    int64_t limit = *getConstantIntValue(extent);
    isWhole &= start == 0 && count == limit;
    if (start && count && (*start < 0 || *start > limit || *count > limit - *start)) {
      fail() << "dimension " << dim << " of '" << info.name << "' has " << limit
             << " elements; the region from " << *start << " over " << *count
             << " elements leaves it";
      return nullptr;
    }
  }
  if (isWhole)
    return info.memref;
  SmallVector<int64_t> shape;
  for (int64_t dim : keep)
    shape.push_back(getConstantIntValue(region.sizes[dim]).value_or(ShapedType::kDynamic));
  SmallVector<OpFoldResult> strides(region.sizes.size(), builder.getIndexAttr(1));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(info.memref.getType()), region.offsets, region.sizes, strides));
  return builder.create<memref::SubViewOp>(here, type, info.memref, region.offsets,
                                           region.sizes, strides);
}

Value Importer::tile(const Region &region) {
  return tile(region, llvm::to_vector(llvm::seq<int64_t>(0, region.sizes.size())));
}

Importer::Region Importer::reduced(const Region &region, ArrayRef<int64_t> keep) {
  Region result;
  result.buffer = region.buffer;
  for (int64_t dim : keep)
    result.sizes.push_back(region.sizes[dim]);
  return result;
}

Value Importer::tileOfRank(const Region &region, size_t rank, StringRef role) {
  SmallVector<int64_t> keep;
  size_t surplus = region.sizes.size() > rank ? region.sizes.size() - rank : 0;
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    if (surplus && isConstantIntValue(size, 1)) {
      --surplus;
      continue;
    }
    keep.push_back(int64_t(dim));
  }
  if (keep.size() != rank) {
    fail() << role << " '" << region.buffer->name << "' has shape " << print(region.sizes)
           << "; it needs " << rank << " dimensions";
    return nullptr;
  }
  return tile(region, keep);
}

LogicalResult Importer::onChip(const Region &region, StringRef role) {
  if (!region.buffer->isGlobal)
    return success();
  return fail() << role << " '" << region.buffer->name
                << "' lies in global memory; copy it to a shared or fragment buffer "
                   "with T.copy first";
}

Value Importer::temporary(const Region &like, const DType &type, StringRef role) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : like.sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known) {
      fail() << role << " of '" << like.buffer->name << "' has shape " << print(like.sizes)
             << "; its way through a buffer needs constant sizes, so copy through a "
                "shared buffer yourself";
      return nullptr;
    }
    shape.push_back(*known);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return builder.create<commonir::AllocOp>(here, MemRefType::get(shape, type.memory),
                                           uniqueName(like.buffer->name + "_tile"), "shared");
}

/// Pairs dimensions from the last to the first; one that has size 1 on one side
/// and no equal on the other is left out.
LogicalResult Importer::align(const Region &source, const Region &dest,
                              SmallVectorImpl<int64_t> &keepSource,
                              SmallVectorImpl<int64_t> &keepDest, StringRef what) {
  ArrayRef<OpFoldResult> a = source.sizes, b = dest.sizes;
  int64_t i = int64_t(a.size()) - 1, j = int64_t(b.size()) - 1;
  auto isUnit = [](OpFoldResult size) { return isConstantIntValue(size, 1); };
  bool fits = true;
  while (fits && (i >= 0 || j >= 0)) {
    std::optional<int64_t> left = i >= 0 ? getConstantIntValue(a[i]) : std::nullopt;
    std::optional<int64_t> right = j >= 0 ? getConstantIntValue(b[j]) : std::nullopt;
    bool both = i >= 0 && j >= 0;
    bool equal = both && (a[i] == b[j] || (left && left == right));
    if (equal || (both && (!left || !right) && !isUnit(a[i]) && !isUnit(b[j]))) {
      keepSource.push_back(i--);
      keepDest.push_back(j--);
    } else if (i >= 0 && isUnit(a[i])) {
      --i;
    } else if (j >= 0 && isUnit(b[j])) {
      --j;
    } else {
      fits = false;
    }
  }
  if (!fits)
    return fail() << what << " of shape " << print(a) << " from '" << source.buffer->name
                  << "' to shape " << print(b) << " of '" << dest.buffer->name
                  << "'; give both sides the same extents";
  // Nothing but units: one of them stays.
  if (keepSource.empty()) {
    keepSource.push_back(int64_t(a.size()) - 1);
    keepDest.push_back(int64_t(b.size()) - 1);
  }
  std::reverse(keepSource.begin(), keepSource.end());
  std::reverse(keepDest.begin(), keepDest.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Views that share a buffer's storage
//===----------------------------------------------------------------------===//

/// Expands or collapses to `shape`, which has as many elements.
static Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(value.getType());
  auto wanted = MemRefType::get(shape, type.getElementType());
  if (type == wanted)
    return value;
  if (auto groups = getReassociationIndicesForReshape(type, wanted)) {
    if (type.getRank() > wanted.getRank())
      return builder.create<memref::CollapseShapeOp>(loc, value, *groups);
    return builder.create<memref::ExpandShapeOp>(loc, shape, value, *groups);
  }
  if (type.getRank() != 1)
    value = reshape(builder, loc, value, {type.getNumElements()});
  return reshape(builder, loc, value, shape);
}

Value Importer::makeView(const BufferInfo &owner, TirNode buffer) {
  At at(*this, buffer);
  StringRef name = buffer.text("name");
  std::optional<DType> type = dtype(buffer.text("dtype"));
  if (!type)
    return nullptr;
  if (!(*type == owner.dtype)) {
    fail() << "'" << name << "' views '" << owner.name << "' as " << buffer.text("dtype")
           << "; a view keeps the element type, so cast with T.copy or T.reinterpret";
    return nullptr;
  }
  FailureOr<SmallVector<OpFoldResult>> shape = importFoldedIndices(buffer.list("shape"));
  if (failed(shape))
    return nullptr;
  SmallVector<int64_t> extents;
  int64_t count = 1;
  for (OpFoldResult size : *shape) {
    extents.push_back(getConstantIntValue(size).value_or(-1));
    if (extents.back() < 0 || count < 0 || llvm::MulOverflow(count, extents.back(), count))
      count = -1;
  }
  // Strides may be written, but must be those of a contiguous buffer.
  TirList strides = buffer.list("strides");
  int64_t contiguous = 1;
  bool isContiguous = strides.empty() || strides.size() == extents.size();
  for (size_t dim = strides.size(); isContiguous && dim-- > 0;) {
    isContiguous &= strides[dim].constant() == contiguous;
    contiguous *= std::max<int64_t>(extents[dim], 1);
  }
  auto base = cast<MemRefType>(owner.memref.getType());
  TirNode start = buffer["elem_offset"];
  bool startsAtZero = start.isNone() || start.constant() == 0;
  if (!isContiguous || !startsAtZero || extents.empty() || count < 1 ||
      count > base.getNumElements()) {
    fail() << "the view '" << name << "' of '" << owner.name
           << "' needs constant sizes, contiguous strides and no more elements than the "
              "buffer has";
    return nullptr;
  }
  Value value = owner.memref;
  if (count < base.getNumElements()) {
    value = reshape(builder, here, value, {base.getNumElements()});
    auto part = MemRefType::get({count}, base.getElementType());
    value = builder.create<memref::ReinterpretCastOp>(
        here, part, value, OpFoldResult(builder.getIndexAttr(0)),
        ArrayRef<OpFoldResult>{builder.getIndexAttr(count)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  }
  return reshape(builder, here, value, extents);
}
