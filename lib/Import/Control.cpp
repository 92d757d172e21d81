//===- Control.cpp - Loops, branches, break and continue ------------------===//
//
// break and continue become conditions that guard what follows them. A loop
// with a break stays an scf.for, whose bounds analyses can use, and carries
// whether it still runs.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilekiln;

static constexpr int64_t parallelKind = 1, vectorizedKind = 2, unrolledKind = 3;

//===----------------------------------------------------------------------===//
// Leaving early
//===----------------------------------------------------------------------===//

Importer::Leaves Importer::leaves(ArrayRef<TirNode> statements) {
  Leaves result;
  TirList pending(statements);
  llvm::SmallSet<uint32_t, 16> seen;
  while (!pending.empty()) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || !seen.insert(node.id()).second)
      continue;
    if (node.is("SeqStmt"))
      llvm::append_range(pending, node.list("seq"));
    else if (node.is("IfThenElse"))
      pending.append({node["then_case"], node["else_case"]});
    else if (node.is("LetStmt") || node.is("AttrStmt"))
      pending.push_back(node["body"]);
    else if (node.is("BlockRealize"))
      pending.push_back(node["block"]["body"]);
    else if (node.is("Evaluate") && node["value"].is("Call")) {
      StringRef name = callee(node["value"]);
      result.breaks |= name == "break_loop" || name == "loop_break";
      result.continues |= name == "continue_loop" || name == "loop_continue";
    } else {
      result.breaks |= node.is("Break");
      result.continues |= node.is("Continue");
    }
  }
  return result;
}

FailureOr<Importer::Exit> Importer::importLeave(bool isBreak) {
  StringRef word = isBreak ? "break" : "continue";
  if (!loop)
    return FailureOr<Exit>(fail() << "'" << word << "' outside of a loop");
  if (isBreak && loop->isParallel)
    return FailureOr<Exit>(fail() << "'break' inside of T.Parallel, whose iterations have "
                                     "no order; use T.serial");
  Exit exit;
  exit.left = trueConstant(true);
  exit.broke = trueConstant(isBreak);
  return exit;
}

SmallVector<Value> Importer::exitValues(Exit exit) {
  Value never = trueConstant(false);
  SmallVector<Value> values{exit.left ? exit.left : never};
  if (loop->leaves.breaks && loop->leaves.continues)
    values.push_back(exit.broke ? exit.broke : never);
  return values;
}

Importer::Exit Importer::exitOf(ValueRange values) {
  Exit exit;
  exit.left = values[0];
  exit.broke = values.size() > 1          ? values[1]
               : loop->leaves.breaks ? values[0]
                                          : trueConstant(false);
  return exit;
}

LogicalResult Importer::yieldBody(Block *block, ArrayRef<TirNode> statements,
                                  bool yieldsExit) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  FailureOr<Exit> exit = importList(statements);
  if (failed(exit))
    return failure();
  builder.create<scf::YieldOp>(here, yieldsExit ? exitValues(*exit) : SmallVector<Value>());
  return success();
}

FailureOr<Importer::Exit> Importer::importList(ArrayRef<TirNode> statements) {
  for (auto [i, statement] : llvm::enumerate(statements)) {
    FailureOr<Exit> exit = importStatement(statement);
    if (failed(exit))
      return failure();
    ArrayRef<TirNode> rest = statements.drop_front(i + 1);
    if (!exit->left)
      continue;
    if (rest.empty() || matchPattern(exit->left, m_One()))
      return exit;
    // What follows runs only where the loop was not left.
    At at(*this, rest.front());
    Step step(*this);
    if (!step.ok())
      return failure();
    bool mayLeave = leaves(rest).any();
    if (!mayLeave) {
      Value stays = fold<arith::XOrIOp>(exit->left, trueConstant(true));
      auto guard = builder.create<scf::IfOp>(here, TypeRange(), stays, true, false);
      if (failed(yieldBody(guard.thenBlock(), rest, false)))
        return failure();
      return exit;
    }
    SmallVector<Value> flags = exitValues(*exit);
    SmallVector<Type> types(flags.size(), builder.getI1Type());
    auto guard = builder.create<scf::IfOp>(here, types, exit->left, true, true);
    {
      OpBuilder::InsertionGuard saved(builder);
      builder.setInsertionPointToEnd(guard.thenBlock());
      builder.create<scf::YieldOp>(here, flags);
    }
    if (failed(yieldBody(guard.elseBlock(), rest, true)))
      return failure();
    return exitOf(guard.getResults());
  }
  return Exit();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

FailureOr<Importer::Exit> Importer::importIf(TirNode statement) {
  Value condition = importCondition(statement["condition"]);
  if (!condition)
    return failure();
  TirList sides[2] = {flatten(statement["then_case"]),
                                   flatten(statement["else_case"])};
  APInt known;
  if (matchPattern(condition, m_ConstantInt(&known)))
    return importList(sides[known.isZero() ? 1 : 0]);
  bool mayLeave = leaves(sides[0]).any() || leaves(sides[1]).any();
  if (mayLeave && !loop)
    return FailureOr<Exit>(fail() << "'break' or 'continue' outside of a loop");
  SmallVector<Type> types;
  if (mayLeave)
    types.assign(exitValues(Exit()).size(), builder.getI1Type());
  bool hasElse = mayLeave || !sides[1].empty();
  auto branch = builder.create<scf::IfOp>(here, types, condition, true, hasElse);
  for (unsigned i = 0; i < (hasElse ? 2 : 1); ++i)
    if (failed(yieldBody(i == 0 ? branch.thenBlock() : branch.elseBlock(), sides[i], mayLeave)))
      return failure();
  if (!mayLeave)
    return Exit();
  bool isBare = llvm::hasSingleElement(*branch.thenBlock()) &&
                llvm::hasSingleElement(*branch.elseBlock());
  if (!isBare)
    return exitOf(branch.getResults());
  // "if x: break" alone: the condition says it all.
  SmallVector<Value> flags;
  for (auto [yes, no] : llvm::zip(branch.thenYield().getOperands(),
                                  branch.elseYield().getOperands()))
    flags.push_back(fold<arith::SelectOp>(condition, yes, no));
  branch.erase();
  return exitOf(flags);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Nested lists of integers, as order, stage and group annotations are.
static Attribute integers(OpBuilder &builder, TirNode node) {
  if (std::optional<int64_t> value = node.constant())
    return builder.getI64IntegerAttr(*value);
  SmallVector<Attribute> parts;
  for (TirNode element : node.elements()) {
    Attribute part;
    if (element.constant())
      part = builder.getI64IntegerAttr(*element.constant());
    else if (element.is("Array") && llvm::all_of(element.elements(), [](TirNode n) {
               return n.constant().has_value();
             }))
      part = integers(builder, element);
    if (!part)
      return {};
    parts.push_back(part);
  }
  return node.is("Array") ? builder.getArrayAttr(parts) : Attribute();
}

void Importer::annotate(Operation *loopOp, TirNode node) {
  if (node.integer("kind") == unrolledKind)
    loopOp->setAttr("commonir.unroll", builder.getUnitAttr());
  for (auto [key, value] : node["annotations"].pairs()) {
    StringRef name = key.text();
    if (name == "num_stages") {
      if (std::optional<int64_t> stages = value.constant())
        loopOp->setAttr(commonir::numStagesAttrName, builder.getI64IntegerAttr(*stages));
    } else if (name.consume_front("tl_pipeline_")) {
      if (Attribute wish = integers(builder, value))
        loopOp->setAttr(("commonir.pipeline_" + name).str(), wish);
    }
  }
}

FailureOr<Value> Importer::importLoopBody(TirNode body, Leaves leaves) {
  llvm::SaveAndRestore<std::optional<LoopContext>> context(loop, LoopContext{false, leaves});
  FailureOr<Exit> exit = importBody(body);
  if (failed(exit))
    return failure();
  if (!exit->broke)
    return trueConstant(true);
  return fold<arith::XOrIOp>(exit->broke, trueConstant(true));
}

LogicalResult Importer::importFor(TirNode node) {
  int64_t kind = node.integer("kind");
  if (kind == parallelKind && threads && threads->isOpen)
    return fail() << "T.Parallel is work of all threads together, but only some of the "
                     "threads reach it; move it to where all threads come by";
  if (kind == parallelKind || (kind == vectorizedKind && !(threads && threads->isOpen)))
    return importParallel(node);
  SmallVector<Value> terms;
  AffineExpr first = affine(node["min"], terms);
  AffineExpr count = first ? affine(node["extent"], terms) : AffineExpr();
  if (!count)
    return failure();
  auto bound = [&](AffineExpr expr) {
    SmallVector<OpFoldResult> operands(terms.begin(), terms.end());
    return valueOf(affine::makeComposedFoldedAffineApply(
        builder, here, AffineMap::get(unsigned(terms.size()), 0, expr), operands));
  };
  Value lower = bound(first), upper = bound(first + count);
  Value stride = indexConstant(1);
  if (TirNode step = node["step"]; !step.isNone()) {
    if (step.constant().value_or(0) < 1)
      return fail() << "a loop's step must be a positive constant";
    stride = indexConstant(*step.constant());
  }
  Leaves exits = leaves(flatten(node["body"]));
  SmallVector<Value> state;
  if (exits.breaks)
    state.push_back(trueConstant(true));
  auto op = builder.create<scf::ForOp>(here, lower, upper, stride, state);
  annotate(op, node);
  bindings[node["loop_var"].id()] = {Binding::Kind::Value, op.getInductionVar(), {}};
  OpBuilder::InsertionGuard guard(builder);
  if (!exits.breaks) {
    builder.setInsertionPoint(op.getBody()->getTerminator());
    return success(succeeded(importLoopBody(node["body"], exits)));
  }
  builder.setInsertionPointToEnd(op.getBody());
  auto runs = builder.create<scf::IfOp>(here, TypeRange{builder.getI1Type()},
                                        op.getRegionIterArg(0), true, true);
  builder.create<scf::YieldOp>(here, runs.getResults());
  builder.setInsertionPointToEnd(runs.elseBlock());
  builder.create<scf::YieldOp>(here, trueConstant(false));
  builder.setInsertionPointToEnd(runs.thenBlock());
  FailureOr<Value> goesOn = importLoopBody(node["body"], exits);
  if (failed(goesOn))
    return failure();
  builder.create<scf::YieldOp>(here, *goesOn);
  return success();
}

LogicalResult Importer::importWhile(TirNode node) {
  Leaves exits = leaves(flatten(node["body"]));
  SmallVector<Value> state;
  if (exits.breaks)
    state.push_back(trueConstant(true));
  SmallVector<Type> types(state.size(), builder.getI1Type());
  SmallVector<Location> locations(state.size(), here);
  auto op = builder.create<scf::WhileOp>(here, types, state);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&op.getBefore(), {}, types, locations);
  Value condition;
  if (exits.breaks) {
    // After a break the condition is not looked at again.
    auto runs = builder.create<scf::IfOp>(here, TypeRange{builder.getI1Type()},
                                          before->getArgument(0), true, true);
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(runs.elseBlock());
    builder.create<scf::YieldOp>(here, trueConstant(false));
    builder.setInsertionPointToEnd(runs.thenBlock());
    Value asked = importCondition(node["condition"]);
    if (!asked)
      return failure();
    builder.create<scf::YieldOp>(here, asked);
    condition = runs.getResult(0);
  } else {
    condition = importCondition(node["condition"]);
    if (!condition)
      return failure();
  }
  builder.setInsertionPointToEnd(before);
  builder.create<scf::ConditionOp>(here, condition, before->getArguments());
  builder.createBlock(&op.getAfter(), {}, types, locations);
  FailureOr<Value> goesOn = importLoopBody(node["body"], exits);
  if (failed(goesOn))
    return failure();
  if (exits.breaks)
    builder.create<scf::YieldOp>(here, *goesOn);
  else
    builder.create<scf::YieldOp>(here);
  return success();
}

LogicalResult Importer::importParallel(TirNode node) {
  TirList loops;
  llvm::SmallSet<uint32_t, 4> indices;
  // Perfectly nested parallel loops are one iteration space.
  for (TirNode inner = node; inner.is("For");) {
    int64_t kind = inner.integer("kind");
    if (kind != parallelKind && kind != vectorizedKind)
      break;
    if (llvm::any_of(variables({inner["min"], inner["extent"]}),
                     [&](TirNode v) { return indices.contains(v.id()); }))
      break;
    loops.push_back(inner);
    indices.insert(inner["loop_var"].id());
    TirList body = flatten(inner["body"]);
    if (body.size() != 1)
      break;
    inner = body.front();
  }
  SmallVector<Value> extents;
  SmallVector<OpFoldResult> starts;
  for (TirNode each : loops) {
    At at(*this, each);
    FailureOr<OpFoldResult> start = importFoldedIndex(each["min"]);
    Value extent = failed(start) ? Value() : importIndex(each["extent"]);
    if (!extent)
      return failure();
    if (TirNode step = each["step"]; !step.isNone() && step.constant() != 1)
      return fail() << "a parallel loop's step must be 1";
    starts.push_back(*start);
    extents.push_back(extent);
  }
  if (!insideElementwise && needsOrder(loops))
    return importInOrder(loops);
  auto op = builder.create<commonir::ElementwiseOp>(here, extents);
  Contributions made;
  if (!insideElementwise) {
    made.op = op;
    made.loops = loops;
  }
  if (failed(importPoints(op, loops, starts, made)))
    return failure();
  for (const Contribution &each : made.tiles)
    if (failed(reduceContribution(each, loops)))
      return failure();
  return success();
}

LogicalResult Importer::importPoints(commonir::ElementwiseOp op, ArrayRef<TirNode> loops,
                                     ArrayRef<OpFoldResult> starts, Contributions &made) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  for (auto [each, start, index] : llvm::zip(loops, starts, op.getBody().getArguments())) {
    AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
    Value position = valueOf(affine::makeComposedFoldedAffineApply(
        builder, here, AffineMap::get(2, 0, sum), {start, OpFoldResult(index)}));
    bindings[each["loop_var"].id()] = {Binding::Kind::Value, position, {}};
  }
  TirNode body = loops.back()["body"];
  llvm::SaveAndRestore<std::optional<LoopContext>> context(
      loop, LoopContext{true, leaves(flatten(body))});
  llvm::SaveAndRestore<bool> inside(insideElementwise, true);
  llvm::SaveAndRestore<std::optional<Contributions>> collected(contributions, made);
  LogicalResult result = success(succeeded(importBody(body)));
  made = *contributions;
  return result;
}
