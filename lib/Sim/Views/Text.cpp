//===- Text.cpp - The report as tables that a person reads ----------------===//
#include "tilekiln/Sim/Views/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilekiln::sim;
using namespace llvm;

namespace {

double number(const json::Object &object, StringRef key) {
  return object.getNumber(key).value_or(0);
}

std::string bytesText(double bytes) {
  static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  unsigned unit = 0;
  while (bytes >= 1000 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  std::string text;
  raw_string_ostream(text) << format("%.*f %s", unit ? 1 : 0, bytes, units[unit]);
  return text;
}

/// Members by some number in them, the largest first.
std::vector<std::pair<std::string, const json::Object *>>
sorted(const json::Object &object, StringRef key) {
  std::vector<std::pair<std::string, const json::Object *>> list;
  for (const auto &entry : object)
    if (const json::Object *member = entry.second.getAsObject())
      list.push_back({entry.first.str(), member});
  llvm::sort(list, [&](const auto &a, const auto &b) {
    double left = number(*a.second, key), right = number(*b.second, key);
    return left != right ? left > right : a.first < b.first;
  });
  return list;
}

void printPipe(raw_ostream &os, StringRef name, const json::Object &pipe) {
  os << format("  %-10s %10.2f %8.1f%%   ", name.str().c_str(), number(pipe, "busy_us"),
               100 * number(pipe, "occupancy"));
  std::vector<std::pair<double, StringRef>> waits;
  if (const json::Object *waited = pipe.getObject("waited"))
    for (const auto &entry : *waited)
      waits.push_back({-entry.second.getAsNumber().value_or(0), entry.first});
  llvm::sort(waits);
  const char *separator = "";
  for (const auto &[part, reason] : waits) {
    if (-part < 0.005)
      continue;
    os << separator << reason << format(" %.1f%%", -100 * part);
    separator = ", ";
  }
  os << '\n';
}

} // namespace

std::string tilekiln::sim::toText(const json::Object &report) {
  std::string text;
  raw_string_ostream os(text);
  StringRef machine = report.getString("machine").value_or("?");
  std::string spaced =
      machine.consume_front("Ascend") ? ("Ascend " + machine).str() : machine.str();
  os << "kernel '" << report.getString("kernel").value_or("?") << "', predicted (simulated "
     << spaced << ", " << int64_t(number(report, "cores")) << " cores)\n\n";
  os << format("  time        %12.2f us   (launch %.2f us)\n",
               number(report, "predicted_us"), number(report, "launch_us"));
  os << format("  matrix      %12.2f TFLOPS\n", number(report, "predicted_tflops"));
  os << format("  global      %12.2f GB/s\n", number(report, "predicted_gbps"));
  os << format("  blocks      %12lld      on %lld cores\n",
               (long long)number(report, "blocks"),
               (long long)number(report, "cores_used"));
  os << "  bound by    " << report.getString("bound").value_or("?")
     << format(" (%.2f us)\n\n", number(report, "bound_us"));

  if (const json::Object *roofs = report.getObject("roofs")) {
    os << "  roof              us   of time\n";
    for (const auto &[name, roof] : sorted(*roofs, "us"))
      os << format("  %-10s %10.2f %8.1f%%\n", name.c_str(), number(*roof, "us"),
                   100 * number(*roof, "fraction"));
    os << '\n';
  }
  if (const json::Object *pipes = report.getObject("pipes")) {
    os << "  pipe         busy us      busy   waited for\n";
    for (const auto &[name, pipe] : sorted(*pipes, "occupancy"))
      printPipe(os, name, *pipe);
    os << '\n';
  }
  if (const json::Object *bytes = report.getObject("bytes")) {
    os << "  bytes      ";
    const char *separator = "";
    for (StringRef key : {"global_read", "global_write", "hbm", "l1_to_l0", "l0c_out"})
      if (double moved = number(*bytes, key)) {
        os << separator << key << ' ' << bytesText(moved);
        separator = ", ";
      }
    os << "\n\n";
  }
  const json::Array *path = report.getArray("critical_path");
  if (path && !path->empty()) {
    os << "  critical path     us      part   pipe   at\n";
    size_t shown = 0;
    for (const json::Value &value : *path) {
      const json::Object *step = value.getAsObject();
      if (!step || ++shown > 10)
        break;
      os << format("  %18.2f %8.1f%%   %-5s  ", number(*step, "us"),
                   100 * number(*step, "fraction"),
                   step->getString("pipe").value_or("").str().c_str());
      StringRef line = step->getString("line").value_or("");
      os << (line.empty() ? StringRef("?") : line) << ' '
         << step->getString("function").value_or("") << '\n';
    }
    os << format("  %18.2f             between them: latencies, flags, issue\n\n",
                 number(report, "critical_path_waiting_us"));
  }
  const json::Array *faults = report.getArray("faults");
  if (!faults || faults->empty()) {
    os << "  no faults\n";
    return text;
  }
  os << "  faults\n";
  for (const json::Value &value : *faults)
    if (const json::Object *fault = value.getAsObject())
      os << "  " << fault->getString("text").value_or("") << '\n';
  return text;
}
