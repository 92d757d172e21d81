//===- Vectorizer.cpp - A body of scalar ops as whole-tile ops ------------===//
#include "Vectorizer.h"
#include "LegalForms.h"
#include "TileOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

Vectorizer::Vectorizer(commonir::ElementwiseOp op, ArrayRef<int64_t> extents,
                       OpBuilder &builder, Operation *anchor)
    : op(op), builder(builder), analysis(op, extents),
      emitter(analysis, builder, anchor) {}

llvm::Error Vectorizer::run() {
  return emitBlock(op.getBody().front(), Guard());
}

llvm::Error Vectorizer::emitBlock(Block &block, const Guard &guard) {
  for (Operation &inner : block)
    if (!isa<scf::YieldOp>(inner))
      if (llvm::Error error = emitOp(&inner, guard))
        return error;
  return llvm::Error::success();
}

/// Built where it is used: truth values, and integers that are expressions of
/// the indices (mostly they address something, and no number is needed).
bool Vectorizer::isLazy(Operation *op) {
  Value result = op->getResult(0);
  if (analysis.isUniform(result))
    return false;
  return result.getType().isInteger(1) || analysis.affineOf(result);
}

/// The scalar, or 1 for 0.
static Value buildNonZero(OpBuilder &builder, Location loc, Value scalar) {
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantOp>(
        loc, builder.getIntegerAttr(scalar.getType(), value));
  };
  Value isZero = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               scalar, constant(0));
  return builder.create<arith::SelectOp>(loc, isZero, constant(1), scalar);
}

llvm::Error Vectorizer::emitOp(Operation *op, const Guard &guard) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return emitLoad(load, guard);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return emitStore(store, guard);
  if (auto update = dyn_cast<commonir::AtomicElementOp>(op))
    return emitAtomic(update, guard);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return analysis.isUniform(branch.getCondition())
               ? emitUniformIf(branch, guard)
               : emitIf(branch, guard);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop, guard);

  auto unsupported = [&] {
    return llvm::createStringError("there is no whole-tile form of " +
                                   op->getName().getStringRef());
  };
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return unsupported();
  Value result = op->getResult(0);
  if (isLazy(op))
    return llvm::Error::success();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (isGuardedZeroLoad(select.getCondition(), select.getTrueValue(),
                          select.getFalseValue())) {
      auto loaded = emitter.get(op->getLoc(), select.getTrueValue());
      if (!loaded)
        return loaded.takeError();
      emitter.define(result, *loaded);
      return llvm::Error::success();
    }

  DimMask dims = 0;
  for (Value operand : op->getOperands())
    dims |= emitter.dimsOf(operand);
  // An integer division by zero faults on some machines; where the condition
  // does not hold there must be none.
  bool mayFault =
      !guard.always() &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
  if (dims == 0) {
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      auto scalar = emitter.get(op->getLoc(), operand, 0);
      if (!scalar)
        return scalar.takeError();
      mapping.map(operand, *scalar);
    }
    if (mayFault)
      mapping.map(op->getOperand(1),
                  buildNonZero(builder, op->getLoc(),
                               mapping.lookup(op->getOperand(1))));
    emitter.define(result, {builder.clone(*op, mapping)->getResult(0), 0});
    return llvm::Error::success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return unsupported();
  Value mask;
  if (mayFault) {
    dims |= guard.dims;
    auto conditions = maskOf(op->getLoc(), guard, dims);
    if (!conditions)
      return conditions.takeError();
    mask = *conditions;
  }
  auto tile = emitOnTiles(emitter, op, dims, mask);
  if (!tile)
    return tile.takeError();
  emitter.define(result, {*tile, dims});
  return llvm::Error::success();
}

llvm::Expected<Value> Vectorizer::maskOf(Location loc, const Guard &guard,
                                         DimMask dims) {
  Value all;
  for (Condition condition : guard.terms) {
    auto mask = emitter.get(loc, condition.value, dims);
    if (!mask)
      return mask.takeError();
    Value term = *mask;
    if (condition.negated)
      term = builder.create<arith::XOrIOp>(
          loc, term,
          buildConstant(builder, loc, builder.getI1Type(), 1, shapeOf(term)));
    all =
        all ? builder.create<arith::AndIOp>(loc, all, term).getResult() : term;
  }
  return all;
}

/// `inside ? A[...] : 0` where `inside` is what A's own bounds say: a window
/// reads zero outside anyway.
bool Vectorizer::isGuardedZeroLoad(Value condition, Value loaded, Value other) {
  auto load = loaded.getDefiningOp<memref::LoadOp>();
  if (!load ||
      !(matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat())))
    return false;
  auto tensor = load.getMemRef().getDefiningOp<commonir::TensorOp>();
  if (!tensor)
    return false;
  if (Attribute pad = tensor.getPadAttr()) {
    auto number = dyn_cast<FloatAttr>(pad);
    auto integer = dyn_cast<IntegerAttr>(pad);
    if (!(number && number.getValue().isPosZero()) &&
        !(integer && integer.getValue().isZero()))
      return false;
  }
  Guard guard;
  guard.add(analysis, {condition, false});
  auto access = classifyAccess(analysis, load.getMemRef(), load.getIndices());
  if (!access) {
    llvm::consumeError(access.takeError());
    return false;
  }
  return guard.isExact && guard.uniform.empty() && access->mask() != 0 &&
         !access->hasRepetition() &&
         llvm::all_of(guard.tests, [&](AffineExpr test) {
           return isImpliedByBounds(analysis, test, *access);
         });
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// The type of what will stand for the value, once branches or loop iterations
/// meet in it.
Type Vectorizer::typeOf(Value original) {
  DimMask dims = analysis.dimsOf(original);
  return dims == 0 ? original.getType()
                   : emitter.typeOver(dims, original.getType());
}

/// Ends the block that is being built with what `block` yields.
llvm::Error Vectorizer::emitYield(Block &block, ValueRange results) {
  Operation *yield = block.getTerminator();
  SmallVector<Value> yielded;
  for (auto [operand, result] : llvm::zip(yield->getOperands(), results)) {
    auto tile = emitter.get(yield->getLoc(), operand, analysis.dimsOf(result));
    if (!tile)
      return tile.takeError();
    yielded.push_back(*tile);
  }
  builder.create<scf::YieldOp>(yield->getLoc(), yielded);
  return llvm::Error::success();
}

/// Both sides run on all elements; stores under their mask, results selected.
llvm::Error Vectorizer::emitIf(scf::IfOp branch, const Guard &guard) {
  Guard taken = guard, otherwise = guard;
  taken.add(analysis, {branch.getCondition(), false});
  otherwise.add(analysis, {branch.getCondition(), true});
  if (llvm::Error error = emitBlock(*branch.thenBlock(), taken))
    return error;
  if (branch.elseBlock())
    if (llvm::Error error = emitBlock(*branch.elseBlock(), otherwise))
      return error;
  Location loc = branch.getLoc();
  for (auto [result, yes, no] :
       llvm::zip(branch.getResults(),
                 branch.getNumResults() ? branch.thenYield().getOperands()
                                        : ValueRange(),
                 branch.getNumResults() ? branch.elseYield().getOperands()
                                        : ValueRange())) {
    if (isGuardedZeroLoad(branch.getCondition(), yes, no)) {
      auto loaded = emitter.get(loc, yes);
      if (!loaded)
        return loaded.takeError();
      emitter.define(result, *loaded);
      continue;
    }
    DimMask dims = analysis.dimsOf(result);
    SmallVector<Value> parts;
    for (Value part : {Value(branch.getCondition()), yes, no}) {
      auto tile = emitter.get(loc, part, dims);
      if (!tile)
        return tile.takeError();
      parts.push_back(*tile);
    }
    Value merged;
    if (result.getType().isInteger(1)) {
      Value all = buildConstant(builder, loc, builder.getI1Type(), 1,
                                shapeOf(parts[0]));
      Value opposite = builder.create<arith::XOrIOp>(loc, parts[0], all);
      Value left = builder.create<arith::AndIOp>(loc, parts[0], parts[1]);
      Value right = builder.create<arith::AndIOp>(loc, opposite, parts[2]);
      merged = builder.create<arith::OrIOp>(loc, left, right);
    } else {
      merged =
          builder.create<arith::SelectOp>(loc, parts[0], parts[1], parts[2]);
    }
    emitter.define(result, {merged, dims});
  }
  return llvm::Error::success();
}

/// The same way for all iterations: a branch around tile ops.
llvm::Error Vectorizer::emitUniformIf(scf::IfOp branch, const Guard &guard) {
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.push_back(typeOf(result));
  bool hasElse = branch.elseBlock() != nullptr;
  auto condition = emitter.get(branch.getLoc(), branch.getCondition(), 0);
  if (!condition)
    return condition.takeError();
  auto built = builder.create<scf::IfOp>(branch.getLoc(), types, *condition,
                                         /*addThenBlock=*/true,
                                         /*addElseBlock=*/hasElse);
  // The branch itself sees to its condition, so it is no term of the mask.
  Guard inner = guard;
  inner.inBranch = true;
  OpBuilder::InsertionGuard restore(builder);
  for (auto [from, to] : {std::pair(branch.thenBlock(), built.thenBlock()),
                          std::pair(branch.elseBlock(), built.elseBlock())}) {
    if (!from)
      continue;
    if (!to->empty())
      to->back().erase(); // the terminator that the op's builder made
    builder.setInsertionPointToEnd(to);
    if (llvm::Error error = emitBlock(*from, inner))
      return error;
    if (llvm::Error error = emitYield(*from, branch.getResults()))
      return error;
  }
  for (auto [result, value] :
       llvm::zip(branch.getResults(), built.getResults()))
    emitter.define(result, {value, analysis.dimsOf(result)});
  return llvm::Error::success();
}

/// A serial loop in each iteration becomes one loop around tile ops:
/// independent iterations may step through it together.
llvm::Error Vectorizer::emitFor(scf::ForOp loop, const Guard &guard) {
  Location loc = loop.getLoc();
  SmallVector<Value> bounds, inits;
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    if (!analysis.isUniform(bound))
      return llvm::createStringError(
          "an inner loop's bounds depend on a parallel index");
    auto scalar = emitter.get(loc, bound, 0);
    if (!scalar)
      return scalar.takeError();
    bounds.push_back(*scalar);
  }
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults())) {
    auto tile = emitter.get(loc, init, analysis.dimsOf(result));
    if (!tile)
      return tile.takeError();
    inits.push_back(*tile);
  }
  auto built =
      builder.create<scf::ForOp>(loc, bounds[0], bounds[1], bounds[2], inits);
  built->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  emitter.define(loop.getInductionVar(), {built.getInductionVar(), 0});
  for (auto [argument, value] :
       llvm::zip(loop.getRegionIterArgs(), built.getRegionIterArgs()))
    emitter.define(argument, {value, analysis.dimsOf(argument)});

  OpBuilder::InsertionGuard restore(builder);
  Block *body = built.getBody();
  if (!body->empty())
    body->back().erase(); // the terminator that the op's builder made
  builder.setInsertionPointToEnd(body);
  if (llvm::Error error = emitBlock(*loop.getBody(), guard))
    return error;
  if (llvm::Error error = emitYield(*loop.getBody(), loop.getResults()))
    return error;
  for (auto [result, value] : llvm::zip(loop.getResults(), built.getResults()))
    emitter.define(result, {value, analysis.dimsOf(result)});
  return llvm::Error::success();
}
