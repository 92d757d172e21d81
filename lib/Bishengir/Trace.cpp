//===- Trace.cpp - Where does a buffer of the final IR come from? ---------===//
//
// A worklist over views, selections and loop-carried values. Ops that are not
// known end the walk and are returned, so that a caller can say what it could
// not see.
//
//===----------------------------------------------------------------------===//
#include "Trace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tilekiln::bishengir {
namespace {

class RootTracer {
public:
  BufferRoots run(Value buffer) {
    push(buffer);
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(next))
        visit(argument);
      else
        visit(cast<OpResult>(next));
    }
    return std::move(roots);
  }

private:
  void push(Value value) {
    if (visited.insert(value).second)
      worklist.push_back(value);
  }

  void visit(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent)) {
      roots.arguments.push_back(argument);
      return;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    if (!init) {
      roots.others.push_back(parent);
      return;
    }
    push(init->get());
    push(loop.getTiedLoopYieldedValue(argument)->get());
  }

  void visit(OpResult result) {
    Operation *op = result.getOwner();
    if (auto cast = dyn_cast<hivm::PointerCastOp>(op)) {
      roots.casts.push_back(cast);
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      push(view.getViewSource());
    } else if (auto bits = dyn_cast<hivm::BitcastOp>(op)) {
      push(bits.getSrc());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      push(select.getTrueValue());
      push(select.getFalseValue());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      push(loop.getInitArgs()[result.getResultNumber()]);
      push(loop.getYieldedValues()[result.getResultNumber()]);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      push(branch.thenYield().getOperand(result.getResultNumber()));
      push(branch.elseYield().getOperand(result.getResultNumber()));
    } else {
      roots.others.push_back(op);
    }
  }

  BufferRoots roots;
  SmallVector<Value> worklist;
  llvm::SmallPtrSet<Value, 16> visited;
};

} // namespace

BufferRoots traceRoots(Value buffer) { return RootTracer().run(buffer); }

Value skipCasts(Value buffer) {
  // A cast from an unranked buffer knows less than its result.
  for (auto cast = buffer.getDefiningOp<memref::CastOp>();
       cast && isa<MemRefType>(cast.getSource().getType());
       cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

bool isWorkspace(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return false;
  Attribute kind =
      function.getArgAttr(argument.getArgNumber(), "hacc.arg_type");
  return hivm::getVendorText(kind, "arg_type") == "workspace";
}

bool reachesWorkspace(Value buffer) {
  return llvm::any_of(traceRoots(buffer).arguments, isWorkspace);
}

scf::ForOp getInnermostLoop(Operation *op) {
  return op->getParentOfType<scf::ForOp>();
}

std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> getSizeBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(),
                          8);
}

SmallVector<ByteRange> getByteRanges(hivm::PointerCastOp cast) {
  auto type = dyn_cast<MemRefType>(cast.getResult().getType());
  std::optional<hivm::AddressSpace> space =
      hivm::getAddressSpace(cast.getResult().getType());
  if (!type || !space)
    return {};
  std::optional<int64_t> size = getSizeBytes(type);
  if (!size || *size == 0)
    return {};
  SmallVector<ByteRange> ranges;
  for (Value address : cast.getAddrs())
    if (std::optional<int64_t> begin = getConstant(address))
      ranges.push_back({*space, *begin, *begin + *size});
  return ranges;
}

} // namespace tilekiln::bishengir
