//===- Debug.cpp - Rows of prints and asserts -----------------------------===//
//
// A print drains the core and writes to standard output: the block, the text that
// the kernel gave, and the value, between brackets per dimension as the device
// does.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "VectorFlags.h"
#include "VectorLanes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdio>
#include <mutex>

using namespace tilekiln::sim;

/// Whole texts of different blocks do not mix.
static void print(const std::string &text) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

static std::string toText(ElementType type, const uint8_t *data, bool hex) {
  char text[64];
  if (isFloat(type)) {
    float value;
    loadLanes(type, data, 0, 1, &value);
    std::snprintf(text, sizeof text, hex ? "%A" : "%f", double(value));
    return text;
  }
  int64_t value;
  loadLanes(type, data, 0, 1, &value);
  if (hex) {
    uint64_t mask = getBits(type) >= 64 ? ~uint64_t(0)
                                        : (uint64_t(1) << getBits(type)) - 1;
    return llvm::utohexstr(uint64_t(value) & mask);
  }
  return isUnsigned(type) ? std::to_string(uint64_t(value))
                          : std::to_string(value);
}

static void appendElements(const Buffer &buffer, unsigned dim, int64_t offset,
                           const uint8_t *data, bool hex, std::string &out) {
  if (dim == buffer.rank) {
    if (buffer.type == ElementType::I1)
      out += getFlag(data, int64_t(buffer.bitOffset()) + offset) ? 'T' : 'F';
    else
      out += toText(buffer.type, data + offset * int64_t(getBytes(buffer.type)), hex);
    return;
  }
  out += '[';
  bool isLast = dim + 1u == buffer.rank;
  for (int64_t i = 0; i < buffer.sizes[dim]; ++i) {
    if (i > 0)
      out += isLast ? "," : ",\n";
    appendElements(buffer, dim + 1, offset + i * buffer.strides[dim], data, hex, out);
  }
  out += ']';
}

/// "block 3: x: "; a call without a text is named by its function.
static std::string header(const Signature &signature, const CallArguments &arguments,
                          const Issue &issue) {
  int64_t number = arguments.integer(0), length = arguments.integer(1);
  llvm::ArrayRef<std::string> texts = issue.state().texts;
  std::string prefix = signature.name + ": ";
  if (number > 0 && size_t(number) <= texts.size())
    prefix = texts[size_t(number) - 1].substr(0, size_t(std::max<int64_t>(length, 0)));
  return llvm::formatv("block {0}: {1}", issue.state().block, prefix).str();
}

/// What is written or branched on depends on every element read: the scalar unit
/// has them all before it issues what follows in the program. A single load in the
/// kernel itself is not like that, and needs a flag.
static void endScalarReads(Issue &issue) { issue.barrier(Pipe::All); }

static void issuePrintBuffer(const Signature &signature,
                             const CallArguments &arguments, Issue &issue) {
  Buffer buffer = retype(arguments.buffer(2), signature.types[0]);
  bool hex = arguments.size() > 3 && arguments.integer(3) != 0;
  issue.barrier(Pipe::All);
  issue.scalar(issue.timing().scalarDependent * double(buffer.elementCount()))
      .reads(buffer)
      .job([buffer, hex, text = header(signature, arguments, issue)](
               ValueContext &values) mutable {
        values.requireWritten(buffer, "what is printed");
        appendElements(buffer, 0, 0, values.data(buffer), hex, text);
        print(text + "\n");
      });
  endScalarReads(issue);
}

static void issuePrintScalar(const Signature &signature,
                             const CallArguments &arguments, Issue &issue) {
  ElementType type = signature.types[0];
  bool hex = arguments.size() > 3 && arguments.integer(3) != 0;
  std::string text = header(signature, arguments, issue);
  if (arguments[2].isUnknown)
    text += "unknown";
  else if (type == ElementType::I1)
    text += arguments.integer(2) & 1 ? "T" : "F";
  else
    text += toText(type, toBytes(arguments[2], type).bytes, hex);
  issue.barrier(Pipe::All);
  issue.scalar(issue.timing().scalarDependent)
      .job([text = text + "\n"](ValueContext &) { print(text); });
}

/// Every element must be other than 0.
static void issueAssertBuffer(const Signature &signature,
                              const CallArguments &arguments, Issue &issue) {
  Buffer buffer = retype(arguments.buffer(2), signature.types[0]);
  issue.barrier(Pipe::All);
  issue.scalar(issue.timing().scalarDependent * double(buffer.elementCount()))
      .reads(buffer)
      .job([buffer](ValueContext &values) {
        bool failed = false;
        forEachRow(values, buffer, [&](const Row &row) {
          for (int64_t i = 0; i < row.count; ++i)
            failed |= row.data[0][i * row.stride[0]] == 0;
        });
        if (failed)
          values.fault(FaultKind::Assert, buffer.space, buffer.addressBytes(),
                       "an element of the condition is false");
      });
  endScalarReads(issue);
}

static void issueAssertScalar(const Signature &, const CallArguments &arguments,
                              Issue &issue) {
  issue.barrier(Pipe::All);
  if (!arguments[2].isUnknown && (arguments.integer(2) & 1) == 0)
    issue.fault(FaultKind::Assert, "the condition is false");
}

static void issueNothing(const Signature &, const CallArguments &, Issue &) {}

void tilekiln::sim::addDebugRows(LibraryTable &table) {
  table.add({
      {"print_{rank}d_{type}_{ubuf|gm}", "ssbs?", issuePrintBuffer},
      {"print_scalar_{type}_{ubuf|gm}", "ssss?", issuePrintScalar},
      {"assert_{rank}d_{type}_{ubuf|gm}", "ssb", issueAssertBuffer},
      {"assert_scalar_{type}_{ubuf|gm}", "sss", issueAssertScalar},
      {"init_debug", "s?", issueNothing},
      {"finish_debug", "s?", issueNothing},
  });
}
