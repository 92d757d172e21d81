//===- Convert.cpp - Between Python objects and the driver's structures ---===//
//
// See Convert.h.
//
//===----------------------------------------------------------------------===//
#include "Convert.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilekiln;

namespace {

using Setter = void (*)(CompileOptions &, nb::handle);

template <auto member>
void set(CompileOptions &options, nb::handle value) {
  using Value = std::decay_t<decltype(options.*member)>;
  options.*member = nb::cast<Value>(value);
}

struct NamedSetter {
  const char *name;
  Setter setter;
};

const NamedSetter setters[] = {
    {"target", set<&CompileOptions::target>},
    {"device", set<&CompileOptions::device>},
    {"out_of_bounds", set<&CompileOptions::outOfBounds>},
    {"check_placement", set<&CompileOptions::checkPlacement>},
    {"disabled_passes", set<&CompileOptions::disabledPasses>},
    {"fallback_file", set<&CompileOptions::fallbackFile>},
    {"fallback_line", set<&CompileOptions::fallbackLine>},
    {"bishengir_compile", set<&CompileOptions::bishengirCompile>},
    {"device_library_folder", set<&CompileOptions::deviceLibraryFolder>},
    {"vendor_timeout_seconds", set<&CompileOptions::vendorTimeoutSeconds>},
    {"reproducer_folder", set<&CompileOptions::reproducerFolder>},
    {"replaced_stages", set<&CompileOptions::replacedStages>},
    {"share_folder", set<&CompileOptions::shareFolder>},
};

nb::object errorClass(const char *name) {
  return nb::module_::import_("tilekiln.errors").attr(name);
}

[[noreturn]] void raise(const nb::object &exception) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw nb::python_error();
}

} // namespace

CompileOptions python::toOptions(const nb::dict &options) {
  CompileOptions result;
  for (auto [key, value] : options) {
    std::string name = nb::cast<std::string>(key);
    const NamedSetter *found = std::find_if(
        std::begin(setters), std::end(setters),
        [&](const NamedSetter &setter) { return name == setter.name; });
    if (found == std::end(setters))
      throw nb::type_error(("unknown compile option '" + name + "'").c_str());
    try {
      found->setter(result, value);
    } catch (const nb::cast_error &) {
      throw nb::type_error(
          ("compile option '" + name + "' has a value of the wrong type")
              .c_str());
    }
  }
  return result;
}

ProfileOptions python::toProfileOptions(const nb::dict &options) {
  ProfileOptions result;
  for (auto [key, value] : options) {
    std::string name = nb::cast<std::string>(key);
    if (name == "values")
      result.values = nb::cast<bool>(value);
    else if (name == "set")
      result.set = nb::cast<std::vector<std::string>>(value);
    else if (name == "threads")
      result.threads = nb::cast<unsigned>(value);
    else if (name == "trace_file")
      result.traceFile = nb::cast<std::string>(value);
    else if (name == "progress" && !value.is_none())
      // Copied where the interpreter's lock is not held, so by pointer.
      result.progress = [callback = std::make_shared<nb::object>(nb::borrow(value))](
                            uint64_t done, uint64_t total) {
        nb::gil_scoped_acquire acquire;
        try {
          (*callback)(done, total);
        } catch (nb::python_error &failure) {
          // A run is not stopped for its progress bar.
          failure.discard_as_unraisable("progress");
        }
      };
    else if (name != "progress")
      throw nb::type_error(("unknown profile option '" + name + "'").c_str());
  }
  return result;
}

std::vector<Argument> python::toArguments(const nb::list &arguments) {
  std::vector<Argument> result;
  result.reserve(arguments.size());
  for (nb::handle item : arguments) {
    nb::tuple fields = nb::cast<nb::tuple>(item);
    std::string kind = nb::cast<std::string>(fields[0]);
    Argument argument;
    if (kind == "tensor") {
      argument.kind = Argument::Kind::Tensor;
      argument.data =
          reinterpret_cast<void *>(nb::cast<uintptr_t>(fields[1]));
      argument.shape = nb::cast<std::vector<int64_t>>(fields[2]);
      argument.strides = nb::cast<std::vector<int64_t>>(fields[3]);
      argument.dtype = nb::cast<std::string>(fields[4]);
    } else if (kind == "integer") {
      argument.kind = Argument::Kind::Integer;
      argument.integer = nb::cast<int64_t>(fields[1]);
      argument.dtype = nb::cast<std::string>(fields[2]);
    } else {
      argument.kind = Argument::Kind::Float;
      argument.real = nb::cast<double>(fields[1]);
      argument.dtype = nb::cast<std::string>(fields[2]);
    }
    result.push_back(std::move(argument));
  }
  return result;
}

nb::list python::fromMessages(const std::vector<Message> &messages) {
  nb::list result;
  for (const Message &message : messages)
    result.append(nb::make_tuple(getName(message.severity).str(), message.file,
                                 message.line, message.column, message.text));
  return result;
}

void python::raiseCompileError(llvm::Error error) {
  std::vector<Message> messages;
  llvm::handleAllErrors(
      std::move(error),
      [&](const CompileError &refused) {
        messages.insert(messages.end(), refused.messages.begin(),
                        refused.messages.end());
      },
      [&](const llvm::ErrorInfoBase &other) {
        Message message;
        message.text = other.message();
        messages.push_back(std::move(message));
      });
  raise(errorClass("CompileError")(fromMessages(messages)));
}

void python::raiseLaunchError(llvm::Error error) {
  raise(errorClass("LaunchError")(llvm::toString(std::move(error))));
}
