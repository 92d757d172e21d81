//===- Placement.cpp - Is the kernel where CommonIR said it would be? -----===//
//
// One function per promise. Reasons name the construct that usually causes the
// fall, since the final IR shows the effect only.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilekiln::bishengir {
namespace {

using llvm::formatv;

class PlacementChecker {
public:
  PlacementChecker(const ModuleFacts &facts, const ExpectedPlacement &expected)
      : facts(facts), expected(expected) {}

  std::vector<Finding> run() {
    checkUnit();
    checkWorkspace();
    checkRoundTrips();
    checkCrossCoreFlags();
    if (expected.doubleBufferedOperands)
      checkOperands();
    checkStoredResults();
    checkBuffers();
    return std::move(findings);
  }

private:
  void report(llvm::StringRef check, std::string text, llvm::StringRef advice,
              const SourceLine &source) {
    Finding finding;
    finding.check = check.str();
    finding.text = std::move(text);
    finding.advice = advice.str();
    finding.source = source.isKnown() ? source : expected.source;
    findings.push_back(std::move(finding));
  }

  bool expectsSingleUnit() const {
    return expected.unit == Unit::Cube || expected.unit == Unit::Vector;
  }

  /// Where the first call on an unexpected core is.
  SourceLine firstCallOn(llvm::StringRef core) const {
    for (const FunctionFacts &function : facts.functions) {
      if (function.core != core)
        continue;
      for (const CallFacts &call : function.calls)
        for (const SourceLine &site : call.sites)
          if (site.isKnown())
            return site;
      return function.source;
    }
    return {};
  }

  std::string namesOfCallsOn(llvm::StringRef core) const {
    std::string names;
    for (const FunctionFacts &function : facts.functions) {
      if (function.core != core)
        continue;
      for (const CallFacts &call : function.calls)
        names += (names.empty() ? "" : ", ") + call.callee;
    }
    return names.empty() ? "nothing but synchronisation" : names;
  }

  void checkUnit() {
    if (expected.unit == Unit::Unknown || expected.unit == facts.unit)
      return;
    if (facts.unit == Unit::Unknown) {
      report("placement-unit",
             formatv("the kernel was to run on {0} cores, but the final IR "
                     "names no core for it",
                     getName(expected.unit)),
             "the kernel was not recognised as one; this is a fault of the "
             "linked IR's entry signature",
             expected.source);
      return;
    }
    llvm::StringRef other = expected.unit == Unit::Cube ? "AIV" : "AIC";
    std::string text = formatv(
        "the kernel was to run on {0} cores alone, but the vendor's "
        "compiler made a {1} kernel of it; on the {2} it runs {3}",
        getName(expected.unit), getName(facts.unit),
        other == "AIV" ? "vector cores" : "cube cores", namesOfCallsOn(other));
    if (!expectsSingleUnit())
      text = formatv("the kernel was to use cube and vector cores together, "
                     "but the vendor's compiler made a {0} kernel of it",
                     getName(facts.unit));
    report("placement-unit", std::move(text),
           expected.unit == Unit::Cube
               ? "keep the accumulator in one fragment that only gemm writes, "
                 "starting from zero, and let the store alone follow; only a "
                 "cast, a relu and a bias loaded before the loop can be fused"
               : "check which operation was meant for another unit",
           firstCallOn(other));
  }

  SourceLine firstWorkspaceWrite() const {
    for (const FunctionFacts &function : facts.functions)
      if (function.firstWorkspaceWrite.isKnown())
        return function.firstWorkspaceWrite;
    return {};
  }

  void checkWorkspace() {
    if (!expectsSingleUnit() || expected.roundTrips.value_or(0) > 0)
      return;
    // Unknown size: the host function computes it, so it is not zero.
    if (facts.workspaceBytesPerBlock == 0)
      return;
    std::string size =
        facts.workspaceBytesPerBlock
            ? formatv("{0} bytes", *facts.workspaceBytesPerBlock).str()
            : std::string("an unknown number of bytes");
    report("placement-workspace",
           formatv("a {0} kernel needs no workspace in global memory, but "
                   "this one asks for {1} per block: intermediate tiles leave "
                   "the core",
                   getName(expected.unit), size),
           "keep the tile in one memory space between its uses",
           firstWorkspaceWrite());
  }

  void checkRoundTrips() {
    unsigned allowed =
        expected.roundTrips.value_or(expectsSingleUnit() ? 0 : ~0u);
    unsigned found = facts.globalRoundTrips();
    if (found <= allowed)
      return;
    report("placement-round-trips",
           formatv("{0} tile transfer(s) go through global memory where {1} "
                   "were expected; each writes a tile from {2} to the "
                   "workspace and reads it back",
                   found, allowed, describeWriters()),
           "let one unit do all work on a tile, or move the work out of the "
           "loop",
           firstWorkspaceWrite());
  }

  std::string describeWriters() const {
    bool fromCube = false, fromVector = false;
    for (const FunctionFacts &function : facts.functions) {
      fromCube |= function.fixpipesToWorkspace > 0;
      fromVector |= function.storesToWorkspace > 0;
    }
    return fromCube && fromVector ? "L0C or UB" : fromCube ? "L0C" : "UB";
  }

  void checkCrossCoreFlags() {
    if (!expectsSingleUnit())
      return;
    unsigned count = 0;
    SourceLine source;
    for (const FunctionFacts &function : facts.functions) {
      count += function.crossCoreSets + function.crossCoreWaits;
      if (!source.isKnown())
        source = function.firstCrossCoreFlag;
    }
    if (count == 0)
      return;
    report("placement-cross-core",
           formatv("a {0} kernel has nobody to wait for, but {1} cross-core "
                   "flag operation(s) were inserted",
                   getName(expected.unit), count),
           "they come with the work on the other unit; see that finding",
           source);
  }

  void checkOperands() {
    for (const FunctionFacts &function : facts.functions)
      for (const MatmulFacts &matmul : function.matmuls) {
        checkOperand(function, matmul, matmul.a, "A");
        checkOperand(function, matmul, matmul.b, "B");
      }
  }

  void checkOperand(const FunctionFacts &function, const MatmulFacts &matmul,
                    const OperandFacts &operand, llvm::StringRef name) {
    if (!operand.loadedEachStep || operand.doubleBuffered)
      return;
    int64_t bytes = 0;
    for (size_t index : operand.buffers)
      bytes += function.buffers[index].sizeBytes.value_or(0);
    report("placement-double-buffer",
           formatv("operand {0} of the matrix multiplication is loaded in "
                   "every step into a single L1 buffer ({1} bytes), so loading "
                   "and computing do not overlap",
                   name, bytes),
           "make the tiles smaller: L1 must hold two copies of A and of B",
           matmul.source);
  }

  void checkStoredResults() {
    if (!expected.storedResults)
      return;
    unsigned found = facts.storedMatmulResults();
    if (found == *expected.storedResults)
      return;
    SourceLine source;
    for (const FunctionFacts &function : facts.functions)
      for (const CallFacts &call : function.calls)
        if (llvm::StringRef(call.callee).starts_with("fixpipe_") &&
            !source.isKnown() && !call.sites.empty())
          source = call.sites.front();
    report("placement-fixpipe",
           formatv("{0} matrix result(s) are stored but {1} transfer(s) from "
                   "L0C to a tensor were made",
                   *expected.storedResults, found),
           "store each accumulator once, after its loop", source);
  }

  /// A buffer is recognised by the line that allocates it, else by its size.
  void checkBuffers() {
    for (const ExpectedBuffer &buffer : expected.buffers) {
      bool sameSpace = false;
      std::string elsewhere;
      for (const FunctionFacts &function : facts.functions)
        for (const BufferFacts &found : function.buffers) {
          if (found.space == buffer.space && couldHold(found, buffer))
            sameSpace = true;
          else if (isSameLine(found, buffer) && found.space != buffer.space)
            elsewhere = found.space;
        }
      if (sameSpace)
        continue;
      std::string text = formatv("buffer '{0}' was placed in {1}, but the "
                                 "final IR has no such buffer there",
                                 buffer.name, buffer.space);
      if (!elsewhere.empty())
        text = formatv("buffer '{0}' was placed in {1}, but the vendor's "
                       "compiler put it in {2}",
                       buffer.name, buffer.space, elsewhere);
      report("placement-space", std::move(text),
             "use the buffer with operations of one unit only", buffer.source);
    }
  }

  static bool isSameLine(const BufferFacts &found,
                         const ExpectedBuffer &buffer) {
    return found.source.isKnown() && found.source.line == buffer.source.line &&
           found.source.file == buffer.source.file;
  }

  static bool couldHold(const BufferFacts &found,
                        const ExpectedBuffer &buffer) {
    if (isSameLine(found, buffer))
      return true;
    return !buffer.sizeBytes || !found.sizeBytes ||
           *found.sizeBytes >= *buffer.sizeBytes;
  }

  const ModuleFacts &facts;
  const ExpectedPlacement &expected;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkPlacement(const ModuleFacts &facts,
                                    const ExpectedPlacement &expected) {
  return PlacementChecker(facts, expected).run();
}

} // namespace tilekiln::bishengir
