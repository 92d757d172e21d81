//===- Messages.cpp - MLIR's diagnostics as messages for the author -------===//
#include "Messages.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilekiln;

char CompileError::ID = 0;

StringRef tilekiln::getName(Message::Severity severity) {
  switch (severity) {
  case Message::Severity::Error:
    return "error";
  case Message::Severity::Warning:
    return "warning";
  case Message::Severity::Remark:
    return "remark";
  case Message::Severity::Note:
    return "note";
  }
  llvm_unreachable("every severity is listed");
}

void CompileError::log(llvm::raw_ostream &os) const {
  llvm::interleave(
      messages, os,
      [&](const Message &message) {
        if (!message.file.empty())
          os << message.file << ":" << message.line << ": ";
        os << getName(message.severity) << ": " << message.text;
      },
      "\n");
}

std::error_code CompileError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

bool tilekiln::hasErrors(ArrayRef<Message> messages) {
  return llvm::any_of(messages, [](const Message &message) {
    return message.severity == Message::Severity::Error;
  });
}

Message tilekiln::messageAt(Location location, Message::Severity severity,
                            std::string text) {
  Message message;
  message.severity = severity;
  message.text = std::move(text);
  if (FileLineColLoc position = location->findInstanceOf<FileLineColLoc>()) {
    message.file = position.getFilename().str();
    message.line = position.getLine();
    message.column = position.getColumn();
  }
  return message;
}

static Message toMessage(Diagnostic &diagnostic) {
  Message message = messageAt(diagnostic.getLocation(), Message::Severity::Error,
                              diagnostic.str());
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    message.severity = Message::Severity::Error;
    break;
  case DiagnosticSeverity::Warning:
    message.severity = Message::Severity::Warning;
    break;
  case DiagnosticSeverity::Remark:
    message.severity = Message::Severity::Remark;
    break;
  case DiagnosticSeverity::Note:
    message.severity = Message::Severity::Note;
    break;
  }
  return message;
}

MessageCollector::MessageCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        messages.push_back(toMessage(diagnostic));
        for (Diagnostic &note : diagnostic.getNotes())
          messages.push_back(toMessage(note));
        return success();
      }) {}

llvm::Error MessageCollector::takeError(StringRef otherwise) {
  if (!hasErrors(messages)) {
    Message message;
    message.text = otherwise.str();
    messages.push_back(message);
  }
  return llvm::make_error<CompileError>(std::move(messages));
}
