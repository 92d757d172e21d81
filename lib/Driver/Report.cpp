//===- Report.cpp - What became of a kernel, as a dictionary --------------===//
//
// A part per launch, and above them the same figures for the kernel as a whole,
// which most kernels with their one launch need alone.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

static void appendMessages(const bishengir::VendorResult &vendor,
                           llvm::json::Array &messages) {
  for (const bishengir::VendorMessage &message : vendor.messages)
    messages.push_back(message.severity + ": " + message.text);
}

llvm::json::Value Kernel::reportUnit(LaunchUnit &unit) {
  auto meant = unit.launch->getAttrOfType<StringAttr>(unitAttrName);
  llvm::json::Object object{{"name", unit.entryName},
                            {"meant_unit", meant ? meant.str() : "unknown"}};
  if (auto trips = unit.launch->getAttrOfType<IntegerAttr>(roundTripsAttrName))
    object["meant_global_round_trips"] = trips.getInt();
  if (!unit.vendor)
    return object;
  const bishengir::ModuleFacts &facts = unit.vendor->facts;
  object["unit"] = bishengir::getName(facts.unit);
  object["task_type"] = facts.taskType ? llvm::json::Value(*facts.taskType) : nullptr;
  object["workspace_bytes_per_block"] = facts.workspaceBytesPerBlock.value_or(0);
  object["global_round_trips"] = facts.globalRoundTrips();
  llvm::json::Array buffers, notes, messages;
  llvm::json::Object used;
  for (const bishengir::FunctionFacts &function : facts.functions) {
    for (const bishengir::BufferFacts &buffer : function.buffers)
      buffers.push_back(llvm::json::Object{
          {"space", buffer.space},
          {"type", buffer.type},
          {"bytes", buffer.sizeBytes ? llvm::json::Value(*buffer.sizeBytes) : nullptr},
          {"copies", int64_t(buffer.addressesBytes.size())}});
    for (auto &[space, bytes] : function.usedBytes)
      used[space] = bytes;
  }
  for (const std::string &note : unit.vendor->notes)
    notes.push_back(note);
  appendMessages(*unit.vendor, messages);
  object["buffers"] = std::move(buffers);
  object["used_bytes"] = std::move(used);
  object["vendor_notes"] = std::move(notes);
  object["vendor_messages"] = std::move(messages);
  object["facts"] = bishengir::toJSON(facts);
  return object;
}

/// The launches' figures taken together; what the vendor's compiler made is known
/// of all of them or of none.
static void summarise(ArrayRef<LaunchUnit> units, llvm::json::Object &object) {
  std::string unit;
  int64_t workspaceBytes = 0, roundTrips = 0;
  std::map<std::string, int64_t> spaces;
  llvm::json::Array buffering, messages;
  for (const LaunchUnit &launch : units) {
    if (!launch.vendor)
      return;
    const bishengir::ModuleFacts &facts = launch.vendor->facts;
    StringRef own = bishengir::getName(facts.unit);
    unit = unit.empty() || unit == own ? own.str() : "mix";
    workspaceBytes = std::max(workspaceBytes, facts.workspaceBytesPerBlock.value_or(0));
    roundTrips += facts.globalRoundTrips();
    for (const bishengir::FunctionFacts &function : facts.functions) {
      for (auto &[space, bytes] : function.usedBytes)
        spaces[space] = std::max(spaces[space], bytes);
      for (const bishengir::BufferFacts &buffer : function.buffers)
        buffering.push_back(llvm::json::Object{
            {"space", buffer.space},
            {"type", buffer.type},
            {"double_buffered", buffer.isDoubleBuffered()}});
    }
    for (const std::string &note : launch.vendor->notes)
      messages.push_back(note);
    appendMessages(*launch.vendor, messages);
  }
  llvm::json::Object usedBytes;
  for (auto &[space, bytes] : spaces)
    usedBytes[space] = bytes;
  object["unit"] = unit;
  object["spaces"] = std::move(usedBytes);
  object["buffering"] = std::move(buffering);
  object["workspace_bytes_per_block"] = workspaceBytes;
  object["global_round_trips"] = roundTrips;
  object["vendor_messages"] = std::move(messages);
}

llvm::json::Value Kernel::report() {
  llvm::json::Object object;
  llvm::json::Array launches;
  // The report is about what the vendor's compiler makes, where there is one.
  if (llvm::Error error = compileForVendor())
    object["vendor_error"] = llvm::toString(std::move(error));
  for (LaunchUnit &unit : main->units)
    launches.push_back(reportUnit(unit));
  summarise(main->units, object);
  object["kernel"] = name();
  object["target"] = options.target;
  object["device"] = options.device;
  object["launches"] = std::move(launches);
  object["assumes_loops_run"] = main->hasAssumptions();
  llvm::json::Object timings;
  for (auto &[stage, ms] : timingsMs)
    timings[stage] = ms;
  object["timings_ms"] = std::move(timings);
  return object;
}
