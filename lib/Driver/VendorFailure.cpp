//===- VendorFailure.cpp - What the vendor's compiler says, for the author ===//
//
// The vendor's compiler knows bits and its own temporaries; the author knows the
// buffers of the kernel. The placements that are still on the value form join the
// two.
//
//===----------------------------------------------------------------------===//
#include "VendorFailure.h"
#include "Messages.h"
#include "tilekiln/Sim/Decode/Decode.h"
#include "tilekiln/Transforms/Capacity.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::commonir;

using Severity = Message::Severity;

Message tilekiln::toMessage(const bishengir::Finding &finding) {
  Message message;
  message.severity = finding.severity == bishengir::Severity::Error ? Severity::Error
                                                                    : Severity::Warning;
  message.file = finding.source.file;
  message.line = finding.source.line;
  message.column = finding.source.column;
  message.text = finding.text;
  if (!finding.advice.empty())
    message.text += "; " + finding.advice;
  message.text += " [" + finding.check + "]";
  return message;
}

static void explainOverflow(const bishengir::Overflow &overflow, LaunchOp launch,
                            const Target &target, std::vector<Message> &messages) {
  SpaceDemand demand = findPeakDemand(launch, overflow.space, target);
  if (!demand.where || overflow.neededBytes <= 0)
    return;
  messages.push_back(messageAt(
      demand.where->getLoc(), Severity::Note,
      llvm::formatv("{0} of the {1} bytes of {2} hold the tiles that are needed at the "
                    "same time here; the rest are second copies of what a loop loads or "
                    "stores (double buffering) and temporaries",
                    std::min(demand.bytes, overflow.neededBytes), overflow.neededBytes,
                    overflow.space)));
  // The rest shrinks with the tiles.
  double part = double(overflow.availableBytes) / double(overflow.neededBytes);
  for (auto &[location, text] : explainDemand(demand, int64_t(part * double(demand.bytes))))
    messages.push_back(messageAt(location, Severity::Note, std::move(text)));
}

static void explain(const bishengir::VendorError &vendor, LaunchOp launch,
                    const Target &target, std::vector<Message> &messages) {
  Message message;
  message.file = vendor.source.file;
  message.line = vendor.source.line;
  message.text = vendor.text;
  // A crash has no place of its own: the kernel's first line is better than none.
  if (message.file.empty())
    message = messageAt(launch.getLoc(), message.severity, std::move(message.text));
  messages.push_back(message);
  for (const bishengir::Overflow &overflow : vendor.overflows)
    explainOverflow(overflow, launch, target, messages);
  auto note = [&](std::string text) {
    Message extra = message;
    extra.severity = Severity::Note;
    extra.text = std::move(text);
    messages.push_back(extra);
  };
  // What the error quotes is not said twice.
  for (const bishengir::VendorMessage &said : vendor.messages)
    if (!llvm::StringRef(vendor.text).contains(said.text))
      note("bishengir-compile says: " + said.text);
  llvm::StringRef tail = llvm::StringRef(vendor.vendorTail).trim();
  if (vendor.messages.empty() && !tail.empty() &&
      !llvm::StringRef(vendor.text).contains(tail))
    note("bishengir-compile's last words: " + vendor.vendorTail);
  if (!vendor.reproducer.empty())
    note("its input is kept in " + vendor.reproducer);
}

llvm::Error tilekiln::vendorFailure(llvm::Error error, Variant &variant,
                                    const Target &target) {
  // Launches are compiled in order: the first without a result is the one.
  auto failing = llvm::find_if(
      variant.units, [](const LaunchUnit &unit) { return !unit.vendor; });
  LaunchOp launch = (failing == variant.units.end() ? variant.units.back() : *failing).launch;
  std::vector<Message> messages;
  llvm::handleAllErrors(
      std::move(error),
      [&](const bishengir::VendorError &vendor) {
        explain(vendor, launch, target, messages);
      },
      [&](const sim::DecodeError &refused) {
        Message message;
        message.file = refused.place.file;
        message.line = refused.place.line;
        message.text = refused.text;
        messages.push_back(message);
      },
      [&](const llvm::ErrorInfoBase &other) {
        Message message;
        message.text = other.message();
        messages.push_back(message);
      });
  return llvm::make_error<CompileError>(std::move(messages));
}
