//===- VendorInput.h - Ops that the vendor's compiler has to lower --------===//
//
// Marks the ops of its dialects that we write and hivmc does not take.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_VENDORINPUT_H
#define TILEKILN_DIALECT_HIVM_VENDORINPUT_H

#include "mlir/IR/OpDefinition.h"

namespace tilekiln::hivm {

template <typename ConcreteType>
class VendorInput : public mlir::OpTrait::TraitBase<ConcreteType, VendorInput> {};

} // namespace tilekiln::hivm

#endif // TILEKILN_DIALECT_HIVM_VENDORINPUT_H
