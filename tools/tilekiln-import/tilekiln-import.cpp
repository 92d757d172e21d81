//===- tilekiln-import.cpp - Prints the CommonIR of a TIR file ------------===//
//
// Reads what `tilelang.tvm.ir.save_json` writes. Several files are imported one
// after the other; the exit code says whether all could be.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Import/Import.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static cl::list<std::string> files(cl::Positional, cl::desc("<TIR files, - for stdin>"),
                                   cl::OneOrMore);
static cl::opt<std::string> fallbackFile(
    "fallback-file", cl::init("kernel.py"),
    cl::desc("Python file of the kernel, where the TIR names none"));
static cl::opt<unsigned> fallbackLine(
    "fallback-line", cl::init(1),
    cl::desc("line of the kernel function, where the TIR names none"));
static cl::opt<bool> withLocations("locations", cl::desc("print the location of every op"));

int main(int argc, char **argv) {
  InitLLVM setup(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Prints the CommonIR of TileLang's TIR\n");
  mlir::MLIRContext context;
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  tilekiln::ImportOptions options;
  options.fallbackFile = fallbackFile;
  options.fallbackLine = fallbackLine;
  mlir::OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  bool failed = false;
  for (const std::string &file : files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFileOrSTDIN(file);
    if (!text) {
      errs() << "tilekiln-import: cannot read " << file << ": "
             << text.getError().message() << "\n";
      return 1;
    }
    mlir::OwningOpRef<mlir::ModuleOp> module =
        tilekiln::importTir((*text)->getBuffer(), &context, options);
    failed |= !module;
    if (module) {
      module->print(outs(), flags);
      outs() << "\n";
    }
  }
  return failed;
}
