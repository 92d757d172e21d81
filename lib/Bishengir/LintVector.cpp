//===- LintVector.cpp - Silent errors around vector calls -----------------===//
//
// Most vector functions fall back to a slow but right loop where data is not
// aligned; the few that do not are listed here. Also finds buffers that are
// stored without ever having been filled, and loops over single elements.
//
//===----------------------------------------------------------------------===//
#include "LibraryCall.h"
#include "Trace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilekiln/Bishengir/Lint.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace tilekiln::bishengir {
namespace {

constexpr int64_t blockBytes = 32;

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

enum class Alignment { Aligned, Misaligned, Unknown };

/// The worse of two; what is surely wrong is worse than what is not known.
Alignment join(Alignment left, Alignment right) {
  if (left == Alignment::Misaligned || right == Alignment::Misaligned)
    return Alignment::Misaligned;
  if (left == Alignment::Unknown || right == Alignment::Unknown)
    return Alignment::Unknown;
  return Alignment::Aligned;
}

/// Whether value · bytes is a multiple of a block.
Alignment getAlignment(OpFoldResult elements, int64_t bytes) {
  if (bytes % blockBytes == 0)
    return Alignment::Aligned;
  if (std::optional<int64_t> constant = getConstantIntValue(elements))
    return *constant * bytes % blockBytes == 0 ? Alignment::Aligned
                                               : Alignment::Misaligned;
  auto value = dyn_cast<Value>(elements);
  if (auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                         : affine::AffineApplyOp()) {
    int64_t divisor =
        apply.getAffineMap().getResult(0).getLargestKnownDivisor();
    if (divisor * bytes % blockBytes == 0)
      return Alignment::Aligned;
  }
  return Alignment::Unknown;
}

/// Where a UB view starts, through the views it is made of.
Alignment getStartAlignment(Value buffer, int64_t elementBytes) {
  buffer = skipCasts(buffer);
  auto view = buffer.getDefiningOp<ViewLikeOpInterface>();
  if (!view)
    return Alignment::Aligned;
  Alignment alignment = Alignment::Aligned;
  if (auto slice = buffer.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(getStridesAndOffset(slice.getSourceType(), strides, offset)))
      return Alignment::Unknown;
    for (auto [start, stride] : llvm::zip(slice.getMixedOffsets(), strides)) {
      bool startsAtZero = getConstantIntValue(start) == 0;
      if (ShapedType::isDynamic(stride))
        alignment = join(alignment, startsAtZero ? Alignment::Aligned
                                                 : Alignment::Unknown);
      else
        alignment = join(alignment, getAlignment(start, stride * elementBytes));
    }
  }
  return join(alignment,
              getStartAlignment(view.getViewSource(), elementBytes));
}

/// Start and row pitch of what a call is given. The pitch of a buffer that the
/// call sees as one row does not matter.
Alignment getAlignment(Value buffer) {
  buffer = skipCasts(buffer);
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8)
    return Alignment::Unknown;
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  Alignment alignment = getStartAlignment(buffer, elementBytes);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(getStridesAndOffset(type, strides, offset)))
    for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
      if (!ShapedType::isDynamic(strides[dim]) && type.getDimSize(dim) != 1 &&
          strides[dim] * elementBytes % blockBytes != 0)
        alignment = Alignment::Misaligned;
  return alignment;
}

/// Functions without a right path for misaligned data, and what they do.
StringRef getMisalignedEffect(func::CallOp call) {
  StringRef callee = call.getCallee();
  if (callee.starts_with("vcast_float_to_half_"))
    return "stops the core";
  if (callee.starts_with("vcast_") && callee.contains("bfloat16_t"))
    return "does nothing";
  if (auto store = TransferCall::get(call, CallFamily::StoreUB))
    if (call.getNumOperands() > 2 &&
        getConstant(call.getOperand(2)).value_or(0) != 0)
      return "stores nothing";
  return "";
}

void lintAlignment(func::CallOp call, std::vector<Finding> &findings) {
  StringRef effect = getMisalignedEffect(call);
  if (effect.empty())
    return;
  Alignment alignment = Alignment::Aligned;
  for (Value operand : call.getOperands())
    if (hivm::getAddressSpace(operand.getType()) == hivm::AddressSpace::UB)
      alignment = join(alignment, getAlignment(operand));
  if (alignment == Alignment::Aligned)
    return;
  bool certain = alignment == Alignment::Misaligned;
  findings.push_back(findingAt(
      call, "misaligned-slice",
      formatv("'{0}' works on a slice of a UB tile that {1} at a multiple of "
              "{2} bytes; the library function {3} then",
              call.getCallee(), certain ? "does not start" : "may not start",
              blockBytes, effect),
      "keep the start and the length of rows at multiples of 32 bytes, or "
      "apply an arithmetic operation to the slice first",
      certain ? Severity::Error : Severity::Warning));
}

//===----------------------------------------------------------------------===//
// Buffers that nobody fills
//===----------------------------------------------------------------------===//

/// Operands that a call reads and, through this operand, does not write.
bool isReadOnly(func::CallOp call, unsigned index) {
  switch (getCallFamily(call.getCallee())) {
  case CallFamily::Matmul:
    return index < 2;
  case CallFamily::StoreUB:
  case CallFamily::Fixpipe:
  case CallFamily::LoadL1:
  case CallFamily::LoadUB:
  case CallFamily::Compute:
    return index == 0;
  case CallFamily::Debug:
    return true;
  case CallFamily::FillL1:
  case CallFamily::Other:
    return false;
  }
  llvm_unreachable("all families are listed");
}

/// What may have been written before an op of a function, or in the iteration
/// before.
class FilledBuffers {
public:
  explicit FilledBuffers(func::FuncOp function) {
    function.walk([&](Operation *op) {
      order[op] = order.size();
      if (auto call = dyn_cast<func::CallOp>(op)) {
        for (auto [index, operand] : llvm::enumerate(call.getOperands()))
          if (isa<MemRefType>(operand.getType()) && !isReadOnly(call, index))
            add(op, operand);
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        add(op, store.getMemRef());
      } else if (!op->isRegistered()) {
        // Not understood: it may fill what it is given.
        for (Value operand : op->getOperands())
          if (isa<MemRefType>(operand.getType()))
            add(op, operand);
      }
    });
  }

  bool mayBeFilled(hivm::PointerCastOp cast, Operation *reader) const {
    SmallVector<ByteRange> ranges = getByteRanges(cast);
    if (ranges.empty())
      return true;
    return llvm::any_of(fills, [&](const Fill &fill) {
      return reaches(fill.op, reader) &&
             llvm::any_of(ranges, [&](const ByteRange &range) {
               return range.overlaps(fill.range);
             });
    });
  }

private:
  struct Fill {
    Operation *op;
    ByteRange range;
  };

  bool reaches(Operation *writer, Operation *reader) const {
    if (order.lookup(writer) < order.lookup(reader))
      return true;
    scf::ForOp loop = getInnermostLoop(reader);
    while (loop && loop->getParentOfType<scf::ForOp>())
      loop = loop->getParentOfType<scf::ForOp>();
    return loop && loop->isAncestor(writer);
  }

  void add(Operation *op, Value buffer) {
    for (hivm::PointerCastOp cast : traceRoots(buffer).casts)
      for (const ByteRange &range : getByteRanges(cast))
        fills.push_back({op, range});
  }

  SmallVector<Fill> fills;
  llvm::DenseMap<Operation *, unsigned> order;
};

void lintUnfilled(func::CallOp call, const FilledBuffers &buffers,
                  std::vector<Finding> &findings) {
  for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
    if (!isa<MemRefType>(operand.getType()) || !isReadOnly(call, index))
      continue;
    for (hivm::PointerCastOp cast : traceRoots(operand).casts) {
      if (buffers.mayBeFilled(cast, call))
        continue;
      findings.push_back(findingAt(
          call, "unfilled-buffer",
          formatv("'{0}' reads an on-chip buffer that nothing in the final IR "
                  "has written before",
                  call.getCallee()),
          "the vendor's compiler dropped what fills it: a parallel loop, or an "
          "accumulator read in the iteration that also multiplies into it; "
          "carry such a state in UB and add the product to it"));
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Loops over single elements
//===----------------------------------------------------------------------===//

bool isInUB(Value buffer) {
  return hivm::getAddressSpace(buffer.getType()) == hivm::AddressSpace::UB;
}

void lintElementLoop(scf::ForOp loop, std::vector<Finding> &findings) {
  memref::StoreOp store;
  bool loads = false;
  for (Operation &op : *loop.getBody()) {
    if (auto candidate = dyn_cast<memref::StoreOp>(op))
      if (isInUB(candidate.getMemRef()))
        store = candidate;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      loads |= isInUB(load.getMemRef());
  }
  if (!store || !loads)
    return;
  findings.push_back(findingAt(
      store, "element-loop",
      "this operation became a loop over single elements on the scalar unit, "
      "about a hundred times slower than a vector instruction",
      "use float32 or int32 operands, for which vector instructions exist",
      Severity::Warning));
}

} // namespace

void lintVector(ModuleOp module, std::vector<Finding> &findings) {
  for (auto function : module.getOps<func::FuncOp>()) {
    FilledBuffers buffers(function);
    for (func::CallOp call : getLibraryCalls(function)) {
      lintAlignment(call, findings);
      lintUnfilled(call, buffers, findings);
    }
    function.walk([&](scf::ForOp loop) { lintElementLoop(loop, findings); });
  }
}

} // namespace tilekiln::bishengir
