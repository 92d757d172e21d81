//===- LintCube.cpp - Silent errors around matrix multiplications ---------===//
//
// The library's mma_tile and nd2nz look at part of what their arguments say.
// Each function here states one assumption of the library (or of the vendor's
// compiler about the library) and finds the calls that break it.
//
//===----------------------------------------------------------------------===//
#include "LeastValue.h"
#include "LibraryCall.h"
#include "Trace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilekiln/Bishengir/Lint.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::formatv;

namespace tilekiln::bishengir {
namespace {

void report(std::vector<Finding> &findings, Operation *op, StringRef check,
            std::string text, StringRef advice,
            Severity severity = Severity::Error) {
  findings.push_back(findingAt(op, check, std::move(text), advice, severity));
}

/// The type with the shape and strides that the library's signature hides.
MemRefType getKnownType(Value buffer) {
  return cast<MemRefType>(skipCasts(buffer).getType());
}

//===----------------------------------------------------------------------===//
// Operands in L1
//===----------------------------------------------------------------------===//

/// Whether elements lie side by side in row-major order. None: not known.
std::optional<bool> isContiguous(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return std::nullopt;
  int64_t expected = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t extent = type.getDimSize(dim);
    if (extent == 1)
      continue;
    if (ShapedType::isDynamic(strides[dim]) || ShapedType::isDynamic(expected))
      return std::nullopt;
    if (strides[dim] != expected)
      return false;
    expected = ShapedType::isDynamic(extent) ? ShapedType::kDynamic
                                             : expected * extent;
  }
  return true;
}

/// Whether the views of an operand start at fractals: a column that the vendor's
/// compiler could not prove to be a multiple of the fractal's is left in the view
/// as an offset inside of one.
bool startsAtFractal(Value operand) {
  auto viewOf = [](Value value) {
    return skipCasts(value).getDefiningOp<memref::SubViewOp>();
  };
  for (memref::SubViewOp view = viewOf(operand); view; view = viewOf(view.getSource())) {
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
    if (offsets.size() < 4)
      continue;
    for (OpFoldResult offset : ArrayRef(offsets).take_back(2))
      if (!isConstantIntValue(offset, 0))
        return false;
  }
  return true;
}

void lintOperandLayout(MatmulCall matmul, std::vector<Finding> &findings) {
  StringRef callee = matmul.call.getCallee();
  // Only this form reads the strides of its operand.
  bool readsStridesOfA =
      callee.contains("mma_tile_int8_t") && !callee.contains("_ta");
  auto check = [&](Value operand, StringRef name) {
    if (!startsAtFractal(operand)) {
      report(findings, matmul.call, "unaligned-operand",
             formatv("operand {0} of the matrix multiplication is a slice that "
                     "does not start at a fractal of its L1 tile; the library "
                     "reads fractals across the edges of the tile's own",
                     name),
             "start the slice at a multiple of 16 rows and of 32 bytes of "
             "columns, or load it into a tile of its own");
      return;
    }
    MemRefType type = getKnownType(operand);
    std::optional<bool> contiguous = isContiguous(type);
    // A signature type that nothing is known about is a whole buffer.
    if (contiguous.value_or(!operand.getDefiningOp()))
      return;
    report(findings, matmul.call, "strided-operand",
           formatv("operand {0} of the matrix multiplication is a slice of a "
                   "larger L1 tile{1}; the library ignores its strides and "
                   "reads other elements",
                   name, contiguous ? "" : " with an unknown layout"),
           "slice whole columns at a multiple of 16, or make the resident "
           "tile three-dimensional and slice its first dimension");
  };
  if (!readsStridesOfA || !startsAtFractal(matmul.a))
    check(matmul.a, "A");
  check(matmul.b, "B");
}

/// The vendor's compiler finds out how much of an operand was loaded; where it
/// cannot follow, it takes that for nothing.
void lintEmptyProduct(MatmulCall matmul, std::vector<Finding> &findings) {
  MemRefType c = getKnownType(matmul.c);
  if (c.hasStaticShape() && c.getNumElements() == 0)
    return;
  for (Value size : {matmul.m, matmul.k, matmul.n})
    if (isConstantIntValue(size, 0)) {
      report(findings, matmul.call, "empty-product",
             "the matrix multiplication is compiled for operands without elements, "
             "so its result is whatever the accumulator's memory held",
             "load each operand by one copy into a tile of its own");
      return;
    }
}

void lintOperandExtent(MatmulCall matmul, std::vector<Finding> &findings) {
  MemRefType a = getKnownType(matmul.a), b = getKnownType(matmul.b);
  if (a.getRank() != 4 || b.getRank() != 4 || !a.hasStaticShape() ||
      !b.hasStaticShape())
    return;
  StringRef callee = matmul.call.getCallee();
  // Buffers are [outer][inner blocks][16][C0]; which of the first two counts
  // rows of A or columns of B depends on the transposition.
  bool transA = callee.contains("_ta"), transB = callee.contains("_tb");
  int64_t rows = transA ? a.getDimSize(0) * a.getDimSize(3)
                        : a.getDimSize(1) * a.getDimSize(2);
  int64_t columns = transB ? b.getDimSize(1) * b.getDimSize(2)
                           : b.getDimSize(0) * b.getDimSize(3);
  int64_t align = std::max<int64_t>(16, a.getDimSize(3));
  int64_t elementBytes = a.getElementTypeBitWidth() / 8;
  constexpr int64_t l0Bytes = 65536;
  int64_t longest = llvm::alignTo(std::max(rows, columns), align);
  if (elementBytes == 0 || l0Bytes / elementBytes / longest >= align)
    return;
  report(findings, matmul.call, "operand-too-long",
         formatv("the matrix multiplication has {0} rows and {1} columns; one "
                 "step of {2} in k does not fit L0A or L0B ({3} bytes), and "
                 "the library stops the core",
                 rows, columns, align, l0Bytes),
         "use tiles of at most 2048 rows and columns (1024 for float32)");
}

//===----------------------------------------------------------------------===//
// Loads into L1
//===----------------------------------------------------------------------===//

void lintLoadStride(func::CallOp call, std::vector<Finding> &findings) {
  if (!call.getCallee().starts_with("nd2nz_"))
    return;
  auto load = TransferCall::get(call, CallFamily::LoadL1);
  if (!load)
    return;
  MemRefType type = getKnownType(load->source);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 ||
      failed(getStridesAndOffset(type, strides, offset)) ||
      type.getShape().back() == 1 || strides.back() == 1)
    return;
  bool known = !ShapedType::isDynamic(strides.back());
  report(
      findings, call, "strided-load",
      formatv("a matrix operand is loaded with {0} between the elements of a "
              "row; the library assumes distance 1 and loads other elements",
              known ? "distance " + std::to_string(strides.back())
                    : std::string("an unknown distance")),
      "load the tile in the order it is stored in and transpose it in the "
      "multiplication",
      known ? Severity::Error : Severity::Warning);
}

//===----------------------------------------------------------------------===//
// Initialising the accumulator
//===----------------------------------------------------------------------===//

/// Everything that a value is computed from, without leaving arithmetic.
void collectSources(Value value, llvm::SmallPtrSetImpl<Value> &sources) {
  if (!sources.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (op && isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
                op->getDialect()))
    for (Value operand : op->getOperands())
      collectSources(operand, sources);
}

/// The outermost loop whose first iteration `init` asks for.
scf::ForOp getInitLoop(Value init) {
  llvm::SmallPtrSet<Value, 8> sources;
  collectSources(init, sources);
  scf::ForOp outermost;
  for (Value source : sources) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument)
      continue;
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && loop.getInductionVar() == argument &&
        (!outermost || loop->isProperAncestor(outermost)))
      outermost = loop;
  }
  return outermost;
}

void lintConditionalInit(MatmulCall matmul, std::vector<Finding> &findings) {
  scf::ForOp loop = getInitLoop(matmul.init);
  if (!loop || !loop->isAncestor(matmul.call))
    return;
  for (Operation *op = matmul.call->getParentOp(); op != loop;
       op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    // A condition that the loop does not change is the same in its first
    // iteration.
    if (!branch || loop.isDefinedOutsideOfLoop(branch.getCondition()))
      continue;
    report(findings, matmul.call, "conditional-init",
           "the accumulator is cleared in the loop's first iteration only, "
           "but the multiplication is skipped by a condition; when the first "
           "iteration is skipped, the result starts from stale values",
           "skip iterations by the loop's bounds or by a list of indices");
    return;
  }
}

//===----------------------------------------------------------------------===//
// Loops that may not run
//===----------------------------------------------------------------------===//

/// Whether a branch around `op` asks about what bounds the loop.
bool isGuarded(Operation *op, scf::ForOp loop) {
  llvm::SmallPtrSet<Value, 8> bounds;
  collectSources(loop.getLowerBound(), bounds);
  collectSources(loop.getUpperBound(), bounds);
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    llvm::SmallPtrSet<Value, 8> condition;
    collectSources(branch.getCondition(), condition);
    for (Value source : condition)
      if (!getConstant(source) && bounds.contains(source))
        return true;
  }
  return false;
}

/// Whether the multiplication happens whenever `store` does.
bool surelyPrecedes(MatmulCall matmul, Operation *store,
                    ArrayRef<SourceLine> runningLoops) {
  for (auto loop = matmul.call->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    if (loop->isAncestor(store))
      break;
    SourceLine line = getSourceLine(loop.getLoc());
    bool isProven = line.isKnown() && llvm::is_contained(runningLoops, line);
    if (!isProven && !surelyRuns(loop) && !isGuarded(store, loop))
      return false;
  }
  return true;
}

void lintZeroTrips(ArrayRef<MatmulCall> matmuls, func::CallOp call,
                   ArrayRef<SourceLine> runningLoops, std::vector<Finding> &findings) {
  auto store = TransferCall::get(call, CallFamily::Fixpipe);
  if (!store)
    return;
  BufferRoots stored = traceRoots(store->source);
  bool hasProducer = false;
  for (MatmulCall matmul : matmuls) {
    BufferRoots written = traceRoots(matmul.c);
    bool same = llvm::any_of(written.casts, [&](hivm::PointerCastOp cast) {
      return llvm::is_contained(stored.casts, cast);
    });
    if (!same)
      continue;
    hasProducer = true;
    if (surelyPrecedes(matmul, call, runningLoops))
      return;
  }
  if (!hasProducer)
    return;
  report(findings, call, "zero-trip-accumulator",
         "the accumulator is stored after a loop that may run zero times; it "
         "holds stale values then",
         "let the loop run at least once (a load of no rows gives zeros), or "
         "guard loop and store by a condition on the loop's bounds");
}

//===----------------------------------------------------------------------===//
// What follows the multiplication
//===----------------------------------------------------------------------===//

void lintQuantisation(func::CallOp call, std::vector<Finding> &findings) {
  StringRef callee = call.getCallee();
  if (!callee.starts_with("fixpipe_") || !callee.contains("_int32_t_to_"))
    return;
  if (callee.contains("_int32_t_to_int32_t"))
    return;
  report(findings, call, "unscaled-quantisation",
         "an integer matrix result is narrowed on its way out of L0C; that "
         "path multiplies by a scale which nobody sets",
         "store int32, or convert on vector cores: to float32 first, then "
         "narrow");
}

void lintDestination(func::CallOp call, std::vector<Finding> &findings) {
  auto store = TransferCall::get(call, CallFamily::Fixpipe);
  if (!store || hivm::getAddressSpace(store->destination.getType()) ==
                    hivm::AddressSpace::GM)
    return;
  report(findings, call, "on-chip-fixpipe",
         "a matrix result is sent from L0C to another on-chip memory; this "
         "device has no such path, and the library writes to global memory at "
         "that address",
         "keep the result a value, so that it goes through the workspace");
}

void lintBias(MatmulCall matmul, std::vector<Finding> &findings) {
  if (!matmul.bias)
    return;
  MemRefType c = getKnownType(matmul.c);
  std::optional<int64_t> columns = getConstant(matmul.n);
  if (!columns && c.getRank() == 4 && c.hasStaticShape())
    columns = c.getDimSize(0) * c.getDimSize(3);
  // The library copies four bytes per column into the bias table.
  constexpr int64_t tableBytes = 1024, columnBytes = 4;
  if (!columns || *columns * columnBytes <= tableBytes)
    return;
  report(findings, matmul.call, "bias-too-wide",
         formatv("a bias of {0} columns needs {1} bytes of the bias table, "
                 "which has {2}; the library copies past its end",
                 *columns, *columns * columnBytes, tableBytes),
         "use a tile of at most 256 columns where a bias is added");
}

} // namespace

void lintCube(ModuleOp module, const LintOptions &options,
              std::vector<Finding> &findings) {
  for (auto function : module.getOps<func::FuncOp>()) {
    SmallVector<func::CallOp> calls = getLibraryCalls(function);
    SmallVector<MatmulCall> matmuls;
    for (func::CallOp call : calls)
      if (auto matmul = MatmulCall::get(call))
        matmuls.push_back(*matmul);
    for (MatmulCall matmul : matmuls) {
      lintOperandLayout(matmul, findings);
      lintEmptyProduct(matmul, findings);
      lintOperandExtent(matmul, findings);
      lintConditionalInit(matmul, findings);
      lintBias(matmul, findings);
    }
    for (func::CallOp call : calls) {
      lintLoadStride(call, findings);
      if (!options.loopsRun)
        lintZeroTrips(matmuls, call, options.runningLoops, findings);
      lintQuantisation(call, findings);
      lintDestination(call, findings);
    }
  }
}

} // namespace tilekiln::bishengir
