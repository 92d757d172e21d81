//===- VendorMessages.h - Reading what the vendor's compiler prints -------===//
//
// Its output is free text: MLIR diagnostics with our locations, notes about
// retries, LLVM's crash report. This turns it into structures.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_BISHENGIR_VENDORMESSAGES_H
#define TILEKILN_LIB_BISHENGIR_VENDORMESSAGES_H

#include "tilekiln/Bishengir/Bishengir.h"

namespace tilekiln::bishengir {

struct VendorOutput {
  std::vector<VendorMessage> messages;
  /// `[NOTE] ...` without the brackets.
  std::vector<std::string> notes;
  std::vector<Overflow> overflows;
  /// The compiler retried with optimisations off and went on.
  bool succeededAfterRetry = false;
};

/// `ownFile` is the temporary file that the compiler was given; positions in it
/// are reported under `ownName`.
VendorOutput parseVendorOutput(llvm::StringRef text, llvm::StringRef ownFile,
                               llvm::StringRef ownName);

/// The last lines, without back traces and empty lines.
std::string getTail(llvm::StringRef text);

/// What the author of a kernel can do about a message; empty if nothing more is
/// known than the message says.
llvm::StringRef getAdvice(llvm::StringRef message);

} // namespace tilekiln::bishengir

#endif // TILEKILN_LIB_BISHENGIR_VENDORMESSAGES_H
