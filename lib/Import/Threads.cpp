//===- Threads.cpp - Kernels that use the index of their threads ----------===//
//
// There are no threads here. Statements that differ from thread to thread run
// once per thread all the same: each becomes element-wise work over the thread
// indices, in lock-step, one statement after the other. Between two barriers
// threads may run in any order, so also in this one, and a barrier is where all
// of them are after any statement. Loops and branches that all threads take
// together stay around the element-wise work; others go into it whole. A local
// buffer that differs between threads has one copy per thread.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilekiln;

static constexpr int64_t parallelKind = 1, vectorizedKind = 2;

bool Importer::isBarrier(StringRef name) {
  return name == "tvm_storage_sync" || name == "sync_threads" || name == "sync_warp";
}

/// Updates one element for the thread that comes by, whoever does so.
bool Importer::isElementAtomic(TirNode call) {
  StringRef name = callee(call);
  TirList args = call.list("args");
  bool isPlain = name == "atomicadd" || name == "atomicmax" || name == "atomicmin";
  bool isTile = !args.empty() && (args[0].is("BufferRegion") ||
                                  (args[0].is("Call") && callee(args[0]) == "region"));
  return name.starts_with("atomic_") || (isPlain && !isTile);
}

//===----------------------------------------------------------------------===//
// What differs between threads
//===----------------------------------------------------------------------===//

bool Importer::varies(TirNode root) {
  TirList pending{root};
  llvm::DenseSet<uint32_t> seen;
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("Var") && threads->names.contains(node.id()))
      return true;
    if ((node.is("BufferLoad") || node.is("BufferStore")) &&
        threads->storage.contains(node["buffer"]["data"].id()))
      return true;
    llvm::append_range(pending, node.children());
  }
  return false;
}

/// Some threads break or continue where others go on.
bool Importer::leavesApart(ArrayRef<TirNode> statements) {
  for (TirNode node : statements) {
    if (!node.is("IfThenElse"))
      continue;
    TirList sides = flatten(node["then_case"]);
    llvm::append_range(sides, flatten(node["else_case"]));
    if (!leaves(sides).any())
      continue;
    if (varies(node["condition"]) || leavesApart(sides))
      return true;
  }
  return false;
}

bool Importer::divergesAt(TirNode node) {
  if (node.is("IfThenElse"))
    return varies(node["condition"]);
  if (node.is("While"))
    return varies(node["condition"]) || leavesApart(flatten(node["body"]));
  if (node.is("For"))
    return varies(node["min"]) || varies(node["extent"]) || leavesApart(flatten(node["body"]));
  return false;
}

/// One round of finding what differs; true where something new was found.
bool Importer::spreadVariation(ArrayRef<TirNode> statements, bool isDivergent) {
  bool isNew = false;
  auto addStorage = [&](TirNode data) { isNew |= threads->storage.insert(data.id()).second; };
  for (TirNode node : statements) {
    if (!tilePrint(node).isNone())
      continue;
    if (node.is("Bind") || node.is("LetStmt")) {
      if (varies(node["value"])) {
        threads->isUsed = true;
        isNew |= threads->names.insert(node["var"].id()).second;
      }
    } else if (node.is("BlockRealize")) {
      for (auto [key, value] : node["block"]["annotations"].pairs())
        if (key.text() == "tl.local_var_init")
          for (auto [data, initial] : value.pairs())
            if (varies(initial))
              addStorage(data);
    } else if (node.is("BufferStore")) {
      bool differs = varies(node);
      threads->isUsed |= differs;
      StringRef scope = scopeOf(node["buffer"]);
      if ((differs || isDivergent) && (scope == "local" || scope == "local.var"))
        addStorage(node["buffer"]["data"]);
    } else if (node.is("IfThenElse") || node.is("For") || node.is("While")) {
      bool diverges = divergesAt(node);
      threads->isUsed |= diverges;
      if (node.is("For") && (diverges || isDivergent))
        isNew |= threads->names.insert(node["loop_var"].id()).second;
      for (StringRef part : {"then_case", "else_case", "body"})
        if (part == "body" ? !node.is("IfThenElse") : node.is("IfThenElse"))
          isNew |= spreadVariation(flatten(node[part]), isDivergent || diverges);
    } else if (node.is("Evaluate")) {
      threads->isUsed |= varies(node["value"]);
    }
  }
  return isNew;
}

/// Buffers with one copy per thread that the statement or expression uses.
llvm::DenseSet<uint32_t> Importer::storageIn(TirNode root) {
  llvm::DenseSet<uint32_t> found, seen;
  TirList pending{root};
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("BufferLoad") || node.is("BufferStore")) {
      uint32_t data = node["buffer"]["data"].id();
      if (threads->storage.contains(data))
        found.insert(data);
    }
    llvm::append_range(pending, node.children());
  }
  return found;
}

void Importer::findOwned(ArrayRef<TirNode> statements, bool isRepeated,
                         llvm::DenseSet<uint32_t> &shared) {
  auto share = [&](TirNode node) {
    for (uint32_t data : storageIn(node))
      shared.insert(data);
  };
  for (TirNode node : statements) {
    if (node.is("BlockRealize")) {
      for (auto [key, value] : node["block"]["annotations"].pairs())
        if (key.text() == "tl.local_var_init")
          for (auto [data, initial] : value.pairs())
            shared.insert(data.id());
    } else if (node.is("IfThenElse") || node.is("For") || node.is("While")) {
      if (!divergesAt(node)) {
        share(node["condition"]);
        share(node["min"]);
        share(node["extent"]);
        for (StringRef part : {"then_case", "else_case", "body"})
          if (part == "body" ? !node.is("IfThenElse") : node.is("IfThenElse"))
            findOwned(flatten(node[part]), isRepeated || !node.is("IfThenElse"), shared);
        continue;
      }
      for (uint32_t data : storageIn(node)) {
        bool isNew = threads->owned.try_emplace(data, node, TirNode()).second;
        if (isRepeated || !isNew)
          shared.insert(data);
      }
    } else if (!node.is("LetStmt") && !node.is("AttrStmt")) {
      share(node);
    } else {
      share(node["value"]);
    }
  }
}

LogicalResult Importer::findThreads(TirNode body, ArrayRef<std::pair<TirNode, TirNode>> bound) {
  threads.emplace();
  TirNode found[3];
  TirNode extents[3];
  for (auto [i, axis] : llvm::enumerate(bound))
    if (i < 3)
      std::tie(found[i], extents[i]) = axis;
  TirList statements = flatten(body);
  for (TirNode node : statements) {
    if ((node.is("Bind") || node.is("LetStmt")) && node["value"].is("Call") &&
        callee(node["value"]) == "launch_thread_idx") {
      TirList args = node["value"].list("args");
      std::optional<int64_t> dim = args.empty() ? std::nullopt : args[0].constant();
      if (dim && *dim >= 0 && *dim < 3)
        found[*dim] = node["var"];
      bindings[node["var"].id()] = {Binding::Kind::Thread, {}, {}};
    }
    if (node.is("BlockRealize"))
      for (auto [key, value] : node["block"]["annotations"].pairs())
        if (key.text() == "tl.launch_threads")
          for (auto [dim, extent] : llvm::enumerate(value.elements()))
            if (dim < 3)
              extents[dim] = extent;
  }
  for (int dim : {2, 1, 0}) {
    if (found[dim].isNone())
      continue;
    Threads::Axis axis;
    axis.variable = found[dim];
    axis.extent = extents[dim].isNone() ? 0 : extents[dim].constant().value_or(0);
    if (axis.extent == 1)
      continue;
    axis.isUsed = false;
    threads->names.insert(axis.variable.id());
    threads->axes.push_back(axis);
  }
  while (spreadVariation(statements, /*isDivergent=*/false) && work <= workLimit) {
  }
  if (!threads->isUsed) {
    threads.reset();
    return success();
  }
  llvm::DenseSet<uint32_t> shared;
  findOwned(statements, /*isRepeated=*/false, shared);
  for (uint32_t data : shared)
    threads->owned.erase(data);
  TirList read;
  for (TirNode node : statements)
    read.push_back(node.is("Bind") || node.is("LetStmt") ? node["value"] : node);
  TirList used = variables(read);
  for (Threads::Axis &axis : threads->axes) {
    axis.isUsed = llvm::is_contained(used, axis.variable);
    if (axis.extent < 1)
      return fail() << "the number of threads along '" << axis.variable.text("name")
                    << "' is not a constant; a kernel that uses the thread index needs "
                       "T.Kernel(..., threads=a constant)";
  }
  for (TirNode variable : found)
    if (!variable.isNone() && !threads->names.contains(variable.id()))
      bindings[variable.id()] = {Binding::Kind::Value, indexConstant(0), {}};
  return success();
}

//===----------------------------------------------------------------------===//
// Statements, once per thread
//===----------------------------------------------------------------------===//

/// The axes that a statement needs: those whose index it reads, all that are used
/// for buffers with a copy per thread, and all there are for atomic updates, which
/// count how often they are made.
SmallVector<Importer::Threads::Axis *> Importer::axesOf(TirNode statement) {
  llvm::DenseSet<uint32_t> read, seen;
  bool needsUsed = false, needsAll = false;
  TirList pending{statement};
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("BufferLoad") || node.is("BufferStore"))
      needsUsed |= threads->storage.contains(node["buffer"]["data"].id());
    needsAll |= node.is("Call") && isElementAtomic(node);
    if (node.is("Var")) {
      read.insert(node.id());
      auto found = bindings.find(node.id());
      if (found != bindings.end()) {
        needsUsed |= found->second.kind == Binding::Kind::PerThread;
        if (found->second.kind == Binding::Kind::Later)
          pending.push_back(found->second.expression);
      }
    }
    llvm::append_range(pending, node.children());
  }
  SmallVector<Threads::Axis *> result;
  for (Threads::Axis &axis : threads->axes)
    if (needsAll || (needsUsed && axis.isUsed) || read.contains(axis.variable.id()))
      result.push_back(&axis);
  return result;
}

LogicalResult Importer::forEachThread(ArrayRef<Threads::Axis *> axes, ArrayRef<TirNode> lanes,
                                      bool inOrder,
                                      llvm::function_ref<LogicalResult()> body) {
  SmallVector<Value> extents;
  for (Threads::Axis *axis : axes)
    extents.push_back(indexConstant(axis->extent));
  for (TirNode lane : lanes)
    extents.push_back(indexConstant(*lane["extent"].constant()));
  // An update that no index decides, in a kernel of one thread.
  if (extents.empty())
    extents.push_back(indexConstant(1));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> places;
  if (inOrder) {
    remarkOrder();
    for (Value extent : extents) {
      auto made = builder.create<scf::ForOp>(here, indexConstant(0), extent, indexConstant(1));
      places.push_back(made.getInductionVar());
      builder.setInsertionPoint(made.getBody()->getTerminator());
    }
  } else {
    auto op = builder.create<commonir::ElementwiseOp>(here, extents);
    builder.setInsertionPointToEnd(&op.getBody().front());
    llvm::append_range(places, op.getBody().getArguments());
  }
  ValueRange indices = places;
  for (auto [axis, index] : llvm::zip(axes, indices)) {
    axis->index = index;
    bindings[axis->variable.id()] = {Binding::Kind::Value, index, {}};
  }
  for (auto [lane, index] : llvm::zip(lanes, indices.drop_front(axes.size())))
    bindings[lane["loop_var"].id()] = {Binding::Kind::Value, index, {}};
  LogicalResult result = failure();
  {
    llvm::SaveAndRestore<bool> open(threads->isOpen, true), inside(insideElementwise, true);
    llvm::SaveAndRestore<std::optional<LoopContext>> context(loop, std::nullopt);
    result = body();
  }
  for (Threads::Axis *axis : axes) {
    axis->index = nullptr;
    bindings[axis->variable.id()] = {Binding::Kind::Thread, {}, {}};
  }
  return result;
}

LogicalResult Importer::importPerThread(TirNode statement) {
  SmallVector<Threads::Axis *> axes = axesOf(statement);
  // Lanes of a vector are side by side in memory, as threads are.
  TirList lanes;
  TirNode body = statement;
  while (body.is("For") && body.integer("kind") == vectorizedKind &&
         body["min"].constant() == 0 && body["extent"].constant().value_or(0) > 0) {
    lanes.push_back(body);
    body = body["body"];
  }
  return forEachThread(axes, lanes, isOrdered(statement), [&]() -> LogicalResult {
    for (auto &[data, owned] : threads->owned)
      if (owned.first == statement && !owned.second.isNone() &&
          failed(allocate(owned.second, "local")))
        return failure();
    return success(succeeded(importList(flatten(body))));
  });
}

bool Importer::readsMemory(TirNode root) {
  TirList pending{root};
  llvm::DenseSet<uint32_t> seen;
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || node.is("Buffer") || !seen.insert(node.id()).second)
      continue;
    if (node.is("BufferLoad"))
      return true;
    llvm::append_range(pending, node.children());
  }
  return false;
}

SmallVector<int64_t> Importer::perThreadShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape);
  for (const Threads::Axis &axis : threads->axes)
    if (axis.isUsed)
      result.push_back(axis.extent);
  return result;
}

FailureOr<SmallVector<Value>> Importer::perThreadPlace(ValueRange indices, StringRef name) {
  SmallVector<Value> result(indices);
  for (const Threads::Axis &axis : threads->axes) {
    if (!axis.isUsed)
      continue;
    if (!axis.index)
      return FailureOr<SmallVector<Value>>(
          fail() << "'" << name << "' is another value for each thread, but is used where "
                 << "all threads work together; use it in statements of a thread alone");
    result.push_back(axis.index);
  }
  return result;
}

/// A name for a value that differs: computed where it is used, or kept where it
/// is read from memory, which may change in between.
LogicalResult Importer::importVaryingBind(TirNode variable, TirNode value) {
  Binding binding;
  if (!readsMemory(value)) {
    binding.kind = Binding::Kind::Later;
    binding.expression = value;
    bindings[variable.id()] = binding;
    return success();
  }
  std::optional<DType> type = dtype(variable.text("dtype"));
  if (!type)
    return failure();
  SmallVector<int64_t> shape = perThreadShape({});
  if (shape.empty())
    shape.push_back(1);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&launch.getBody().front());
    binding.value = builder.create<commonir::AllocOp>(
        here, MemRefType::get(shape, type->memory), uniqueName(variable.text("name")), "local");
  }
  binding.kind = Binding::Kind::PerThread;
  SmallVector<Threads::Axis *> axes;
  for (Threads::Axis &axis : threads->axes)
    if (axis.isUsed)
      axes.push_back(&axis);
  LogicalResult stored = forEachThread(axes, {}, isOrdered(value), [&]() -> LogicalResult {
    Value scalar = importValue(value);
    if (!scalar)
      return failure();
    FailureOr<SmallVector<Value>> place = perThreadPlace({}, variable.text("name"));
    if (failed(place))
      return failure();
    builder.create<memref::StoreOp>(here, toMemory(scalar, *type), binding.value, *place);
    return success();
  });
  bindings[variable.id()] = binding;
  return stored;
}

/// T.clear or T.fill of a whole buffer that differs between threads, by a value
/// that does not.
bool Importer::clearsPerThread(TirNode call) {
  TirList args = call.list("args");
  if (callee(call) != "fill" || args.size() < 2 || !args[0].is("Call"))
    return false;
  TirList region = args[0].list("args");
  if (callee(args[0]) != "region" || region.size() < 2 || !region[0].is("BufferLoad"))
    return false;
  TirNode buffer = region[0]["buffer"];
  if (!threads->storage.contains(buffer["data"].id()) || varies(args[1]))
    return false;
  TirList shape = buffer.list("shape"), starts = region[0].list("indices");
  bool isWhole = region.size() == shape.size() + 2 && starts.size() == shape.size();
  for (size_t dim = 0; isWhole && dim < shape.size(); ++dim)
    isWhole = starts[dim].constant() == 0 && region[dim + 2].constant() &&
              region[dim + 2].constant() == shape[dim].constant();
  return isWhole;
}

LogicalResult Importer::importPerThreadFill(TirNode call) {
  TirList args = call.list("args");
  BufferInfo *found = lookUp(args[0].list("args")[0]["buffer"]);
  std::optional<DType> from = found ? dtype(args[1].text("dtype")) : std::nullopt;
  if (!from)
    return failure();
  BufferInfo info = *found;
  Value value = importValue(args[1]);
  if (!value)
    return failure();
  builder.create<commonir::FillOp>(
      here, TypeRange(), toMemory(convert(value, *from, info.dtype), info.dtype), info.memref);
  return success();
}

FailureOr<bool> Importer::importForThreads(TirNode node) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  auto together = [&](const llvm::Twine &what) {
    return FailureOr<bool>(fail() << what << " is work of all threads together, but depends on "
                                     "the index of one; make its operands the same for all "
                                     "threads, or write the work of one thread with plain loops");
  };
  if (!tilePrint(node).isNone() && !varies(node))
    return false;
  if (node.is("Bind") || node.is("LetStmt")) {
    bool isAxis = node["value"].is("Call") && callee(node["value"]) == "launch_thread_idx";
    if (isAxis)
      return true;
    return varies(node["value"]) ? done(importVaryingBind(node["var"], node["value"]))
                                 : FailureOr<bool>(false);
  }
  if (node.is("BufferStore"))
    return varies(node) ? done(importPerThread(node)) : FailureOr<bool>(false);
  if (node.is("For")) {
    int64_t kind = node.integer("kind");
    if (kind == parallelKind && varies(node))
      return together("T.Parallel");
    if (kind == vectorizedKind && varies(node))
      return done(importPerThread(node));
  }
  if (divergesAt(node))
    return done(importPerThread(node));
  if (node.is("Evaluate") && node["value"].is("Call")) {
    TirNode call = node["value"];
    if (isElementAtomic(call))
      return done(importPerThread(node));
    if (clearsPerThread(call))
      return done(importPerThreadFill(call));
    if (varies(call)) {
      StringRef name = callee(call);
      if (name.contains("extern"))
        return done(importPerThread(node));
      bool isTileOp = call["op"].is("Op") && call["op"].text().contains("tileop");
      return isTileOp ? together("'" + call["op"].text() + "'") : done(importPerThread(node));
    }
  }
  return false;
}
