//===- Decode.h - The vendor's final IR as a program of the simulator -----===//
//
// Turns the module that hivmc would be given into a Program: scalar code becomes
// register code, memrefs become buffers, library calls are looked up in the
// library table. An op, a type or a library function that the simulator does not
// know is an error at its line that names it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_DECODE_DECODE_H
#define TILEKILN_SIM_DECODE_DECODE_H

#include "tilekiln/Sim/Core/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilekiln::sim {

/// Why a module cannot be simulated, and the line that says so.
class DecodeError : public llvm::ErrorInfo<DecodeError> {
public:
  static char ID;
  DecodeError(SourcePlace place, std::string text)
      : place(std::move(place)), text(std::move(text)) {}
  /// "file:line: text".
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  SourcePlace place;
  std::string text;
};

/// Of a module that hivm::parseFinalIR gave.
llvm::Expected<std::unique_ptr<Program>> decode(mlir::ModuleOp module);

/// Parses and decodes. `name` is the file's name for messages and for lines of
/// modules without lines of a script.
llvm::Expected<std::unique_ptr<Program>> decodeText(llvm::StringRef text,
                                                    llvm::StringRef name);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_DECODE_DECODE_H
