//===- FinalIR.cpp - Reading the module that hivmc is given ---------------===//
//
// Knows which dialects occur in it. Dialects of the vendor that should have
// vanished before hivmc are declared with a parser and no ops, so that
// leftovers are listed and not a syntax error.
//
//===----------------------------------------------------------------------===//
#include "VendorOpParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tilekiln/Dialect/HIVM/Annotation.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tilekiln::hivm {
namespace {

/// A dialect of the vendor of which we know the name alone.
class LeftoverDialect : public Dialect {
public:
  LeftoverDialect(StringRef name, MLIRContext *context, TypeID id)
      : Dialect(name, context, id) {
    allowUnknownOperations();
    allowUnknownTypes();
  }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return parseVendorAttribute(parser, getNamespace());
  }
  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return ParseOpHook(parseVendorOp);
  }
};

struct MemRefExtDialect : LeftoverDialect {
  static constexpr StringLiteral getDialectNamespace() { return "memref_ext"; }
  explicit MemRefExtDialect(MLIRContext *context)
      : LeftoverDialect(getDialectNamespace(), context,
                        TypeID::get<MemRefExtDialect>()) {}
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MemRefExtDialect)
};

struct MathExtDialect : LeftoverDialect {
  static constexpr StringLiteral getDialectNamespace() { return "mathExt"; }
  explicit MathExtDialect(MLIRContext *context)
      : LeftoverDialect(getDialectNamespace(), context,
                        TypeID::get<MathExtDialect>()) {}
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathExtDialect)
};

/// Whether the groups name every dimension once and in order, so that upstream
/// may compute the collapsed type of a module that is not verified yet.
bool coversAllDims(memref::CollapseShapeOp collapse) {
  int64_t next = 0;
  for (const ReassociationIndices &group : collapse.getReassociationIndices())
    for (int64_t dim : group)
      if (dim != next++)
        return false;
  return next == collapse.getSrcType().getRank();
}

/// Whether upstream finds no two strides that contradict each other: it has no
/// answer but a crash for a module that is not verified yet.
bool mayCollapse(MemRefType type, ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  for (const ReassociationIndices &group : groups) {
    ArrayRef<int64_t> dims(group);
    while (dims.size() > 1 && type.getDimSize(dims.back()) == 1)
      dims = dims.drop_back();
    int64_t expected = strides[dims.back()];
    for (int64_t dim : llvm::reverse(ArrayRef<int64_t>(group).drop_front())) {
      if (ShapedType::isDynamic(expected) || type.isDynamicDim(dim))
        break;
      expected *= type.getDimSize(dim);
      if (!ShapedType::isDynamic(strides[dim - 1]) &&
          strides[dim - 1] != expected)
        return false;
    }
  }
  return true;
}

/// Upstream compares the stride of every dimension, even of those with one
/// element, whose stride means nothing: the vendor collapses `1x24` rows of a
/// padded buffer. Drops such dimensions first, by a view.
Value dropUnitDims(memref::CollapseShapeOp collapse,
                   SmallVectorImpl<ReassociationIndices> &groups) {
  MemRefType type = collapse.getSrcType();
  SmallVector<int64_t> kept;
  for (ReassociationIndices &group : groups) {
    ReassociationIndices left;
    for (int64_t dim : group)
      if (type.getDimSize(dim) != 1 || (left.empty() && dim == group.back())) {
        left.push_back(kept.size());
        kept.push_back(dim);
      }
    group = left;
  }
  if (kept.size() == size_t(type.getRank()))
    return collapse.getSrc();
  OpBuilder builder(collapse);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(memref::getMixedSize(builder, collapse.getLoc(),
                                         collapse.getSrc(), dim));
  for (int64_t dim : kept)
    shape.push_back(type.getDimSize(dim));
  auto viewType =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          shape, type, offsets, sizes, strides));
  return builder.create<memref::SubViewOp>(collapse.getLoc(), viewType,
                                           collapse.getSrc(), offsets, sizes,
                                           strides);
}

/// The vendor knows the stride of a collapsed `1x?` buffer, upstream's verifier
/// expects it to be unknown, and refuses others that hold one element in some
/// dimension. Gives the op the type that upstream computes and casts to the one
/// that the text says. What upstream cannot collapse is left for the verifier.
void adaptCollapsedTypes(ModuleOp module) {
  module.walk([](memref::CollapseShapeOp collapse) {
    MemRefType said = collapse.getResultType();
    auto groups = collapse.getReassociationIndices();
    if (!coversAllDims(collapse) || !isStrided(collapse.getSrcType()))
      return;
    OpBuilder builder(collapse->getContext());
    builder.setInsertionPointAfter(collapse);
    if (!mayCollapse(collapse.getSrcType(), groups)) {
      Value source = dropUnitDims(collapse, groups);
      auto type = cast<MemRefType>(source.getType());
      if (source == collapse.getSrc() || !mayCollapse(type, groups))
        return;
      if (type.getRank() > said.getRank())
        source = builder.create<memref::CollapseShapeOp>(collapse.getLoc(),
                                                         source, groups);
      if (!memref::CastOp::areCastCompatible(source.getType(), said))
        return;
      if (source.getType() != said)
        source = builder.create<memref::CastOp>(collapse.getLoc(), said, source);
      collapse.getResult().replaceAllUsesWith(source);
      collapse.erase();
      return;
    }
    MemRefType computed = memref::CollapseShapeOp::computeCollapsedType(
        collapse.getSrcType(), groups);
    if (computed == said || !memref::CastOp::areCastCompatible(computed, said))
      return;
    collapse.getResult().setType(computed);
    auto cast = builder.create<memref::CastOp>(collapse.getLoc(), said,
                                               collapse.getResult());
    collapse.getResult().replaceAllUsesExcept(cast.getResult(), cast);
  });
}

/// Where in a text and what, as "name:line:column: message".
std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto location = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    os << location.getFilename().getValue() << ':' << location.getLine() << ':'
       << location.getColumn() << ": ";
  os << diagnostic.str();
  return text;
}

} // namespace

void registerFinalIRDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  DLTIDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
  registry.insert<HIVMDialect, hacc::HACCDialect, hfusion::HFusionDialect,
                  AnnotationDialect, MemRefExtDialect, MathExtDialect>();
}

llvm::Expected<OwningOpRef<ModuleOp>>
parseFinalIR(StringRef text, StringRef name, MLIRContext &context) {
  context.allowUnregisteredDialects();
  context.loadAllAvailableDialects();
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (!messages.empty())
      messages += '\n';
    messages += describe(diagnostic);
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (module)
    adaptCollapsedTypes(*module);
  if (!module || failed(verify(*module)))
    return llvm::createStringError(
        "the vendor's final IR cannot be read; is the text whole, and from "
        "bishengir-compile 1.2?\n%s",
        messages.c_str());
  return module;
}

bool isUnloweredVendorOp(Operation *op) {
  if (op->isRegistered())
    return op->hasTrait<VendorInput>();
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "hivm" || dialect == "hfusion" || dialect == "annotation" ||
         dialect == "memref_ext" || dialect == "mathExt" || dialect == "hacc";
}

} // namespace tilekiln::hivm
