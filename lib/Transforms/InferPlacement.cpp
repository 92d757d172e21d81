//===- InferPlacement.cpp - Memory spaces and units, from use -------------===//
//
// Values that share storage (a loop's start, argument, yield and result; a
// product's accumulator and result) form a group; a group's place follows from
// what makes and reads it. Transfers are inserted where a reader needs another
// place.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Analysis/Accumulator.h"
#include "tilekiln/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

namespace tilekiln {
#define GEN_PASS_DEF_INFERPLACEMENT
#include "tilekiln/Transforms/Passes.h.inc"
} // namespace tilekiln

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Sums that cannot stay on the cube
//===----------------------------------------------------------------------===//

StringRef bufferName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(bufferAttrName);
  return name ? name.getValue() : "a fragment";
}

/// acc = acc + A B, with the product alone on the cube.
void splitAccumulation(GemmOp gemm, StringRef reason, RewriterBase &rewriter) {
  Location loc = gemm.getLoc();
  gemm.emitWarning("'")
      << bufferName(gemm) << "' is added to on the vector unit, through global memory "
      << "on every step, because " << reason
      << "; start it with T.clear before the loop and let only T.gemm touch it inside";
  rewriter.setInsertionPoint(gemm);
  auto type = cast<RankedTensorType>(gemm.getInit().getType());
  Type element = type.getElementType();
  // The cube gives float32 or int32; narrower sums are widened here, not there.
  Type wide = isa<IntegerType>(element) ? Type(rewriter.getI32Type())
                                        : Type(rewriter.getF32Type());
  auto wideType = type.clone(wide);
  auto convert = [&](Value value, RankedTensorType to) -> Value {
    if (value.getType() == to)
      return value;
    Value empty = rewriter.create<tensor::EmptyOp>(loc, to.getShape(), to.getElementType());
    return rewriter.create<CopyOp>(loc, TypeRange{to}, value, empty)->getResult(0);
  };
  Value empty = rewriter.create<tensor::EmptyOp>(loc, wideType.getShape(), wide);
  Value always = rewriter.create<arith::ConstantOp>(loc, rewriter.getBoolAttr(true));
  auto product = rewriter.create<GemmOp>(loc, TypeRange{wideType}, gemm.getA(), gemm.getB(),
                                         empty, always, gemm.getTransposeA(),
                                         gemm.getTransposeB());
  Value old = convert(gemm.getInit(), wideType);
  if (Value clear = gemm.getClear()) {
    Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getZeroAttr(wideType));
    old = rewriter.create<arith::SelectOp>(loc, clear, zero, old);
  }
  Value sum = isa<FloatType>(wide)
                  ? rewriter.create<arith::AddFOp>(loc, old, product->getResult(0)).getResult()
                  : rewriter.create<arith::AddIOp>(loc, old, product->getResult(0)).getResult();
  rewriter.replaceOp(gemm, convert(sum, type));
}

//===----------------------------------------------------------------------===//
// Groups of values in one storage
//===----------------------------------------------------------------------===//

/// What a reader needs its operand to be in.
enum class Need { Vector, Operand, Same, Any };

Need needOf(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto gemm = dyn_cast<GemmOp>(op))
    return use.get() == gemm.getInit() && use.getOperandNumber() == 2 ? Need::Same
                                                                      : Need::Operand;
  if (isa<scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op))
    return Need::Same;
  if (auto copy = dyn_cast<CopyOp>(op))
    // Into global memory the cube and the vector unit both write.
    return use.getOperandNumber() == 1 ? Need::Same
           : isa<MemRefType>(copy.getInit().getType()) ? Need::Any
                                                       : Need::Vector;
  if (isa<AtomicOp>(op))
    return Need::Any;
  if (isa<FillOp>(op))
    return Need::Same;
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return Need::Same;
  return Need::Vector;
}

class Groups {
public:
  explicit Groups(LaunchOp launch) {
    launch.walk([&](Operation *op) { join(op); });
  }

  SmallVector<Value> members(Value value) {
    SmallVector<Value> list;
    for (auto it = classes.findLeader(value.getAsOpaquePointer()); it != classes.member_end(); ++it)
      list.push_back(Value::getFromOpaquePointer(*it));
    return list;
  }
  Value leader(Value value) {
    return Value::getFromOpaquePointer(classes.getLeaderValue(value.getAsOpaquePointer()));
  }
  SmallVector<Value> leaders() {
    SmallVector<Value> list;
    for (Value value : order)
      if (leader(value) == value)
        list.push_back(value);
    return list;
  }

private:
  void add(Value value) {
    if (isTile(value) && classes.findValue(value.getAsOpaquePointer()) == classes.end()) {
      classes.insert(value.getAsOpaquePointer());
      order.push_back(value);
    }
  }
  void same(Value a, Value b) {
    if (!isTile(a) || !isTile(b))
      return;
    add(a);
    add(b);
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }

  void join(Operation *op) {
    for (Value value : op->getOperands())
      add(value);
    for (Value result : op->getResults())
      add(result);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, yielded, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                           loop.getYieldedValues(), loop.getResults())) {
        same(init, argument);
        same(argument, yielded);
        same(yielded, result);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [i, result] : llvm::enumerate(branch.getResults())) {
        same(branch.thenYield().getOperand(i), result);
        same(branch.elseYield().getOperand(i), result);
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [init, argument, yielded] :
           llvm::zip_equal(loop.getInits(), loop.getBeforeArguments(),
                           loop.getYieldOp().getOperands())) {
        same(init, argument);
        same(argument, yielded);
      }
      for (auto [passed, argument, result] :
           llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments(),
                           loop.getResults())) {
        same(passed, argument);
        same(argument, result);
      }
    } else if (auto gemm = dyn_cast<GemmOp>(op)) {
      same(gemm.getInit(), gemm->getResult(0));
    } else if (isa<FillOp, CopyOp>(op)) {
      if (op->getNumResults())
        same(op->getOperand(1), op->getResult(0));
    } else if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                   tensor::ExpandShapeOp>(op)) {
      same(op->getOperand(0), op->getResult(0));
    }
  }

  llvm::EquivalenceClasses<void *> classes;
  SmallVector<Value> order;
};

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The spaces that the two units work in, by the target's names.
struct Places {
  SpaceAttr accumulator, operand, vector;
};

/// A start that several groups share (a constant zero, an empty tile) would
/// join them; each reader gets its own.
void separateStarts(LaunchOp launch, RewriterBase &rewriter) {
  SmallVector<Operation *> starts;
  launch->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTile(op->getResult(0)) &&
        (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>()))
      starts.push_back(op);
  });
  SmallVector<Operation *> fills;
  launch.walk([&](FillOp fill) { fills.push_back(fill); });
  llvm::append_range(fills, starts); // a fill's empty tile is copied with it
  for (Operation *op : fills) {
    auto uses = llvm::to_vector(llvm::make_pointer_range(op->getUses()));
    for (OpOperand *use : llvm::drop_begin(uses)) {
      rewriter.setInsertionPoint(use->getOwner());
      Operation *copy = rewriter.clone(*op);
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
    }
  }
}

/// Loads that both units read happen once for each of them: there is no path
/// from one's memory to the other's.
void separateLoads(LaunchOp launch, RewriterBase &rewriter) {
  SmallVector<CopyOp> loads;
  launch.walk([&](CopyOp copy) {
    if (copy->getNumResults() && isa<MemRefType>(copy.getSource().getType()))
      loads.push_back(copy);
  });
  for (CopyOp load : loads) {
    SmallVector<OpOperand *> operands, others;
    for (OpOperand &use : load->getResult(0).getUses())
      (needOf(use) == Need::Operand ? operands : others).push_back(&use);
    if (operands.empty() || others.empty())
      continue;
    rewriter.setInsertionPointAfter(load);
    Operation *copy = rewriter.clone(*load);
    for (OpOperand *use : operands)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
  }
}

SpaceAttr placeOf(ArrayRef<Value> group, const Places &places) {
  bool isSum = false, onlyOperand = true, read = false;
  for (Value value : group) {
    Operation *made = value.getDefiningOp();
    isSum |= isa_and_nonnull<GemmOp>(made);
    // An operand comes from global memory; what the vector unit made is there.
    if (made && !isa<CopyOp, tensor::EmptyOp, tensor::ExtractSliceOp, scf::ForOp, scf::IfOp,
                     tensor::CollapseShapeOp, tensor::ExpandShapeOp>(made))
      onlyOperand = false;
    if (auto copy = dyn_cast_or_null<CopyOp>(made))
      onlyOperand &= isa<MemRefType>(copy.getSource().getType()) &&
                     cast<ShapedType>(copy.getSource().getType()).getElementType() ==
                         cast<ShapedType>(value.getType()).getElementType();
    for (OpOperand &use : value.getUses()) {
      Need need = needOf(use);
      read |= need == Need::Operand;
      if (need == Need::Vector || need == Need::Any)
        onlyOperand = false;
    }
  }
  if (isSum)
    return places.accumulator;
  return onlyOperand && read ? places.operand : places.vector;
}

RankedTensorType placed(Type type, SpaceAttr space) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), space);
}

SpaceAttr spaceOf(Value tile) {
  return cast_or_null<SpaceAttr>(cast<RankedTensorType>(tile.getType()).getEncoding());
}

void setPlace(Value value, SpaceAttr space) {
  value.setType(placed(value.getType(), space));
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                              .reshape(cast<ShapedType>(value.getType())));
}

/// Readers that need another place get a transfer. Returns how many of those
/// there are between the two units: each goes through global memory.
int64_t insertTransfers(LaunchOp launch, const Places &places, RewriterBase &rewriter) {
  SmallVector<OpOperand *> uses;
  launch.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (isTile(use.get()))
        uses.push_back(&use);
  });
  int64_t roundTrips = 0;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  for (OpOperand *use : uses) {
    Need need = needOf(*use);
    SpaceAttr wanted = need == Need::Operand  ? places.operand
                       : need == Need::Vector ? places.vector
                                              : SpaceAttr();
    Value tile = use->get();
    if (!wanted || spaceOf(tile) == wanted)
      continue;
    Value &moved = made[{tile, wanted}];
    // One transfer serves the readers of a block; others may not be dominated.
    if (!moved || moved.getParentBlock() != use->getOwner()->getBlock()) {
      rewriter.setInsertionPoint(use->getOwner());
      RankedTensorType type = placed(tile.getType(), wanted);
      Location loc = use->getOwner()->getLoc();
      Value empty = rewriter.create<tensor::EmptyOp>(loc, type.getShape(),
                                                     type.getElementType(), wanted);
      moved = rewriter.create<CopyOp>(loc, TypeRange{type}, tile, empty)->getResult(0);
      ++roundTrips;
    }
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(moved); });
  }
  return roundTrips;
}

StringRef unitOf(LaunchOp launch, const Places &places) {
  bool cube = false, vector = false;
  launch.walk([&](Operation *op) {
    cube |= isa<GemmOp>(op);
    for (Value result : op->getResults())
      vector |= isTile(result) && spaceOf(result) == places.vector && !result.use_empty();
  });
  return cube && vector ? "mix" : cube ? "cube" : "vector";
}

struct InferPlacement : tilekiln::impl::InferPlacementBase<InferPlacement> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    Places places = {SpaceAttr::get(context, "l0c"), SpaceAttr::get(context, "l1"),
                     SpaceAttr::get(context, "ub")};
    IRRewriter rewriter(context);
    for (LaunchOp launch : getOperation().getOps<LaunchOp>()) {
      splitAccumulations(launch, rewriter);
      separateStarts(launch, rewriter);
      separateLoads(launch, rewriter);
      Groups groups(launch);
      SmallVector<std::pair<SmallVector<Value>, SpaceAttr>> decided;
      for (Value leader : groups.leaders())
        decided.emplace_back(groups.members(leader),
                             placeOf(groups.members(leader), places));
      for (auto &[members, space] : decided)
        for (Value value : members)
          setPlace(value, space);
      int64_t roundTrips = insertTransfers(launch, places, rewriter);
      launch->setAttr(unitAttrName, rewriter.getStringAttr(unitOf(launch, places)));
      launch->setAttr(roundTripsAttrName, rewriter.getI64IntegerAttr(roundTrips));
    }
  }

  void splitAccumulations(LaunchOp launch, RewriterBase &rewriter) {
    SmallVector<GemmOp> gemms;
    launch.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    AccumulatorOptions options;
    options.assumeLoopsRun = assumeLoopsRun;
    // Splitting one may take another's sum off the cube: until none changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (GemmOp &gemm : gemms) {
        SmallVector<scf::ForOp> assumed;
        if (!gemm)
          continue;
        if (auto reason = whyNotOnCube(gemm, options, assumed)) {
          splitAccumulation(gemm, *reason, rewriter);
          gemm = {};
          changed = true;
          continue;
        }
        for (scf::ForOp loop : assumed)
          loop->setAttr(assumedToRunAttrName, rewriter.getUnitAttr());
      }
    }
  }
};

} // namespace
