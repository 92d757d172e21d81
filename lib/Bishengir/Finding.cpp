//===- Finding.cpp - What a check of the vendor's output found ------------===//
//
// Locations, text and JSON of findings.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/Finding.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilekiln::bishengir {

SourceLine getSourceLine(Location location) {
  SourceLine source;
  location->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    // The vendor marks its own ops as "internal", line 0.
    if (!position || position.getLine() == 0)
      return WalkResult::advance();
    source = {position.getFilename().str(), position.getLine(),
              position.getColumn()};
    return WalkResult::interrupt();
  });
  return source;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const SourceLine &source) {
  if (source.isKnown())
    os << source.file << ':' << source.line << ':' << source.column << ": ";
  return os;
}

Finding findingAt(Operation *op, StringRef check, std::string text,
                  StringRef advice, Severity severity) {
  return {severity, check.str(), std::move(text), advice.str(),
          getSourceLine(op->getLoc())};
}

bool hasErrors(ArrayRef<Finding> findings) {
  return llvm::any_of(findings, [](const Finding &finding) {
    return finding.severity == Severity::Error;
  });
}

static StringRef getName(Severity severity) {
  return severity == Severity::Error ? "error" : "warning";
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Finding &finding) {
  os << finding.source << getName(finding.severity) << ": " << finding.text;
  if (!finding.advice.empty())
    os << "; " << finding.advice;
  return os << " [" << finding.check << ']';
}

llvm::json::Value toJSON(const SourceLine &source) {
  if (!source.isKnown())
    return nullptr;
  return llvm::json::Object{
      {"file", source.file}, {"line", source.line}, {"column", source.column}};
}

llvm::json::Value toJSON(const Finding &finding) {
  return llvm::json::Object{{"severity", getName(finding.severity)},
                            {"check", finding.check},
                            {"text", finding.text},
                            {"advice", finding.advice},
                            {"source", toJSON(finding.source)}};
}

} // namespace tilekiln::bishengir
