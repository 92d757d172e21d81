//===- Statements.cpp - Blocks, names, stores, prints, calls --------------===//
#include "Importer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;

TirList Importer::flatten(TirNode statement) {
  TirList result, pending{statement};
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone())
      continue;
    if (node.is("SeqStmt")) {
      TirList parts = node.list("seq");
      pending.append(parts.rbegin(), parts.rend());
      continue;
    }
    result.push_back(node);
    if (node.is("BlockRealize"))
      pending.push_back(node["block"]["body"]);
    else if (node.is("LetStmt") || node.is("DeclBuffer") || node.is("AllocBuffer") ||
             (node.is("AttrStmt") && !opensLaunch(node)))
      pending.push_back(node["body"]);
  }
  return result;
}

FailureOr<Importer::Exit> Importer::importBody(TirNode statement) {
  return importList(flatten(statement));
}

FailureOr<Importer::Exit> Importer::importStatement(TirNode node) {
  At at(*this, node);
  Step step(*this);
  if (!step.ok())
    return failure();
  auto plain = [](LogicalResult result) -> FailureOr<Exit> {
    if (failed(result))
      return failure();
    return Exit();
  };
  if (threads && !insideElementwise) {
    FailureOr<bool> isDone = importForThreads(node);
    if (failed(isDone))
      return failure();
    if (*isDone)
      return Exit();
  }
  if (node.is("BlockRealize"))
    return plain(importBlock(node));
  if (node.is("Bind") || node.is("LetStmt"))
    return plain(importBind(node["var"], node["value"]));
  if (node.is("AttrStmt"))
    return plain(importAttribute(node));
  if (node.is("DeclBuffer"))
    return plain(success(lookUp(node["buffer"]) != nullptr));
  if (node.is("AllocBuffer"))
    return plain(declareBuffer(node["buffer"]));
  if (node.is("BufferStore"))
    return plain(importStore(node));
  if (TirNode print = tilePrint(node); !print.isNone())
    return plain(importPrint(print));
  if (node.is("IfThenElse"))
    return importIf(node);
  if (node.is("While"))
    return plain(importWhile(node));
  if (node.is("For") && opensLaunch(node))
    return plain(fail() << "a loop over threads is not supported; use T.Parallel");
  if (node.is("For"))
    return plain(importFor(node));
  if (node.is("Break") || node.is("Continue"))
    return importLeave(node.is("Break"));
  if (node.is("Evaluate")) {
    TirNode value = node["value"];
    if (value.constant())
      return Exit();
    if (!value.is("Call"))
      return plain(fail() << "'" << value.spelledType() << "' is not supported as a statement");
    StringRef name = callee(value);
    if (name == "break_loop" || name == "loop_break")
      return importLeave(true);
    if (name == "continue_loop" || name == "loop_continue")
      return importLeave(false);
    return plain(importEvaluate(value));
  }
  return plain(fail() << "'" << node.spelledType() << "' is not supported as a statement");
}

LogicalResult Importer::importEvaluate(TirNode call) {
  StringRef name = callee(call);
  if (isBarrier(name) && threads && threads->isOpen)
    return fail() << "a barrier that only some of the threads reach; put T.sync_threads "
                     "where all threads come by";
  if (name == "sync_grid")
    return fail() << "T.sync_grid inside of a loop or branch is not supported: blocks wait for "
                     "each other only where a launch ends; put what comes after it into another "
                     "T.Kernel";
  // Steers a GPU, or promises something; means nothing for the values.
  for (StringRef ignored : {"no_set_max_nreg", "set_max_nreg", "tvm_storage_sync",
                            "sync_threads", "sync_warp", "ptx_commit_group",
                            "ptx_wait_group", "assume", "annotate_producer_reg_dealloc",
                            "annotate_consumer_reg_alloc"})
    if (name == ignored)
      return success();
  if (name == "device_assert" || name == "device_assert_with_msg") {
    emitWarning(here) << "T.device_assert is not checked on this accelerator";
    return success();
  }
  TirList args = call.list("args");
  if (name.contains("extern") && !args.empty() && args[0].is("StringImm") &&
      args[0].text("value").starts_with("debug_print"))
    return importPrint(call);
  if (name == "reducer_update") {
    if (args.size() != 2 || !args[0].is("BufferLoad"))
      return fail() << "malformed TIR: T.reducer_update without an element and a value";
    return importReducerUpdate(args[0], args[1]);
  }
  FailureOr<bool> isTileOp = importTileOp(name, call);
  if (failed(isTileOp))
    return failure();
  return *isTileOp ? success() : refuseCall(call);
}

//===----------------------------------------------------------------------===//
// Names and buffers
//===----------------------------------------------------------------------===//

LogicalResult Importer::importBind(TirNode variable, TirNode value) {
  Binding binding;
  if (value.is("Call") && callee(value) == "launch_thread_idx") {
    binding.kind = Binding::Kind::Thread;
    bindings[variable.id()] = binding;
    return success();
  }
  // T.Persistent names its indices ahead of the loop whose variable they use.
  bool isEarly = llvm::any_of(variables({value}), [&](TirNode used) {
    return used.text("dtype") != "handle" && !bindings.contains(used.id());
  });
  if (isEarly) {
    binding.kind = Binding::Kind::Later;
    binding.expression = value;
    bindings[variable.id()] = binding;
    return success();
  }
  if (variable.text("dtype") == "handle")
    return fail() << "'" << variable.text("name")
                  << "' names a pointer; index the buffer itself";
  bool hasVariable = false;
  bool isIndex = isIndexLike(value, hasVariable) && hasVariable;
  binding.value = isIndex ? importIndex(value) : importValue(value);
  if (!binding.value)
    return failure();
  bindings[variable.id()] = binding;
  return success();
}

LogicalResult Importer::importBlock(TirNode realize) {
  TirNode block = realize["block"];
  At at(*this, block);
  if (!realize.list("iter_values").empty() || realize["predicate"].constant() != 1 ||
      !block["init"].isNone() || !block.list("match_buffers").empty())
    return fail() << "a TIR block with iterators, a predicate, an initialiser or matched "
                     "buffers is not supported; write the kernel in TileLang";
  for (TirNode buffer : block.list("alloc_buffers")) {
    if (!buffer.is("Buffer"))
      return fail() << "malformed TIR: alloc_buffers holds a '" << buffer.spelledType() << "'";
    if (failed(declareBuffer(buffer)))
      return failure();
  }
  for (auto [key, value] : block["annotations"].pairs()) {
    StringRef name = key.text();
    if (name == "safe_value_map") {
      if (failed(setPads(value)))
        return failure();
    } else if (name == "reducer_info" || name == "reducer_info_v2") {
      if (failed(declareReducers(value)))
        return failure();
    } else if (name == "tl.local_var_init") {
      for (auto [storage, initial] : value.pairs()) {
        auto owner = storageOwners.find(storage.id());
        if (owner == storageOwners.end())
          return fail() << "malformed TIR: a start value for an unknown variable";
        BufferInfo info = buffers[owner->second];
        std::optional<DType> from = dtype(initial.text("dtype"));
        Value start = from ? importValue(initial) : Value();
        if (!start)
          return failure();
        start = toMemory(convert(start, *from, info.dtype), info.dtype);
        if (info.isPerThread)
          builder.create<commonir::FillOp>(here, TypeRange(), start, info.memref);
        else
          builder.create<memref::StoreOp>(here, start, info.memref,
                                          SmallVector<Value>(info.shape.size(), indexConstant(0)));
      }
    } else if (!name.starts_with("tl.") && name != "layout_map" &&
               name != "l2_hit_ratio_map") {
      // Layouts, cache and register wishes are a GPU's; others may mean something.
      emitWarning(here) << "block annotation '" << name << "' has no effect";
    }
  }
  return success();
}

std::string Importer::scopeOf(TirNode buffer) {
  TirNode pointer = buffer["data"]["type_annotation"];
  return pointer.is("PointerType") ? pointer.text("storage_scope").str() : "global";
}

LogicalResult Importer::declareBuffer(TirNode buffer) {
  At at(*this, buffer);
  StringRef name = buffer.text("name");
  std::string written = scopeOf(buffer);
  StringRef scope = llvm::StringSwitch<StringRef>(written)
                        .Cases("shared", "shared.dyn", "shared")
                        .Cases("local.fragment", "local.reducer", "fragment")
                        .Case("local", "local")
                        .Case("local.var", "var")
                        .Default("");
  if (written == "global" || written.empty())
    return declareScratch(buffer);
  if (StringRef(written).contains("barrier"))
    return fail() << "the GPU barrier '" << name
                  << "' is not supported; T.copy in a T.Pipelined loop is overlapped without "
                     "one, and T.sync_threads lets all threads wait";
  if (scope.empty())
    return fail() << "memory scope '" << written << "' of buffer '" << name
                  << "' is not supported; use T.alloc_shared, T.alloc_fragment, "
                     "T.alloc_local or T.alloc_var";
  if (threads)
    if (auto owned = threads->owned.find(buffer["data"].id()); owned != threads->owned.end()) {
      owned->second.second = buffer;
      return success();
    }
  return allocate(buffer, scope);
}

LogicalResult Importer::allocate(TirNode buffer, StringRef scope) {
  StringRef name = buffer.text("name");
  std::optional<DType> type = dtype(buffer.text("dtype"));
  if (!type)
    return failure();
  FailureOr<SmallVector<OpFoldResult>> shape = importFoldedIndices(buffer.list("shape"));
  if (failed(shape))
    return failure();
  constexpr int64_t countLimit = int64_t(1) << 40;
  int64_t count = 1;
  SmallVector<int64_t> extents;
  for (auto [dim, extent] : llvm::enumerate(*shape)) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (!known || *known < 0)
      return fail() << "dimension " << dim << " of buffer '" << name
                    << "' is not a constant size; on-chip buffers need one, so give it "
                       "the largest size and copy a part";
    extents.push_back(*known);
    if (llvm::MulOverflow(count, *known, count) || count > countLimit)
      return fail() << "buffer '" << name << "' has more than " << countLimit
                    << " elements; on-chip buffers hold far less";
  }
  if (extents.empty())
    return fail() << "buffer '" << name << "' has no dimensions; give it the shape (1,)";
  std::string unique = uniqueName(name);
  bool isPerThread = threads && !threads->isOpen && threads->storage.contains(buffer["data"].id());
  if (isPerThread)
    extents = perThreadShape(extents);
  auto alloc = builder.create<commonir::AllocOp>(
      here, MemRefType::get(extents, type->memory), unique, scope);
  buffers[buffer.id()] = {alloc, *type, *shape, unique, /*isGlobal=*/false, isPerThread};
  storageOwners.try_emplace(buffer["data"].id(), buffer.id());
  return success();
}

Importer::BufferInfo *Importer::lookUp(TirNode buffer) {
  auto known = buffers.find(buffer.id());
  if (known != buffers.end())
    return &known->second;
  StringRef name = buffer.text("name");
  auto owner = storageOwners.find(buffer["data"].id());
  if (owner == storageOwners.end()) {
    fail() << "buffer '" << name
           << "' is used without being allocated or a parameter of the kernel";
    return nullptr;
  }
  BufferInfo base = buffers[owner->second];
  if (base.isPerThread) {
    fail() << "'" << name << "' views '" << base.name
           << "', which is another buffer for each thread; index that buffer itself";
    return nullptr;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(base.memref.getDefiningOp());
  if (base.isGlobal) {
    auto tensor = base.memref.getDefiningOp<commonir::TensorOp>();
    if (failed(declareTensor(buffer, tensor.getPointer(), tensor.getPadAttr())))
      return nullptr;
    return &buffers[buffer.id()];
  }
  Value view = makeView(base, buffer);
  if (!view)
    return nullptr;
  SmallVector<OpFoldResult> shape;
  for (int64_t extent : cast<MemRefType>(view.getType()).getShape())
    shape.push_back(builder.getIndexAttr(extent));
  BufferInfo &info = buffers[buffer.id()];
  info = {view, base.dtype, shape, name.str(), /*isGlobal=*/false};
  return &info;
}

LogicalResult Importer::importStore(TirNode store) {
  BufferInfo *found = lookUp(store["buffer"]);
  if (!found)
    return failure();
  if (insideElementwise)
    if (auto [element, value] = reducerStore(store); !element.isNone())
      return importReducerUpdate(element, value);
  BufferInfo info = *found;
  TirList nodes = store.list("indices");
  if (nodes.size() != info.shape.size())
    return fail() << "malformed TIR: '" << info.name << "' has " << info.shape.size()
                  << " dimensions and is written with " << nodes.size() << " indices";
  if (!store["predicate"].isNone())
    return fail() << "a predicated store to '" << info.name
                  << "' is not supported; put it under an if";
  FailureOr<SmallVector<Value>> indices = importIndices(nodes, info.shape);
  TirNode node = store["value"];
  // Rounded once, by being stored.
  bool isRounded = info.dtype.isFloat8() && node.is("Cast") &&
                   node.text("dtype") == store["buffer"].text("dtype");
  std::optional<DType> from = isRounded ? dtype(node["value"].text("dtype")) : std::nullopt;
  Value value = failed(indices) ? Value() : importValue(from ? node["value"] : node);
  if (!value)
    return failure();
  if (from)
    value = convert(value, *from, *parseDType("float32", context));
  if (value.getType() != info.dtype.scalar)
    return fail() << "malformed TIR: a " << value.getType() << " is stored to '"
                  << info.name << "', which holds " << info.dtype.scalar;
  if (info.isPerThread)
    indices = perThreadPlace(*indices, info.name);
  if (failed(indices))
    return failure();
  builder.create<memref::StoreOp>(here, toMemory(value, info.dtype), info.memref, *indices);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes and prints
//===----------------------------------------------------------------------===//

/// The wish for an order of blocks: {"rasterization2DRow", 10} in either spelling.
static ArrayAttr parseSwizzle(OpBuilder &builder, TirNode value) {
  StringRef name;
  int64_t panel = 0;
  if (value.is("StringImm")) {
    name = value.text("value");
    name = name.substr(name.rfind(':') + 1);
    StringRef size = name.substr(name.find('<') + 1);
    name = name.take_until([](char c) { return c == '<'; });
    if (size.consumeInteger(10, panel))
      return {};
  } else if (value.is("Call")) {
    TirList args = value.list("args");
    if (args.size() != 2 || !args[0].is("StringImm") || !args[1].constant())
      return {};
    name = args[0].text("value");
    panel = *args[1].constant();
  }
  if (name.empty())
    return {};
  return builder.getArrayAttr({builder.getStringAttr(name), builder.getI64IntegerAttr(panel)});
}

LogicalResult Importer::importAttribute(TirNode statement) {
  StringRef key = statement.text("attr_key");
  if (opensLaunch(statement)) {
    if (statement["node"].text("thread_tag").starts_with("blockIdx"))
      return fail() << "a launch inside of another one; put one T.Kernel after the other";
    return fail() << "threads are bound inside of a kernel; use T.Parallel";
  }
  if (key == "threadblock_swizzle_pattern") {
    if (ArrayAttr swizzle = parseSwizzle(builder, statement["value"]); swizzle && launch)
      launch->setAttr("commonir.swizzle", swizzle);
    return success();
  }
  if (!key.starts_with("tl.") && !key.starts_with("pragma_") && key != "assume" &&
      key != "tilelang_assume")
    emitWarning(here) << "attribute '" << key << "' has no effect";
  return success();
}

/// T.print of a buffer arrives as a loop over its elements, run by thread 0.
TirNode Importer::tilePrint(TirNode statement) {
  TirNode node = statement;
  if (node.is("IfThenElse") && node["else_case"].isNone()) {
    for (TirNode used : variables({node["condition"]})) {
      auto found = bindings.find(used.id());
      if (found == bindings.end() || found->second.kind != Binding::Kind::Thread)
        return {};
    }
    node = node["then_case"];
  }
  TirNode element;
  if (node.is("For")) {
    element = node["loop_var"];
    node = node["body"];
  }
  if (!node.is("Evaluate") || !node["value"].is("Call"))
    return {};
  TirNode call = node["value"];
  TirList args = call.list("args");
  bool prints = !args.empty() && args[0].is("StringImm") &&
                args[0].text("value") == "debug_print_buffer_value";
  bool isWhole = prints && args.size() == 5 && args[4].is("BufferLoad") &&
                 !element.isNone() && args[3] == element;
  return isWhole || (prints && node == statement) ? call : TirNode();
}

LogicalResult Importer::importPrint(TirNode call) {
  TirList args = call.list("args");
  StringRef label = args.size() > 1 && args[1].is("StringImm") ? args[1].text("value") : "";
  if (args.size() == 5 && args[4].is("BufferLoad")) {
    BufferInfo *info = lookUp(args[4]["buffer"]);
    if (!info)
      return failure();
    // Without a message TileLang makes one up that repeats the type.
    if (failed(notFloat8(*info, "printing")))
      return failure();
    bool isOwn = !label.empty() && !label.starts_with("buffer<");
    builder.create<commonir::PrintOp>(here, isOwn ? label : StringRef(info->name),
                                      info->memref);
    return success();
  }
  if (args.size() < 3) {
    emitWarning(here) << "a T.print of a message alone is left out; print a value with it";
    return success();
  }
  Value value = importValue(args[2]);
  if (!value)
    return failure();
  builder.create<commonir::PrintOp>(here, label, value);
  return success();
}
