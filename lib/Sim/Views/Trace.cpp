//===- Trace.cpp - Chrome trace of a run ----------------------------------===//
//
// One process per core, one thread per pipe; opens in Perfetto and
// chrome://tracing.
//
//===----------------------------------------------------------------------===//
#include "Collector.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace tilekiln;
using namespace tilekiln::sim;

struct TraceWriter::State {
  State(llvm::raw_ostream &os, const Program &program, const Target &target)
      : program(program), perUs(target.clock.value), json(os) {
    json.objectBegin();
    json.attribute("displayTimeUnit", "ns");
    json.attributeObject("otherData", [&] {
      json.attribute("title", "predicted (simulated " + target.vendorName + ")");
      json.attribute("kernel", program.name);
    });
    json.attributeBegin("traceEvents");
    json.arrayBegin();
  }

  int64_t process(CoreId core) const {
    return int64_t(core.index) * 2 + (core.kind == CoreType::AIV) + 1;
  }

  void name(CoreId core, Pipe pipe) {
    if (!named.insert({process(core), unsigned(pipe)}).second)
      return;
    meta("process_name", core, 0, llvm::formatv("{0} {1}", getName(core.kind), core.index));
    meta("thread_name", core, unsigned(pipe), getName(pipe).str());
  }

  void meta(llvm::StringRef what, CoreId core, unsigned thread, std::string text) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", process(core));
      json.attribute("tid", int64_t(thread));
      json.attributeObject("args", [&] { json.attribute("name", text); });
    });
  }

  void span(CoreId core, Pipe pipe, std::string text, Cycles from, Cycles to,
            LineId line, llvm::function_ref<void()> arguments) {
    name(core, pipe);
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", text);
      json.attribute("pid", process(core));
      json.attribute("tid", int64_t(pipe));
      json.attribute("ts", from / perUs);
      json.attribute("dur", (to - from) / perUs);
      json.attributeObject("args", [&] {
        if (std::string place = describe(program, line); !place.empty())
          json.attribute("line", place);
        arguments();
      });
    });
  }

  const Program &program;
  double perUs;
  llvm::json::OStream json;
  std::set<std::pair<int64_t, unsigned>> named;
  bool isFinished = false;
};

TraceWriter::TraceWriter(llvm::raw_ostream &os, const Program &program,
                         const Target &target)
    : state(std::make_unique<State>(os, program, target)) {}

TraceWriter::~TraceWriter() { finish(); }

void TraceWriter::finish() {
  if (state->isFinished)
    return;
  state->isFinished = true;
  state->json.arrayEnd();
  state->json.attributeEnd();
  state->json.objectEnd();
}

void TraceWriter::onBlockStart(CoreId, unsigned, Cycles) {}
void TraceWriter::onBlockEnd(CoreId, unsigned, Cycles) {}

void TraceWriter::onEntry(const EntryEvent &entry) {
  state->span(entry.core, entry.pipe, entry.instruction.str(), entry.start,
              entry.busyEnd, entry.line, [&] {
                state->json.attribute("function", entry.function);
                state->json.attribute("block", int64_t(entry.block));
                state->json.attribute("cycles", entry.busyEnd - entry.start);
                if (entry.waited > 0)
                  state->json.attribute("waited", entry.waited);
                if (int64_t moved = entry.globalReadBytes + entry.globalWriteBytes)
                  state->json.attribute("bytes", moved);
                if (entry.missBytes)
                  state->json.attribute("hbmBytes", entry.missBytes);
              });
}

void TraceWriter::onScalarStall(CoreId core, WaitCause cause, Pipe waitedFor,
                                Cycles from, Cycles to, LineId line) {
  const char *what = cause == WaitCause::CrossFlag ? "wait for another core"
                     : cause == WaitCause::Barrier ? "barrier"
                     : cause == WaitCause::Pipe    ? "queue is full"
                                                   : "wait for a flag";
  state->span(core, Pipe::S, what, from, to, line, [&] {
    state->json.attribute("from", getName(waitedFor));
  });
}
