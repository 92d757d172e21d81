//===- Tiles.cpp - Tile operations ----------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilekiln;

FailureOr<bool> Importer::flag(TirNode node, StringRef what) {
  if (std::optional<int64_t> value = node.constant())
    return *value != 0;
  return FailureOr<bool>(fail() << what << " must be a constant");
}

FailureOr<int64_t> Importer::dimension(TirNode node, int64_t rank, StringRef of) {
  std::optional<int64_t> dim = node.constant();
  if (!dim || *dim < -rank || *dim >= rank)
    return FailureOr<int64_t>(fail() << of << "'s dimension must be a constant below "
                                     << rank);
  return *dim < 0 ? *dim + rank : *dim;
}

FailureOr<bool> Importer::importTileOp(StringRef name, TirNode call) {
  enum class Op { None, Copy, Fill, Gemm, Reduce, Sum, Max, Transpose, Im2col, Init, Finalize, Add, Maximum, Minimum,
                  AddElement, MaxElement, MinElement };
  Op op = llvm::StringSwitch<Op>(name)
              // Done at once: what waits for it has nothing to wait for.
              .Cases("copy", "async_copy", Op::Copy).Case("fill", Op::Fill)
              .Cases("gemm", "gemm_py", Op::Gemm).Case("reduce", Op::Reduce)
              .Case("cumsum", Op::Sum).Case("cummax", Op::Max)
              .Case("transpose", Op::Transpose)
              .Cases("im2col", "c2d_im2col", Op::Im2col)
              .Case("reducer_init", Op::Init)
              .Cases("finalize_reducer", "finalize_reducer_v2", Op::Finalize)
              .Case("atomicadd", Op::Add).Case("atomicmax", Op::Maximum)
              .Case("atomicmin", Op::Minimum)
              .Case("atomic_add_elem_op", Op::AddElement)
              .Case("atomic_max_elem_op", Op::MaxElement)
              .Case("atomic_min_elem_op", Op::MinElement)
              .Default(Op::None);
  if (op == Op::None)
    return false;
  if (insideElementwise && op < Op::Add && failed(refuseInsideParallel(call)))
    return failure();
  auto run = [&]() -> LogicalResult {
    using Kind = commonir::AtomicKind;
    switch (op) {
    case Op::Copy: return importCopy(call);
    case Op::Fill: return importFill(call);
    case Op::Gemm: return importGemm(call, name);
    case Op::Reduce: return importReduce(call);
    case Op::Sum: return importScan(call, commonir::ScanKind::Sum);
    case Op::Max: return importScan(call, commonir::ScanKind::Max);
    case Op::Transpose: return importTranspose(call);
    case Op::Im2col: return importIm2col(call);
    case Op::Init: return importReducerInit(call);
    case Op::Finalize: return importFinalize(call);
    case Op::Add: return importAtomic(call, Kind::Add);
    case Op::Maximum: return importAtomic(call, Kind::Max);
    case Op::Minimum: return importAtomic(call, Kind::Min);
    case Op::AddElement: return importAtomicElement(call, Kind::Add);
    case Op::MaxElement: return importAtomicElement(call, Kind::Max);
    case Op::MinElement: return importAtomicElement(call, Kind::Min);
    case Op::None: break;
    }
    return failure();
  };
  if (failed(run()))
    return failure();
  return true;
}

LogicalResult Importer::refuseInsideParallel(TirNode call) {
  if (threads && threads->isOpen)
    return fail() << "'" << call["op"].text()
                  << "' is work of all threads together, but only some of the threads reach "
                     "it; move it to where all threads come by";
  return fail() << "'" << call["op"].text()
                << "' works on whole tiles and cannot be inside of T.Parallel; move it out "
                   "of the loop";
}

/// The arguments of a call that must have at least `count`.
#define TILEKILN_ARGS(call, count)                                                  \
  TirList args = (call).list("args");                                               \
  if (args.size() < (count))                                                        \
    return fail() << "malformed TIR: '" << (call)["op"].text() << "' has "          \
                  << args.size() << " arguments, " << (count) << " are needed";

//===----------------------------------------------------------------------===//
// copy and fill
//===----------------------------------------------------------------------===//

/// Copies between equal shapes. CommonIR's copy takes integers as signed, so a
/// conversion that depends on the sign, or to a bool, is written out.
LogicalResult Importer::moveTile(Value source, const DType &from, Value dest,
                                 const DType &to) {
  auto bits = [](const DType &type) { return type.memory.getIntOrFloatBitWidth(); };
  bool readsUnsigned = from.isUnsigned && !from.isBool &&
                       (to.isFloat() || bits(to) > bits(from));
  bool writesUnsigned = to.isUnsigned && !to.isBool && from.isFloat();
  bool writesBool = to.isBool && !from.isBool;
  bool changesFloat8 = from.float8 != to.float8;
  if (!readsUnsigned && !writesUnsigned && !writesBool && !changesFloat8) {
    builder.create<commonir::CopyOp>(here, TypeRange(), source, dest);
    return success();
  }
  SmallVector<Value> extents;
  for (int64_t extent : cast<MemRefType>(dest.getType()).getShape()) {
    if (ShapedType::isDynamic(extent))
      return fail() << "a copy from " << from.scalar << " to " << to.scalar
                    << " of a size known only at run time is not supported; convert "
                       "with T.Parallel and T.cast";
    extents.push_back(indexConstant(extent));
  }
  auto loop = builder.create<commonir::ElementwiseOp>(here, extents);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&loop.getBody().front());
  ValueRange indices = loop.getBody().getArguments();
  Value value = fromMemory(builder.create<memref::LoadOp>(here, source, indices), from);
  builder.create<memref::StoreOp>(here, toMemory(convert(value, from, to), to), dest, indices);
  return success();
}

LogicalResult Importer::importCopy(TirNode call) {
  TILEKILN_ARGS(call, 2u)
  FailureOr<Region> source = importRegion(args[0]);
  if (failed(source))
    return failure();
  FailureOr<Region> dest = importRegion(args[1]);
  if (failed(dest))
    return failure();
  SmallVector<int64_t> keepSource, keepDest;
  if (failed(align(*source, *dest, keepSource, keepDest, "a copy")))
    return failure();
  const DType from = source->buffer->dtype, to = dest->buffer->dtype;
  bool fromGlobal = source->buffer->isGlobal, toGlobal = dest->buffer->isGlobal;
  bool converts = from.memory != to.memory || from.isBool != to.isBool ||
                  from.isUnsigned != to.isUnsigned || from.float8 != to.float8;
  bool signMatters = converts && (from.isUnsigned || to.isUnsigned || from.isFloat8() ||
                                  to.isFloat8());

  Value read = tile(*source, keepSource);
  if (!read)
    return failure();
  // Global memory is only moved by copies; elements are converted on chip.
  if (fromGlobal && (toGlobal || signMatters)) {
    Value on = temporary(reduced(*source, keepSource), from, "a copy");
    if (!on)
      return failure();
    builder.create<commonir::CopyOp>(here, TypeRange(), read, on);
    read = on;
  }
  if (toGlobal && signMatters) {
    Value converted = temporary(reduced(*dest, keepDest), to, "a copy");
    if (!converted || failed(moveTile(read, from, converted, to)))
      return failure();
    Value window = tile(*dest, keepDest);
    builder.create<commonir::CopyOp>(here, TypeRange(), converted, window);
    return success();
  }
  Value write = tile(*dest, keepDest);
  return write ? moveTile(read, from, write, to) : failure();
}

LogicalResult Importer::importFill(TirNode call) {
  TILEKILN_ARGS(call, 2u)
  FailureOr<Region> dest = importRegion(args[0]);
  if (failed(dest))
    return failure();
  std::optional<DType> from = dtype(args[1].text("dtype"));
  Value value = from ? importValue(args[1]) : Value();
  Value target = value ? tile(*dest) : Value();
  if (!target)
    return failure();
  const DType &to = dest->buffer->dtype;
  builder.create<commonir::FillOp>(here, TypeRange(), toMemory(convert(value, *from, to), to),
                                   target);
  return success();
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

LogicalResult Importer::importGemm(TirNode call, StringRef name) {
  // A, B, C, transposes, M, N, K, policy, clear; what follows steers a GPU or,
  // in 0.1.7, repeats what the regions say.
  TILEKILN_ARGS(call, 10u)
  FailureOr<Region> a = importRegion(args[0]);
  FailureOr<Region> b = failed(a) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  FailureOr<Region> c = failed(b) ? FailureOr<Region>(failure()) : importRegion(args[2]);
  if (failed(c) || failed(onChip(*a, "T.gemm's operand A")) ||
      failed(onChip(*b, "T.gemm's operand B")) ||
      failed(onChip(*c, "T.gemm's accumulator C")))
    return failure();
  for (const Region *region : {&*a, &*b, &*c})
    if (region->buffer->dtype.isUnsigned)
      return fail() << "T.gemm on the unsigned elements of '" << region->buffer->name
                    << "' is not supported: the cube multiplies signed int8; T.copy to float16, "
                       "which holds each uint8, or subtract 128 and add what that takes away";
  FailureOr<bool> transposeA = flag(args[3], "transpose_A");
  FailureOr<bool> transposeB = failed(transposeA) ? FailureOr<bool>(failure())
                                                  : flag(args[4], "transpose_B");
  // The cube has no float8; float16 holds each of its numbers.
  auto operand = [&](const Region &region, StringRef role) -> Value {
    Value matrix = tileOfRank(region, 2, role);
    if (!matrix || !region.buffer->dtype.isFloat8())
      return matrix;
    DType half = *parseDType("float16", context);
    auto shape = cast<MemRefType>(matrix.getType());
    if (!shape.hasStaticShape()) {
      fail() << role << " '" << region.buffer->name
             << "' is float8 and of a size known only at run time; T.copy it to a float16 "
                "buffer first";
      return nullptr;
    }
    Value wide = ownTile(shape.getShape(), half, region.buffer->name + "_f16");
    return succeeded(moveTile(matrix, region.buffer->dtype, wide, half)) ? wide : Value();
  };
  if (failed(notFloat8(*c->buffer, "T.gemm into")))
    return failure();
  Value matrixA = failed(transposeB) ? Value() : operand(*a, "T.gemm's operand A");
  Value matrixB = matrixA ? operand(*b, "T.gemm's operand B") : Value();
  Value matrixC = matrixB ? tileOfRank(*c, 2, "T.gemm's accumulator C") : Value();
  Value clear = matrixC ? importCondition(args[9]) : Value();
  if (!clear)
    return failure();
  if (matchPattern(clear, m_Zero()))
    clear = nullptr;
  builder.create<commonir::GemmOp>(here, TypeRange(), matrixA, matrixB, matrixC, clear,
                                   *transposeA, *transposeB);
  return success();
}

//===----------------------------------------------------------------------===//
// reduce, scan, transpose
//===----------------------------------------------------------------------===//

LogicalResult Importer::importReduce(TirNode call) {
  TILEKILN_ARGS(call, 5u)
  FailureOr<Region> source = importRegion(args[0]);
  FailureOr<Region> dest =
      failed(source) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  if (failed(dest) || failed(onChip(*source, "the reduction's source")) ||
      failed(onChip(*dest, "the reduction's result")))
    return failure();
  StringRef word = args[2].is("StringImm") ? args[2].text("value") : "";
  std::optional<commonir::ReduceKind> kind = commonir::symbolizeReduceKind(word);
  if (!kind)
    return fail() << "the reduction '" << word << "' is not supported; there are sum, max, "
                     "min, abssum, absmax, bitand, bitor and bitxor";
  const DType from = source->buffer->dtype, to = dest->buffer->dtype;
  if (failed(notFloat8(*source->buffer, "a reduction of")) ||
      failed(notFloat8(*dest->buffer, "a reduction into")))
    return failure();
  FailureOr<int64_t> dim =
      dimension(args[3], int64_t(source->sizes.size()), "the reduction");
  if (failed(dim))
    return failure();
  FailureOr<bool> clear = flag(args[4], "the reduction's clear");
  if (failed(clear))
    return failure();
  bool propagatesNan = false;
  for (auto [key, value] : call["annotations"].pairs())
    propagatesNan |= key.text() == "nan_propagate" && value.constant().value_or(0) != 0;

  Value input = tile(*source);
  // A result of higher rank than the source is one with unit dimensions.
  size_t most = std::max<size_t>(source->sizes.size(), 1);
  Value output = !input ? Value()
                 : dest->sizes.size() > most ? tileOfRank(*dest, most, "the reduction's result")
                                             : tile(*dest);
  if (!output)
    return failure();
  if (from.memory != to.memory)
    return fail() << "the reduction of '" << source->buffer->name << "' (" << from.memory
                  << ") into '" << dest->buffer->name << "' (" << to.memory
                  << ") changes the element type; T.copy to a buffer of the result's type "
                     "first";
  // An unsigned number is its own absolute value.
  if (from.isUnsigned && *kind == commonir::ReduceKind::AbsMax)
    kind = commonir::ReduceKind::Max;
  if (from.isUnsigned && *kind == commonir::ReduceKind::AbsSum)
    kind = commonir::ReduceKind::Sum;
  bool flips = from.isUnsigned && !from.isBool &&
               (*kind == commonir::ReduceKind::Max || *kind == commonir::ReduceKind::Min);
  Value result = output;
  if (flips) {
    input = flipSigns(input, from, source->buffer->name + "_signed");
    Value place = input ? flipSigns(output, to, dest->buffer->name + "_signed") : Value();
    if (!place)
      return failure();
    output = place;
  }
  builder.create<commonir::ReduceOp>(here, TypeRange(), input, output, *kind,
                                     uint64_t(*dim), !*clear, propagatesNan);
  return success(!flips || flipSigns(output, to, "", result));
}

Value Importer::flipSigns(Value tile, const DType &type, StringRef name, Value into) {
  auto shape = cast<MemRefType>(tile.getType());
  if (!shape.hasStaticShape()) {
    fail() << "the largest or smallest of unsigned numbers needs a tile of constant size; "
              "reduce the whole buffer";
    return nullptr;
  }
  if (!into)
    into = ownTile(shape.getShape(), type, name);
  SmallVector<Value> extents;
  for (int64_t extent : shape.getShape())
    extents.push_back(indexConstant(extent));
  auto op = builder.create<commonir::ElementwiseOp>(here, extents);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  ValueRange indices = op.getBody().getArguments();
  unsigned bits = type.memory.getIntOrFloatBitWidth();
  Value sign = constant(builder.getIntegerAttr(type.memory, APInt::getSignedMinValue(bits)));
  Value element = builder.create<memref::LoadOp>(here, tile, indices);
  builder.create<memref::StoreOp>(here, fold<arith::XOrIOp>(element, sign), into, indices);
  return into;
}

LogicalResult Importer::importScan(TirNode call, commonir::ScanKind kind) {
  TILEKILN_ARGS(call, 4u)
  FailureOr<Region> source = importRegion(args[0]);
  FailureOr<Region> dest =
      failed(source) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  if (failed(dest) || failed(onChip(*source, "the scan's source")) ||
      failed(onChip(*dest, "the scan's result")))
    return failure();
  if (failed(notFloat8(*source->buffer, "a scan of")))
    return failure();
  FailureOr<int64_t> dim = dimension(args[2], int64_t(source->sizes.size()), "the scan");
  if (failed(dim))
    return failure();
  FailureOr<bool> reverse = flag(args[3], "the scan's reverse");
  Value input = failed(reverse) ? Value() : tile(*source);
  Value output = input ? tile(*dest) : Value();
  if (!output)
    return failure();
  const DType type = source->buffer->dtype;
  bool flips = kind == commonir::ScanKind::Max && type.isUnsigned && !type.isBool;
  Value result = output;
  if (flips) {
    input = flipSigns(input, type, source->buffer->name + "_signed");
    output = input;
    if (!output)
      return failure();
  }
  builder.create<commonir::ScanOp>(here, TypeRange(), input, output, kind,
                                   uint64_t(*dim), *reverse);
  return success(!flips || flipSigns(output, type, "", result));
}

LogicalResult Importer::importTranspose(TirNode call) {
  TILEKILN_ARGS(call, 2u)
  FailureOr<Region> source = importRegion(args[0]);
  FailureOr<Region> dest =
      failed(source) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  if (failed(dest) || failed(onChip(*source, "T.transpose's source")) ||
      failed(onChip(*dest, "T.transpose's result")))
    return failure();
  Value input = tileOfRank(*source, 2, "T.transpose's source");
  Value output = input ? tileOfRank(*dest, 2, "T.transpose's result") : Value();
  if (!output)
    return failure();
  builder.create<commonir::TransposeOp>(here, TypeRange(), input, output);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

static bool ordersUnsigned(commonir::AtomicKind kind, const DType &type) {
  return kind != commonir::AtomicKind::Add && type.isUnsigned;
}

LogicalResult Importer::importAtomic(TirNode call, commonir::AtomicKind kind) {
  TILEKILN_ARGS(call, 2u)
  FailureOr<Region> dest = importRegion(args[1]);
  if (failed(dest))
    return failure();
  const DType to = dest->buffer->dtype;
  if (failed(notFloat8(*dest->buffer, "an atomic update of")))
    return failure();
  if (!dest->buffer->isGlobal)
    return fail() << "an atomic update of the on-chip buffer '" << dest->buffer->name
                  << "' by a whole tile is not supported; add to it in T.Parallel";
  if (ordersUnsigned(kind, to))
    return fail() << "an atomic maximum or minimum on the unsigned elements of '"
                  << dest->buffer->name << "' is not supported; use a signed type";
  bool isTile = args[0].is("Call") && callee(args[0]) == "region";
  isTile |= args[0].is("BufferRegion");
  auto isOne = [](const Region &region) {
    return llvm::all_of(region.sizes,
                        [](OpFoldResult size) { return isConstantIntValue(size, 1); });
  };
  bool isElement = isOne(*dest) && (!isTile || insideElementwise);
  if (insideElementwise && !isElement)
    return refuseInsideParallel(call);
  if (isElement) {
    // 0.1.7 gives the value as a region of one element.
    FailureOr<Region> source = Region();
    std::optional<DType> from;
    Value value;
    if (isTile) {
      source = importRegion(args[0]);
      if (failed(source))
        return failure();
      if (!isOne(*source))
        return refuseInsideParallel(call);
      from = source->buffer->dtype;
      SmallVector<Value> place = llvm::map_to_vector(
          source->offsets, [&](OpFoldResult offset) { return valueOf(offset); });
      value = fromMemory(
          builder.create<memref::LoadOp>(here, source->buffer->memref, place), *from);
    } else {
      from = dtype(args[0].text("dtype"));
      value = from ? importValue(args[0]) : Value();
      if (!value)
        return failure();
    }
    SmallVector<Value> indices = llvm::map_to_vector(
        dest->offsets, [&](OpFoldResult offset) { return valueOf(offset); });
    builder.create<commonir::AtomicElementOp>(
        here, kind, toMemory(convert(value, *from, to), to), dest->buffer->memref, indices);
    return success();
  }
  if (!isTile) {
    std::optional<DType> from = dtype(args[0].text("dtype"));
    Value value = from ? importValue(args[0]) : Value();
    // One value for the whole window.
    Value filled = value ? temporary(*dest, to, "an atomic update") : Value();
    if (!filled)
      return failure();
    builder.create<commonir::FillOp>(here, TypeRange(), toMemory(convert(value, *from, to), to),
                                     filled);
    builder.create<commonir::AtomicOp>(here, filled, tile(*dest), kind);
    return success();
  }
  FailureOr<Region> source = importRegion(args[0]);
  if (failed(source))
    return failure();
  SmallVector<int64_t> keepSource, keepDest;
  if (failed(align(*source, *dest, keepSource, keepDest, "an atomic update")))
    return failure();
  const DType from = source->buffer->dtype;
  Value read = tile(*source, keepSource);
  if (!read)
    return failure();
  auto through = [&](const DType &type) -> LogicalResult {
    Value buffer = temporary(reduced(*source, keepSource), type, "an atomic update");
    if (!buffer)
      return failure();
    DType held = read.getDefiningOp<commonir::WindowOp>() ? type : from;
    if (failed(moveTile(read, held, buffer, type)))
      return failure();
    read = buffer;
    return success();
  };
  if (source->buffer->isGlobal && failed(through(from)))
    return failure();
  if (!(from == to) && failed(through(to)))
    return failure();
  builder.create<commonir::AtomicOp>(here, read, tile(*dest, keepDest), kind);
  return success();
}

LogicalResult Importer::importAtomicElement(TirNode call, commonir::AtomicKind kind) {
  TILEKILN_ARGS(call, 2u)
  TirNode pointer = args[0];
  TirList inner = pointer.is("Call") ? pointer.list("args") : TirList();
  if (inner.empty() || !inner[0].is("BufferLoad"))
    return fail() << "an atomic update needs one element of a tensor, as in "
                     "T.atomic_add(C[i, j], value)";
  TirNode element = inner[0];
  BufferInfo *found = lookUp(element["buffer"]);
  if (!found)
    return failure();
  BufferInfo info = *found;
  if (failed(notFloat8(info, "an atomic update of")))
    return failure();
  if (!info.isGlobal && !ordersUnsigned(kind, info.dtype))
    return importUpdate(element, args[1],
                        kind == commonir::AtomicKind::Add   ? commonir::ReduceKind::Sum
                        : kind == commonir::AtomicKind::Max ? commonir::ReduceKind::Max
                                                            : commonir::ReduceKind::Min);
  if (ordersUnsigned(kind, info.dtype))
    return fail() << "an atomic maximum or minimum on the unsigned elements of '" << info.name
                  << "' is not supported; use a signed type";
  TirList nodes = element.list("indices");
  if (nodes.size() != info.shape.size())
    return fail() << "malformed TIR: '" << info.name << "' has " << info.shape.size()
                  << " dimensions and is updated with " << nodes.size() << " indices";
  FailureOr<SmallVector<Value>> indices = importIndices(nodes, info.shape);
  std::optional<DType> from = failed(indices) ? std::nullopt : dtype(args[1].text("dtype"));
  Value value = from ? importValue(args[1]) : Value();
  if (!value)
    return failure();
  value = toMemory(convert(value, *from, info.dtype), info.dtype);
  builder.create<commonir::AtomicElementOp>(here, kind, value, info.memref, *indices);
  return success();
}
