//===- Scalars.cpp - arith, math and affine -------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilekiln::sim {

namespace {
struct Entry {
  Opcode opcode;
  uint8_t sub = 0;
};
} // namespace

/// Ops of one result whose operands are all scalars of one type.
static const llvm::StringMap<Entry> &simpleOps() {
  using M = MathFunction;
  auto math = [](M function) { return Entry{Opcode::Math, uint8_t(function)}; };
  static const llvm::StringMap<Entry> table = {
      {"arith.addi", {Opcode::Add}},
      {"arith.subi", {Opcode::Sub}},
      {"arith.muli", {Opcode::Mul}},
      {"arith.divsi", {Opcode::DivS}},
      {"arith.divui", {Opcode::DivU}},
      {"arith.remsi", {Opcode::RemS}},
      {"arith.remui", {Opcode::RemU}},
      {"arith.floordivsi", {Opcode::FloorDivS}},
      {"arith.ceildivsi", {Opcode::CeilDivS}},
      {"arith.ceildivui", {Opcode::CeilDivU}},
      {"arith.minsi", {Opcode::MinS}},
      {"arith.maxsi", {Opcode::MaxS}},
      {"arith.minui", {Opcode::MinU}},
      {"arith.maxui", {Opcode::MaxU}},
      {"arith.andi", {Opcode::And}},
      {"arith.ori", {Opcode::Or}},
      {"arith.xori", {Opcode::Xor}},
      {"arith.shli", {Opcode::Shl}},
      {"arith.shrsi", {Opcode::ShrS}},
      {"arith.shrui", {Opcode::ShrU}},
      {"arith.addf", {Opcode::FAdd}},
      {"arith.subf", {Opcode::FSub}},
      {"arith.mulf", {Opcode::FMul}},
      {"arith.divf", {Opcode::FDiv}},
      {"arith.remf", {Opcode::FRem}},
      {"arith.negf", {Opcode::FNeg}},
      {"arith.maximumf", {Opcode::FMaximum}},
      {"arith.minimumf", {Opcode::FMinimum}},
      {"arith.maxnumf", {Opcode::FMaxNum}},
      {"arith.minnumf", {Opcode::FMinNum}},
      {"math.absf", math(M::Abs)},
      {"math.absi", math(M::AbsInt)},
      {"math.exp", math(M::Exp)},
      {"math.exp2", math(M::Exp2)},
      {"math.log", math(M::Log)},
      {"math.log2", math(M::Log2)},
      {"math.sqrt", math(M::Sqrt)},
      {"math.rsqrt", math(M::Rsqrt)},
      {"math.sin", math(M::Sin)},
      {"math.cos", math(M::Cos)},
      {"math.tanh", math(M::Tanh)},
      {"math.erf", math(M::Erf)},
      {"math.floor", math(M::Floor)},
      {"math.ceil", math(M::Ceil)},
      {"math.round", math(M::Round)},
      {"math.roundeven", math(M::RoundEven)},
      {"math.trunc", math(M::Trunc)},
      {"math.powf", math(M::Pow)},
      {"math.fma", math(M::Fma)},
  };
  return table;
}

void FunctionDecoder::decodeConstant(Value result, Attribute value) {
  Register reg;
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    int64_t number = integer.getType().isInteger(1)
                         ? int64_t(integer.getValue().getZExtValue())
                         : integer.getValue().getSExtValue();
    reg = constant(number);
  } else if (auto real = dyn_cast<FloatAttr>(value)) {
    reg = code.realConstant(real.getValueAsDouble());
  } else {
    reg = constant(0);
    problem(result.getDefiningOp(), "a constant that is no number");
  }
  set(result, reg);
}

bool FunctionDecoder::decodeArith(Operation *op) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    decodeConstant(constantOp.getResult(), constantOp.getValue());
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    static constexpr IntPredicate predicates[] = {
        IntPredicate::EQ,  IntPredicate::NE,  IntPredicate::SLT, IntPredicate::SLE,
        IntPredicate::SGT, IntPredicate::SGE, IntPredicate::ULT, IntPredicate::ULE,
        IntPredicate::UGT, IntPredicate::UGE};
    Instruction in;
    in.opcode = Opcode::CmpI;
    in.type = typeOf(compare.getLhs());
    in.sub = uint8_t(predicates[unsigned(compare.getPredicate())]);
    in.a = get(compare.getLhs());
    in.b = get(compare.getRhs());
    in.dst = make(compare.getResult());
    code.emit(in);
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    emit(Opcode::CmpF, compare.getResult(),
         {get(compare.getLhs()), get(compare.getRhs())},
         uint8_t(compare.getPredicate()));
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool buffers = isBuffer(select.getType());
    Register condition = get(select.getCondition());
    Register yes = get(select.getTrueValue()), no = get(select.getFalseValue());
    Instruction in;
    in.opcode = buffers ? Opcode::BufferSelect : Opcode::Select;
    in.a = condition;
    in.b = yes;
    in.c = no;
    in.dst = make(select.getResult());
    code.emit(in);
    return true;
  }
  auto convert = [&](Opcode opcode) {
    Instruction in;
    in.opcode = opcode;
    in.from = typeOf(op->getOperand(0));
    in.type = typeOf(op->getResult(0));
    in.a = get(op->getOperand(0));
    in.dst = make(op->getResult(0));
    code.emit(in);
    return true;
  };
  if (isa<arith::IndexCastOp>(op))
    return convert(typeOf(op->getOperand(0)) == ElementType::I1 ? Opcode::ExtS
                                                                : Opcode::Trunc);
  if (isa<arith::IndexCastUIOp>(op))
    return convert(getBits(typeOf(op->getOperand(0))) <
                           getBits(typeOf(op->getResult(0)))
                       ? Opcode::ExtU
                       : Opcode::Trunc);
  if (isa<arith::ExtSIOp>(op))
    return convert(Opcode::ExtS);
  if (isa<arith::ExtUIOp>(op))
    return convert(Opcode::ExtU);
  if (isa<arith::TruncIOp>(op))
    return convert(Opcode::Trunc);
  if (isa<arith::SIToFPOp>(op))
    return convert(Opcode::SIToFP);
  if (isa<arith::UIToFPOp>(op))
    return convert(Opcode::UIToFP);
  if (isa<arith::FPToSIOp>(op))
    return convert(Opcode::FPToSI);
  if (isa<arith::FPToUIOp>(op))
    return convert(Opcode::FPToUI);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convert(Opcode::FPCast);
  if (isa<arith::BitcastOp>(op))
    return convert(Opcode::Bitcast);
  return false;
}

bool FunctionDecoder::decodeMath(Operation *op) {
  auto found = simpleOps().find(op->getName().getStringRef());
  if (found == simpleOps().end() || op->getNumResults() != 1 ||
      isa<ShapedType>(op->getResult(0).getType()))
    return false;
  SmallVector<Register> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  emit(found->second.opcode, op->getResult(0), operands, found->second.sub);
  return true;
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

Register FunctionDecoder::decodeExpr(AffineExpr expr, ValueRange operands,
                                     unsigned dims) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return get(operands[cast<AffineDimExpr>(expr).getPosition()]);
  case AffineExprKind::SymbolId:
    return get(operands[dims + cast<AffineSymbolExpr>(expr).getPosition()]);
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Register left = decodeExpr(binary.getLHS(), operands, dims);
  Register right = decodeExpr(binary.getRHS(), operands, dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return code.binary(Opcode::Add, left, right);
  case AffineExprKind::Mul:
    return code.binary(Opcode::Mul, left, right);
  case AffineExprKind::FloorDiv:
    return code.binary(Opcode::FloorDivS, left, right);
  case AffineExprKind::CeilDiv:
    return code.binary(Opcode::CeilDivS, left, right);
  default:
    return code.binary(Opcode::Mod, left, right);
  }
}

bool FunctionDecoder::decodeAffine(Operation *op) {
  AffineMap map;
  Opcode join = Opcode::Add;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    map = apply.getAffineMap();
  } else if (auto least = dyn_cast<affine::AffineMinOp>(op)) {
    map = least.getAffineMap();
    join = Opcode::MinS;
  } else if (auto most = dyn_cast<affine::AffineMaxOp>(op)) {
    map = most.getAffineMap();
    join = Opcode::MaxS;
  } else {
    return false;
  }
  Register result = noRegister;
  for (AffineExpr expr : map.getResults()) {
    Register value = decodeExpr(expr, op->getOperands(), map.getNumDims());
    result = result == noRegister ? value : code.binary(join, result, value);
  }
  set(op->getResult(0), result);
  return true;
}

} // namespace tilekiln::sim
