//===- Launch.cpp - Arguments against declarations, then the blocks -------===//
#include "Kernel.h"
#include "Messages.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

std::string tilekiln::dtypeOf(Type type, DictionaryAttr attributes) {
  if (attributes)
    if (auto declared = attributes.getAs<StringAttr>(dtypeAttrName))
      return declared.str();
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (type.isInteger(1))
    return "bool";
  return (isa<FloatType>(type) ? "float" : "int") +
         std::to_string(type.getIntOrFloatBitWidth());
}

TensorOp tilekiln::tensorOf(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (auto tensor = dyn_cast<TensorOp>(user))
      return tensor;
  return {};
}

bool tilekiln::isDeclared(BlockArgument argument) {
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  return !kernel.getArgAttr(index, symbolAttrName) && !kernel.getArgAttr(index, scratchAttrName);
}

namespace {

/// Whether anything in the kernel stores to the tensor.
bool isWritten(TensorOp tensor) {
  auto writes = [](OpOperand &use) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
    SmallVector<MemoryEffects::EffectInstance> found;
    if (effects)
      effects.getEffectsOnValue(use.get(), found);
    return !effects || llvm::any_of(found, [](auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
  };
  for (OpOperand &use : tensor.getResult().getUses()) {
    if (auto window = dyn_cast<WindowOp>(use.getOwner())) {
      if (llvm::any_of(window.getResult().getUses(), writes))
        return true;
    } else if (writes(use)) {
      return true;
    }
  }
  return false;
}

std::string listOf(ArrayRef<int64_t> values) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os);
  os << (values.size() == 1 ? ",)" : ")");
  return text;
}

template <typename... Values>
llvm::Error refuse(const char *format, Values &&...values) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Values>(values)...).str());
}

/// A symbol's value is the first extent or stride that is declared as it alone.
void bindSymbols(TensorOp tensor, const Argument &given, HostValues &values) {
  auto bindEach = [&](SmallVector<OpFoldResult> declared, ArrayRef<int64_t> actual) {
    for (auto [expected, value] : llvm::zip(declared, actual))
      if (auto argument = dyn_cast_or_null<BlockArgument>(dyn_cast<Value>(expected)))
        if (isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
            !values.isBound(argument))
          values.bind(argument, value);
  };
  bindEach(tensor.getMixedSizes(), given.shape);
  bindEach(tensor.getMixedStrides(), given.strides);
}

/// Shape and strides as declared; strides of extents below 2 do not matter.
llvm::Error checkShape(TensorOp tensor, const Argument &given, HostValues &values) {
  StringRef name = tensor.getName();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : tensor.getMixedSizes())
    shape.push_back(values.get(size).value_or(-1));
  if (ArrayRef<int64_t>(given.shape) != ArrayRef<int64_t>(shape))
    return refuse("'{0}' has shape {1}, expected {2}", name, listOf(given.shape), listOf(shape));
  bool empty = llvm::is_contained(shape, 0);
  for (auto [dim, stride] : llvm::enumerate(given.strides))
    if (shape[dim] > 1 && !empty && stride < 0)
      return refuse("'{0}' runs backwards in dimension {1} (stride {2}); pass a contiguous "
                    "copy of it",
                    name, dim, stride);
  for (auto [dim, stride] : llvm::enumerate(tensor.getMixedStrides())) {
    auto expected = values.get(stride);
    if (shape[dim] > 1 && !empty && expected && given.strides[dim] != *expected)
      return refuse("'{0}' has stride {1} elements in dimension {2}, expected {3}; pass a "
                    "contiguous copy of it or declare it as T.StridedTensor",
                    name, given.strides[dim], dim, *expected);
  }
  return llvm::Error::success();
}

/// From the first to behind the last element.
int64_t elementSpan(const Argument &given) {
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(given.shape, given.strides)) {
    if (extent == 0)
      return 0;
    last += (extent - 1) * stride;
  }
  return last + 1;
}
} // namespace

/// The function as it was imported: later forms have lost the tensors that the
/// kernel does not use.
func::FuncOp Kernel::declaration() const {
  return *bufferForm.get().getOps<func::FuncOp>().begin();
}

std::string Kernel::name() const {
  return declaration().getName().str();
}

llvm::json::Value Kernel::parameters() {
  llvm::json::Array list;
  func::FuncOp kernel = declaration();
  llvm::DenseMap<Value, std::string> symbols;
  for (BlockArgument argument : kernel.getArguments())
    if (auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), symbolAttrName))
      symbols[argument] = name.str();
  auto extents = [&](SmallVector<OpFoldResult> values) {
    llvm::json::Array array;
    HostValues host;
    for (OpFoldResult value : values) {
      auto known = host.get(value);
      auto symbol = isa<Value>(value) ? symbols.find(cast<Value>(value)) : symbols.end();
      if (known)
        array.push_back(*known);
      else
        array.push_back(symbol != symbols.end() ? symbol->second : std::string("?"));
    }
    return array;
  };
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!isDeclared(argument))
      continue;
    DictionaryAttr attributes = kernel.getArgAttrDict(index);
    if (TensorOp tensor = tensorOf(argument)) {
      auto type = cast<MemRefType>(argument.getType());
      list.push_back(llvm::json::Object{
          {"name", tensor.getName()},
          {"kind", "tensor"},
          {"dtype", dtypeOf(type.getElementType(), attributes)},
          {"shape", extents(tensor.getMixedSizes())},
          {"strides", extents(tensor.getMixedStrides())},
          {"written", isWritten(tensor)}});
      continue;
    }
    auto name = kernel.getArgAttrOfType<StringAttr>(index, parameterAttrName);
    list.push_back(llvm::json::Object{
        {"name", name ? name.str() : "argument " + std::to_string(index)},
        {"kind", "scalar"},
        {"dtype", dtypeOf(argument.getType(), attributes)}});
  }
  return list;
}

llvm::Error Kernel::bind(ArrayRef<Argument> arguments, HostValues &values,
                         std::vector<KernelArgument> &passed) {
  func::FuncOp kernel = declaration();
  SmallVector<BlockArgument> declared, symbols;
  for (BlockArgument argument : kernel.getArguments()) {
    if (isDeclared(argument))
      declared.push_back(argument);
    else if (kernel.getArgAttr(argument.getArgNumber(), symbolAttrName))
      symbols.push_back(argument);
  }
  if (declared.size() != arguments.size())
    return refuse("'{0}' takes {1} arguments, got {2}", kernel.getName(), declared.size(),
                  arguments.size());
  for (auto [argument, given] : llvm::zip_equal(declared, arguments)) {
    TensorOp tensor = tensorOf(argument);
    if (bool(tensor) != (given.kind == Argument::Kind::Tensor))
      return refuse("argument {0} of '{1}' is {2}, expected {3}", argument.getArgNumber(),
                    kernel.getName(), tensor ? "a number" : "an array",
                    tensor ? "an array" : "a number");
    if (!tensor) {
      // A tensor in front of it may have it as an extent.
      if (given.kind == Argument::Kind::Integer && argument.getType().isInteger())
        values.bind(argument, given.integer);
      continue;
    }
    std::string dtype = dtypeOf(cast<MemRefType>(argument.getType()).getElementType(),
                                kernel.getArgAttrDict(argument.getArgNumber()));
    if (given.dtype != dtype)
      return refuse("'{0}' is {1}, expected {2}", tensor.getName(), given.dtype, dtype);
    if (given.shape.size() != tensor.getStaticSizes().size())
      return refuse("'{0}' has {1} dimensions, expected {2}", tensor.getName(),
                    given.shape.size(), tensor.getStaticSizes().size());
    bindSymbols(tensor, given, values);
  }
  for (BlockArgument symbol : symbols)
    if (!values.isBound(symbol))
      return refuse("the value of symbol '{0}' does not follow from the arguments: declare "
                    "a tensor with it as an extent of its own",
                    kernel.getArgAttrOfType<StringAttr>(symbol.getArgNumber(), symbolAttrName)
                        .getValue());
  for (auto [argument, given] : llvm::zip_equal(declared, arguments)) {
    if (TensorOp tensor = tensorOf(argument)) {
      if (llvm::Error error = checkShape(tensor, given, values))
        return error;
      passed.push_back(KernelArgument::buffer(given.data, elementSpan(given)));
    } else if (isa<FloatType>(argument.getType())) {
      passed.push_back(KernelArgument::scalar(
          given.kind == Argument::Kind::Float ? given.real : double(given.integer)));
    } else {
      if (given.kind == Argument::Kind::Float)
        return refuse("argument {0} of '{1}' is a float, expected an integer",
                      argument.getArgNumber(), kernel.getName());
      passed.push_back(KernelArgument::scalar(given.integer));
    }
  }
  for (BlockArgument symbol : symbols)
    passed.push_back(KernelArgument::scalar(*values.get(OpFoldResult(symbol))));
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::vector<char>>>
Kernel::allocateScratch(HostValues &values, std::vector<KernelArgument> &passed) {
  std::vector<std::vector<char>> memory;
  func::FuncOp kernel = declaration();
  constexpr int64_t limitBytes = int64_t(1) << 40;
  for (BlockArgument argument : kernel.getArguments()) {
    if (!kernel.getArgAttr(argument.getArgNumber(), scratchAttrName))
      continue;
    TensorOp tensor = tensorOf(argument);
    Type element = cast<MemRefType>(argument.getType()).getElementType();
    int64_t count = 1, bytes = 0;
    bool fits = true;
    for (OpFoldResult size : tensor.getMixedSizes())
      fits &= !llvm::MulOverflow(count, std::max<int64_t>(values.get(size).value_or(0), 0), count);
    fits &= !llvm::MulOverflow(count, int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)),
                               bytes);
    if (!fits || bytes > limitBytes)
      return refuse("T.alloc_global's '{0}' takes more than {1} bytes; make it smaller",
                    tensor.getName(), limitBytes);
    // Undefined until written: a pattern that is NaN in every float type shows it.
    memory.emplace_back(size_t(bytes), char(0xff));
    passed.push_back(KernelArgument::buffer(memory.back().data(), count));
  }
  return memory;
}

HostValues Kernel::valuesIn(Variant &variant, HostValues &values) {
  HostValues own;
  for (auto [mine, theirs] :
       llvm::zip_equal(variant.kernel().getArguments(), declaration().getArguments()))
    if (values.isBound(theirs))
      own.bind(mine, *values.get(OpFoldResult(Value(theirs))));
  return own;
}

llvm::Expected<Variant *> Kernel::choose(HostValues &values, StringRef device) {
  Variant *chosen = main.get();
  MessageCollector collector(context.get());
  HostValues own = valuesIn(*main, values);
  if (!main->holds(own)) {
    if (!fallback)
      fallback = lower(/*assumeLoopsRun=*/false);
    if (!fallback)
      return collector.takeError("the kernel could not be lowered for loops that do not run");
    chosen = fallback.get();
  }
  // Done before but for the first launch of the fallback, or of a profile.
  if (llvm::Error error = device == "sim" ? chosen->compileForSim(options)
                                          : chosen->compileForCpu())
    return error;
  return chosen;
}

llvm::Error Kernel::forEachLaunch(ArrayRef<Argument> arguments, StringRef device,
                                  RunLaunch run) {
  HostValues values;
  std::vector<KernelArgument> passed;
  if (llvm::Error error = bind(arguments, values, passed))
    return error;
  auto scratch = allocateScratch(values, passed);
  if (!scratch)
    return scratch.takeError();
  llvm::Expected<Variant *> variant = choose(values, device);
  if (!variant)
    return variant.takeError();
  HostValues own = valuesIn(**variant, values);
  for (LaunchUnit &unit : (*variant)->units) {
    SmallVector<int64_t> extents;
    for (Value extent : unit.launch.getGrid()) {
      auto count = own.get(OpFoldResult(extent));
      if (!count)
        return refuse("the grid of '{0}' depends on data; compute it from shapes or scalar "
                      "arguments",
                      unit.entryName);
      extents.push_back(std::max<int64_t>(*count, 0));
    }
    if (llvm::is_contained(extents, 0))
      continue;
    int64_t blocks = 1;
    for (int64_t extent : extents)
      if (llvm::MulOverflow(blocks, extent, blocks) ||
          blocks > std::numeric_limits<int32_t>::max())
        return refuse("a grid of {0} blocks is too large; the limit is 2147483647",
                      listOf(extents));
    if (llvm::Error error = run(unit, passed, blocks))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Kernel::launch(ArrayRef<Argument> arguments) {
  if (options.device == "sim")
    return launchOnSim(arguments);
  if (options.device != "cpu")
    return refuse("a kernel compiled for device '{0}' has code and no values; compile it "
                  "with device=\"cpu\" or \"sim\" to run it",
                  options.device);
  return forEachLaunch(
      arguments, "cpu",
      [](LaunchUnit &unit, ArrayRef<KernelArgument> passed, int64_t blocks) {
        return unit.executor->launch(passed, blocks, 1, 1);
      });
}
