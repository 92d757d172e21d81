//===- Bishengir.cpp - Driving the vendor's compiler ----------------------===//
//
// The compiler ends by calling hivmc, which is closed and comes with CANN. A
// shell script in its place keeps the module it is given. Everything happens in
// one temporary folder, the vendor's own temporary files included.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/Bishengir.h"
#include "Process.h"
#include "VendorMessages.h"
#include "tilekiln/Bishengir/DeviceLibrary.h"
#include "tilekiln/Bishengir/Lint.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/xxhash.h"

using llvm::formatv;
using llvm::StringRef;

namespace tilekiln::bishengir {

char VendorError::ID = 0;

/// Position of the error itself, else of the first message that has one.
static SourceLine getSource(const VendorError &error) {
  if (error.source.isKnown())
    return error.source;
  for (const VendorMessage &message : error.messages)
    if (message.severity == "error" && message.source.isKnown())
      return message.source;
  return {};
}

void VendorError::log(llvm::raw_ostream &os) const {
  os << getSource(*this) << "error: " << text;
  for (const VendorMessage &message : messages)
    os << '\n'
       << message.source
       << "note: the vendor's compiler says: " << message.text;
}

std::error_code VendorError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

//===----------------------------------------------------------------------===//
// What is installed
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral installAdvice =
    "install the Python package ascendnpu-ir (PyPI), or give the path of "
    "bishengir-compile from CANN";

llvm::Expected<std::string> findBishengirCompile(StringRef compiler) {
  if (compiler.empty()) {
    if (auto found = llvm::sys::findProgramByName("bishengir-compile"))
      return *found;
    return llvm::make_error<VendorError>(
        VendorError::Kind::NotInstalled,
        formatv("bishengir-compile, the vendor's compiler, is not on PATH; {0}",
                installAdvice));
  }
  if (!llvm::sys::fs::can_execute(compiler))
    return llvm::make_error<VendorError>(
        VendorError::Kind::NotInstalled,
        formatv("the vendor's compiler '{0}' does not exist or cannot be "
                "executed; {1}",
                compiler, installAdvice));
  return compiler.str();
}

std::string getDeviceLibraryFolder(StringRef compiler) {
  llvm::SmallString<256> folder(compiler);
  llvm::sys::fs::make_absolute(folder);
  llvm::sys::path::remove_filename(folder);
  llvm::sys::path::append(folder, "..", "lib");
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return folder.str().str();
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

namespace {

/// hivmc's place is taken by this. The compiler first asks for a version, and
/// attaches the device library only if the answer has the long form.
constexpr StringRef standInScript = R"(#!/bin/sh
for argument in "$@"; do
  case "$argument" in
  *version*) echo 'hivmc 0.2.0 (00000000 2026-01-01)'; exit 0 ;;
  esac
done
cp "$1" "$TILEKILN_FINAL_IR.partial" &&
mv "$TILEKILN_FINAL_IR.partial" "$TILEKILN_FINAL_IR"
)";

class VendorRun {
public:
  VendorRun(StringRef linkedText, const VendorOptions &options,
            std::string compiler, TemporaryFolder folder)
      : linkedText(linkedText), options(options), compiler(std::move(compiler)),
        folder(std::move(folder)),
        linkedPath(this->folder.pathOf("linked.mlir")),
        finalPath(this->folder.pathOf("final.mlir")) {}

  llvm::Expected<VendorResult> run() {
    if (llvm::Error error = checkName())
      return error;
    if (llvm::Error error = prepare())
      return error;
    execute();
    if (process.end != ProcessResult::End::Exited || process.exitCode != 0)
      return getFailure();
    if (!llvm::sys::fs::exists(finalPath))
      return getMissingIR();
    return read();
  }

private:
  llvm::Expected<const DeviceLibrary *> loadLibrary() {
    return DeviceLibrary::load(options.deviceLibraryFolder.empty()
                                   ? getDeviceLibraryFolder(compiler)
                                   : options.deviceLibraryFolder);
  }

  /// The compiler takes a kernel of a library function's name for that function.
  llvm::Error checkName() {
    if (options.entryName.empty())
      return llvm::Error::success();
    auto library = loadLibrary();
    if (!library)
      return library.takeError();
    if (!(*library)->hasCubeFunction(options.entryName) &&
        !(*library)->hasVectorFunction(options.entryName))
      return llvm::Error::success();
    VendorError error = describe(
        VendorError::Kind::Rejected,
        formatv("the kernel is called '{0}', which is the name of a function in "
                "the vendor's device library; give it another name",
                options.entryName));
    error.source = options.entrySource;
    return raise(std::move(error));
  }

  llvm::Error prepare() {
    std::string standIn = folder.pathOf("hivmc");
    if (llvm::Error error = writeFile(linkedPath, linkedText))
      return error;
    if (llvm::Error error = writeFile(standIn, standInScript))
      return error;
    if (std::error_code error =
            llvm::sys::fs::setPermissions(standIn, llvm::sys::fs::owner_all))
      return llvm::createStringError(error, "%s cannot be made executable: %s",
                                     standIn.c_str(), error.message().c_str());
    return llvm::Error::success();
  }

  void execute() {
    arguments = {linkedPath, "--target=" + options.target,
                 std::string("--enable-auto-multi-buffer=") +
                     (options.multiBuffer ? "true" : "false"),
                 "--enable-hfusion-compile=true", "--enable-hivm-compile=true",
                 "--enable-triton-kernel-compile=true",
                 // The only way to get locations into the final IR; the code
                 // is the same.
                 "--enable-debug-info=true", "-o", folder.pathOf("kernel")};
    llvm::append_range(arguments, options.extraFlags);
    const char *path = ::getenv("PATH");
    std::vector<std::string> environment = getEnvironment(
        {{"PATH", folder.path() + (path ? ":" + std::string(path) : "")},
         {"BISHENG_INSTALL_PATH", folder.path()},
         {"TILEKILN_FINAL_IR", finalPath},
         // What a crash leaves behind goes with the folder.
         {"TMPDIR", folder.path()},
         // Without, a crash spends seconds on a back trace nobody reads.
         {"LLVM_DISABLE_SYMBOLIZATION", "1"},
         {"LC_ALL", "C"}});
    std::string output = folder.pathOf("stdout"),
                errors = folder.pathOf("stderr");
    process = runProcess(compiler, arguments, environment, output, errors,
                         options.timeoutSeconds);
    text = readFile(output) + readFile(errors);
    parsed = parseVendorOutput(text, linkedPath, options.linkedName);
  }

  //===--------------------------------------------------------------------===//
  // Failure
  //===--------------------------------------------------------------------===//

  VendorError describe(VendorError::Kind kind, std::string what) {
    VendorError error(kind, std::move(what));
    error.messages = parsed.messages;
    error.overflows = parsed.overflows;
    error.vendorTail = getTail(text);
    return error;
  }

  static llvm::Error raise(VendorError error) {
    return llvm::make_error<VendorError>(std::move(error));
  }

  /// A number as a person writes it: 120, 0.3.
  static std::string shortest(double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    return text;
  }

  llvm::Error getFailure() {
    switch (process.end) {
    case ProcessResult::End::NotStarted:
      return raise(describe(VendorError::Kind::NotInstalled,
                            formatv("the vendor's compiler '{0}' cannot be "
                                    "started: {1}; {2}",
                                    compiler, process.reason, installAdvice)));
    case ProcessResult::End::TimedOut:
      return getReproducible(
          VendorError::Kind::Timeout,
          formatv("the vendor's compiler did not finish within {0} s, the limit that "
                  "vendor_timeout_seconds sets",
                  shortest(options.timeoutSeconds)));
    case ProcessResult::End::Crashed:
      return getReproducible(
          VendorError::Kind::Crash,
          formatv("the vendor's compiler crashed ({0})", process.reason));
    case ProcessResult::End::Exited:
      break;
    }
    // A shell between us and the compiler reports signals as codes over 128.
    constexpr int signalBase = 128;
    if (process.exitCode > signalBase)
      return getReproducible(VendorError::Kind::Crash,
                             formatv("the vendor's compiler crashed (exit "
                                     "code {0})",
                                     process.exitCode));
    if (!parsed.overflows.empty())
      return getOverflow();
    return getRejection();
  }

  llvm::Error getOverflow() {
    const Overflow &overflow = parsed.overflows.back();
    std::string space = StringRef(overflow.space).upper();
    VendorError error = describe(
        VendorError::Kind::Overflow,
        formatv("the kernel's tiles do not fit {0}: {1} bytes are needed, {2} "
                "are there; make the tiles smaller or use fewer of them at a "
                "time (data loaded in a loop is kept twice)",
                space, overflow.neededBytes, overflow.availableBytes));
    error.source = overflow.source;
    return raise(std::move(error));
  }

  /// The first error that the compiler told; null where it told none.
  const VendorMessage *firstError() const {
    for (const VendorMessage &message : parsed.messages)
      if (message.severity == "error")
        return &message;
    return nullptr;
  }

  llvm::Error getRejection() {
    const VendorMessage *said = firstError();
    std::string reason = said ? said->text : "";
    SourceLine source = said ? said->source : SourceLine();
    std::string what = "the vendor's compiler refused the kernel";
    if (!reason.empty())
      what += ": " + reason;
    StringRef advice = getAdvice(reason);
    if (!advice.empty())
      what += ("; " + advice).str();
    if (reason.empty())
      what += formatv(" with exit code {0} and no error message; its last "
                      "words: {1}",
                      process.exitCode, getTail(text))
                  .str();
    VendorError error = describe(VendorError::Kind::Rejected, std::move(what));
    error.source = source;
    return raise(std::move(error));
  }

  /// Keeps the input of a run that the compiler did not survive.
  llvm::Error getReproducible(VendorError::Kind kind, std::string what) {
    std::string reproducer, trouble;
    if (options.reproducerFolder.empty())
      trouble = "reproducer_folder=... keeps the linked IR that it was given";
    else if (llvm::Error error = saveReproducer(reproducer))
      trouble = "the linked IR could not be kept: " +
                llvm::toString(std::move(error));
    const VendorMessage *said = firstError();
    if (said)
      what += ": " + said->text;
    StringRef advice = said ? getAdvice(said->text) : "";
    what += advice.empty() ? std::string("; this is a fault of that compiler, not of the "
                                         "kernel, and another form of the kernel may avoid it")
                           : ("; " + advice).str();
    what += reproducer.empty() ? "; " + trouble
                               : "; the linked IR is kept in " + reproducer;
    std::string tail = getTail(text);
    if (!said && !tail.empty())
      what += "; its last words: " + StringRef(tail).trim().str();
    VendorError error = describe(kind, std::move(what));
    error.reproducer = reproducer;
    if (said)
      error.source = said->source;
    return raise(std::move(error));
  }

  llvm::Error saveReproducer(std::string &path) {
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.reproducerFolder))
      return llvm::createStringError(error, "%s: %s",
                                     options.reproducerFolder.c_str(),
                                     error.message().c_str());
    // Named by content: the same crash again does not fill the folder.
    llvm::SmallString<128> file(options.reproducerFolder);
    llvm::sys::path::append(
        file, "bishengir-" +
                  llvm::utohexstr(llvm::xxh3_64bits(linkedText),
                                  /*LowerCase=*/true, /*Width=*/16) +
                  ".mlir");
    std::string command = "// bishengir-compile THIS_FILE";
    // Without the input and the output, which were in the temporary folder.
    for (StringRef argument : llvm::drop_begin(arguments))
      if (argument != "-o" && !argument.starts_with(folder.path()))
        command += (" " + argument).str();
    if (llvm::Error error =
            writeFile(file, command + " -o kernel\n" + linkedText.str()))
      return error;
    path = file.str().str();
    return llvm::Error::success();
  }

  llvm::Error getMissingIR() {
    return raise(describe(
        VendorError::Kind::NoFinalIR,
        formatv("the vendor's compiler reported success but handed no module "
                "to hivmc; its last words: {0}; if scripts cannot be executed "
                "in {1}, set TMPDIR to a folder where they can",
                getTail(text), llvm::sys::path::parent_path(folder.path()))));
  }

  //===--------------------------------------------------------------------===//
  // Success
  //===--------------------------------------------------------------------===//

  llvm::Expected<VendorResult> read() {
    VendorResult result;
    result.finalIR = readFile(finalPath);
    renameInput(result.finalIR);
    result.messages = parsed.messages;
    result.notes = parsed.notes;
    result.seconds = process.seconds;
    result.commandLine = arguments;
    result.commandLine.insert(result.commandLine.begin(), compiler);

    mlir::DialectRegistry registry;
    hivm::registerFinalIRDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = hivm::parseFinalIR(result.finalIR, "hivm.opt.mlir", context);
    if (!module)
      return getReproducible(VendorError::Kind::Unreadable,
                             llvm::toString(module.takeError()));

    result.facts = getModuleFacts(**module);
    LintOptions lint;
    lint.loopsRun = options.loopsRun;
    lint.runningLoops = options.runningLoops;
    result.findings = lintFinalIR(**module, lint);
    auto library = loadLibrary();
    if (!library)
      return library.takeError();
    llvm::append_range(result.findings, checkLink(**module, **library));
    addNotes(result);
    return result;
  }

  /// A retry switched an optimisation off: right, but not what was asked for.
  void addNotes(VendorResult &result) const {
    for (StringRef note : parsed.notes) {
      // The last note repeats the ones before it.
      if (parsed.succeededAfterRetry &&
          !note.contains("compilation then succeeded"))
        continue;
      Finding finding;
      finding.severity = Severity::Warning;
      finding.check = "overflow-retry";
      finding.text = ("the tiles did not fit on chip with all optimisations "
                      "on; the vendor's compiler says: " +
                      note)
                         .str();
      finding.advice = "make the tiles smaller to get double buffering back";
      for (const FunctionFacts &function : result.facts.functions)
        if (function.source.isKnown() && !finding.source.isKnown())
          finding.source = function.source;
      result.findings.push_back(std::move(finding));
    }
  }

  /// Where the linked IR has no lines of a script its own are used; the name
  /// of a temporary file would differ from run to run.
  void renameInput(std::string &text) const {
    for (size_t at = text.find(linkedPath); at != std::string::npos;
         at = text.find(linkedPath, at + options.linkedName.size()))
      text.replace(at, linkedPath.size(), options.linkedName);
  }

  StringRef linkedText;
  const VendorOptions &options;
  std::string compiler;
  TemporaryFolder folder;
  std::string linkedPath, finalPath;
  std::vector<std::string> arguments;
  ProcessResult process;
  std::string text;
  VendorOutput parsed;
};

} // namespace

llvm::Expected<VendorResult> runBishengir(StringRef linkedText,
                                          const VendorOptions &options) {
  auto compiler = findBishengirCompile(options.compiler);
  if (!compiler)
    return compiler.takeError();
  auto folder = TemporaryFolder::create("tilekiln-bishengir");
  if (!folder)
    return folder.takeError();
  return VendorRun(linkedText, options, std::move(*compiler),
                   std::move(*folder))
      .run();
}

} // namespace tilekiln::bishengir
