//===- Finding.h - What a check of the vendor's output found --------------===//
//
// Every check of this layer (link, lint, placement) reports the same plain
// structure, so that one place turns them into messages at the Python line.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_FINDING_H
#define TILEKILN_BISHENGIR_FINDING_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir {
class Location;
class Operation;
} // namespace mlir

namespace tilekiln::bishengir {

/// A line of the author's script; line 0 where none is known.
struct SourceLine {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  bool isKnown() const { return line != 0; }
  bool operator==(const SourceLine &other) const {
    return file == other.file && line == other.line && column == other.column;
  }
};

/// The first file position within a location.
SourceLine getSourceLine(mlir::Location location);

/// "file:line:column: ", or nothing where the line is not known.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const SourceLine &source);

enum class Severity {
  /// Wrong values, or code that cannot be linked.
  Error,
  /// Right but slow, or something that cannot be proved from here.
  Warning
};

struct Finding {
  Severity severity = Severity::Error;
  /// Which check: a short fixed name such as "missing-library-function".
  std::string check;
  /// What is wrong and why.
  std::string text;
  /// What to do instead.
  std::string advice;
  SourceLine source;
};

/// A finding at an op's line.
Finding findingAt(mlir::Operation *op, llvm::StringRef check, std::string text,
                  llvm::StringRef advice, Severity severity = Severity::Error);

/// Whether a finding of severity Error is among them.
bool hasErrors(llvm::ArrayRef<Finding> findings);

/// "file:line:column: error: text; advice [check]".
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Finding &finding);

llvm::json::Value toJSON(const SourceLine &source);
llvm::json::Value toJSON(const Finding &finding);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_FINDING_H
