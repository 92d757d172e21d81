//===- Convert.h - Between Python objects and the driver's structures -----===//
//
// Options come as a dictionary, arguments as tuples, errors leave as exceptions
// of the Python package. No MLIR object and no array object crosses: arrays come
// as address, shape, strides and the name of their element type, because that is
// what numpy, torch and ml_dtypes (which DLPack does not know) have in common.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BINDINGS_CONVERT_H
#define TILEKILN_BINDINGS_CONVERT_H

#include "tilekiln/Driver/Compiler.h"
#include <nanobind/nanobind.h>

namespace tilekiln::python {

/// Keys are the members' names in snake_case. Raises TypeError on any other.
CompileOptions toOptions(const nanobind::dict &options);

/// Keys are the members' names; `progress` is called as progress(done, total).
ProfileOptions toProfileOptions(const nanobind::dict &options);

/// ("tensor", address, shape, strides, dtype), ("integer", value, dtype) or
/// ("float", value, dtype).
std::vector<Argument> toArguments(const nanobind::list &arguments);

/// (severity, file, line, column, text) for each message.
nanobind::list fromMessages(const std::vector<Message> &messages);

/// Raises tilekiln.errors.CompileError, with a message even where the error is
/// of another kind.
[[noreturn]] void raiseCompileError(llvm::Error error);

/// Raises tilekiln.errors.LaunchError.
[[noreturn]] void raiseLaunchError(llvm::Error error);

} // namespace tilekiln::python

#endif // TILEKILN_BINDINGS_CONVERT_H
