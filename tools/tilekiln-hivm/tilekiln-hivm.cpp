//===- tilekiln-hivm.cpp - Look at the vendor's final IR ------------------===//
//
// Prints what a final IR holds and what is wrong with it: facts as JSON on
// standard output, findings on standard error. Exit code 1 where there are
// findings, 2 where the text cannot be read.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/DeviceLibrary.h"
#include "tilekiln/Bishengir/Lint.h"
#include "tilekiln/Bishengir/ModuleFacts.h"
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
  for (const bishengir::Finding &finding : findings)
    llvm::errs() << finding << '\n';
  return findings.empty() ? 0 : foundSomething;
}
