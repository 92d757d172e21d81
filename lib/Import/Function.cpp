//===- Function.cpp - Parameters, global tensors, launches ----------------===//
#include "Importer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tilekiln;

TirList Importer::variables(ArrayRef<TirNode> expressions) {
  TirList result, pending(expressions.rbegin(), expressions.rend());
  llvm::SmallSet<uint32_t, 16> seen;
  while (!pending.empty()) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || !seen.insert(node.id()).second)
      continue;
    if (node.is("Var")) {
      result.push_back(node);
    } else if (!node.is("Buffer")) {
      TirList children = node.children();
      pending.append(children.rbegin(), children.rend());
    }
  }
  return result;
}

LogicalResult Importer::importFunction(TirNode root) {
  At at(*this, root);
  if (!root.is("PrimFunc"))
    return fail() << "expected a PrimFunc, the TIR's root is a '" << root.spelledType()
                  << "'; pass one function of a module";
  StringRef name = "main";
  if (TirNode attributes = root["attrs"]; attributes.is("DictAttrs"))
    for (auto [key, value] : attributes["__dict__"].pairs())
      if (key.text() == "global_symbol" && !value.text().empty())
        name = value.text();
  llvm::DenseMap<uint32_t, TirNode> tensors;
  for (auto [handle, buffer] : root["buffer_map"].pairs()) {
    if (!buffer.is("Buffer"))
      return fail() << "malformed TIR: buffer_map holds a '" << buffer.spelledType() << "'";
    tensors[handle.id()] = buffer;
  }

  TirList parameters = root.list("params");
  SmallVector<Type> types;
  SmallVector<StringRef> spellings; // where MLIR's type does not tell
  TirList shapes;
  llvm::SmallSet<uint32_t, 8> scalars;
  for (TirNode parameter : parameters) {
    if (!parameter.is("Var"))
      return fail() << "malformed TIR: a parameter is a '" << parameter.spelledType() << "'";
    auto tensor = tensors.find(parameter.id());
    if (tensor == tensors.end() && parameter.text("dtype") == "handle")
      return fail() << "parameter '" << parameter.text("name")
                    << "' is a bare pointer; declare it as T.Tensor with its shape";
    TirNode typed = tensor == tensors.end() ? parameter : tensor->second;
    At place(*this, typed);
    std::optional<DType> type = dtype(typed.text("dtype"));
    if (!type)
      return failure();
    bool isPlain = !type->isUnsigned && type->memory.getIntOrFloatBitWidth() > 8;
    spellings.push_back(isPlain ? StringRef() : typed.text("dtype"));
    if (tensor == tensors.end()) {
      if (type->isFloat8())
        return fail() << "parameter '" << typed.text("name")
                      << "' is a float8 number; pass it as a float32";
      types.push_back(type->scalar);
      scalars.insert(parameter.id());
      continue;
    }
    types.push_back(MemRefType::get({ShapedType::kDynamic}, type->memory));
    llvm::append_range(shapes, typed.list("shape"));
    llvm::append_range(shapes, typed.list("strides"));
  }
  TirList symbols = variables(shapes);
  llvm::erase_if(symbols, [&](TirNode v) { return scalars.contains(v.id()); });
  types.append(symbols.size(), builder.getIndexType());

  function = builder.create<func::FuncOp>(here, name, builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  llvm::StringSet<> symbolNames;
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    unsigned position = unsigned(parameters.size() + i);
    std::string symbolName = symbol.text("name").str();
    for (unsigned n = 1; !symbolNames.insert(symbolName).second; ++n)
      symbolName = (symbol.text("name") + "_" + llvm::Twine(n)).str();
    function.setArgAttr(position, commonir::symbolAttrName,
                        builder.getStringAttr(symbolName));
    bindings[symbol.id()].value = entry->getArgument(position);
  }
  for (auto [i, spelling] : llvm::enumerate(spellings))
    if (!spelling.empty())
      function.setArgAttr(unsigned(i), commonir::dtypeAttrName,
                          builder.getStringAttr(spelling));
  for (auto [parameter, argument] : llvm::zip(parameters, entry->getArguments()))
    if (scalars.contains(parameter.id())) {
      function.setArgAttr(argument.getArgNumber(), commonir::parameterAttrName,
                          builder.getStringAttr(parameter.text("name")));
      bindings[parameter.id()].value = argument;
    }
  for (auto [parameter, argument] : llvm::zip(parameters, entry->getArguments()))
    if (auto tensor = tensors.find(parameter.id()); tensor != tensors.end())
      if (failed(declareTensor(tensor->second, argument, nullptr)))
        return failure();
  if (failed(importTopLevel(root["body"])))
    return failure();
  builder.create<func::ReturnOp>(here);
  return success();
}

/// Declared strides, or those of a contiguous tensor.
FailureOr<SmallVector<OpFoldResult>> Importer::stridesOf(TirNode buffer) {
  TirList declared = buffer.list("strides");
  if (!declared.empty())
    return importFoldedIndices(declared);
  FailureOr<SmallVector<OpFoldResult>> shape = importFoldedIndices(buffer.list("shape"));
  if (failed(shape))
    return failure();
  SmallVector<OpFoldResult> strides(shape->size());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (size_t dim = shape->size(); dim-- > 0;) {
    strides[dim] = stride;
    OpFoldResult extent = (*shape)[dim];
    if (isa<Value>(stride) && isa<Value>(extent)) {
      stride = fold<arith::MulIOp>(cast<Value>(stride), cast<Value>(extent));
      continue;
    }
    AffineExpr product = builder.getAffineDimExpr(0) * builder.getAffineDimExpr(0);
    if (std::optional<int64_t> known = getConstantIntValue(extent))
      product = builder.getAffineDimExpr(0) * *known;
    else
      product = builder.getAffineDimExpr(0) * *getConstantIntValue(stride);
    OpFoldResult factor = getConstantIntValue(extent) ? stride : extent;
    stride = affine::makeComposedFoldedAffineApply(builder, here,
                                                   AffineMap::get(1, 0, product), {factor});
  }
  return strides;
}

LogicalResult Importer::declareTensor(TirNode buffer, Value pointer, Attribute pad) {
  At at(*this, buffer);
  std::optional<DType> type = dtype(buffer.text("dtype"));
  if (!type)
    return failure();
  StringRef name = buffer.text("name");
  TirNode start = buffer["elem_offset"];
  if (!start.isNone() && start.constant() != 0)
    return fail() << "tensor '" << name
                  << "' starts at an offset; pass a tensor that starts at its pointer";
  FailureOr<SmallVector<OpFoldResult>> shape = importFoldedIndices(buffer.list("shape"));
  if (failed(shape))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> strides = stridesOf(buffer);
  if (failed(strides))
    return failure();
  if (shape->empty() || shape->size() != strides->size())
    return fail() << "tensor '" << name << "' has " << shape->size() << " dimensions and "
                  << strides->size() << " strides; it needs one of each at least";
  for (OpFoldResult extent : *shape)
    if (std::optional<int64_t> known = getConstantIntValue(extent); known && *known < 0)
      return fail() << "tensor '" << name << "' has a negative extent, " << *known;
  for (OpFoldResult stride : *strides)
    if (getConstantIntValue(stride) == ShapedType::kDynamic)
      return fail() << "tensor '" << name << "' is larger than any memory";

  SmallVector<Value> sizes, steps;
  SmallVector<int64_t> staticSizes, staticSteps;
  dispatchIndexOpFoldResults(*shape, sizes, staticSizes);
  dispatchIndexOpFoldResults(*strides, steps, staticSteps);
  auto layout = StridedLayoutAttr::get(context, 0, staticSteps);
  auto space = commonir::SpaceAttr::get(context, commonir::globalSpaceName);
  auto result = MemRefType::get(staticSizes, type->memory, layout, space);
  std::string unique = uniqueName(name);
  auto tensor = builder.create<commonir::TensorOp>(
      here, result, builder.getStringAttr(unique), pointer, sizes, steps,
      builder.getDenseI64ArrayAttr(staticSizes), builder.getDenseI64ArrayAttr(staticSteps),
      pad);
  buffers[buffer.id()] = {tensor, *type, *shape, unique, /*isGlobal=*/true};
  storageOwners.try_emplace(buffer["data"].id(), buffer.id());
  return success();
}

LogicalResult Importer::declareScratch(TirNode buffer) {
  At at(*this, buffer);
  // In a launch that was cut in parts the declaration comes again.
  if (buffers.count(buffer.id()))
    return success();
  StringRef name = buffer.text("name");
  for (TirNode variable : variables(buffer.list("shape"))) {
    auto found = bindings.find(variable.id());
    bool isKnown = found != bindings.end() && found->second.value &&
                   found->second.value.getParentRegion() == &function.getBody();
    if (!isKnown)
      return fail() << "the shape of T.alloc_global's '" << name << "' depends on '"
                    << variable.text("name")
                    << "', which is known only inside of the launch; the tensor is made "
                       "before it, so use constants and the shapes of the parameters";
  }
  std::optional<DType> type = dtype(buffer.text("dtype"));
  if (!type)
    return failure();
  unsigned position = function.getNumArguments();
  auto pointer = MemRefType::get({ShapedType::kDynamic}, type->memory);
  function.insertArgument(position, pointer, {}, here);
  function.setArgAttr(position, commonir::scratchAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  if (launch)
    builder.setInsertionPoint(launch);
  return declareTensor(buffer, function.getArgument(position), nullptr);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static constexpr int64_t threadBindingKind = 4;

static bool bindsThread(TirNode statement) {
  if (statement.is("For"))
    return statement.integer("kind") == threadBindingKind &&
           statement["thread_binding"].is("IterVar");
  return statement.is("AttrStmt") && statement.text("attr_key") == "thread_extent" &&
         statement["node"].is("IterVar");
}

bool Importer::opensLaunch(TirNode statement) { return bindsThread(statement); }

LogicalResult Importer::importLaunch(TirNode statement) {
  At at(*this, statement);
  if (launch)
    return fail() << "a launch inside of another one; put one T.Kernel after the other";
  TirList indices;
  SmallVector<Value> grid;
  std::pair<TirNode, TirNode> axes[3];
  // One loop per axis in TVM 0.25, one attribute per axis in 0.23.
  while (bindsThread(statement)) {
    bool isLoop = statement.is("For");
    TirNode axis = statement[isLoop ? "thread_binding" : "node"];
    TirNode variable = isLoop ? statement["loop_var"] : axis["var"];
    StringRef tag = axis.text("thread_tag");
    if (tag.starts_with("blockIdx")) {
      Value extent = importIndex(statement[isLoop ? "extent" : "value"]);
      if (!extent)
        return failure();
      if (isLoop && statement["min"].constant() != 0)
        return fail() << "block index '" << variable.text("name") << "' does not start at 0";
      indices.push_back(variable);
      grid.push_back(extent);
    } else {
      bindings[variable.id()].kind = Binding::Kind::Thread;
      size_t dim = tag.ends_with(".z") ? 2 : tag.ends_with(".y") ? 1 : 0;
      axes[dim] = {variable, statement[isLoop ? "extent" : "value"]};
    }
    statement = statement["body"];
  }
  if (grid.empty())
    return fail() << "threads are launched outside of a grid; open one with T.Kernel";
  FailureOr<SmallVector<TirList>> parts = splitAtBarriers(statement);
  if (failed(parts))
    return failure();
  for (ArrayRef<TirNode> part : *parts) {
    launch = builder.create<commonir::LaunchOp>(here, grid);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&launch.getBody().front());
    for (auto [index, argument] : llvm::zip(indices, launch.getBody().getArguments()))
      bindings[index.id()].value = argument;
    if (failed(findThreads(statement, axes)) || failed(importList(part)))
      return failure();
    threads.reset();
    launch = nullptr;
    forgetOnChip();
  }
  return success();
}

/// What is on chip belongs to one launch.
void Importer::forgetOnChip() {
  for (auto it = buffers.begin(); it != buffers.end();)
    it = it->second.isGlobal ? std::next(it) : buffers.erase(it);
  SmallVector<uint32_t> gone;
  for (auto &[storage, owner] : storageOwners)
    if (!buffers.count(owner))
      gone.push_back(storage);
  for (uint32_t storage : gone)
    storageOwners.erase(storage);
}

/// The statements of a launch, cut where all blocks wait for each other: one
/// launch ends before the next one begins. Declarations come again in each part.
FailureOr<SmallVector<TirList>> Importer::splitAtBarriers(TirNode body) {
  SmallVector<TirList> parts(1);
  TirList declarations, readNames;
  llvm::DenseMap<uint32_t, size_t> usedIn; // storage of on-chip buffers
  for (TirNode node : flatten(body)) {
    At at(*this, node);
    bool isBarrier = node.is("Evaluate") && node["value"].is("Call") &&
                     callee(node["value"]) == "sync_grid";
    if (isBarrier) {
      parts.push_back(declarations);
      continue;
    }
    parts.back().push_back(node);
    bool isBind = node.is("Bind") || node.is("LetStmt");
    if (isBind && readsMemory(node["value"]))
      readNames.push_back(node["var"]);
    else if (isBind || node.is("BlockRealize") || node.is("AttrStmt") || node.is("DeclBuffer") ||
             node.is("AllocBuffer"))
      declarations.push_back(node);
    if (isBind || (!node.is("BlockRealize") && !node.is("AttrStmt")))
      for (TirNode buffer : buffersIn(isBind ? node["value"] : node)) {
        size_t part = parts.size() - 1;
        size_t first = usedIn.try_emplace(buffer["data"].id(), part).first->second;
        StringRef scope = scopeOf(buffer);
        if (first != part && scope != "global" && !scope.empty())
          return FailureOr<SmallVector<TirList>>(
              fail() << "the on-chip buffer '" << buffer.text("name")
                     << "' is used before and after T.sync_grid, where a launch ends; keep what "
                        "it holds in a global tensor, as T.alloc_global makes one, or use "
                        "another buffer");
      }
    if (parts.size() > 1)
      for (TirNode used : variables({node}))
        for (TirNode name : readNames)
          if (used == name && !(isBind && node["var"] == name))
            return FailureOr<SmallVector<TirList>>(
                fail() << "'" << name.text("name")
                       << "' was read from memory before T.sync_grid; read it again after it");
  }
  return parts;
}

/// Buffers that a statement or expression names, each once.
TirList Importer::buffersIn(TirNode root) {
  TirList found, pending{root};
  llvm::DenseSet<uint32_t> seen;
  while (!pending.empty() && ++work <= workLimit) {
    TirNode node = pending.pop_back_val();
    if (node.isNone() || !seen.insert(node.id()).second)
      continue;
    if (node.is("Buffer"))
      found.push_back(node);
    else
      llvm::append_range(pending, node.children());
  }
  return found;
}

LogicalResult Importer::importTopLevel(TirNode body) {
  for (TirNode statement : flatten(body)) {
    At at(*this, statement);
    bool isScaffold = statement.is("Bind") || statement.is("LetStmt") ||
                      statement.is("BlockRealize") || statement.is("AttrStmt");
    if (opensLaunch(statement)) {
      if (failed(importLaunch(statement)))
        return failure();
    } else if (isScaffold) {
      if (failed(importStatement(statement)))
        return failure();
    } else if (!statement.is("Evaluate") || !statement["value"].constant()) {
      return fail() << "a '" << statement.spelledType()
                    << "' outside of any launch; put it into T.Kernel";
    }
  }
  return success();
}

TypedAttr Importer::constantOf(TirNode node, const DType &type) {
  if (std::optional<double> real = node.number(); real && !type.isFloat8())
    return type.isFloat() ? TypedAttr(builder.getFloatAttr(type.scalar, *real))
                          : TypedAttr(builder.getIntegerAttr(type.memory, int64_t(*real)));
  Value value;
  if (std::optional<double> real = node.number()) {
    value = realConstant(*real, type);
  } else if (std::optional<int64_t> whole = node.is("int") || node.is("bool") ? node.constant()
                                                                       : std::nullopt) {
    value = type.isFloat() ? realConstant(double(*whole), type)
                           : integerConstant(*whole, type);
  } else {
    std::optional<DType> from = dtype(node.text("dtype"));
    value = from ? importValue(node) : Value();
    if (!value)
      return {};
    value = convert(value, *from, type);
  }
  TypedAttr result;
  if (!matchPattern(toMemory(value, type), m_Constant(&result)))
    fail() << "a padding value must be a constant";
  return result;
}

LogicalResult Importer::setPads(TirNode map) {
  for (auto [storage, value] : map.pairs()) {
    auto owner = storageOwners.find(storage.id());
    BufferInfo *info = owner == storageOwners.end() ? nullptr : &buffers[owner->second];
    if (!info || !info->isGlobal)
      return fail() << "T.annotate_safe_value names '" << storage.text("name")
                    << "', which is no global tensor of this kernel";
    TypedAttr pad = constantOf(value, info->dtype);
    if (!pad)
      return failure();
    info->memref.getDefiningOp<commonir::TensorOp>().setPadAttr(pad);
  }
  return success();
}
