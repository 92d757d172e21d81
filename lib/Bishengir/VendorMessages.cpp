//===- VendorMessages.cpp - Reading what the vendor's compiler prints -----===//
//
// Line by line. Positions come as `loc("file":line:column): ` and may be
// repeated in front of one message; the last one belongs to it.
//
//===----------------------------------------------------------------------===//
#include "VendorMessages.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace tilekiln::bishengir {

using llvm::Regex;
using llvm::SmallVector;
using llvm::StringRef;

/// Takes positions off the front of a line.
static SourceLine takePosition(StringRef &line) {
  static const Regex bracketed("^loc\\(\"([^\"]*)\":([0-9]+):([0-9]+)\\): ?");
  static const Regex plain("^([^ :\"]+):([0-9]+):([0-9]+): ");
  SourceLine source;
  SmallVector<StringRef, 4> parts;
  while (bracketed.match(line, &parts) || plain.match(line, &parts)) {
    source.file = parts[1].str();
    if (parts[2].getAsInteger(10, source.line) ||
        parts[3].getAsInteger(10, source.column))
      source = {};
    line = line.drop_front(parts[0].size());
  }
  line.consume_front("loc(unknown): ");
  return source;
}

static std::string getSpaceName(StringRef vendorName) {
  return vendorName == "cbuf" ? "l1" : vendorName == "cc" ? "l0c" : "ub";
}

static bool parseOverflow(StringRef text, const SourceLine &source,
                          std::vector<Overflow> &overflows) {
  static const Regex pattern("(ub|cbuf|cc) overflow, requires ([0-9]+) bits "
                             "while ([0-9]+) bits available");
  SmallVector<StringRef, 4> parts;
  if (!pattern.match(text, &parts))
    return false;
  Overflow overflow;
  overflow.space = getSpaceName(parts[1]);
  int64_t neededBits = 0, availableBits = 0;
  if (parts[2].getAsInteger(10, neededBits) ||
      parts[3].getAsInteger(10, availableBits))
    return false;
  constexpr int64_t bitsPerByte = 8;
  overflow.neededBytes = neededBits / bitsPerByte;
  overflow.availableBytes = availableBits / bitsPerByte;
  overflow.source = source;
  overflows.push_back(std::move(overflow));
  return true;
}

/// Lines that follow every failure and say nothing.
static bool isNoise(StringRef text) {
  return text.contains("Failed to run BiShengHIR pipeline") ||
         text.contains("Failed to run BiShengIR pipeline");
}

VendorOutput parseVendorOutput(StringRef text, StringRef ownFile,
                               StringRef ownName) {
  VendorOutput output;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    line = line.trim();
    if (line.consume_front("[NOTE]")) {
      output.notes.push_back(line.trim().str());
      output.succeededAfterRetry |= line.contains("compilation then succeeded");
      continue;
    }
    SourceLine source = takePosition(line);
    if (source.file == ownFile)
      source.file = ownName.str();
    std::string severity;
    for (StringRef word : {"error", "warning", "note", "remark"})
      if (line.consume_front((word + ": ").str()))
        severity = word.str();
    if (severity.empty()) {
      if (!line.consume_front("[ERROR] ") && !line.starts_with("LLVM ERROR: "))
        continue;
      severity = "error";
    }
    if (isNoise(line))
      continue;
    parseOverflow(line, source, output.overflows);
    output.messages.push_back({severity, line.str(), source});
  }
  return output;
}

std::string getTail(StringRef text) {
  constexpr size_t lineCount = 12;
  // LLVM's crash report: "#12 0x0000...", or "12 libc.so.6 0x0000..." where symbols are
  // not looked up, their headings, and the list of arguments.
  static const Regex backTrace("^ *#[0-9]+ 0x|^ *[0-9]+ +[^ ]+ +0x[0-9a-f]+|"
                               "^Stack dump|^PLEASE submit a bug report|"
                               "^[0-9]+\\.[ \t]+Program arg");
  SmallVector<StringRef> lines, kept;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    if (!line.trim().empty() && !backTrace.match(line))
      kept.push_back(line.rtrim());
  if (kept.size() > lineCount)
    kept.erase(kept.begin(), kept.end() - lineCount);
  std::string tail;
  for (StringRef line : kept)
    tail += (line + "\n").str();
  return tail;
}

StringRef getAdvice(StringRef message) {
  if (message.contains("that was explicitly marked illegal"))
    return "the vendor's compiler does not support this operation in this "
           "form; write it with other operations";
  if (message.contains("currently don't support cast"))
    return "there is no direct conversion between these types; go through "
           "float32";
  if (message.contains("unsupported datatype for arith::"))
    return "the vendor's compiler has no vector operation on this type; float16, bfloat16 and "
           "float32 have them";
  if (message.contains("Unsupported copy from"))
    return "a matrix result cannot be copied between on-chip memories on this "
           "device; let vector operations work on the whole result tile after "
           "the matrix multiplication";
  if (message.contains("only support store ub to gm"))
    return "a matrix result cannot go from L0C to UB directly on this device; "
           "keep it a value and the compiler goes through global memory";
  if (message.contains("multiple entry functions"))
    return "compile one kernel at a time";
  if (message.contains("program id or program num"))
    return "the linked IR's entry must end with six i32: grid and block index";
  if (message.contains("failed to bind workspace argument"))
    return "a kernel on cube and vector cores needs the lock and workspace "
           "arguments";
  if (message.contains("PlanMemory Traverse IR Failed"))
    return "the control flow of this kernel is not supported; use loops with "
           "carried tiles and branches only";
  return "";
}

} // namespace tilekiln::bishengir
