//===- VendorFailure.h - What the vendor's compiler says, for the author --===//
#ifndef TILEKILN_DRIVER_VENDORFAILURE_H
#define TILEKILN_DRIVER_VENDORFAILURE_H

#include "Variant.h"
#include "tilekiln/Target/Target.h"

namespace tilekiln {

Message toMessage(const bishengir::Finding &finding);

/// A failure of `variant.compileForVendor` as a CompileError; an overflow with the
/// author's tiles that caused it.
llvm::Error vendorFailure(llvm::Error error, Variant &variant, const Target &target);

} // namespace tilekiln

#endif // TILEKILN_DRIVER_VENDORFAILURE_H
