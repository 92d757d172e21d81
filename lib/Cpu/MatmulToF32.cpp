//===- MatmulToF32.cpp - Products in the form that BLAS computes ----------===//
//
// See cpu-matmul-to-f32 in Passes.td.
//
//===----------------------------------------------------------------------===//
#include "InRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "tilekiln/Cpu/Passes.h"

using namespace mlir;

namespace tilekiln {
#define GEN_PASS_DEF_CPUMATMULTOF32
#include "tilekiln/Cpu/Passes.h.inc"

const char inRangeAttribute[] = "tilekiln.in_range";

namespace {

/// 1024 products of two i8 sum up to at most 2^24, which f32 holds exactly, in
/// whatever order BLAS adds them.
constexpr int64_t maxExactDepth = 1024;

struct Product {
  linalg::LinalgOp op;
  bool isBatched;
  Value left, right, accumulator;
  bool leftTransposed = false, rightTransposed = false;
};

bool isSmallFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

Value widen(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value);
  RankedTensorType type = withElement(value, b.getF32Type());
  if (element.isF32())
    return value;
  if (isa<IntegerType>(element))
    return b.create<arith::SIToFPOp>(loc, type, value);
  return b.create<arith::ExtFOp>(loc, type, value);
}

/// What a transposition of the two inner dimensions read, or null.
Value beforeTranspose(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> order = transpose.getPermutation();
  if (order == ArrayRef<int64_t>{1, 0} || order == ArrayRef<int64_t>{0, 2, 1})
    return transpose.getInput();
  return {};
}

void takeTransposes(Product &product) {
  if (Value source = beforeTranspose(product.right)) {
    product.right = source;
    product.rightTransposed = true;
  }
  if (Value source = beforeTranspose(product.left)) {
    product.left = source;
    product.leftTransposed = true;
  }
}

/// Linalg names no product of two transposed operands.
Value createTransposedProduct(OpBuilder &b, Location loc, bool isBatched,
                              Value left, Value right, Value accumulator) {
  SmallVector<utils::IteratorType> loops(isBatched ? 3 : 2,
                                         utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  auto d = [&](unsigned loop) { return b.getAffineDimExpr(loop); };
  unsigned m = isBatched, n = m + 1, k = m + 2;
  SmallVector<SmallVector<AffineExpr>> operands{
      {d(k), d(m)}, {d(n), d(k)}, {d(m), d(n)}};
  SmallVector<AffineMap> maps;
  for (SmallVector<AffineExpr> &dims : operands) {
    if (isBatched)
      dims.insert(dims.begin(), d(0));
    maps.push_back(AffineMap::get(loops.size(), 0, dims, b.getContext()));
  }
  auto product = b.create<linalg::GenericOp>(
      loc, accumulator.getType(), ValueRange{left, right}, accumulator, maps,
      loops, [](OpBuilder &b, Location loc, ValueRange scalars) {
        Value term = b.create<arith::MulFOp>(loc, scalars[0], scalars[1]);
        Value sum = b.create<arith::AddFOp>(loc, scalars[2], term);
        b.create<linalg::YieldOp>(loc, sum);
      });
  return product.getResult(0);
}

Value createProduct(OpBuilder &b, Location loc, const Product &product,
                    Value left, Value right, Value accumulator) {
  if (product.leftTransposed && product.rightTransposed)
    return createTransposedProduct(b, loc, product.isBatched, left, right,
                                   accumulator);
  Type type = accumulator.getType();
  ValueRange outs(accumulator);
  SmallVector<Value> ins{left, right};
  Operation *op;
  if (product.isBatched) {
    if (product.rightTransposed)
      op = b.create<linalg::BatchMatmulTransposeBOp>(loc, type, ins, outs);
    else if (product.leftTransposed)
      op = b.create<linalg::BatchMatmulTransposeAOp>(loc, type, ins, outs);
    else
      op = b.create<linalg::BatchMatmulOp>(loc, type, ins, outs);
  } else if (product.rightTransposed) {
    op = b.create<linalg::MatmulTransposeBOp>(loc, type, ins, outs);
  } else if (product.leftTransposed) {
    op = b.create<linalg::MatmulTransposeAOp>(loc, type, ins, outs);
  } else {
    op = b.create<linalg::MatmulOp>(loc, type, ins, outs);
  }
  return op->getResult(0);
}

Value floatProduct(OpBuilder &b, Location loc, const Product &product) {
  Value left = widen(b, loc, product.left),
        right = widen(b, loc, product.right);
  Type element = getElementTypeOrSelf(product.accumulator);
  Value sum = createProduct(b, loc, product, left, right,
                            widen(b, loc, product.accumulator));
  if (element.isF32())
    return sum;
  return b.create<arith::TruncFOp>(loc, product.accumulator.getType(), sum);
}

/// `length` elements from `start` of one dimension.
Value slice(OpBuilder &b, Location loc, Value value, int64_t dim, int64_t start,
            int64_t length) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getDimSize(dim) == length)
    return value;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  offsets[dim] = b.getIndexAttr(start);
  sizes[dim] = b.getIndexAttr(length);
  return b.create<tensor::ExtractSliceOp>(loc, value, offsets, sizes, strides);
}

Value integerProduct(OpBuilder &b, Location loc, const Product &product) {
  auto leftType = cast<RankedTensorType>(product.left.getType());
  int64_t rank = leftType.getRank();
  int64_t leftDepth = product.leftTransposed ? rank - 2 : rank - 1;
  int64_t rightDepth = product.rightTransposed ? rank - 1 : rank - 2;
  int64_t depth = leftType.getDimSize(leftDepth);
  Value left = widen(b, loc, product.left),
        right = widen(b, loc, product.right);
  RankedTensorType floatType = withElement(product.accumulator, b.getF32Type());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, product.accumulator);
  Value zero = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(0));
  Value sum = product.accumulator;
  for (int64_t start = 0; start < depth; start += maxExactDepth) {
    int64_t length = std::min(maxExactDepth, depth - start);
    Value empty = b.create<tensor::EmptyOp>(loc, sizes, b.getF32Type());
    if (empty.getType() != floatType)
      empty = b.create<tensor::CastOp>(loc, floatType, empty);
    Value fill = b.create<linalg::FillOp>(loc, zero, empty).getResult(0);
    Value part = createProduct(
        b, loc, product, slice(b, loc, left, leftDepth, start, length),
        slice(b, loc, right, rightDepth, start, length), fill);
    auto whole =
        b.create<arith::FPToSIOp>(loc, product.accumulator.getType(), part);
    whole->setAttr(inRangeAttribute, b.getUnitAttr());
    part = whole;
    sum = b.create<arith::AddIOp>(loc, sum, part);
  }
  return sum;
}

bool isStaticDepth(Value left) {
  auto type = cast<RankedTensorType>(left.getType());
  return !type.isDynamicDim(type.getRank() - 1);
}

/// Whether the product is signed: the only kind that the cube unit has.
bool isSigned(linalg::LinalgOp op) {
  if (auto matmul = dyn_cast<linalg::MatmulOp>(op.getOperation()))
    return matmul.getCast() == linalg::TypeFn::cast_signed;
  return true;
}

/// An accumulator that nobody filled starts at zero on the cube unit, also when
/// it reaches the product through loops.
void fillWhereEmpty(OpBuilder &b, OpOperand &accumulator) {
  OpOperand *source = &accumulator;
  while (auto carried = dyn_cast<BlockArgument>(source->get())) {
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    if (!loop || !loop.getTiedLoopInit(carried))
      return;
    source = loop.getTiedLoopInit(carried);
  }
  if (!source->get().getDefiningOp<tensor::EmptyOp>())
    return;
  Location loc = accumulator.getOwner()->getLoc();
  b.setInsertionPoint(source->getOwner());
  Type element = getElementTypeOrSelf(source->get());
  if (!element.isIntOrFloat())
    return;
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(element));
  source->set(b.create<linalg::FillOp>(loc, zero, source->get()).getResult(0));
}

struct CpuMatmulToF32 : impl::CpuMatmulToF32Base<CpuMatmulToF32> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op.getOperation()) &&
          op.hasPureTensorSemantics())
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : products) {
      fillWhereEmpty(rewriter, op.getDpsInitsMutable()[0]);
      Product product{op, isa<linalg::BatchMatmulOp>(op.getOperation()),
                      op.getDpsInputs()[0], op.getDpsInputs()[1],
                      op.getDpsInits()[0]};
      Type left = getElementTypeOrSelf(product.left);
      Type right = getElementTypeOrSelf(product.right);
      Type sum = getElementTypeOrSelf(product.accumulator);
      bool isFloat =
          isSmallFloat(left) && isSmallFloat(right) && isSmallFloat(sum);
      bool isInteger = left.isInteger(8) && right.isInteger(8) &&
                       sum.isInteger(32) && isSigned(op) &&
                       isStaticDepth(product.left);
      if (!isFloat && !isInteger)
        continue;
      takeTransposes(product);
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(
          op, isFloat ? floatProduct(rewriter, op.getLoc(), product)
                      : integerProduct(rewriter, op.getLoc(), product));
    }
  }
};

} // namespace
} // namespace tilekiln
