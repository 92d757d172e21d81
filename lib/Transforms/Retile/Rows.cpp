//===- Rows.cpp - A launch's work in parts along one dimension ------------===//
//
// All of the launch moves into a loop over the parts, and every tile and window
// that has the dimension gets the part's extent. Ops need no change but in their
// types, since none of them looks across the dimension.
//
//===----------------------------------------------------------------------===//
#include "../LoadedSlices.h"
#include "DimClasses.h"
#include "Retile.h"
#include "tilekiln/Analysis/SpaceDemand.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace {

class Cutter {
public:
  Cutter(const DimClass &along, int64_t part, RewriterBase &rewriter)
      : along(along), part(part), rewriter(rewriter) {}

  void run(LaunchOp launch) {
    Location loc = launch.getLoc();
    Block *body = &launch.getBody().front();
    SmallVector<Operation *> work;
    for (Operation &op : *body)
      work.push_back(&op);
    rewriter.setInsertionPointToStart(body);
    auto index = [&](int64_t value) {
      return rewriter.create<arith::ConstantIndexOp>(loc, value);
    };
    // A multiple of the part's extent, so that the bounds of windows stay provable.
    auto loop = rewriter.create<scf::ForOp>(loc, index(0), index(along.extent), index(part));
    for (Operation *op : work)
      rewriter.moveOpBefore(op, loop.getBody()->getTerminator());
    start = loop.getInductionVar();
    for (TileDim dim : along.dims)
      cut(dim);
  }

private:
  void cut(TileDim dim) {
    Operation *made = dim.tile.getDefiningOp();
    if (auto window = llvm::dyn_cast_or_null<WindowOp>(made))
      return cutWindow(window, dim);
    if (auto iota = llvm::dyn_cast_or_null<IotaOp>(made))
      return cutIota(iota);
    auto type = cast<RankedTensorType>(dim.tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim.dim] = part;
    dim.tile.setType(type.clone(shape));
    if (auto constant = llvm::dyn_cast_or_null<arith::ConstantOp>(made)) {
      auto value = cast<SplatElementsAttr>(constant.getValue());
      constant.setValueAttr(cast<TypedAttr>(
          value.resizeSplat(cast<ShapedType>(dim.tile.getType()))));
    }
    if (auto slice = llvm::dyn_cast_or_null<tensor::ExtractSliceOp>(made))
      cutSlice(slice);
    for (Operation *user : dim.tile.getUsers())
      if (auto slice = dyn_cast<tensor::InsertSliceOp>(user))
        if (slice.getSource() == dim.tile)
          cutSlice(slice);
  }

  /// A slice takes the dimension whole, so its size follows the tile's.
  template <typename SliceOp> void cutSlice(SliceOp slice) {
    RankedTensorType type;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if constexpr (std::is_same_v<SliceOp, tensor::ExtractSliceOp>)
      type = slice.getType();
    else
      type = slice.getSourceType();
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    int64_t kept = 0;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        size = ShapedType::isDynamic(size) ? size : type.getDimSize(kept++);
    slice.setStaticSizes(sizes);
  }

  void cutWindow(WindowOp window, TileDim dim) {
    auto shape = cast<ShapedType>(window.getType()).getShape();
    SmallVector<OpFoldResult> starts(shape.size(), rewriter.getIndexAttr(0)), sizes;
    for (auto [tileDim, tensorDim] : llvm::enumerate(window.getDims()))
      sizes.push_back(window.getMixedSizes()[tensorDim]);
    starts[dim.dim] = start;
    sizes[dim.dim] = rewriter.getIndexAttr(part);
    rewriter.setInsertionPoint(window);
    WindowOp narrow =
        narrowWindow(window, starts, sizes, llvm::SmallBitVector(shape.size()), rewriter);
    rewriter.replaceOp(window, narrow);
  }

  /// The numbers go on where the part before ended.
  void cutIota(IotaOp iota) {
    auto type = cast<RankedTensorType>(iota.getType()).clone(ArrayRef<int64_t>{part});
    Location loc = iota.getLoc();
    rewriter.setInsertionPoint(iota);
    Value numbers = rewriter.create<IotaOp>(loc, type);
    Value first = rewriter.create<arith::IndexCastOp>(loc, type.getElementType(), start);
    Value firsts = rewriter.create<tensor::SplatOp>(loc, first, type);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(iota, numbers, firsts);
  }

  const DimClass &along;
  int64_t part;
  RewriterBase &rewriter;
  Value start;
};

} // namespace

/// The author's name of the largest tile of a class.
static std::string nameOf(const DimClass &along) {
  std::string name;
  int64_t most = 0;
  for (TileDim dim : along.dims) {
    auto type = dyn_cast<RankedTensorType>(dim.tile.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() <= most)
      continue;
    if (std::string own = nameOfTile(dim.tile); !own.empty()) {
      name = own;
      most = type.getNumElements();
    }
  }
  return name;
}

bool tilekiln::cutRows(LaunchOp launch, int64_t parts, RewriterBase &rewriter) {
  for (const DimClass &along : DimClasses(launch, /*cut=*/true).getSeparable()) {
    std::optional<int64_t> part = partOf(along.extent, parts, along.alignment);
    if (!part)
      continue;
    std::string name = nameOf(along);
    launch.emitRemark() << "the tiles do not fit on chip together as they are written; "
                        << (name.empty() ? "they are" : "'" + name + "' and those like it are")
                        << " worked on " << *part << " of " << along.extent
                        << " at a time; smaller tiles and more blocks would be as fast or faster";
    Cutter(along, *part, rewriter).run(launch);
    return true;
  }
  return false;
}
