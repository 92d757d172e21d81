//===- Target.cpp - Look-up in a description and its constraints ----------===//
#include "tilekiln/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace tilekiln;
using llvm::StringRef;

template <typename T> static const T *find(const NameMap<T> &map, StringRef name) {
  auto found = map.find(std::string_view(name.data(), name.size()));
  return found == map.end() ? nullptr : &found->second;
}

const CoreKind *Target::findCore(StringRef name) const { return find(cores, name); }
const MemorySpace *Target::findSpace(StringRef name) const {
  return find(spaces, name);
}
const Unit *Target::findUnit(StringRef name) const { return find(units, name); }
const Figure *Target::findLimit(StringRef name) const { return find(limits, name); }
const Figure *Target::findTiming(StringRef name) const { return find(timing, name); }

StringRef Target::findRole(StringRef role) const {
  const std::string *space = find(roles, role);
  return space ? StringRef(*space) : StringRef();
}

const Path *Target::findPath(StringRef from, StringRef to) const {
  auto found = llvm::find_if(paths, [&](const Path &path) {
    return path.from == from && path.to == to;
  });
  return found == paths.end() ? nullptr : &*found;
}

namespace {
class Validator {
public:
  explicit Validator(const Target &target) : target(target) {}

  llvm::Error run() {
    checkFigures();
    checkSpaces();
    checkUnits();
    checkPaths();
    for (auto &[role, space] : target.roles) { // (C8)
      if (!llvm::is_contained({"accumulator", "operand", "vector"}, StringRef(role)))
        fail("roles.{0} is not known; the roles are accumulator, operand and vector "
             "[target_c8]", role);
      checkSpace("roles." + role, space);
    }
    if (problems.empty())
      return llvm::Error::success();
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        llvm::formatv("target '{0}' is inconsistent: {1}", target.name,
                      llvm::join(problems, "; ")));
  }

private:
  template <typename... Args> void fail(const char *format, Args &&...args) {
    problems.push_back(llvm::formatv(format, std::forward<Args>(args)...).str());
  }

  void checkFigure(const std::string &where, const Figure &figure) {
    if (!std::isfinite(figure.value) || figure.value < 0) // (C1)
      fail("{0} is {1}, expected a number that is not negative [target_c1]", where,
           figure.value);
    if (figure.unit.empty() || figure.source.empty()) // (C1)
      fail("{0} lacks its unit or source [target_c1]", where);
    if (figure.range && (figure.range->lowest > figure.value ||
                         figure.range->highest < figure.value)) // (C2)
      fail("{0} is {1}, outside of its range {2}..{3} [target_c2]", where,
           figure.value, figure.range->lowest, figure.range->highest);
  }

  void checkWhole(const std::string &where, const Figure &figure) {
    checkFigure(where, figure);
    if (figure.value < 1 || figure.value != std::floor(figure.value)) // (C3)
      fail("{0} is {1}, expected a whole number above zero [target_c3]", where,
           figure.value);
  }

  void checkFigures() {
    checkFigure("clock", target.clock);
    for (auto &[name, figure] : target.limits)
      checkFigure("limits." + name, figure);
    for (auto &[name, figure] : target.timing)
      checkFigure("timing." + name, figure);
    for (auto &[name, core] : target.cores)
      checkWhole("cores." + name + ".count", core.count);
  }

  void checkSpaces() {
    for (auto &[name, space] : target.spaces) {
      std::string where = "spaces." + name;
      checkWhole(where + ".capacityBytes", space.capacity);
      checkWhole(where + ".alignBytes", space.align);
      if (!llvm::isPowerOf2_64(uint64_t(std::max(space.align.value, 0.0)))) // (C4)
        fail("{0}.alignBytes is {1}, expected a power of two [target_c4]", where,
             space.align.value);
      if (!space.core.empty())
        checkCore(where + ".core", space.core);
    }
  }

  void checkCore(const std::string &where, const std::string &name) {
    if (!target.findCore(name)) // (C5)
      fail("{0} names '{1}', which is not one of the cores [target_c5]", where, name);
  }

  void checkSpace(const std::string &where, const std::string &name) {
    if (!target.findSpace(name)) // (C5)
      fail("{0} names '{1}', which is not one of the spaces [target_c5]", where,
           name);
  }

  void checkUnits() {
    for (auto &[name, unit] : target.units) {
      std::string where = "units." + name;
      for (const std::string &core : unit.cores)
        checkCore(where + ".cores", core);
      for (const std::string &space : unit.reads)
        checkSpace(where + ".reads", space);
      for (const std::string &space : unit.writes)
        checkSpace(where + ".writes", space);
    }
  }

  void checkPaths() {
    std::set<std::pair<std::string, std::string>> seen;
    for (auto [index, path] : llvm::enumerate(target.paths)) {
      std::string where = llvm::formatv("paths[{0}]", index).str();
      checkSpace(where + ".from", path.from);
      checkSpace(where + ".to", path.to);
      if (!seen.insert({path.from, path.to}).second) // (C6)
        fail("{0} is a second path from {1} to {2} [target_c6]", where, path.from,
             path.to);
      if (path.isDirect()) {
        if (!target.findUnit(path.unit)) // (C5)
          fail("{0}.unit names '{1}', which is not one of the units [target_c5]",
               where, path.unit);
        continue;
      }
      const Path *first = target.findPath(path.from, path.through);
      const Path *second = target.findPath(path.through, path.to);
      if (!first || !first->isDirect() || !second || !second->isDirect()) // (C7)
        fail("{0} goes from {1} to {2} through '{3}', but the paths to and from it "
             "are not both direct [target_c7]",
             where, path.from, path.to, path.through);
    }
  }

  const Target &target;
  std::vector<std::string> problems;
};
} // namespace

llvm::Error Target::validate() const { return Validator(*this).run(); }
