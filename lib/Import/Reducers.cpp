//===- Reducers.cpp - T.alloc_reducer, T.any_of, T.all_of -----------------===//
//
// A reducer takes contributions from T.Parallel loops whose indices may lead to
// the same element. Each point's contribution goes into a tile of its own, which
// is reduced after the loop along the indices that the element does not depend
// on. Where elements depend on data the loop runs point by point instead.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilekiln;

using commonir::ReduceKind;

LogicalResult Importer::declareReducers(TirNode map) {
  for (auto [storage, facts] : map.pairs()) {
    StringRef word;
    for (auto [key, value] : facts.pairs())
      if (key.text() == "op")
        word = value.text().empty() ? value.text("value") : value.text();
    std::optional<ReduceKind> kind = commonir::symbolizeReduceKind(word);
    auto owner = storageOwners.find(storage.id());
    if (!kind || owner == storageOwners.end())
      return fail() << "the reducer '" << storage.text("name") << "' combines by '" << word
                    << "', which is not supported; there are sum, max, min, bitand, bitor "
                       "and bitxor";
    const BufferInfo &info = buffers[owner->second];
    if (failed(notFloat8(info, "a reducer of")))
      return failure();
    bool isOrdered = *kind == ReduceKind::Max || *kind == ReduceKind::Min;
    if (info.dtype.isUnsigned && isOrdered)
      return fail() << "the reducer '" << info.name << "' takes the " << word
                    << " of unsigned numbers, which is not supported; use a signed type";
    reducers[owner->second] = *kind;
  }
  return success();
}

std::optional<ReduceKind> Importer::reducerKind(TirNode buffer) {
  auto owner = storageOwners.find(buffer["data"].id());
  if (owner == storageOwners.end())
    return std::nullopt;
  auto found = reducers.find(owner->second);
  return found == reducers.end() ? std::nullopt : std::optional(found->second);
}

/// A tile that the author did not write.
Value Importer::ownTile(ArrayRef<int64_t> shape, const DType &type, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return builder.create<commonir::AllocOp>(here, MemRefType::get(shape, type.memory),
                                           uniqueName(name), "fragment");
}

/// What changes nothing when combined.
Value Importer::reduceIdentity(ReduceKind kind, const DType &type) {
  bool isMax = kind == ReduceKind::Max;
  if (kind == ReduceKind::BitAnd)
    return integerConstant(-1, type);
  if (!isMax && kind != ReduceKind::Min)
    return type.isFloat() ? realConstant(0, type) : integerConstant(0, type);
  if (type.isFloat()) {
    double infinity = std::numeric_limits<double>::infinity();
    return realConstant(isMax ? -infinity : infinity, type);
  }
  unsigned bits = type.scalar.getIntOrFloatBitWidth();
  APInt limit = isMax ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
  return constant(builder.getIntegerAttr(type.scalar, limit));
}

Value Importer::combine(ReduceKind kind, Value a, Value b, const DType &type) {
  switch (kind) {
  case ReduceKind::BitAnd: return fold<arith::AndIOp>(a, b);
  case ReduceKind::BitOr: return fold<arith::OrIOp>(a, b);
  case ReduceKind::BitXor: return fold<arith::XOrIOp>(a, b);
  case ReduceKind::Max: return binary("Max", a, b, type);
  case ReduceKind::Min: return binary("Min", a, b, type);
  default: return binary("Add", a, b, type);
  }
}

LogicalResult Importer::importReducerInit(TirNode call) {
  TirList args = call.list("args");
  FailureOr<Region> region = args.empty() ? FailureOr<Region>(failure()) : importRegion(args[0]);
  if (failed(region))
    return failure();
  BufferInfo info = *region->buffer;
  std::optional<ReduceKind> kind = reducerKind(args[0].list("args").empty()
                                                   ? TirNode()
                                                   : args[0].list("args")[0]["buffer"]);
  if (!kind)
    return fail() << "'" << info.name << "' is no reducer; allocate it with T.alloc_reducer";
  Value start = reduceIdentity(*kind, info.dtype);
  if (args.size() > 1) {
    std::optional<DType> from = dtype(args[1].text("dtype"));
    Value value = from ? importValue(args[1]) : Value();
    if (!value)
      return failure();
    start = convert(value, *from, info.dtype);
  }
  builder.create<commonir::FillOp>(here, TypeRange(), toMemory(start, info.dtype), info.memref);
  return success();
}

LogicalResult Importer::importFinalize(TirNode call) {
  TirList args = call.list("args");
  // The old form ends in place: what was added is there already.
  if (args.size() < 2)
    return success();
  FailureOr<Region> source = importRegion(args[0]);
  FailureOr<Region> dest = failed(source) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  if (failed(dest))
    return failure();
  SmallVector<int64_t> keepSource, keepDest;
  if (failed(align(*source, *dest, keepSource, keepDest, "T.finalize_reducer's result")))
    return failure();
  Value from = tile(*source, keepSource);
  Value to = from ? tile(*dest, keepDest) : Value();
  return to ? moveTile(from, source->buffer->dtype, to, dest->buffer->dtype) : failure();
}

//===----------------------------------------------------------------------===//
// Contributions
//===----------------------------------------------------------------------===//

/// The old form's acc[i] = acc[i] + x as element and x; none where it is none.
std::pair<TirNode, TirNode> Importer::reducerStore(TirNode store) {
  if (!store.is("BufferStore"))
    return {};
  std::optional<ReduceKind> kind = reducerKind(store["buffer"]);
  TirNode value = store["value"];
  StringRef word = !kind                        ? ""
                   : *kind == ReduceKind::Sum ? "Add"
                   : *kind == ReduceKind::Max ? "Max"
                                              : "Min";
  if (word.empty() || !value.is(word))
    return {};
  for (auto [side, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
    TirNode element = value[side];
    if (element.is("BufferLoad") && element["buffer"] == store["buffer"] &&
        isSameList(element.list("indices"), store.list("indices")))
      return {element, value[other]};
  }
  return {};
}

/// Equal expressions, made of the same nodes at their leaves.
bool Importer::isSameList(ArrayRef<TirNode> a, ArrayRef<TirNode> b) {
  if (a.size() != b.size() || ++work > workLimit)
    return false;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (x == y)
      continue;
    if (x.type() != y.type() || x.is("Var") || x.constant() != y.constant())
      return false;
    TirList inner = x.children(), other = y.children();
    if (inner.empty() || !isSameList(inner, other))
      return false;
  }
  return true;
}

/// Contributions in a loop's body, as elements and values.
void Importer::findUpdates(TirNode body, SmallVectorImpl<std::pair<TirNode, TirNode>> &updates) {
  TirList pending{body};
  llvm::DenseSet<uint32_t> seen;
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("Call") && callee(node) == "reducer_update") {
      TirList args = node.list("args");
      if (args.size() == 2 && args[0].is("BufferLoad"))
        updates.emplace_back(args[0], args[1]);
    }
    if (auto update = reducerStore(node); !update.first.isNone())
      updates.push_back(update);
    if (node.is("Call") && !atomicElement(node).isNone() &&
        scopeOf(atomicElement(node)["buffer"]) != "global")
      updates.emplace_back(atomicElement(node), node.list("args")[1]);
    llvm::append_range(pending, node.children());
  }
}

/// The loop whose index alone, perhaps with something added that no loop changes,
/// is the expression; -1 for none of them, nothing where it is something else.
std::optional<int> Importer::soleLoop(TirNode index, ArrayRef<TirNode> loops) {
  int found = -1;
  for (TirNode variable : variables({index}))
    for (auto [i, each] : llvm::enumerate(loops))
      if (each["loop_var"] == variable) {
        if (found >= 0)
          return std::nullopt;
        found = int(i);
      }
  if (readsMemory(index))
    return std::nullopt;
  if (found < 0)
    return -1;
  TirNode node = index;
  while (node.is("Add") || node.is("Sub")) {
    bool inA = llvm::is_contained(variables({node["a"]}), loops[found]["loop_var"]);
    bool inB = llvm::is_contained(variables({node["b"]}), loops[found]["loop_var"]);
    if (inA == inB || (inB && node.is("Sub")))
      return std::nullopt;
    node = node[inA ? "a" : "b"];
  }
  return node == loops[found]["loop_var"] ? std::optional(found) : std::nullopt;
}

TirNode Importer::atomicElement(TirNode call) {
  StringRef name = callee(call);
  TirList args = call.list("args");
  bool isUpdate = name == "atomic_add_elem_op" || name == "atomic_max_elem_op" ||
                  name == "atomic_min_elem_op";
  TirList inner = isUpdate && args.size() >= 2 && args[0].is("Call") ? args[0].list("args")
                                                                     : TirList();
  return !inner.empty() && inner[0].is("BufferLoad") ? inner[0] : TirNode();
}

/// An update of an on-chip buffer that the body also reads, or one whose old
/// value is used; null where there is none.
TirNode Importer::readsInOrder(TirNode body) {
  llvm::DenseSet<uint32_t> updated, read, seen, pointers;
  TirList pending{body};
  TirNode found;
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("Call")) {
      StringRef name = callee(node);
      if (name.starts_with("atomic_") && name.ends_with("_ret_elem_op"))
        return node;
      if (TirNode element = atomicElement(node);
          !element.isNone() && scopeOf(element["buffer"]) != "global") {
        updated.insert(element["buffer"]["data"].id());
        // Its indices are read, the element itself is not.
        llvm::append_range(pending, element.list("indices"));
        seen.insert(element.id());
        found = node;
      }
    }
    if (node.is("BufferLoad") || node.is("BufferStore"))
      read.insert(node["buffer"]["data"].id());
    llvm::append_range(pending, node.children());
  }
  bool both = llvm::any_of(updated, [&](uint32_t data) { return read.contains(data); });
  return both ? found : TirNode();
}

/// Of what runs once per thread: any update of an on-chip buffer counts.
bool Importer::isOrdered(TirNode body) {
  SmallVector<std::pair<TirNode, TirNode>> updates;
  findUpdates(body, updates);
  return !updates.empty() || !readsInOrder(body).isNone();
}

/// T.atomic_*(..., return_prev=True). Memory that other blocks update as well has
/// no such operation.
Value Importer::importFetch(TirNode call) {
  StringRef name = callee(call);
  std::optional<ReduceKind> kind;
  for (auto [word, each] : {std::pair("add", ReduceKind::Sum), std::pair("max", ReduceKind::Max),
                            std::pair("min", ReduceKind::Min)})
    if (name == ("atomic_" + llvm::Twine(word) + "_ret_elem_op").str())
      kind = each;
  TirList args = call.list("args");
  TirList inner = args.size() >= 2 && args[0].is("Call") ? args[0].list("args") : TirList();
  if (!kind || inner.empty() || !inner[0].is("BufferLoad")) {
    (void)refuseCall(call);
    return nullptr;
  }
  BufferInfo *found = lookUp(inner[0]["buffer"]);
  if (!found || failed(notFloat8(*found, "an atomic update of")))
    return nullptr;
  BufferInfo info = *found;
  bool isAlone = launch && llvm::all_of(launch.getGrid(), [](Value extent) {
    return isConstantIntValue(extent, 1);
  });
  if (info.isGlobal && !isAlone) {
    fail() << "the old value of an atomic update of '" << info.name
           << "' is not supported where other blocks may update it too: this accelerator's "
              "updates give nothing back; launch one block, or compute the places in a launch "
              "before";
    return nullptr;
  }
  if (info.dtype.isUnsigned && *kind != ReduceKind::Sum) {
    fail() << "an atomic maximum or minimum on the unsigned elements of '" << info.name
           << "' is not supported; use a signed type";
    return nullptr;
  }
  FailureOr<SmallVector<Value>> place = importIndices(inner[0].list("indices"), info.shape);
  if (succeeded(place) && info.isPerThread)
    place = perThreadPlace(*place, info.name);
  std::optional<DType> from = failed(place) ? std::nullopt : dtype(args[1].text("dtype"));
  Value value = from ? importValue(args[1]) : Value();
  if (!value)
    return nullptr;
  Value old = fromMemory(builder.create<memref::LoadOp>(here, info.memref, *place), info.dtype);
  Value updated = combine(*kind, old, convert(value, *from, info.dtype), info.dtype);
  builder.create<memref::StoreOp>(here, toMemory(updated, info.dtype), info.memref, *place);
  return old;
}

/// True where a name that the body binds is used: it is known inside of the loop
/// only, and what it depends on is not in sight.
bool Importer::usesNameBoundIn(TirNode body, ArrayRef<TirNode> expressions) {
  llvm::DenseSet<uint32_t> used, seen;
  for (TirNode variable : variables(expressions))
    used.insert(variable.id());
  TirList pending{body};
  while (!used.empty() && !pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if ((node.is("Bind") || node.is("LetStmt")) && used.contains(node["var"].id()))
      return true;
    llvm::append_range(pending, node.children());
  }
  return false;
}

bool Importer::needsOrder(ArrayRef<TirNode> loops) {
  TirNode body = loops.back()["body"];
  if (!readsInOrder(body).isNone())
    return true;
  SmallVector<std::pair<TirNode, TirNode>> updates;
  findUpdates(body, updates);
  for (auto &[element, value] : updates) {
    if (usesNameBoundIn(body, element.list("indices")))
      return true;
    llvm::DenseSet<int> used;
    for (TirNode index : element.list("indices")) {
      std::optional<int> sole = soleLoop(index, loops);
      if (!sole || (*sole >= 0 && !used.insert(*sole).second))
        return true;
    }
    for (TirNode each : loops)
      if (!each["extent"].constant() || each["min"].constant() != 0)
        return true;
  }
  return false;
}

LogicalResult Importer::importReducerUpdate(TirNode element, TirNode value) {
  BufferInfo *found = lookUp(element["buffer"]);
  std::optional<ReduceKind> kind = found ? reducerKind(element["buffer"]) : std::nullopt;
  if (found && !kind)
    return fail() << "'" << found->name << "' is no reducer; allocate it with T.alloc_reducer";
  return kind ? importUpdate(element, value, *kind) : failure();
}

LogicalResult Importer::importUpdate(TirNode element, TirNode value, ReduceKind kind) {
  BufferInfo *found = lookUp(element["buffer"]);
  if (!found || failed(notFloat8(*found, "an atomic update of")))
    return failure();
  BufferInfo info = *found;
  TirList nodes = element.list("indices");
  if (nodes.size() != info.shape.size())
    return fail() << "malformed TIR: '" << info.name << "' has " << info.shape.size()
                  << " dimensions and is updated with " << nodes.size() << " indices";
  std::optional<DType> from = dtype(value.text("dtype"));
  auto update = [&](Value memref, ValueRange place) -> LogicalResult {
    Value added = from ? importValue(value) : Value();
    if (!added)
      return failure();
    added = convert(added, *from, info.dtype);
    Value old = fromMemory(builder.create<memref::LoadOp>(here, memref, place), info.dtype);
    Value sum = combine(kind, old, added, info.dtype);
    builder.create<memref::StoreOp>(here, toMemory(sum, info.dtype), memref, place);
    return success();
  };
  if (!insideElementwise || (threads && threads->isOpen)) {
    FailureOr<SmallVector<Value>> place = importIndices(nodes, info.shape);
    if (succeeded(place) && info.isPerThread)
      place = perThreadPlace(*place, info.name);
    return failed(place) ? failure() : update(info.memref, *place);
  }
  if (!contributions || contributions->loops.empty())
    return fail() << "T.reducer_update of '" << info.name
                  << "' is in a nested T.Parallel; write one loop over all indices";
  // A tile of contributions, which starts as if there were none.
  Contribution &made = contributions->tiles.emplace_back();
  made.element = element;
  made.kind = kind;
  SmallVector<int64_t> shape;
  for (TirNode each : contributions->loops)
    shape.push_back(*each["extent"].constant());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(contributions->op);
    made.tile = ownTile(shape, info.dtype, info.name + "_parts");
    builder.create<commonir::FillOp>(
        here, TypeRange(), toMemory(reduceIdentity(kind, info.dtype), info.dtype), made.tile);
  }
  return update(made.tile, contributions->op.getBody().getArguments());
}

/// After the loop: reduces a tile along the indices that the element is free of,
/// and combines what is left with the reducer.
LogicalResult Importer::reduceContribution(const Contribution &made, ArrayRef<TirNode> loops) {
  BufferInfo info = *lookUp(made.element["buffer"]);
  SmallVector<int64_t> shape(cast<MemRefType>(made.tile.getType()).getShape());
  SmallVector<bool> isKept(loops.size(), false);
  for (TirNode index : made.element.list("indices"))
    if (int sole = *soleLoop(index, loops); sole >= 0)
      isKept[sole] = true;
  Value tile = made.tile;
  TirList kept;
  for (size_t dim = loops.size(); dim-- > 0;) {
    if (isKept[dim]) {
      kept.insert(kept.begin(), loops[dim]);
      continue;
    }
    if (shape.size() == 1)
      shape[0] = 1;
    else
      shape.erase(shape.begin() + dim);
    Value less = ownTile(shape, info.dtype, info.name + "_part");
    builder.create<commonir::ReduceOp>(here, TypeRange(), tile, less, made.kind, uint64_t(dim),
                                       /*accumulate=*/false, /*nan_propagate=*/false);
    tile = less;
  }
  SmallVector<Value> extents;
  for (TirNode each : kept)
    extents.push_back(indexConstant(*each["extent"].constant()));
  if (kept.empty())
    extents.push_back(indexConstant(1));
  auto op = builder.create<commonir::ElementwiseOp>(here, extents);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  ValueRange indices = op.getBody().getArguments();
  for (auto [each, index] : llvm::zip(kept, indices))
    bindings[each["loop_var"].id()] = {Binding::Kind::Value, index, {}};
  FailureOr<SmallVector<Value>> place = importIndices(made.element.list("indices"), info.shape);
  if (failed(place))
    return failure();
  Value part = fromMemory(builder.create<memref::LoadOp>(here, tile, indices), info.dtype);
  Value old = fromMemory(builder.create<memref::LoadOp>(here, info.memref, *place), info.dtype);
  builder.create<memref::StoreOp>(
      here, toMemory(combine(made.kind, old, part, info.dtype), info.dtype), info.memref, *place);
  return success();
}

void Importer::remarkOrder() {
  emitRemark(here) << "runs on the scalar unit: updates whose element depends on data, or on "
                      "more than one index, or whose old value is used, are made one after "
                      "the other";
}

/// A T.Parallel nest whose points must not run at once, as a nest of loops.
LogicalResult Importer::importInOrder(ArrayRef<TirNode> loops) {
  remarkOrder();
  OpBuilder::InsertionGuard guard(builder);
  for (TirNode each : loops) {
    FailureOr<OpFoldResult> start = importFoldedIndex(each["min"]);
    Value extent = failed(start) ? Value() : importIndex(each["extent"]);
    if (!extent)
      return failure();
    Value first = valueOf(*start);
    Value end = fold<arith::AddIOp>(first, extent);
    auto made = builder.create<scf::ForOp>(here, first, end, indexConstant(1));
    bindings[each["loop_var"].id()] = {Binding::Kind::Value, made.getInductionVar(), {}};
    builder.setInsertionPoint(made.getBody()->getTerminator());
  }
  TirNode body = loops.back()["body"];
  return success(succeeded(importLoopBody(body, leaves(flatten(body)))));
}

//===----------------------------------------------------------------------===//
// T.any_of and T.all_of
//===----------------------------------------------------------------------===//

Value Importer::importAnyAll(TirNode call, bool isAll) {
  TirList args = call.list("args");
  TirList inner = args.size() == 2 && args[0].is("Call") ? args[0].list("args") : TirList();
  StringRef name = isAll ? "T.all_of" : "T.any_of";
  std::optional<int64_t> count = inner.empty() ? std::nullopt : args[1].constant();
  if (!count || *count < 1 || !inner[0].is("BufferLoad")) {
    fail() << name << " needs a buffer, or a part of one of a constant size";
    return nullptr;
  }
  if (insideElementwise) {
    fail() << "'" << name << "' works on whole tiles and cannot be inside of T.Parallel; take "
              "its value before the loop";
    return nullptr;
  }
  BufferInfo *found = lookUp(inner[0]["buffer"]);
  if (!found)
    return nullptr;
  BufferInfo info = *found;
  if (info.isGlobal || info.isPerThread) {
    fail() << name << " of '" << info.name
           << "' needs a shared or fragment buffer; T.copy to one first";
    return nullptr;
  }
  FailureOr<SmallVector<Value>> place = importIndices(inner[0].list("indices"), info.shape);
  if (failed(place))
    return nullptr;
  // The elements lie one after the other from there on.
  auto type = cast<MemRefType>(info.memref.getType());
  int64_t total = type.getNumElements();
  Value flat = info.memref, start = indexConstant(0);
  for (auto [index, extent] : llvm::zip_equal(*place, type.getShape()))
    start = fold<arith::AddIOp>(fold<arith::MulIOp>(start, indexConstant(extent)), index);
  if (type.getRank() > 1) {
    ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    flat = builder.create<memref::CollapseShapeOp>(here, flat,
                                                   SmallVector<ReassociationIndices>{all});
  }
  if (*count > total) {
    fail() << name << " reads " << *count << " elements of '" << info.name << "', which has "
           << total;
    return nullptr;
  }
  // As numbers, so that a maximum or minimum of them tells.
  DType number = *parseDType("int32", context);
  Value truths = ownTile({*count}, number, info.name + "_true");
  Value result = ownTile({1}, number, info.name + "_true");
  auto op = builder.create<commonir::ElementwiseOp>(here, ValueRange{indexConstant(*count)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().front());
    Value i = op.getBody().getArgument(0);
    Value at = fold<arith::AddIOp>(start, i);
    Value element = fromMemory(builder.create<memref::LoadOp>(here, flat, at), info.dtype);
    Value isTrue = element;
    if (info.dtype.isFloat())
      isTrue = fold<arith::CmpFOp>(arith::CmpFPredicate::UNE, element,
                                   realConstant(0, info.dtype));
    else if (!info.dtype.isBool)
      isTrue = fold<arith::CmpIOp>(arith::CmpIPredicate::ne, element,
                                   integerConstant(0, info.dtype));
    Value as = fold<arith::SelectOp>(isTrue, integerConstant(1, number), integerConstant(0, number));
    builder.create<memref::StoreOp>(here, as, truths, i);
  }
  builder.create<commonir::ReduceOp>(here, TypeRange(), truths, result,
                                     isAll ? ReduceKind::Min : ReduceKind::Max, uint64_t(0),
                                     /*accumulate=*/false, /*nan_propagate=*/false);
  Value most = builder.create<memref::LoadOp>(here, result, ValueRange{indexConstant(0)});
  return fold<arith::CmpIOp>(arith::CmpIPredicate::ne, most, integerConstant(0, number));
}
