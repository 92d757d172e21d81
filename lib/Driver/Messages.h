//===- Messages.h - MLIR's diagnostics as messages for the author ---------===//
#ifndef TILEKILN_DRIVER_MESSAGES_H
#define TILEKILN_DRIVER_MESSAGES_H

#include "tilekiln/Driver/Compiler.h"
#include "mlir/IR/Diagnostics.h"

namespace tilekiln {

/// A message at the position in a file that the location holds, if any.
Message messageAt(mlir::Location location, Message::Severity severity, std::string text);

/// Whether a message of severity Error is among them.
bool hasErrors(llvm::ArrayRef<Message> messages);

/// Collects what is said in a context while it lives.
class MessageCollector {
public:
  explicit MessageCollector(mlir::MLIRContext *context);

  std::vector<Message> messages;
  /// What was said, as the reason of a failure; `otherwise` where nothing was.
  llvm::Error takeError(llvm::StringRef otherwise);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilekiln

#endif // TILEKILN_DRIVER_MESSAGES_H
