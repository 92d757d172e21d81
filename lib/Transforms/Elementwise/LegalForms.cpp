//===- LegalForms.cpp - Scalar ops as ops on tiles ------------------------===//
#include "LegalForms.h"
#include "Division.h"
#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;

namespace {
/// Builds the forms of one op.
class FormBuilder {
public:
  FormBuilder(TileEmitter &emitter, Operation *op, DimMask dims, Value guard,
              ArrayRef<Value> operands)
      : emitter(emitter), builder(emitter.getBuilder()), op(op), dims(dims),
        guard(guard), operands(operands) {}

  llvm::Expected<Value> build();

private:
  template <typename OpTy, typename... Args>
  Value create(Args &&...args) {
    return builder.create<OpTy>(op->getLoc(), std::forward<Args>(args)...);
  }
  Value number(Value like, int64_t value) {
    return buildConstant(builder, op->getLoc(), elementOf(like), value,
                         shapeOf(like));
  }
  Value cast(StringRef name, Value tile, Type element) {
    OperationState state(op->getLoc(), name);
    state.addOperands(tile);
    state.addTypes(emitter.typeOver(dims, element));
    return builder.create(state)->getResult(0);
  }
  unsigned width() { return elementOf(operands[0]).getIntOrFloatBitWidth(); }
  Type resultElement() { return op->getResult(0).getType(); }

  Value buildSame();
  llvm::Expected<Value> buildIndexCast();
  llvm::Expected<Value> buildShift();
  Value shiftBy(Value tile, int64_t amount);
  llvm::Expected<Value> buildDivision();
  Value buildNarrowDivision(bool isUnsigned);
  llvm::Expected<Value> divideByPower(int64_t divisor);
  Value safeDivisor(Value divisor);

  TileEmitter &emitter;
  OpBuilder &builder;
  Operation *op;
  DimMask dims;
  Value guard;
  ArrayRef<Value> operands;
};
} // namespace

/// The op itself on the tiles, attributes kept.
Value FormBuilder::buildSame() {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(emitter.typeOver(dims, resultElement()));
  return clone->getResult(0);
}

/// Indices are i32 in tiles.
llvm::Expected<Value> FormBuilder::buildIndexCast() {
  unsigned from = width();
  Type to = emitter.typeOver(dims, resultElement()).getElementType();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (from == toWidth)
    return operands[0];
  if (from > toWidth)
    return cast("arith.trunci", operands[0], to);
  return cast(isa<arith::IndexCastUIOp>(op) ? "arith.extui" : "arith.extsi", operands[0], to);
}

/// By a constant.
Value FormBuilder::shiftBy(Value tile, int64_t amount) {
  Value by = number(tile, amount);
  if (isa<arith::ShLIOp>(op))
    return create<arith::ShLIOp>(tile, by);
  if (isa<arith::ShRSIOp>(op) || amount == 0)
    return create<arith::ShRSIOp>(tile, by);
  if (width() == 8)
    return create<arith::ShRUIOp>(tile, by);
  Value shifted = create<arith::ShRSIOp>(tile, by);
  APInt kept = APInt::getLowBitsSet(width(), width() - amount);
  return create<arith::AndIOp>(shifted, number(tile, kept.getSExtValue()));
}

/// By a tile: one step for each bit that the amount may have.
llvm::Expected<Value> FormBuilder::buildShift() {
  APInt constant;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return shiftBy(operands[0], constant.getSExtValue());
  int64_t steps = llvm::Log2_64_Ceil(width()), first = 0;
  IndexAnalysis &analysis = emitter.getAnalysis();
  if (AffineExpr amount = analysis.affineOf(op->getOperand(1))) {
    int64_t divisor = amount.getLargestKnownDivisor();
    if (divisor > 0 && llvm::isPowerOf2_64(divisor))
      first = std::min<int64_t>(llvm::Log2_64(divisor), steps);
    SmallVector<std::optional<int64_t>> lowest, highest;
    for (int64_t extent : analysis.getExtents()) {
      lowest.push_back(0);
      highest.push_back(extent - 1);
    }
    size_t symbols = analysis.getSymbols().size();
    lowest.append(symbols, std::nullopt);
    highest.append(symbols, std::nullopt);
    std::optional<int64_t> most =
        getBoundForAffineExpr(amount, analysis.getExtents().size(), symbols, lowest,
                              highest, /*isUpper=*/true);
    if (most && *most >= 0)
      steps = std::min<int64_t>(steps, llvm::Log2_64_Ceil(uint64_t(*most) + 1));
  }
  Value result = operands[0];
  for (int64_t bit = first; bit < steps; ++bit) {
    int64_t amount = int64_t(1) << bit;
    Value set = create<arith::AndIOp>(operands[1], number(operands[1], amount));
    Value taken = create<arith::CmpIOp>(arith::CmpIPredicate::ne, set,
                                        number(operands[1], 0));
    result = create<arith::SelectOp>(taken, shiftBy(result, amount), result);
  }
  return result;
}

/// By 2^k, exactly: floor division is a shift; truncating division first adds
/// 2^k - 1 to a negative dividend.
llvm::Expected<Value> FormBuilder::divideByPower(int64_t divisor) {
  Value x = operands[0];
  bool isFloor = isa<arith::FloorDivSIOp>(op),
       isCeil = isa<arith::CeilDivSIOp>(op);
  unsigned log = llvm::Log2_64(divisor);
  auto shift = [&](Value tile, int64_t by) -> Value {
    return by == 0 ? tile : create<arith::ShRSIOp>(tile, number(tile, by));
  };
  Value biased = x;
  if (isCeil)
    // ceil(x / d) = -floor(-x / d)
    biased = create<arith::SubIOp>(number(x, 0), x);
  else if (!isFloor && log > 0)
    biased =
        create<arith::AddIOp>(x, create<arith::AndIOp>(shift(x, width() - 1),
                                                       number(x, divisor - 1)));
  Value quotient = shift(biased, log);
  if (isCeil)
    return create<arith::SubIOp>(number(x, 0), quotient);
  if (!isa<arith::RemSIOp>(op))
    return quotient;
  Value whole =
      log == 0 ? quotient : create<arith::ShLIOp>(quotient, number(x, log));
  return create<arith::SubIOp>(x, whole);
}

/// 1 where the division is not meant to happen: an integer division by zero
/// faults on some machines.
Value FormBuilder::safeDivisor(Value divisor) {
  if (!guard)
    return divisor;
  return create<arith::SelectOp>(guard, divisor, number(divisor, 1));
}

llvm::Expected<Value> FormBuilder::buildDivision() {
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op);
  APInt constant;
  if (!isUnsigned &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive() && constant.isPowerOf2())
    return divideByPower(constant.getSExtValue());
  if (width() == 32 && !isUnsigned) {
    Rounding rounding = isa<arith::FloorDivSIOp>(op)  ? Rounding::Floor
                        : isa<arith::CeilDivSIOp>(op) ? Rounding::Ceil
                                                      : Rounding::Trunc;
    auto [quotient, rest] =
        buildExactDivision(builder, op->getLoc(), operands[0],
                           safeDivisor(operands[1]), rounding);
    return isa<arith::RemSIOp>(op) ? rest : quotient;
  }
  if (width() > 16)
    return llvm::createStringError("the vector unit divides " +
                                   Twine(isUnsigned ? "unsigned " : "") +
                                   Twine(width()) +
                                   "-bit integers inexactly from 2^24 on");
  return buildNarrowDivision(isUnsigned);
}

/// Of at most 16 bits, where the quotient in f32 is on the right side of every
/// integer. It becomes one as a float: on the way float, integer, float the
/// vendor's compiler drops the integer.
Value FormBuilder::buildNarrowDivision(bool isUnsigned) {
  Type element = resultElement(), i32 = builder.getI32Type(),
       f32 = builder.getF32Type();
  auto widen = [&](Value x) {
    return cast(isUnsigned ? "arith.extui" : "arith.extsi", x, i32);
  };
  Value a = widen(operands[0]), b = widen(safeDivisor(operands[1]));
  Value quotient = create<arith::DivFOp>(cast("arith.sitofp", a, f32),
                                         cast("arith.sitofp", b, f32));
  Location loc = op->getLoc();
  if (isa<arith::FloorDivSIOp>(op))
    quotient = builder.create<math::FloorOp>(loc, quotient);
  else if (isa<arith::CeilDivSIOp>(op))
    quotient = builder.create<math::CeilOp>(loc, quotient);
  else
    quotient = builder.create<math::TruncOp>(loc, quotient);
  Value result = cast("arith.fptosi", quotient, i32);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    result = create<arith::SubIOp>(a, create<arith::MulIOp>(result, b));
  return cast("arith.trunci", result, element);
}

llvm::Expected<Value> FormBuilder::build() {
  // From truth values: the vendor's conversions are a select anyway.
  if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::UIToFPOp, arith::SIToFPOp>(
          op) &&
      elementOf(operands[0]).isInteger(1)) {
    bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp>(op);
    auto constant = [&](int64_t value) {
      return buildConstant(builder, op->getLoc(), resultElement(), value,
                           shapeOf(operands[0]));
    };
    return create<arith::SelectOp>(operands[0], constant(isSigned ? -1 : 1),
                                   constant(0));
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return buildIndexCast();
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return buildShift();
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return buildDivision();
  if (isa<arith::CeilDivUIOp>(op))
    return llvm::createStringError("there is no unsigned division");
  if (isa<arith::UIToFPOp>(op) &&
      (width() > 32 || (width() == 32 && !resultElement().isF32())))
    return llvm::createStringError("there is no conversion of unsigned " + Twine(width()) +
                                   "-bit integers");
  if (isa<arith::FPToUIOp>(op) && resultElement().getIntOrFloatBitWidth() > 32)
    return llvm::createStringError("there is no conversion to unsigned 64-bit integers");
  // What only the vendor gets wrong, legalize-linked replaces.
  return buildSame();
}

llvm::Expected<Value> tilekiln::elementwise::emitOnTiles(TileEmitter &emitter,
                                                         Operation *op,
                                                         DimMask dims,
                                                         Value guard) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    // A condition that is the same everywhere stays a scalar.
    bool isCondition = isa<arith::SelectOp>(op) && operands.empty();
    DimMask wanted = dims;
    if (isCondition && emitter.dimsOf(operand) == 0)
      wanted = 0;
    auto tile = emitter.get(loc, operand, wanted);
    if (!tile)
      return tile.takeError();
    operands.push_back(*tile);
  }
  return FormBuilder(emitter, op, dims, guard, operands).build();
}
