//===- Masks.cpp - Conditions as tensors of i1 ----------------------------===//
//
// An i1 value is built where it is used and over the dimensions of its use,
// from the numbers that it compares. Predicates are the ones that the vendor's
// compiler gets right: of the float ones oeq une olt ole ogt oge, of the
// integer ones the signed ones.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::elementwise;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

llvm::Expected<Value> TileEmitter::maskOf(Location loc, Value original,
                                          DimMask dims) {
  Value &known = masks[{original, dims}];
  // One that was built inside a loop or branch is of no use after it.
  if (known && known.getParentRegion()->isAncestor(
                   builder.getInsertionBlock()->getParent()))
    return known;
  auto mask = buildMask(loc, original, dims);
  if (mask)
    masks[{original, dims}] = *mask;
  return mask;
}

static Value buildNot(OpBuilder &builder, Location loc, Value mask) {
  Value all =
      buildConstant(builder, loc, builder.getI1Type(), 1, shapeOf(mask));
  return builder.create<arith::XOrIOp>(loc, mask, all);
}

llvm::Expected<Value> TileEmitter::buildMask(Location loc, Value original,
                                             DimMask dims) {
  SmallVector<int64_t> shape = shapeOver(dims);
  auto known = tiles.find(original);
  if (known != tiles.end() || analysis.isUniform(original)) {
    Tile tile = known != tiles.end() ? known->second : Tile{original, 0};
    if (tile.dims == dims)
      return tile.value;
    if (tile.dims == 0)
      return buildSplat(builder, loc, tile.value, shape);
    // A mask that exists already: through numbers.
    ArrayRef<int64_t> own = shapeOf(tile.value);
    Type i32 = builder.getI32Type();
    Value number = builder.create<arith::SelectOp>(
        loc, tile.value, buildConstant(builder, loc, i32, 1, own),
        buildConstant(builder, loc, i32, 0, own));
    Value spread = broadcast(loc, {number, tile.dims}, dims).value;
    return builder
        .create<arith::CmpIOp>(loc, CmpIPredicate::ne, spread,
                               buildConstant(builder, loc, i32, 0, shape))
        .getResult();
  }
  Operation *def = original.getDefiningOp();
  if (!def)
    return llvm::createStringError("a condition has no whole-tile form");
  loc = def->getLoc();
  if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
    if (analysis.affineOf(compare.getLhs()) &&
        analysis.affineOf(compare.getRhs()) &&
        (compare.getPredicate() <= CmpIPredicate::sge))
      return compareIndices(compare, dims);
    return compareNumbers(def, dims);
  }
  if (isa<arith::CmpFOp>(def))
    return compareNumbers(def, dims);

  SmallVector<Value> operands;
  for (Value operand : def->getOperands()) {
    auto value = get(loc, operand, dims);
    if (!value)
      return value.takeError();
    operands.push_back(*value);
  }
  if (isa<arith::AndIOp>(def))
    return builder.create<arith::AndIOp>(loc, operands[0], operands[1])
        .getResult();
  if (isa<arith::OrIOp>(def))
    return builder.create<arith::OrIOp>(loc, operands[0], operands[1])
        .getResult();
  if (isa<arith::XOrIOp>(def))
    return builder.create<arith::XOrIOp>(loc, operands[0], operands[1])
        .getResult();
  if (isa<arith::SelectOp>(def)) {
    Value yes = builder.create<arith::AndIOp>(loc, operands[0], operands[1]);
    Value no = builder.create<arith::AndIOp>(
        loc, buildNot(builder, loc, operands[0]), operands[2]);
    return builder.create<arith::OrIOp>(loc, yes, no).getResult();
  }
  if (isa<arith::TruncIOp>(def)) {
    Type type = elementOf(operands[0]);
    Value low = builder.create<arith::AndIOp>(
        loc, operands[0], buildConstant(builder, loc, type, 1, shape));
    return builder
        .create<arith::CmpIOp>(loc, CmpIPredicate::ne, low,
                               buildConstant(builder, loc, type, 0, shape))
        .getResult();
  }
  return llvm::createStringError("a condition is made by " +
                                 def->getName().getStringRef());
}

/// L pred R over indices: the terms with positive factors on the left, the
/// others on the right. What is uniform is cut down, on the scalar unit, to
/// what the indices can reach, so that nothing overflows i32 whatever the
/// block's offset.
llvm::Expected<Value> TileEmitter::compareIndices(arith::CmpIOp op,
                                                  DimMask dims) {
  Location loc = op.getLoc();
  AffineExpr difference = analysis.simplify(analysis.affineOf(op.getLhs()) -
                                            analysis.affineOf(op.getRhs()));
  std::optional<LinearForm> form = analysis.linearOf(difference);
  if (!form)
    return compareNumbers(op, dims);
  Type i32 = builder.getI32Type();
  SmallVector<int64_t> shape = shapeOver(dims);
  LinearForm left = *form, right = *form;
  for (auto [l, r] : llvm::zip(left.coefficients, right.coefficients)) {
    l = std::max<int64_t>(l, 0);
    r = std::max<int64_t>(-r, 0);
  }
  auto side = [&](const LinearForm &part) -> Value {
    if (part.dims() == 0)
      return {};
    Tile tile{linearTile(loc, part.coefficients, part.dims()), part.dims()};
    return broadcast(loc, tile, dims).value;
  };
  IndexRange range = analysis.rangeOf(*form);
  if (range.max - range.min >= (int64_t(1) << 30))
    return llvm::createStringError("it compares indices beyond 2^30");
  // indices pred limit
  AffineExpr negated = analysis.simplify(
      getAffineConstantExpr(0, analysis.getContext()) - form->uniform);
  Value limit;
  if (auto constant = dyn_cast<AffineConstantExpr>(negated)) {
    int64_t value =
        std::clamp(constant.getValue(), range.min - 1, range.max + 1);
    limit = builder.create<arith::ConstantIntOp>(loc, value, 32);
  } else {
    Value index = indexValueOf(loc, negated);
    Value low = builder.create<arith::ConstantIndexOp>(loc, range.min - 1);
    Value high = builder.create<arith::ConstantIndexOp>(loc, range.max + 1);
    index = builder.create<arith::MaxSIOp>(loc, index, low);
    index = builder.create<arith::MinSIOp>(loc, index, high);
    limit = builder.create<arith::IndexCastOp>(loc, i32, index);
  }
  Value lhs = side(left), rhs = side(right);
  bool noLimit = matchPattern(limit, m_Zero());
  Value spread = noLimit && (lhs && rhs)
                     ? Value()
                     : buildSplat(builder, loc, limit, shape);
  if (!lhs)
    lhs = buildConstant(builder, loc, i32, 0, shape);
  if (!rhs)
    rhs = spread;
  else if (spread)
    rhs = builder.create<arith::AddIOp>(loc, rhs, spread);
  return builder.create<arith::CmpIOp>(loc, op.getPredicate(), lhs, rhs)
      .getResult();
}

/// The predicate as tests that are computed rightly.
static Value buildFloatCompare(OpBuilder &builder, Location loc,
                               CmpFPredicate predicate, Value a, Value b) {
  auto test = [&](CmpFPredicate right, Value x, Value y) -> Value {
    return builder.create<arith::CmpFOp>(loc, right, x, y);
  };
  auto opposite = [&](CmpFPredicate right) {
    return buildNot(builder, loc, test(right, a, b));
  };
  auto notEqual = [&] {
    Value less = test(CmpFPredicate::OLT, a, b);
    return builder.create<arith::OrIOp>(loc, less,
                                        test(CmpFPredicate::OGT, a, b));
  };
  // A NaN is what differs from itself.
  auto both = [&](CmpFPredicate right) {
    return std::pair(test(right, a, a), test(right, b, b));
  };
  switch (predicate) {
  case CmpFPredicate::ONE:
    return notEqual();
  case CmpFPredicate::UEQ:
    return buildNot(builder, loc, notEqual());
  case CmpFPredicate::ULT:
    return opposite(CmpFPredicate::OGE);
  case CmpFPredicate::ULE:
    return opposite(CmpFPredicate::OGT);
  case CmpFPredicate::UGT:
    return opposite(CmpFPredicate::OLE);
  case CmpFPredicate::UGE:
    return opposite(CmpFPredicate::OLT);
  case CmpFPredicate::ORD: {
    auto [x, y] = both(CmpFPredicate::OEQ);
    return a == b ? x : builder.create<arith::AndIOp>(loc, x, y).getResult();
  }
  case CmpFPredicate::UNO: {
    auto [x, y] = both(CmpFPredicate::UNE);
    return a == b ? x : builder.create<arith::OrIOp>(loc, x, y).getResult();
  }
  case CmpFPredicate::AlwaysFalse:
  case CmpFPredicate::AlwaysTrue:
    return buildConstant(builder, loc, builder.getI1Type(),
                         predicate == CmpFPredicate::AlwaysTrue, shapeOf(a));
  default:
    return test(predicate, a, b);
  }
}

static Value buildIntegerCompare(OpBuilder &builder, Location loc,
                                 CmpIPredicate predicate, Value a, Value b) {
  unsigned width = elementOf(a).getIntOrFloatBitWidth();
  auto compare = [&](CmpIPredicate right) -> Value {
    return builder.create<arith::CmpIOp>(loc, right, a, b);
  };
  auto isUnsigned = predicate >= CmpIPredicate::ult;
  if (!isUnsigned || width == 8)
    return compare(predicate);
  // With the sign bit turned over, signed order is unsigned order.
  Value sign =
      buildConstant(builder, loc, elementOf(a),
                    APInt::getSignedMinValue(width).getSExtValue(), shapeOf(a));
  a = builder.create<arith::XOrIOp>(loc, a, sign);
  b = builder.create<arith::XOrIOp>(loc, b, sign);
  switch (predicate) {
  case CmpIPredicate::ult:
    return compare(CmpIPredicate::slt);
  case CmpIPredicate::ule:
    return compare(CmpIPredicate::sle);
  case CmpIPredicate::ugt:
    return compare(CmpIPredicate::sgt);
  default:
    return compare(CmpIPredicate::sge);
  }
}

llvm::Expected<Value> TileEmitter::compareNumbers(Operation *op, DimMask dims) {
  Location loc = op->getLoc();
  auto a = get(loc, op->getOperand(0), dims);
  if (!a)
    return a.takeError();
  auto b = get(loc, op->getOperand(1), dims);
  if (!b)
    return b.takeError();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return buildFloatCompare(builder, loc, compare.getPredicate(), *a, *b);
  CmpIPredicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  if (!elementOf(*a).isInteger(1))
    return buildIntegerCompare(builder, loc, predicate, *a, *b);
  Value differ = builder.create<arith::XOrIOp>(loc, *a, *b);
  if (predicate == CmpIPredicate::ne)
    return differ;
  if (predicate == CmpIPredicate::eq)
    return buildNot(builder, loc, differ);
  return llvm::createStringError("it orders truth values");
}
