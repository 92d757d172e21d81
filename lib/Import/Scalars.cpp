//===- Scalars.cpp - Values: constants, arithmetic, casts, choices --------===//
//
// Arithmetic keeps the dtype's width and sign. A load guarded by a condition
// stays guarded unless its indices are known to be in range.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln;

//===----------------------------------------------------------------------===//
// Constants and names
//===----------------------------------------------------------------------===//

Value Importer::integerConstant(int64_t value, const DType &type) {
  unsigned bits = type.scalar.getIntOrFloatBitWidth();
  return constant(builder.getIntegerAttr(
      type.scalar, APInt(64, uint64_t(value)).trunc(bits)));
}

Value Importer::realConstant(double value, const DType &type) {
  if (type.isFloat8())
    value = roundToFloat8(value, type.float8);
  APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type.scalar).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return constant(builder.getFloatAttr(type.scalar, number));
}

Value Importer::importVariable(TirNode node) {
  StringRef name = node.text("name");
  auto found = bindings.find(node.id());
  if (found == bindings.end()) {
    fail() << "'" << name << "' is used before it has a value";
    return nullptr;
  }
  const Binding binding = found->second;
  if (binding.kind == Binding::Kind::Thread) {
    fail() << "the thread index '" << name
           << "' has no meaning here, where all threads work together; use it in "
              "statements of a thread alone, or use T.Parallel";
    return nullptr;
  }
  if (binding.kind == Binding::Kind::Later)
    return importValue(binding.expression);
  std::optional<DType> type = dtype(node.text("dtype"));
  if (!type)
    return nullptr;
  if (binding.kind == Binding::Kind::PerThread) {
    FailureOr<SmallVector<Value>> place = perThreadPlace({}, name);
    if (failed(place))
      return nullptr;
    return fromMemory(builder.create<memref::LoadOp>(here, binding.value, *place), *type);
  }
  if (!binding.value.getType().isIndex()) {
    if (binding.value.getType() == type->scalar)
      return binding.value;
    fail() << "malformed TIR: '" << name << "' is declared " << node.text("dtype")
           << " but bound to a " << binding.value.getType();
    return nullptr;
  }
  if (!type->isInteger()) {
    fail() << "malformed TIR: the index '" << name << "' is declared "
           << node.text("dtype");
    return nullptr;
  }
  return fold<arith::IndexCastOp>(type->scalar, binding.value);
}

//===----------------------------------------------------------------------===//
// Casts and memory
//===----------------------------------------------------------------------===//

static Value convertFloat(OpBuilder &builder, Location loc, Value value, FloatType to) {
  auto from = cast<FloatType>(value.getType());
  if (from.getWidth() < to.getWidth())
    return builder.createOrFold<arith::ExtFOp>(loc, to, value);
  if (from.getWidth() > to.getWidth())
    return builder.createOrFold<arith::TruncFOp>(loc, to, value);
  // Equal widths (f16 and bf16) meet in f32.
  Value wide = builder.createOrFold<arith::ExtFOp>(loc, builder.getF32Type(), value);
  return builder.createOrFold<arith::TruncFOp>(loc, to, wide);
}

Value Importer::convert(Value value, const DType &from, const DType &to) {
  if (from == to && from.isBool == to.isBool)
    return value;
  if (from.isFloat8())
    return convert(value, *parseDType("float32", context), to);
  if (to.isFloat8()) {
    DType wide = *parseDType("float32", context);
    Value number = convert(value, from, wide);
    FloatAttr known;
    if (matchPattern(number, m_Constant(&known)))
      return realConstant(known.getValueAsDouble(), to);
    return decodeFloat8(encodeFloat8(number, to.float8), to.float8);
  }
  if (to.isBool) {
    if (from.isFloat())
      return fold<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, realConstant(0, from));
    return fold<arith::CmpIOp>(arith::CmpIPredicate::ne, value, integerConstant(0, from));
  }
  if (from.isFloat() && to.isFloat()) {
    FloatAttr known;
    if (matchPattern(value, m_Constant(&known))) {
      APFloat number = known.getValue();
      bool losesInfo = false;
      number.convert(cast<FloatType>(to.scalar).getFloatSemantics(),
                     APFloat::rmNearestTiesToEven, &losesInfo);
      return constant(builder.getFloatAttr(to.scalar, number));
    }
    return convertFloat(builder, here, value, cast<FloatType>(to.scalar));
  }
  if (to.isFloat())
    return from.isSigned() ? fold<arith::SIToFPOp>(to.scalar, value)
                           : fold<arith::UIToFPOp>(to.scalar, value);
  if (from.isFloat())
    return to.isUnsigned ? fold<arith::FPToUIOp>(to.scalar, value)
                         : fold<arith::FPToSIOp>(to.scalar, value);
  unsigned fromBits = from.scalar.getIntOrFloatBitWidth();
  unsigned toBits = to.scalar.getIntOrFloatBitWidth();
  if (fromBits == toBits)
    return value;
  if (fromBits > toBits)
    return fold<arith::TruncIOp>(to.scalar, value);
  return from.isSigned() ? fold<arith::ExtSIOp>(to.scalar, value)
                         : fold<arith::ExtUIOp>(to.scalar, value);
}

Value Importer::toMemory(Value value, const DType &type) {
  if (type.isFloat8())
    return encodeFloat8(value, type.float8);
  return type.isBool ? fold<arith::ExtUIOp>(type.memory, value) : value;
}

Value Importer::fromMemory(Value value, const DType &type) {
  if (type.isFloat8())
    return decodeFloat8(value, type.float8);
  if (!type.isBool)
    return value;
  Value zero = constant(builder.getIntegerAttr(type.memory, 0));
  return fold<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

Value Importer::loadElement(TirNode load) {
  BufferInfo *info = lookUp(load["buffer"]);
  if (!info)
    return nullptr;
  TirList nodes = load.list("indices");
  if (nodes.size() != info->shape.size()) {
    fail() << "malformed TIR: '" << info->name << "' has " << info->shape.size()
           << " dimensions and is read with " << nodes.size() << " indices";
    return nullptr;
  }
  if (!load["predicate"].isNone()) {
    fail() << "a predicated load of '" << info->name
           << "' is not supported; guard it with T.if_then_else";
    return nullptr;
  }
  const BufferInfo buffer = *info;
  FailureOr<SmallVector<Value>> indices = importIndices(nodes, buffer.shape);
  if (succeeded(indices) && buffer.isPerThread)
    indices = perThreadPlace(*indices, buffer.name);
  if (failed(indices))
    return nullptr;
  return fromMemory(builder.create<memref::LoadOp>(here, buffer.memref, *indices),
                    buffer.dtype);
}

//===----------------------------------------------------------------------===//
// Arithmetic, comparisons, logic
//===----------------------------------------------------------------------===//

Value Importer::binary(StringRef name, Value a, Value b, const DType &type) {
  if (type.isFloat()) {
    if (name == "Add") return fold<arith::AddFOp>(a, b);
    if (name == "Sub") return fold<arith::SubFOp>(a, b);
    if (name == "Mul") return fold<arith::MulFOp>(a, b);
    if (name == "Div") return fold<arith::DivFOp>(a, b);
    if (name == "Mod") return fold<arith::RemFOp>(a, b);
    // A NaN on either side wins, as in the language.
    if (name == "Min") return fold<arith::MinimumFOp>(a, b);
    if (name == "Max") return fold<arith::MaximumFOp>(a, b);
    Value quotient = fold<math::FloorOp>(fold<arith::DivFOp>(a, b));
    if (name == "FloorDiv")
      return quotient;
    return fold<arith::SubFOp>(a, fold<arith::MulFOp>(quotient, b));
  }
  if (name == "Add") return fold<arith::AddIOp>(a, b);
  if (name == "Sub") return fold<arith::SubIOp>(a, b);
  if (name == "Mul") return fold<arith::MulIOp>(a, b);
  if (type.isUnsigned) {
    if (name == "Min") return fold<arith::MinUIOp>(a, b);
    if (name == "Max") return fold<arith::MaxUIOp>(a, b);
    if (name == "Div" || name == "FloorDiv") return fold<arith::DivUIOp>(a, b);
    return fold<arith::RemUIOp>(a, b);
  }
  if (name == "Min") return fold<arith::MinSIOp>(a, b);
  if (name == "Max") return fold<arith::MaxSIOp>(a, b);
  if (name == "Div") return fold<arith::DivSIOp>(a, b);
  if (name == "FloorDiv") return fold<arith::FloorDivSIOp>(a, b);
  Value rest = fold<arith::RemSIOp>(a, b);
  if (name == "Mod")
    return rest;
  // FloorMod: the remainder takes the divisor's sign.
  Value zero = constant(builder.getIntegerAttr(a.getType(), 0));
  Value wrong;
  APInt divisor;
  if (matchPattern(b, m_ConstantInt(&divisor)) && divisor.isStrictlyPositive()) {
    wrong = fold<arith::CmpIOp>(arith::CmpIPredicate::slt, rest, zero);
  } else {
    Value signs = fold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                      fold<arith::XOrIOp>(rest, b), zero);
    Value inexact = fold<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, zero);
    wrong = fold<arith::AndIOp>(signs, inexact);
  }
  return fold<arith::SelectOp>(wrong, fold<arith::AddIOp>(rest, b), rest);
}

Value Importer::importBinary(TirNode node) {
  std::optional<DType> type = dtype(node.text("dtype"));
  // Parts of an index stay recognisable as such.
  bool hasVariable = false;
  bool divides = node.is("FloorDiv") || node.is("FloorMod");
  if (type && divides && node["b"].constant().value_or(0) > 0 &&
      isIndexLike(node, hasVariable) && hasVariable) {
    Value index = importIndex(node);
    return index ? fold<arith::IndexCastOp>(type->scalar, index) : Value();
  }
  Value a = type ? importValue(node["a"]) : Value();
  Value b = a ? importValue(node["b"]) : Value();
  if (!b)
    return nullptr;
  if (a.getType() != type->scalar || b.getType() != type->scalar) {
    fail() << "malformed TIR: " << node.spelledType() << " of type "
           << node.text("dtype") << " combines a " << a.getType() << " and a "
           << b.getType();
    return nullptr;
  }
  Value value = binary(node.type(), a, b, *type);
  if (value && type->isFloat8())
    return convert(value, *parseDType("float32", context), *type);
  return value;
}

Value Importer::compare(TirNode node) {
  struct Row {
    StringLiteral name;
    arith::CmpFPredicate real;
    arith::CmpIPredicate isSigned, isUnsigned;
  };
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr Row rows[] = {
      {"EQ", F::OEQ, I::eq, I::eq},   {"NE", F::UNE, I::ne, I::ne},
      {"LT", F::OLT, I::slt, I::ult}, {"LE", F::OLE, I::sle, I::ule},
      {"GT", F::OGT, I::sgt, I::ugt}, {"GE", F::OGE, I::sge, I::uge}};
  const Row *row = llvm::find_if(rows, [&](const Row &r) { return node.is(r.name); });

  TirNode left = node["a"], right = node["b"];
  // Conditions on addresses stay index-typed, so that bounds can be read off them.
  bool hasVariable = false;
  if (isIndexLike(left, hasVariable) && isIndexLike(right, hasVariable) && hasVariable) {
    Value a = importIndex(left);
    Value b = a ? importIndex(right) : Value();
    return b ? fold<arith::CmpIOp>(row->isSigned, a, b) : Value();
  }
  std::optional<DType> type = dtype(left.text("dtype"));
  Value a = type ? importValue(left) : Value();
  Value b = a ? importValue(right) : Value();
  if (!b)
    return nullptr;
  if (a.getType() != b.getType()) {
    fail() << "malformed TIR: " << node.spelledType() << " compares a "
           << a.getType() << " with a " << b.getType();
    return nullptr;
  }
  if (type->isFloat())
    return fold<arith::CmpFOp>(row->real, a, b);
  return fold<arith::CmpIOp>(type->isSigned() ? row->isSigned : row->isUnsigned, a, b);
}

Value Importer::importCondition(TirNode node) {
  Value value = importValue(node);
  if (value && !value.getType().isInteger(1)) {
    fail() << "a condition must be a bool, this one is a " << value.getType();
    return nullptr;
  }
  return value;
}

/// The right side is guarded by the left one, as the language promises.
Value Importer::importLogic(TirNode node) {
  Value left = importCondition(node["a"]);
  if (!left)
    return nullptr;
  bool isAnd = node.is("And");
  Type i1 = builder.getI1Type();
  auto choice = builder.create<scf::IfOp>(here, TypeRange{i1}, left, true, true);
  Value right;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *guarded = isAnd ? choice.thenBlock() : choice.elseBlock();
    Block *other = isAnd ? choice.elseBlock() : choice.thenBlock();
    builder.setInsertionPointToEnd(other);
    builder.create<scf::YieldOp>(here, trueConstant(!isAnd));
    builder.setInsertionPointToEnd(guarded);
    right = importCondition(node["b"]);
    builder.create<scf::YieldOp>(here, right ? right : trueConstant(false));
  }
  if (!right)
    return nullptr;
  if (!hoist(choice))
    return choice.getResult(0);
  choice.erase();
  return isAnd ? fold<arith::AndIOp>(left, right) : fold<arith::OrIOp>(left, right);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static bool isKnownInRange(memref::LoadOp load) {
  using Bounds = ValueBoundsConstraintSet;
  Builder builder(load.getContext());
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    Bounds::Variable position(index), zero(OpFoldResult(builder.getIndexAttr(0)));
    MemRefType type = load.getMemRefType();
    Bounds::Variable extent =
        type.isDynamicDim(dim)
            ? Bounds::Variable(load.getMemref(), int64_t(dim))
            : Bounds::Variable(OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
    if (!Bounds::compare(position, Bounds::GE, zero) ||
        !Bounds::compare(position, Bounds::LT, extent))
      return false;
  }
  return true;
}

bool Importer::mayAlwaysRun(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isKnownInRange(load);
  // Upstream takes remainders for total; by zero they trap on a CPU.
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op)) {
    APInt divisor;
    return matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) && !divisor.isZero();
  }
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) && isSpeculatable(&op);
}

bool Importer::hoist(scf::IfOp choice) {
  for (Block *side : {choice.thenBlock(), choice.elseBlock()})
    for (Operation &op : side->without_terminator())
      if (!mayAlwaysRun(op))
        return false;
  for (Block *side : {choice.thenBlock(), choice.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator()))
      op.moveBefore(choice);
  return true;
}

Value Importer::choose(Value condition, TirNode whenTrue, TirNode whenFalse,
                       const DType &type) {
  APInt known;
  if (matchPattern(condition, m_ConstantInt(&known)))
    return importValue(known.isZero() ? whenFalse : whenTrue);
  auto choice = builder.create<scf::IfOp>(here, TypeRange{type.scalar}, condition,
                                          true, true);
  Value sides[2];
  const TirNode nodes[] = {whenTrue, whenFalse};
  for (auto [i, node] : llvm::enumerate(nodes)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(i == 0 ? choice.thenBlock() : choice.elseBlock());
    sides[i] = importValue(node);
    if (!sides[i])
      return nullptr;
    if (sides[i].getType() != type.scalar) {
      fail() << "malformed TIR: a choice of type " << type.scalar << " has a "
             << sides[i].getType() << " on one side";
      return nullptr;
    }
    builder.create<scf::YieldOp>(here, sides[i]);
  }
  if (!hoist(choice))
    return choice.getResult(0);
  choice.erase();
  return fold<arith::SelectOp>(condition, sides[0], sides[1]);
}

//===----------------------------------------------------------------------===//
// Any value
//===----------------------------------------------------------------------===//

Value Importer::importValue(TirNode node) {
  Step step(*this);
  if (!step.ok())
    return nullptr;
  if (node.is("Var"))
    return importVariable(node);
  if (node.is("BufferLoad"))
    return loadElement(node);
  if (node.is("Call"))
    return importCall(node);
  for (StringRef name : {"EQ", "NE", "LT", "LE", "GT", "GE"})
    if (node.is(name))
      return compare(node);
  if (node.is("And") || node.is("Or"))
    return importLogic(node);
  for (StringRef name : {"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod",
                         "Min", "Max"})
    if (node.is(name))
      return importBinary(node);
  if (node.is("Not")) {
    Value value = importCondition(node["a"]);
    return value ? fold<arith::XOrIOp>(value, trueConstant(true)) : Value();
  }
  if (node.is("Let")) {
    if (failed(importBind(node["var"], node["value"])))
      return nullptr;
    return importValue(node["body"]);
  }
  bool isKnown = node.is("IntImm") || node.is("FloatImm") || node.is("Cast") ||
                 node.is("Select");
  if (!isKnown) {
    fail() << "'" << node.spelledType()
           << "' is not supported as a value; write the element-wise work with "
              "T.Parallel and plain arithmetic";
    return nullptr;
  }
  std::optional<DType> type = dtype(node.text("dtype"));
  if (!type)
    return nullptr;
  if (node.is("IntImm") && !type->isFloat())
    return integerConstant(node.integer("value"), *type);
  if (node.is("FloatImm") && type->isFloat())
    return realConstant(node.real("value"), *type);
  if (node.is("Cast")) {
    TirNode operand = node["value"];
    std::optional<DType> from = dtype(operand.text("dtype"));
    Value value = from ? importValue(operand) : Value();
    if (!value)
      return nullptr;
    if (value.getType() == from->scalar)
      return convert(value, *from, *type);
  }
  if (node.is("Select")) {
    Value condition = importCondition(node["condition"]);
    return condition ? choose(condition, node["true_value"], node["false_value"], *type)
                     : Value();
  }
  fail() << "malformed TIR: a " << node.spelledType() << " of type " << node.text("dtype");
  return nullptr;
}
