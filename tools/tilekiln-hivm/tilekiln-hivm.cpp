//===- tilekiln-hivm.cpp - Look at the vendor's final IR ------------------===//
//
// Prints what a final IR holds and what is wrong with it: facts as JSON on
// standard output, findings on standard error. Exit code 1 where there are
// findings, 2 where the text cannot be read.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/DeviceLibrary.h"
#include "tilekiln/Bishengir/Lint.h"
#include "tilekiln/Bishengir/Placement.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilekiln;
namespace cl = llvm::cl;

static cl::OptionCategory category("tilekiln-hivm options");

static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("<final IR, - for stdin>"),
                                      cl::cat(category));
static cl::opt<bool>
    printModule("print-module",
                cl::desc("print the module as it was read, not the facts"),
                cl::cat(category));
static cl::opt<std::string>
    libraryFolder("library", cl::value_desc("folder"),
                  cl::desc("check calls against meta_op.*.bc in this folder"),
                  cl::cat(category));
static cl::opt<bool> noLint("no-lint",
                            cl::desc("leave out the search for silent errors"),
                            cl::cat(category));
static cl::opt<bool> loopsRun(
    "assume-loops-run",
    cl::desc("loops with bounds known at launch only run at least once"),
    cl::cat(category));
static cl::opt<bishengir::Unit> expectedUnit(
    "expect-unit", cl::desc("check the placement against this unit"),
    cl::init(bishengir::Unit::Unknown),
    cl::values(clEnumValN(bishengir::Unit::Cube, "cube", "cube cores alone"),
               clEnumValN(bishengir::Unit::Vector, "vector",
                          "vector cores alone"),
               clEnumValN(bishengir::Unit::Mix, "mix", "both")),
    cl::cat(category));
static cl::opt<unsigned> expectedRoundTrips(
    "expect-round-trips",
    cl::desc("tiles that may leave a core through global memory"),
    cl::cat(category));
static cl::opt<unsigned>
    expectedResults("expect-results",
                    cl::desc("matrix results that the kernel stores"),
                    cl::cat(category));
static cl::opt<bool> expectedDoubleBuffer(
    "expect-double-buffer",
    cl::desc("operands loaded in a loop are double-buffered in L1"),
    cl::cat(category));

static bool isPlacementAsked() {
  return expectedUnit.getNumOccurrences() ||
         expectedRoundTrips.getNumOccurrences() ||
         expectedResults.getNumOccurrences() || expectedDoubleBuffer;
}

static bishengir::ExpectedPlacement getExpectedPlacement() {
  bishengir::ExpectedPlacement expected;
  expected.unit = expectedUnit;
  expected.doubleBufferedOperands = expectedDoubleBuffer;
  if (expectedRoundTrips.getNumOccurrences())
    expected.roundTrips = expectedRoundTrips;
  if (expectedResults.getNumOccurrences())
    expected.storedResults = expectedResults;
  return expected;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Reads the module that the vendor's compiler "
                              "hands to hivmc and checks it\n");
  constexpr int foundSomething = 1, unreadable = 2;

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(inputFile, /*IsText=*/true);
  if (!buffer) {
    llvm::errs() << "error: " << inputFile
                 << " cannot be read: " << buffer.getError().message() << '\n';
    return unreadable;
  }
  mlir::DialectRegistry registry;
  hivm::registerFinalIRDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = hivm::parseFinalIR((*buffer)->getBuffer(),
                                   (*buffer)->getBufferIdentifier(), context);
  if (!module) {
    llvm::errs() << "error: " << llvm::toString(module.takeError()) << '\n';
    return unreadable;
  }

  bishengir::ModuleFacts facts = bishengir::getModuleFacts(**module);
  if (printModule)
    (*module)->print(llvm::outs(), mlir::OpPrintingFlags());
  else
    llvm::outs() << llvm::formatv("{0:2}\n", toJSON(facts));

  std::vector<bishengir::Finding> findings;
  bishengir::LintOptions lint;
  lint.loopsRun = loopsRun;
  if (!noLint)
    findings = bishengir::lintFinalIR(**module, lint);
  if (!libraryFolder.empty()) {
    auto library = bishengir::DeviceLibrary::load(libraryFolder);
    if (!library) {
      llvm::errs() << "error: " << llvm::toString(library.takeError()) << '\n';
      return unreadable;
    }
    llvm::append_range(findings, bishengir::checkLink(**module, **library));
  }
  if (isPlacementAsked())
    llvm::append_range(
        findings, bishengir::checkPlacement(facts, getExpectedPlacement()));
  for (const bishengir::Finding &finding : findings)
    llvm::errs() << finding << '\n';
  return findings.empty() ? 0 : foundSomething;
}
