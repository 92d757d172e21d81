//===- Scalars.cpp - arith, math and affine -------------------------------===//
//
// Most ops are one instruction: a table says which. Affine maps become the
// arithmetic that they stand for.
//
//===----------------------------------------------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

namespace {
struct Rule {
  Opcode opcode;
  uint8_t sub = 0;
  Rule(Opcode opcode) : opcode(opcode) {}
  Rule(MathFunction function) : opcode(Opcode::Math), sub(uint8_t(function)) {}
};

const llvm::StringMap<Rule> &getRules() {
  using M = MathFunction;
  static const llvm::StringMap<Rule> rules = {
      {"arith.addi", Opcode::Add},
      {"arith.subi", Opcode::Sub},
      {"arith.muli", Opcode::Mul},
      {"arith.divsi", Opcode::DivS},
      {"arith.divui", Opcode::DivU},
      {"arith.remsi", Opcode::RemS},
      {"arith.remui", Opcode::RemU},
      {"arith.floordivsi", Opcode::FloorDivS},
      {"arith.ceildivsi", Opcode::CeilDivS},
      {"arith.ceildivui", Opcode::CeilDivU},
      {"arith.minsi", Opcode::MinS},
      {"arith.maxsi", Opcode::MaxS},
      {"arith.minui", Opcode::MinU},
      {"arith.maxui", Opcode::MaxU},
      {"arith.andi", Opcode::And},
      {"arith.ori", Opcode::Or},
      {"arith.xori", Opcode::Xor},
      {"arith.shli", Opcode::Shl},
      {"arith.shrsi", Opcode::ShrS},
      {"arith.shrui", Opcode::ShrU},
      {"arith.extsi", Opcode::ExtS},
      {"arith.extui", Opcode::ExtU},
      {"arith.trunci", Opcode::Trunc},
      {"arith.sitofp", Opcode::SIToFP},
      {"arith.uitofp", Opcode::UIToFP},
      {"arith.fptosi", Opcode::FPToSI},
      {"arith.fptoui", Opcode::FPToUI},
      {"arith.extf", Opcode::FPCast},
      {"arith.truncf", Opcode::FPCast},
      {"arith.bitcast", Opcode::Bitcast},
      {"arith.addf", Opcode::FAdd},
      {"arith.subf", Opcode::FSub},
      {"arith.mulf", Opcode::FMul},
      {"arith.divf", Opcode::FDiv},
      {"arith.remf", Opcode::FRem},
      {"arith.negf", Opcode::FNeg},
      {"arith.maximumf", Opcode::FMaximum},
      {"arith.minimumf", Opcode::FMinimum},
      {"arith.maxnumf", Opcode::FMaxNum},
      {"arith.minnumf", Opcode::FMinNum},
      {"math.absf", M::Abs},
      {"math.absi", M::AbsInt},
      {"math.exp", M::Exp},
      {"math.exp2", M::Exp2},
      {"math.log", M::Log},
      {"math.log2", M::Log2},
      {"math.sqrt", M::Sqrt},
      {"math.rsqrt", M::Rsqrt},
      {"math.sin", M::Sin},
      {"math.cos", M::Cos},
      {"math.tanh", M::Tanh},
      {"math.erf", M::Erf},
      {"math.floor", M::Floor},
      {"math.ceil", M::Ceil},
      {"math.round", M::Round},
      {"math.roundeven", M::RoundEven},
      {"math.trunc", M::Trunc},
      {"math.powf", M::Pow},
      {"math.fma", M::Fma},
  };
  return rules;
}

static_assert(unsigned(arith::CmpFPredicate::AlwaysTrue) ==
                  unsigned(FloatPredicate::True),
              "both enumerations have one order");

IntPredicate getPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return IntPredicate::EQ;
  case arith::CmpIPredicate::ne:
    return IntPredicate::NE;
  case arith::CmpIPredicate::slt:
    return IntPredicate::SLT;
  case arith::CmpIPredicate::sle:
    return IntPredicate::SLE;
  case arith::CmpIPredicate::sgt:
    return IntPredicate::SGT;
  case arith::CmpIPredicate::sge:
    return IntPredicate::SGE;
  case arith::CmpIPredicate::ult:
    return IntPredicate::ULT;
  case arith::CmpIPredicate::ule:
    return IntPredicate::ULE;
  case arith::CmpIPredicate::ugt:
    return IntPredicate::UGT;
  case arith::CmpIPredicate::uge:
    return IntPredicate::UGE;
  }
  llvm_unreachable("all predicates are named");
}

} // namespace

llvm::Error FunctionDecoder::decodeSelect(arith::SelectOp op) {
  Register condition = get(op.getCondition()), whenTrue = get(op.getTrueValue()),
           whenFalse = get(op.getFalseValue());
  ElementType type;
  if (llvm::Error error = readType(op, op.getType(), type))
    return error;
  if (!isa<BaseMemRefType>(op.getType())) {
    define(op, pure(Opcode::Select, type, condition, whenTrue, whenFalse));
    return llvm::Error::success();
  }
  Instruction instruction;
  instruction.opcode = Opcode::BufferSelect;
  instruction.dst = builder.newBuffer();
  instruction.a = condition;
  instruction.b = whenTrue;
  instruction.c = whenFalse;
  define(op, builder.emit(instruction).dst);
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeScalar(Operation *op) {
  if (isa<arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return decodeExtended(op);
  Instruction instruction;
  if (llvm::Error error = readType(op, op->getResult(0).getType(), instruction.type))
    return error;
  if (llvm::Error error = readType(op, op->getOperand(0).getType(), instruction.from))
    return error;
  Register *operands[] = {&instruction.a, &instruction.b, &instruction.c};
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    *operands[i] = get(operand);

  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    instruction.opcode = Opcode::CmpI;
    instruction.type = instruction.from;
    instruction.sub = uint8_t(getPredicate(compare.getPredicate()));
  } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    instruction.opcode = Opcode::CmpF;
    instruction.type = instruction.from;
    instruction.sub = uint8_t(compare.getPredicate());
  } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bool widens = getBits(instruction.type) > getBits(instruction.from);
    instruction.opcode = !widens                    ? Opcode::Trunc
                         : isa<arith::IndexCastOp>(op) ? Opcode::ExtS
                                                       : Opcode::ExtU;
  } else {
    auto truncation = dyn_cast<arith::TruncFOp>(op);
    if (truncation && truncation.getRoundingmode().value_or(
                          arith::RoundingMode::to_nearest_even) !=
                          arith::RoundingMode::to_nearest_even)
      return errorAt(op, "the simulator's scalar unit rounds to nearest even only");
    auto rule = getRules().find(op->getName().getStringRef());
    if (rule == getRules().end())
      return unknown(op);
    instruction.opcode = rule->second.opcode;
    instruction.sub = rule->second.sub;
    // Registers hold an i1 as 0 or 1, but as a signed number 1 is -1.
    if (instruction.type == ElementType::I1 && isa<arith::MinSIOp, arith::MaxSIOp>(op))
      instruction.opcode =
          instruction.opcode == Opcode::MinS ? Opcode::MaxS : Opcode::MinS;
  }
  define(op->getResult(0), pure(instruction));
  return llvm::Error::success();
}

/// Two results: the sum and its carry, or the low and the high half of a product.
llvm::Error FunctionDecoder::decodeExtended(Operation *op) {
  ElementType type;
  if (llvm::Error error = readType(op, op->getOperand(0).getType(), type))
    return error;
  Register a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (isa<arith::AddUIExtendedOp>(op)) {
    Register sum = pure(Opcode::Add, type, a, b);
    define(op->getResult(0), sum);
    define(op->getResult(1), pure(Opcode::CmpI, type, sum, a, noRegister,
                                  uint8_t(IntPredicate::ULT)));
    return llvm::Error::success();
  }
  if (getBits(type) > 32)
    return errorAt(op, "the simulator's scalar unit has no product of 128 bits");
  auto convert = [&](Opcode opcode, ElementType from, ElementType to, Register reg) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.from = from;
    instruction.type = to;
    instruction.a = reg;
    return pure(instruction);
  };
  if (isa<arith::MulUIExtendedOp>(op)) {
    a = convert(Opcode::ExtU, type, ElementType::I64, a);
    b = convert(Opcode::ExtU, type, ElementType::I64, b);
  }
  Register product = pure(Opcode::Mul, ElementType::I64, a, b);
  Register high =
      pure(Opcode::ShrS, ElementType::I64, product, integer(getBits(type)));
  define(op->getResult(0), convert(Opcode::Trunc, ElementType::I64, type, product));
  define(op->getResult(1), convert(Opcode::Trunc, ElementType::I64, type, high));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// The expression whose negative this is: affine writes a - b as a + b * -1.
static AffineExpr getNegated(AffineExpr expr) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return {};
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  return factor && factor.getValue() == -1 ? product.getLHS() : AffineExpr();
}

Register FunctionDecoder::decodeExpr(AffineExpr expr, ArrayRef<Register> dims,
                                     ArrayRef<Register> symbols) {
  auto decode = [&](AffineExpr part) { return decodeExpr(part, dims, symbols); };
  auto binary = [&](Opcode opcode) {
    auto both = cast<AffineBinaryOpExpr>(expr);
    Register left = decode(both.getLHS());
    return pure(opcode, ElementType::I64, left, decode(both.getRHS()));
  };
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return integer(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  case AffineExprKind::Add: {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    if (AffineExpr subtrahend = getNegated(sum.getRHS())) {
      Register left = decode(sum.getLHS());
      return pure(Opcode::Sub, ElementType::I64, left, decode(subtrahend));
    }
    return binary(Opcode::Add);
  }
  case AffineExprKind::Mul:
    return binary(Opcode::Mul);
  case AffineExprKind::Mod:
    return binary(Opcode::Mod);
  case AffineExprKind::FloorDiv:
    return binary(Opcode::FloorDivS);
  case AffineExprKind::CeilDiv:
    return binary(Opcode::CeilDivS);
  }
  llvm_unreachable("all kinds of expressions are named");
}

std::vector<Register> FunctionDecoder::decodeMap(AffineMap map, ValueRange operands) {
  std::vector<Register> inputs = get(operands);
  ArrayRef<Register> all = inputs;
  std::vector<Register> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(decodeExpr(expr, all.take_front(map.getNumDims()),
                                 all.drop_front(map.getNumDims())));
  return results;
}

llvm::Error FunctionDecoder::decodeAffine(Operation *op) {
  auto reduce = [&](Opcode opcode, AffineMap map) {
    std::vector<Register> results = decodeMap(map, op->getOperands());
    Register best = results.front();
    for (Register other : ArrayRef<Register>(results).drop_front())
      best = pure(opcode, ElementType::I64, best, other);
    define(op->getResult(0), best);
    return llvm::Error::success();
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    define(apply, decodeMap(apply.getAffineMap(), apply.getMapOperands()).front());
    return llvm::Error::success();
  }
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return reduce(Opcode::MinS, least.getAffineMap());
  if (auto greatest = dyn_cast<affine::AffineMaxOp>(op))
    return reduce(Opcode::MaxS, greatest.getAffineMap());
  auto delinearize = dyn_cast<affine::AffineDelinearizeIndexOp>(op);
  if (!delinearize)
    return unknown(op);
  Register rest = get(delinearize.getLinearIndex());
  for (unsigned i = op->getNumResults() - 1; i > 0; --i) {
    Register extent = get(delinearize.getBasis()[i]);
    define(op->getResult(i), pure(Opcode::Mod, ElementType::I64, rest, extent));
    rest = pure(Opcode::FloorDivS, ElementType::I64, rest, extent);
  }
  define(op->getResult(0), rest);
  return llvm::Error::success();
}
