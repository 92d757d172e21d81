//===- TargetJson.cpp - Reads descriptions of targets ---------------------===//
#include "tilekiln/Target/Target.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using llvm::StringRef;
namespace json = llvm::json;

namespace tilekiln {

/// Fails at the first key that is not one of `known`: a misspelt figure would
/// otherwise silently keep its default.
static bool hasOnly(const json::Value &value, std::initializer_list<StringRef> known,
                    json::Path path) {
  for (auto &[key, child] : *value.getAsObject())
    if (!llvm::is_contained(known, StringRef(key))) {
      path.field(key).report("unknown key");
      return false;
    }
  return true;
}

template <typename T>
static bool fromJSON(const json::Value &value, NameMap<T> &out, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  for (auto &[key, child] : *object)
    if (!fromJSON(child, out[std::string(StringRef(key))], path.field(key)))
      return false;
  return true;
}

static bool fromJSON(const json::Value &value, Confidence &out, json::Path path) {
  std::optional<StringRef> text = value.getAsString();
  if (text == "high")
    out = Confidence::High;
  else if (text == "medium")
    out = Confidence::Medium;
  else if (text == "low")
    out = Confidence::Low;
  else {
    path.report("expected \"high\", \"medium\" or \"low\"");
    return false;
  }
  return true;
}

static bool fromJSON(const json::Value &value, Range &out, json::Path path) {
  const json::Array *array = value.getAsArray();
  if (!array || array->size() != 2) {
    path.report("expected [lowest, highest]");
    return false;
  }
  return fromJSON((*array)[0], out.lowest, path.index(0)) &&
         fromJSON((*array)[1], out.highest, path.index(1));
}

static bool fromJSON(const json::Value &value, Figure &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("value", out.value) && map.map("unit", out.unit) &&
         map.map("source", out.source) && map.map("confidence", out.confidence) &&
         map.mapOptional("range", out.range) &&
         hasOnly(value, {"value", "unit", "source", "confidence", "range"}, path);
}

static bool fromJSON(const json::Value &value, CoreKind &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("count", out.count) && hasOnly(value, {"count"}, path);
}

static bool fromJSON(const json::Value &value, MemorySpace &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("core", out.core) &&
         map.map("capacityBytes", out.capacity) &&
         map.map("alignBytes", out.align) &&
         hasOnly(value, {"core", "capacityBytes", "alignBytes"}, path);
}

static bool fromJSON(const json::Value &value, Unit &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("cores", out.cores) && map.map("reads", out.reads) &&
         map.map("writes", out.writes) &&
         hasOnly(value, {"cores", "reads", "writes"}, path);
}

static bool fromJSON(const json::Value &value, Path &out, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("from", out.from) || !map.map("to", out.to) ||
      !map.mapOptional("unit", out.unit) || !map.mapOptional("queue", out.queue) ||
      !map.mapOptional("through", out.through) ||
      !hasOnly(value, {"from", "to", "unit", "queue", "through"}, path))
    return false;
  if (out.unit.empty() == out.through.empty()) {
    path.report("expected either a unit or a space to go through");
    return false;
  }
  return true;
}

/// A machine without matrix unit, or in a test, may give none.
static bool rolesFromJSON(const json::Value &target, NameMap<std::string> &out,
                          json::Path path) {
  const json::Value *roles = target.getAsObject()->get("roles");
  return !roles || fromJSON(*roles, out, path.field("roles"));
}

static bool fromJSON(const json::Value &value, Target &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("vendorName", out.vendorName) &&
         map.map("description", out.description) && map.map("clock", out.clock) &&
         map.map("cores", out.cores) && map.map("spaces", out.spaces) &&
         map.map("units", out.units) && map.map("paths", out.paths) &&
         rolesFromJSON(value, out.roles, path) &&
         map.map("limits", out.limits) && map.map("timing", out.timing) &&
         hasOnly(value,
                 {"vendorName", "description", "clock", "cores", "spaces", "units",
                  "paths", "roles", "limits", "timing"},
                 path);
}

/// Takes over from `base` what `derived` does not state. A figure is one thing:
/// a new value under the old source would be a lie.
static void inherit(const json::Object &base, json::Object &derived) {
  for (auto &[key, inherited] : base) {
    json::Value *own = derived.get(key);
    if (!own) {
      derived[key] = inherited;
      continue;
    }
    json::Object *ownObject = own->getAsObject();
    const json::Object *inheritedObject = inherited.getAsObject();
    if (ownObject && inheritedObject && !ownObject->get("value"))
      inherit(*inheritedObject, *ownObject);
  }
}

/// The targets that lie beside a file, for the message that it is not there.
static std::string targetsBeside(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  std::error_code failure;
  std::vector<std::string> names;
  for (llvm::sys::fs::directory_iterator it(folder, failure), end;
       it != end && !failure; it.increment(failure))
    if (llvm::sys::path::extension(it->path()) == ".json")
      names.push_back(llvm::sys::path::stem(it->path()).str());
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : "; known targets are " + llvm::join(names, ", ");
}

/// A file's object with everything that it inherits. `open` are the files that
/// are being read.
static llvm::Expected<json::Value> readMerged(StringRef path, llvm::StringSet<> &open) {
  auto fail = [&](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   path + ": " + text);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read the target's description: " +
                buffer.getError().message() + targetsBeside(path));
  if (!open.insert(path).second)
    return fail("the description extends itself");
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return fail("not JSON: " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return fail("expected a JSON object");
  json::Value *extends = object->get("extends");
  if (!extends)
    return value;
  std::optional<StringRef> baseName = extends->getAsString();
  if (!baseName)
    return fail("\"extends\" must be the name of another target");
  llvm::SmallString<128> basePath = llvm::sys::path::parent_path(path);
  llvm::sys::path::append(basePath, *baseName + ".json");
  llvm::Expected<json::Value> base = readMerged(basePath, open);
  if (!base)
    return base.takeError();
  object->erase("extends");
  inherit(*base->getAsObject(), *object);
  return value;
}

llvm::Expected<Target> loadTarget(StringRef path) {
  llvm::StringSet<> open;
  llvm::Expected<json::Value> value = readMerged(path, open);
  if (!value)
    return value.takeError();
  Target target;
  target.name = llvm::sys::path::stem(path).str();
  json::Path::Root root(target.name);
  if (!fromJSON(*value, target, root))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   path + ": " + llvm::toString(root.getError()));
  if (llvm::Error error = target.validate())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   path + ": " + llvm::toString(std::move(error)));
  return target;
}

} // namespace tilekiln
