//===- DimClasses.cpp - Which dimensions of tiles belong together ---------===//
#include "DimClasses.h"
#include "../LoadedSlices.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

/// A tile, or a window of one.
static ShapedType tileType(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type;
  return value.getDefiningOp<WindowOp>() ? cast<ShapedType>(value.getType()) : ShapedType();
}

DimClasses::DimClasses(LaunchOp launch, bool cut) : cut(cut) {
  launch.getBody().walk([&](Operation *op) { visit(op); });
  blockWhatWritesOverlap(launch);
}

unsigned DimClasses::idOf(Value tile, int64_t dim) {
  return ids.insert({{tile, dim}, ids.size()}).first->second;
}

void DimClasses::join(Value a, int64_t dimA, Value b, int64_t dimB) {
  joined.emplace_back(idOf(a, dimA), idOf(b, dimB));
}

void DimClasses::joinAll(Value a, Value b) {
  ShapedType type = tileType(a), other = tileType(b);
  if (!type || !other)
    return;
  if (type.getShape() != other.getShape()) {
    blockAll(a);
    blockAll(b);
    return;
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    join(a, dim, b, dim);
}

void DimClasses::block(Value tile, int64_t dim) { blocked.push_back(idOf(tile, dim)); }

void DimClasses::blockAll(Value tile) {
  if (ShapedType type = tileType(tile))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      block(tile, dim);
}

void DimClasses::visitGemm(GemmOp gemm) {
  bool a = gemm.getTransposeA(), b = gemm.getTransposeB();
  Value out = gemm.getInit();
  joinAll(out, gemm->getResult(0));
  join(gemm.getA(), a, out, 0);
  join(gemm.getB(), !b, out, 1);
  block(gemm.getA(), !a);
  block(gemm.getB(), b);
  inProducts.append({idOf(out, 0), idOf(out, 1)});
}

void DimClasses::visitReduce(ReduceOp reduce) {
  Value source = reduce.getSource(), out = reduce.getInit();
  joinAll(out, reduce->getResult(0));
  int64_t rank = tileType(source).getRank(), dim = reduce.getDim();
  bool keepsDim = tileType(out).getRank() == rank;
  block(source, dim);
  for (int64_t in = 0; in < rank; ++in)
    if (in != dim)
      join(source, in, out, keepsDim || in < dim ? in : in - 1);
  if (keepsDim)
    block(out, dim);
}

void DimClasses::visitSlice(Value slice, Value tile, OffsetSizeAndStrideOpInterface op,
                            const llvm::SmallBitVector &dropped) {
  int64_t sliceDim = 0;
  for (int64_t dim = 0; dim < tileType(tile).getRank(); ++dim) {
    bool isWhole = isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
                   isConstantIntValue(op.getMixedStrides()[dim], 1) &&
                   isConstantIntValue(op.getMixedSizes()[dim], tileType(tile).getDimSize(dim));
    if (!isWhole || dropped.test(dim))
      block(tile, dim);
    if (dropped.test(dim))
      continue;
    if (isWhole)
      join(slice, sliceDim, tile, dim);
    else
      block(slice, sliceDim);
    ++sliceDim;
  }
}

void DimClasses::visitBranch(RegionBranchOpInterface op) {
  auto joinEach = [&](OperandRange from, ValueRange to) {
    for (auto [a, b] : llvm::zip_equal(from, to))
      joinAll(a, b);
  };
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (RegionSuccessor &successor : successors)
    joinEach(op.getEntrySuccessorOperands(successor), successor.getSuccessorInputs());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto end = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
      if (!end)
        continue;
      successors.clear();
      end.getSuccessorRegions(SmallVector<Attribute>(end->getNumOperands()), successors);
      for (RegionSuccessor &successor : successors)
        joinEach(end.getSuccessorOperands(successor), successor.getSuccessorInputs());
    }
}

void DimClasses::visit(Operation *op) {
  auto blockEverything = [&] {
    for (Value value : op->getOperands())
      blockAll(value);
    for (Value value : op->getResults())
      blockAll(value);
  };
  TypeSwitch<Operation *>(op)
      .Case([&](GemmOp gemm) { visitGemm(gemm); })
      .Case([&](ReduceOp reduce) { visitReduce(reduce); })
      .Case([&](CopyOp copy) {
        joinAll(copy.getSource(), copy.getInit());
        for (Value result : copy->getResults())
          joinAll(copy.getInit(), result);
      })
      .Case([&](FillOp fill) { joinAll(fill.getInit(), fill->getResult(0)); })
      .Case([&](ScanOp scan) {
        joinAll(scan.getSource(), scan.getInit());
        joinAll(scan.getInit(), scan->getResult(0));
        block(scan.getSource(), scan.getDim());
      })
      .Case([&](TransposeOp transpose) {
        joinAll(transpose.getInit(), transpose->getResult(0));
        join(transpose.getSource(), 0, transpose.getInit(), 1);
        join(transpose.getSource(), 1, transpose.getInit(), 0);
      })
      .Case([&](AtomicOp atomic) { joinAll(atomic.getSource(), atomic.getDest()); })
      .Case([&](linalg::BroadcastOp broadcast) {
        Value out = broadcast.getInit();
        joinAll(out, broadcast->getResult(0));
        int64_t in = 0;
        for (int64_t dim = 0; dim < tileType(out).getRank(); ++dim)
          if (!llvm::is_contained(broadcast.getDimensions(), dim))
            join(broadcast.getInput(), in++, out, dim);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        visitSlice(slice.getResult(), slice.getSource(), slice, slice.getDroppedDims());
      })
      .Case([&](tensor::InsertSliceOp slice) {
        joinAll(slice.getDest(), slice.getResult());
        visitSlice(slice.getSource(), slice.getDest(), slice, slice.getDroppedDims());
      })
      .Case([&](tensor::InsertOp insert) {
        joinAll(insert.getDest(), insert.getResult());
        if (cut)
          blockAll(insert.getDest());
      })
      .Case([&](RegionBranchOpInterface branch) { visitBranch(branch); })
      .Case<linalg::YieldOp, tensor::EmptyOp, tensor::SplatOp, IotaOp, WindowOp>([](auto) {})
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          blockEverything();
      })
      .Default([&](Operation *other) {
        if (isa<RegionBranchTerminatorOpInterface>(other))
          return; // its operands were joined at the op that it ends a region of
        if (!OpTrait::hasElementwiseMappableTraits(other))
          return blockEverything();
        Value result = other->getResult(0);
        for (Value operand : other->getOperands())
          joinAll(operand, result);
      });
}

/// Part by part, a launch's stores happen in another order. That shows only where
/// parts touch the same elements of a tensor: where one is stored to through
/// several windows, or read as well, all of them have to be cut at the same places.
void DimClasses::blockWhatWritesOverlap(LaunchOp launch) {
  llvm::MapVector<Value, SmallVector<WindowOp>> windows;
  llvm::DenseSet<Value> written, readByElement;
  launch.walk([&](Operation *op) {
    if (auto window = dyn_cast<WindowOp>(op)) {
      windows[window.getSource()].push_back(window);
      for (OpOperand &use : window->getUses()) {
        auto copy = dyn_cast<CopyOp>(use.getOwner());
        if (!copy || &use == &copy.getInitMutable())
          written.insert(window.getSource());
      }
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      readByElement.insert(load.getMemRef());
    } else if (isa<memref::StoreOp, AtomicElementOp, PrintOp>(op)) {
      // Done once a part.
      for (auto &[key, id] : ids)
        blocked.push_back(id);
    } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
      // What is not cut would be added once a part; see getSeparable().
      written.insert(atomic.getDest().getDefiningOp<WindowOp>().getSource());
      atomics.push_back(atomic.getDest());
    }
  });
  for (auto &[tensor, views] : windows) {
    if (!written.contains(tensor))
      continue;
    for (WindowOp view : views)
      for (auto [tileDim, dim] : llvm::enumerate(view.getDims())) {
        OpFoldResult offset = view.getMixedOffsets()[dim];
        OpFoldResult first = views.front().getMixedOffsets()[dim];
        int64_t extent = cast<ShapedType>(view.getType()).getDimSize(tileDim);
        bool sameForAll = view.getDims() == views.front().getDims() &&
                          isEqualConstantIntOrValue(offset, first);
        bool apart = !ShapedType::isDynamic(extent) && isMultipleOf(offset, extent);
        auto variable = dyn_cast<Value>(offset);
        bool fixed = !variable || variable.getParentRegion() == &launch.getBody() ||
                     !launch.getBody().isAncestor(variable.getParentRegion());
        if (readByElement.contains(tensor) || (!apart && !(sameForAll && fixed)))
          block(view, tileDim);
      }
  }
}

SmallVector<DimClass> DimClasses::getSeparable() {
  llvm::IntEqClasses classes(ids.size());
  for (auto [a, b] : joined)
    classes.join(a, b);
  classes.compress();
  SmallVector<DimClass> found(classes.getNumClasses());
  llvm::SmallBitVector separable(classes.getNumClasses(), true);
  for (unsigned id : blocked)
    separable.reset(classes[id]);
  constexpr int64_t blockBytes = 32, fractalRows = 16;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  for (auto &[key, id] : ids) {
    auto [tile, dim] = key;
    ShapedType type = tileType(tile);
    DimClass &known = found[classes[id]];
    int64_t extent = type.getDimSize(dim);
    int64_t elementBytes = std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
    bool isFirst = known.dims.empty();
    known.dims.push_back({tile, dim});
    // Both dimensions of a tile in one class: a part needs all parts.
    if (ShapedType::isDynamic(extent) || (!isFirst && known.extent != extent) ||
        !seen.insert({tile, classes[id]}).second)
      separable.reset(classes[id]);
    known.extent = extent;
    if (isa<RankedTensorType>(type))
      known.bytes += type.hasStaticShape() ? type.getNumElements() * elementBytes : 0;
    if (dim == type.getRank() - 1)
      known.alignment = std::lcm(known.alignment, std::max<int64_t>(blockBytes / elementBytes, 1));
  }
  for (unsigned id : inProducts)
    found[classes[id]].alignment = std::lcm(found[classes[id]].alignment, fractalRows);
  // An atomic update is done once, so every one of them has to be cut.
  SmallVector<DimClass> result;
  for (unsigned number = 0; number < found.size(); ++number)
    if (separable.test(number) && llvm::all_of(atomics, [&](Value dest) {
          return llvm::any_of(found[number].dims, [&](TileDim d) { return d.tile == dest; });
        }))
      result.push_back(std::move(found[number]));
  llvm::stable_sort(result, [](auto &a, auto &b) { return a.bytes > b.bytes; });
  return result;
}
