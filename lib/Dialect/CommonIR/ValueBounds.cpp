//===- ValueBounds.cpp - Bounds of indices and sizes ----------------------===//
//
// External models of upstream's ValueBoundsOpInterface: a block index lies in
// its grid, an element-wise index in its extent, and a global tensor has the
// sizes that it was declared with.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace tilekiln::commonir;

namespace {
/// 0 <= argument < operand, for the ops whose arguments are indices.
template <typename ConcreteOp>
struct IndexSpaceBounds
    : ValueBoundsOpInterface::ExternalModel<IndexSpaceBounds<ConcreteOp>, ConcreteOp> {
  void populateBoundsForIndexValue(Operation *op, Value value,
                                   ValueBoundsConstraintSet &set) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->getParentOp() != op)
      return;
    set.bound(value) >= 0;
    set.bound(value) < set.getExpr(op->getOperand(argument.getArgNumber()));
  }
};

struct TensorSizes : ValueBoundsOpInterface::ExternalModel<TensorSizes, TensorOp> {
  void populateBoundsForShapedValueDim(Operation *op, Value value, int64_t dim,
                                       ValueBoundsConstraintSet &set) const {
    OpFoldResult size = cast<TensorOp>(op).getMixedSizes()[dim];
    set.bound(value)[dim] == size;
  }
};
} // namespace

void tilekiln::commonir::registerValueBoundsModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CommonIRDialect *) {
    LaunchOp::attachInterface<IndexSpaceBounds<LaunchOp>>(*context);
    ElementwiseOp::attachInterface<IndexSpaceBounds<ElementwiseOp>>(*context);
    TensorOp::attachInterface<TensorSizes>(*context);
  });
}
