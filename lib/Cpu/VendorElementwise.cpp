//===- VendorElementwise.cpp - hfusion operations on every element --------===//
//
// arange, cast, elemwise_unary, elemwise_binary and gather as linalg.generic.
//
//===----------------------------------------------------------------------===//
#include "LowerVendorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilekiln {

static Value constant(OpBuilder &builder, Location loc, Type type,
                      double value) {
  if (isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(loc,
                                             builder.getFloatAttr(type, value));
  return builder.create<arith::ConstantOp>(
      loc, builder.getIntegerAttr(type, int64_t(value)));
}

/// offset + sum of stride * index, as the result's element type.
LogicalResult lowerArange(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 2, true)))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto indices = op->getOperands().drop_back();
  size_t rank = type.getRank();
  if (!type.getElementType().isIntOrIndex())
    return op->emitOpError()
           << "counts in integers, not " << type.getElementType();
  if (indices.size() != rank && indices.size() != rank + 1)
    return op->emitOpError() << "needs an offset and a stride per dimension";
  for (Value index : indices)
    if (!index.getType().isIndex())
      return op->emitOpError() << "takes its offset and strides as index";
  return replaceElementwise(
      rewriter, op, {}, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        bool hasOffset = indices.size() == rank + 1;
        Value sum = hasOffset
                        ? indices[0]
                        : b.create<arith::ConstantIndexOp>(loc, 0).getResult();
        for (size_t i = 0; i < rank; ++i) {
          Value index = b.create<linalg::IndexOp>(loc, i);
          Value term =
              b.create<arith::MulIOp>(loc, index, indices[i + hasOffset]);
          sum = b.create<arith::AddIOp>(loc, sum, term);
        }
        if (type.getElementType().isIndex())
          return sum;
        return b.create<arith::IndexCastOp>(loc, type.getElementType(), sum);
      });
}

/// To an integral value in the named mode; null for an unknown mode.
static Value roundToIntegral(OpBuilder &b, Location loc, Value value,
                             StringRef mode) {
  if (mode == "rint")
    return b.create<math::RoundEvenOp>(loc, value);
  if (mode == "round")
    return b.create<math::RoundOp>(loc, value);
  if (mode == "floor")
    return b.create<math::FloorOp>(loc, value);
  if (mode == "ceil")
    return b.create<math::CeilOp>(loc, value);
  if (mode == "trunc" || mode == "truncwithoverflow")
    return b.create<math::TruncOp>(loc, value);
  return {};
}

/// An integer to a narrower one: the low bits, or the nearest value that fits.
static Value narrowInteger(OpBuilder &b, Location loc, Value value,
                           IntegerType to, bool saturate) {
  if (saturate) {
    auto from = cast<IntegerType>(value.getType());
    auto bound = [&](APInt limit) -> Value {
      return b.create<arith::ConstantOp>(
          loc, b.getIntegerAttr(from, limit.sext(from.getWidth())));
    };
    value = b.create<arith::MaxSIOp>(
        loc, value, bound(APInt::getSignedMinValue(to.getWidth())));
    value = b.create<arith::MinSIOp>(
        loc, value, bound(APInt::getSignedMaxValue(to.getWidth())));
  }
  return b.create<arith::TruncIOp>(loc, to, value);
}

LogicalResult lowerCast(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 1, true)))
    return failure();
  std::string mode = vendorKeyword(op, "round_mode");
  // As on the hardware: narrow integers wrap unless told not to.
  bool saturate = !vendorFlag(op, "enable_overflow", true);
  Type to = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  return replaceElementwise(
      rewriter, op, op->getOperand(0),
      [&](OpBuilder &b, Location loc, ValueRange arguments) -> Value {
        Value value = arguments[0];
        Type from = value.getType();
        auto toFloat = dyn_cast<FloatType>(to);
        auto fromFloat = dyn_cast<FloatType>(from);
        auto toInteger = dyn_cast<IntegerType>(to);
        auto unsupported = [&]() -> Value {
          op->emitOpError()
              << "from " << from << " to " << to << " with round mode '" << mode
              << "' has no lowering for the CPU";
          return {};
        };
        if (fromFloat && toFloat) {
          if (from == to) {
            Value rounded = roundToIntegral(b, loc, value, mode);
            return rounded ? rounded : unsupported();
          }
          if (toFloat.getWidth() > fromFloat.getWidth())
            return b.create<arith::ExtFOp>(loc, to, value);
          if (toFloat.getWidth() < fromFloat.getWidth() && mode == "rint")
            return b.create<arith::TruncFOp>(loc, to, value);
          return unsupported();
        }
        if (fromFloat && toInteger) {
          Value rounded = roundToIntegral(b, loc, value, mode);
          if (!rounded)
            return unsupported();
          if (saturate || toInteger.getWidth() >= 32)
            return b.create<arith::FPToSIOp>(loc, to, rounded);
          Value wide = b.create<arith::FPToSIOp>(loc, b.getI32Type(), rounded);
          return narrowInteger(b, loc, wide, toInteger, false);
        }
        if (!isa<IntegerType>(from))
          return unsupported();
        if (toFloat)
          return from.isInteger(1)
                     ? b.create<arith::UIToFPOp>(loc, to, value).getResult()
                     : b.create<arith::SIToFPOp>(loc, to, value).getResult();
        unsigned fromBits = from.getIntOrFloatBitWidth();
        if (!toInteger || toInteger.getWidth() == fromBits)
          return unsupported();
        if (toInteger.getWidth() < fromBits)
          return narrowInteger(b, loc, value, toInteger, saturate);
        return from.isInteger(1)
                   ? b.create<arith::ExtUIOp>(loc, to, value).getResult()
                   : b.create<arith::ExtSIOp>(loc, to, value).getResult();
      });
}

static Value unaryValue(OpBuilder &b, Location loc, StringRef fun, Value x) {
  Type type = x.getType();
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (fun == "relu")
      return b.create<arith::MaxSIOp>(loc, x, constant(b, loc, type, 0));
    if (fun == "vnot")
      return b.create<arith::XOrIOp>(loc, x, constant(b, loc, type, -1));
    if (fun == "absi")
      return b.create<math::AbsIOp>(loc, x);
    return {};
  }
  using Build = Value (*)(OpBuilder &, Location, Value);
#define TILEKILN_UNARY(OP)                                                     \
  [](OpBuilder &b, Location loc, Value x) -> Value {                           \
    return b.create<math::OP>(loc, x);                                         \
  }
  auto build = llvm::StringSwitch<Build>(fun)
                   .Case("sqrt", TILEKILN_UNARY(SqrtOp))
                   .Case("rsqrt", TILEKILN_UNARY(RsqrtOp))
                   .Case("exp", TILEKILN_UNARY(ExpOp))
                   .Case("exp2", TILEKILN_UNARY(Exp2Op))
                   .Case("expm1", TILEKILN_UNARY(ExpM1Op))
                   .Case("log", TILEKILN_UNARY(LogOp))
                   .Case("log2", TILEKILN_UNARY(Log2Op))
                   .Case("log10", TILEKILN_UNARY(Log10Op))
                   .Case("log1p", TILEKILN_UNARY(Log1pOp))
                   .Case("tanh", TILEKILN_UNARY(TanhOp))
                   .Case("sin", TILEKILN_UNARY(SinOp))
                   .Case("cos", TILEKILN_UNARY(CosOp))
                   .Case("tan", TILEKILN_UNARY(TanOp))
                   .Case("atan", TILEKILN_UNARY(AtanOp))
                   .Case("erf", TILEKILN_UNARY(ErfOp))
                   .Case("absf", TILEKILN_UNARY(AbsFOp))
                   .Default(nullptr);
#undef TILEKILN_UNARY
  if (build)
    return build(b, loc, x);
  if (fun == "relu")
    return b.create<arith::MaximumFOp>(loc, x, constant(b, loc, type, 0));
  if (fun == "rec")
    return b.create<arith::DivFOp>(loc, constant(b, loc, type, 1), x);
  return {};
}

static Value binaryValue(OpBuilder &b, Location loc, StringRef fun, Value x,
                         Value y) {
  if (isa<IntegerType>(x.getType())) {
    if (fun == "vand")
      return b.create<arith::AndIOp>(loc, x, y);
    if (fun == "vor")
      return b.create<arith::OrIOp>(loc, x, y);
    if (fun == "vxor")
      return b.create<arith::XOrIOp>(loc, x, y);
    if (fun == "shli")
      return b.create<arith::ShLIOp>(loc, x, y);
    if (fun == "shrsi")
      return b.create<arith::ShRSIOp>(loc, x, y);
    if (fun == "mod")
      return b.create<arith::RemSIOp>(loc, x, y);
    return {};
  }
  if (fun == "minf")
    return b.create<arith::MinimumFOp>(loc, x, y);
  if (fun == "maxf")
    return b.create<arith::MaximumFOp>(loc, x, y);
  if (fun == "minnumf")
    return b.create<arith::MinNumFOp>(loc, x, y);
  if (fun == "maxnumf")
    return b.create<arith::MaxNumFOp>(loc, x, y);
  if (fun == "mod")
    return b.create<arith::RemFOp>(loc, x, y);
  if (fun == "powf")
    return b.create<math::PowFOp>(loc, x, y);
  return {};
}

static Value reportUnknownFunction(Operation *op, StringRef fun, Type type) {
  op->emitOpError() << "with fun '" << fun << "' on " << type
                    << " has no lowering for the CPU";
  return {};
}

LogicalResult lowerElemwiseUnary(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 1, true)))
    return failure();
  std::string fun = vendorKeyword(op, "fun");
  return replaceElementwise(
      rewriter, op, op->getOperand(0),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value value = unaryValue(b, loc, fun, arguments[0]);
        return value ? value
                     : reportUnknownFunction(op, fun, arguments[0].getType());
      });
}

LogicalResult lowerElemwiseBinary(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 2, true)))
    return failure();
  if (op->getOperand(0).getType() != op->getOperand(1).getType())
    return op->emitOpError() << "takes two operands of one type";
  std::string fun = vendorKeyword(op, "fun");
  return replaceElementwise(
      rewriter, op, op->getOperands().take_front(2),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value value = binaryValue(b, loc, fun, arguments[0], arguments[1]);
        return value ? value
                     : reportUnknownFunction(op, fun, arguments[0].getType());
      });
}

/// result[..., i, ...] = source[..., index[..., i, ...], ...] along one axis.
/// An index outside the source is brought to its nearest element, so that
/// padding in the index tile cannot read foreign memory.
LogicalResult lowerGather(RewriterBase &rewriter, Operation *op) {
  if (failed(checkVendorOp(op, 2, true)))
    return failure();
  Value source = op->getOperand(0);
  auto sourceType = dyn_cast<RankedTensorType>(source.getType());
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  auto axisAttribute =
      dyn_cast_or_null<IntegerAttr>(vendorAttribute(op, "axis"));
  if (!sourceType || sourceType.getRank() != resultType.getRank() ||
      !axisAttribute || axisAttribute.getInt() < 0 ||
      axisAttribute.getInt() >= resultType.getRank())
    return op->emitOpError()
           << "needs a source tensor of its result's rank and "
              "an axis within it";
  int64_t axis = axisAttribute.getInt();
  rewriter.setInsertionPoint(op);
  Value extent = rewriter.create<tensor::DimOp>(op->getLoc(), source, axis);
  return replaceElementwise(
      rewriter, op, op->getOperand(1),
      [&](OpBuilder &b, Location loc, ValueRange arguments) -> Value {
        SmallVector<Value> position;
        for (int64_t i = 0; i < resultType.getRank(); ++i)
          position.push_back(b.create<linalg::IndexOp>(loc, i));
        Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
        Value one = b.create<arith::ConstantIndexOp>(loc, 1);
        Value last = b.create<arith::SubIOp>(loc, extent, one);
        Value index =
            b.create<arith::IndexCastOp>(loc, b.getIndexType(), arguments[0]);
        index = b.create<arith::MaxSIOp>(loc, index, zero);
        position[axis] = b.create<arith::MinSIOp>(loc, index, last);
        return b.create<tensor::ExtractOp>(loc, source, position);
      });
}

} // namespace tilekiln
