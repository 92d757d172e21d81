//===- Module.cpp - The extension module tilekiln._core -------------------===//
//
// What the Python package calls: compile a PrimFunc given as JSON, read stages
// and reports as text, launch on borrowed arrays. The interpreter's lock is
// released while compiling and while a kernel runs.
//
//===----------------------------------------------------------------------===//
#include "Convert.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilekiln;
using namespace tilekiln::python;

namespace {

std::string jsonText(const llvm::json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

/// Owns what the driver returned; the driver's class stays out of Python. A kernel
/// does one thing at a time, since stages are made when they are first asked for;
/// its lock is taken without the interpreter's, so that the two cannot wait for
/// each other.
class Kernel {
public:
  explicit Kernel(std::unique_ptr<CompiledKernel> kernel)
      : kernel(std::move(kernel)) {}

  std::string name() const { return kernel->name(); }

  std::string ir(const std::string &stage) {
    llvm::Expected<std::string> text = [&] {
      nb::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(*mutex);
      return kernel->ir(stage);
    }();
    if (!text)
      raiseCompileError(text.takeError());
    return std::move(*text);
  }

  std::string report() {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock(*mutex);
    return jsonText(kernel->report());
  }

  std::string parameters() { return jsonText(kernel->parameters()); }

  nb::list messages() const { return fromMessages(kernel->messages()); }

  void launch(const nb::list &arguments) {
    std::vector<Argument> converted = toArguments(arguments);
    llvm::Error error = [&] {
      nb::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(*mutex);
      return kernel->launch(converted);
    }();
    if (error)
      raiseLaunchError(std::move(error));
  }

  std::string profile(const nb::list &arguments, const nb::dict &options) {
    std::vector<Argument> converted = toArguments(arguments);
    ProfileOptions profile = toProfileOptions(options);
    llvm::Expected<llvm::json::Value> report = [&] {
      nb::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(*mutex);
      return kernel->profile(converted, profile);
    }();
    if (!report)
      raiseLaunchError(report.takeError());
    return jsonText(*report);
  }

private:
  std::unique_ptr<CompiledKernel> kernel;
  std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
};

Kernel compileKernel(const std::string &tirJson, const nb::dict &options) {
  CompileOptions converted = toOptions(options);
  llvm::Expected<std::unique_ptr<CompiledKernel>> kernel = [&] {
    nb::gil_scoped_release release;
    return tilekiln::compile(tirJson, converted);
  }();
  if (!kernel)
    raiseCompileError(kernel.takeError());
  return Kernel(std::move(*kernel));
}

std::string textOfProfile(const std::string &report) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(report);
  if (!parsed)
    throw nb::value_error(llvm::toString(parsed.takeError()).c_str());
  return profileText(*parsed);
}

std::string profileOfIR(const std::string &text, const std::string &name,
                        const std::string &stage, const std::vector<int64_t> &grid,
                        const nb::list &arguments, const nb::dict &options,
                        const nb::dict &profile) {
  IRLaunch launch{text, name, stage, grid, toArguments(arguments)};
  CompileOptions compileOptions = toOptions(options);
  ProfileOptions profileOptions = toProfileOptions(profile);
  llvm::Expected<llvm::json::Value> report = [&] {
    nb::gil_scoped_release release;
    return profileIR(launch, compileOptions, profileOptions);
  }();
  if (report)
    return jsonText(*report);
  llvm::Error error = report.takeError();
  if (error.isA<CompileError>())
    raiseCompileError(std::move(error));
  raiseLaunchError(std::move(error));
}

} // namespace

NB_MODULE(_core, module) {
  module.doc() = "TileKiln's compiler; use the package tilekiln instead.";
  module.attr("llvm_version") = LLVM_VERSION_STRING;
  module.def("compile", &compileKernel, nb::arg("tir_json"), nb::arg("options"),
             "Compiles a PrimFunc given as tvm.ir.save_json writes it.");
  module.def("profile_text", &textOfProfile, nb::arg("report"),
             "A profile's JSON text as tables for a person.");
  module.def("profile_ir", &profileOfIR, nb::arg("text"), nb::arg("name"),
             nb::arg("stage"), nb::arg("grid"), nb::arg("arguments"),
             nb::arg("options"), nb::arg("profile"),
             "A kernel given as IR on the simulated machine; what it predicts, as JSON "
             "text.");
  nb::class_<Kernel>(module, "Kernel")
      .def_prop_ro("name", &Kernel::name)
      .def("ir", &Kernel::ir, nb::arg("stage"), "The text of a stage.")
      .def("report", &Kernel::report, "The report, as JSON text.")
      .def("parameters", &Kernel::parameters, "The parameters, as JSON text.")
      .def("messages", &Kernel::messages,
           "(severity, file, line, column, text) of each warning and remark.")
      .def("launch", &Kernel::launch, nb::arg("arguments"),
           "Runs on the chosen device; outputs are written in place.")
      .def("profile", &Kernel::profile, nb::arg("arguments"), nb::arg("options"),
           "Runs on the simulated machine; what it predicts, as JSON text.");
}
