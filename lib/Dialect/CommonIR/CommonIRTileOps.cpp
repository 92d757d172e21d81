//===- CommonIRTileOps.cpp - Verifiers and effects of the tile ops --------===//
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilekiln::commonir;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static ShapedType shaped(Value value) { return cast<ShapedType>(value.getType()); }

/// The op reads its memref inputs, and writes (perhaps also reads) its inits.
static void addTileEffects(DestinationStyleOpInterface op, bool readsInit,
                           Effects &effects) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), input);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isa<MemRefType>(init.get().getType()))
      continue;
    if (readsInit)
      effects.emplace_back(MemoryEffects::Read::get(), &init);
    effects.emplace_back(MemoryEffects::Write::get(), &init);
  }
}

/// Same rank, and the same extents where both are known.
static bool compatibleShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
    auto [x, y] = pair;
    return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
  });
}

static InFlightDiagnostic &operator<<(InFlightDiagnostic &diagnostic,
                                      ShapedType type) {
  diagnostic << "(";
  llvm::interleave(
      type.getShape(),
      [&](int64_t n) {
        ShapedType::isDynamic(n) ? diagnostic << "?" : diagnostic << n;
      },
      [&] { diagnostic << ", "; });
  diagnostic << ")";
  return diagnostic;
}

/// A result per tensor init, none for a memref.
static LogicalResult verifyResults(DestinationStyleOpInterface op, StringRef label) {
  size_t tensors = llvm::count_if(op.getDpsInits(), [](Value init) {
    return isa<TensorType>(init.getType());
  });
  if (op->getNumResults() != tensors) // (C1)
    return op->emitOpError("gives one result for a tensor destination and none "
                           "for a buffer [")
           << label << "_c1]";
  return success();
}

//===----------------------------------------------------------------------===//
// copy
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  if (failed(verifyResults(*this, "copy")))
    return failure();
  if (!compatibleShapes(shaped(getSource()).getShape(),
                        shaped(getInit()).getShape())) { // (C2)
    InFlightDiagnostic diagnostic = emitOpError("source shape ");
    diagnostic << shaped(getSource());
    diagnostic << " does not fit destination shape ";
    diagnostic << shaped(getInit());
    return diagnostic << " [copy_c2]";
  }
  return success();
}

bool CopyOp::isLoad() { return isGlobal(getSource().getType()); }
bool CopyOp::isStore() { return isGlobal(getInit().getType()); }

void CopyOp::getEffects(Effects &effects) {
  addTileEffects(*this, /*readsInit=*/false, effects);
}

namespace {
/// A copy of a tensor onto a tensor of its own type is the source.
struct FoldTensorCopy : OpRewritePattern<CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CopyOp op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() == 0 || op->hasAttr(realTransferAttrName) ||
        op.getSource().getType() != op->getResult(0).getType())
      return failure();
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
};
} // namespace

void CopyOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldTensorCopy>(context);
}

//===----------------------------------------------------------------------===//
// fill
//===----------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  if (failed(verifyResults(*this, "fill")))
    return failure();
  if (getValue().getType() != shaped(getInit()).getElementType()) // (C2)
    return emitOpError("value of type ")
           << getValue().getType() << " cannot fill elements of type "
           << shaped(getInit()).getElementType() << " [fill_c2]";
  return success();
}

void FillOp::getEffects(Effects &effects) {
  addTileEffects(*this, /*readsInit=*/false, effects);
}

namespace {
/// A part of a filled tile is a filled tile. Left as a slice, the vendor's compiler
/// moves it in front of the fill that it reads.
struct FoldSliceOfFill : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto fill = slice.getSource().getDefiningOp<FillOp>();
    RankedTensorType type = slice.getType();
    if (!fill || !type.hasStaticShape())
      return failure();
    Value empty = rewriter.create<tensor::EmptyOp>(slice.getLoc(), type.getShape(),
                                                   type.getElementType(), type.getEncoding());
    rewriter.replaceOpWithNewOp<FillOp>(slice, TypeRange{type}, fill.getValue(), empty);
    return success();
  }
};
} // namespace

void FillOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldSliceOfFill>(context);
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

LogicalResult GemmOp::verify() {
  if (failed(verifyResults(*this, "gemm")))
    return failure();
  ShapedType a = shaped(getA()), b = shaped(getB()), c = shaped(getInit());
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2) // (C2)
    return emitOpError("operands must be matrices [gemm_c2]");
  auto extent = [](ShapedType type, int dim, bool transposed) {
    return type.getDimSize(transposed ? 1 - dim : dim);
  };
  int64_t rows = extent(a, 0, getTransposeA()), innerA = extent(a, 1, getTransposeA());
  int64_t innerB = extent(b, 0, getTransposeB()), cols = extent(b, 1, getTransposeB());
  auto fits = [](int64_t x, int64_t y) {
    return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
  };
  if (!fits(innerA, innerB) || !fits(rows, c.getDimSize(0)) ||
      !fits(cols, c.getDimSize(1))) { // (C3)
    InFlightDiagnostic diagnostic = emitOpError("shapes do not fit: ");
    diagnostic << a;
    diagnostic << (getTransposeA() ? " transposed times " : " times ");
    diagnostic << b;
    diagnostic << (getTransposeB() ? " transposed into " : " into ");
    diagnostic << c;
    return diagnostic << " [gemm_c3]";
  }
  if (a.getElementType() != b.getElementType()) // (C4)
    return emitOpError("operands are ") << a.getElementType() << " and "
           << b.getElementType() << "; cast one of them to the other's type [gemm_c4]";
  return success();
}

bool GemmOp::alwaysClears() { return getClear() && matchPattern(getClear(), m_One()); }

void GemmOp::getEffects(Effects &effects) {
  addTileEffects(*this, /*readsInit=*/true, effects);
}

namespace {
/// A `clear` known to be false says nothing.
struct DropFalseClear : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    if (!op.getClear() || !matchPattern(op.getClear(), m_Zero()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getClearMutable().clear(); });
    return success();
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFalseClear>(context);
}

//===----------------------------------------------------------------------===//
// reduce, scan, transpose
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(verifyResults(*this, "reduce")))
    return failure();
  ShapedType source = shaped(getSource()), dest = shaped(getInit());
  int64_t dim = int64_t(getDim());
  if (dim < 0 || dim >= source.getRank()) // (C2)
    return emitOpError("dimension ") << dim << " is not one of the source's "
           << source.getRank() << " [reduce_c2]";
  SmallVector<int64_t> dropped(source.getShape()), kept(source.getShape());
  dropped.erase(dropped.begin() + dim);
  kept[dim] = 1;
  // A vector reduced to nothing is held in one element.
  bool toOne = source.getRank() == 1 && compatibleShapes({1}, dest.getShape());
  if (!toOne && !compatibleShapes(dropped, dest.getShape()) &&
      !compatibleShapes(kept, dest.getShape())) { // (C3)
    InFlightDiagnostic diagnostic = emitOpError("shape ");
    diagnostic << source;
    diagnostic << " reduced along dimension " << dim << " does not give shape ";
    diagnostic << dest;
    return diagnostic << " [reduce_c3]";
  }
  return success();
}

void ReduceOp::getEffects(Effects &effects) {
  addTileEffects(*this, getAccumulate(), effects);
}

LogicalResult ScanOp::verify() {
  if (failed(verifyResults(*this, "scan")))
    return failure();
  int64_t dim = int64_t(getDim());
  if (dim < 0 || dim >= shaped(getSource()).getRank() ||
      !compatibleShapes(shaped(getSource()).getShape(),
                        shaped(getInit()).getShape())) // (C2)
    return emitOpError("source and destination need the same shape and a "
                       "dimension that exists [scan_c2]");
  return success();
}

void ScanOp::getEffects(Effects &effects) {
  addTileEffects(*this, /*readsInit=*/false, effects);
}

LogicalResult TransposeOp::verify() {
  if (failed(verifyResults(*this, "transpose")))
    return failure();
  ArrayRef<int64_t> source = shaped(getSource()).getShape();
  ArrayRef<int64_t> dest = shaped(getInit()).getShape();
  if (source.size() != 2 || dest.size() != 2 ||
      !compatibleShapes({source[1], source[0]}, dest)) { // (C2)
    InFlightDiagnostic diagnostic = emitOpError("shape ");
    diagnostic << shaped(getSource());
    diagnostic << " transposed is not ";
    diagnostic << shaped(getInit());
    return diagnostic << " [transpose_c2]";
  }
  return success();
}

void TransposeOp::getEffects(Effects &effects) {
  addTileEffects(*this, /*readsInit=*/false, effects);
}

//===----------------------------------------------------------------------===//
// atomic, read, write
//===----------------------------------------------------------------------===//

LogicalResult AtomicOp::verify() {
  if (!isGlobal(getDest().getType())) // (C1)
    return emitOpError("updates global memory, got ")
           << getDest().getType() << " [atomic_c1]";
  if (!compatibleShapes(shaped(getSource()).getShape(), shaped(getDest()).getShape())) // (C2)
    return emitOpError("source and destination shapes differ [atomic_c2]");
  return success();
}

void AtomicOp::getEffects(Effects &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

LogicalResult AtomicElementOp::verify() {
  if (!isGlobal(getDest().getType())) // (C1)
    return emitOpError("updates global memory, got ")
           << getDest().getType() << " [atomic_element_c1]";
  auto dest = cast<MemRefType>(getDest().getType());
  if (dest.getElementType() != getValue().getType()) // (C2)
    return emitOpError("value of type ")
           << getValue().getType() << " cannot update elements of type "
           << dest.getElementType() << " [atomic_element_c2]";
  if (int64_t(getIndices().size()) != dest.getRank()) // (C3)
    return emitOpError("needs ") << dest.getRank() << " indices, got "
           << getIndices().size() << " [atomic_element_c3]";
  return success();
}

void AtomicElementOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

static LogicalResult verifyBridge(Operation *op, Value buffer, Value value,
                                  StringRef label) {
  if (isGlobal(buffer.getType())) // (C1)
    return op->emitOpError("is for on-chip buffers; global memory is moved by "
                           "commonir.copy [") << label << "_c1]";
  if (shaped(buffer).getElementType() != shaped(value).getElementType() ||
      !compatibleShapes(shaped(buffer).getShape(), shaped(value).getShape())) // (C2)
    return op->emitOpError("buffer ") << buffer.getType() << " and value "
           << value.getType() << " differ [" << label << "_c2]";
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyBridge(*this, getSource(), getResult(), "read");
}

void ReadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

LogicalResult WriteOp::verify() {
  return verifyBridge(*this, getDest(), getValue(), "write");
}

void WriteOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getRank() != 1 || !type.getElementType().isSignlessInteger() ||
      type.getElementType().isInteger(1)) // (C1)
    return emitOpError("counts in a tensor of one dimension and integer type, got ")
           << type << " [iota_c1]";
  return success();
}
