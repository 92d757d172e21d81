//===- FactsJson.cpp - Module facts as JSON -------------------------------===//
//
// The form in which reports and tests see them. Sizes and addresses are bytes.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/ModuleFacts.h"

namespace tilekiln::bishengir {

namespace json = llvm::json;

static json::Value toJSON(const std::optional<int64_t> &value) {
  if (!value)
    return nullptr;
  return *value;
}

static json::Value toJSON(const BufferFacts &buffer) {
  return json::Object{{"space", buffer.space},
                      {"type", buffer.type},
                      {"sizeBytes", toJSON(buffer.sizeBytes)},
                      {"addressesBytes", json::Array(buffer.addressesBytes)},
                      {"doubleBuffered", buffer.isDoubleBuffered()},
                      {"source", toJSON(buffer.source)}};
}

static json::Value toJSON(const CallFacts &call) {
  json::Array sites;
  for (const SourceLine &site : call.sites)
    sites.push_back(toJSON(site));
  return json::Object{{"callee", call.callee},
                      {"count", static_cast<int64_t>(call.sites.size())},
                      {"sites", std::move(sites)}};
}

static json::Value toJSON(const OperandFacts &operand) {
  json::Array buffers;
  for (size_t index : operand.buffers)
    buffers.push_back(static_cast<int64_t>(index));
  return json::Object{{"buffers", std::move(buffers)},
                      {"doubleBuffered", operand.doubleBuffered},
                      {"loadedEachStep", operand.loadedEachStep}};
}

static json::Value toJSON(const MatmulFacts &matmul) {
  return json::Object{{"callee", matmul.callee},
                      {"inLoop", matmul.inLoop},
                      {"a", toJSON(matmul.a)},
                      {"b", toJSON(matmul.b)},
                      {"source", toJSON(matmul.source)}};
}

template <typename T>
static json::Array listToJSON(const std::vector<T> &list) {
  json::Array array;
  for (const T &entry : list)
    array.push_back(toJSON(entry));
  return array;
}

static json::Value toJSON(const FunctionFacts &function) {
  json::Object usedBytes;
  for (const auto &[space, bytes] : function.usedBytes)
    usedBytes[space] = bytes;
  return json::Object{{"name", function.name},
                      {"core", function.core},
                      {"entry", function.isEntry},
                      {"partOfMix", function.isPartOfMix},
                      {"source", toJSON(function.source)},
                      {"buffers", listToJSON(function.buffers)},
                      {"usedBytes", std::move(usedBytes)},
                      {"calls", listToJSON(function.calls)},
                      {"matmuls", listToJSON(function.matmuls)},
                      {"fixpipesToTensors", function.fixpipesToTensors},
                      {"fixpipesToWorkspace", function.fixpipesToWorkspace},
                      {"storesToTensors", function.storesToTensors},
                      {"storesToWorkspace", function.storesToWorkspace},
                      {"crossCoreSets", function.crossCoreSets},
                      {"crossCoreWaits", function.crossCoreWaits}};
}

json::Value toJSON(const ModuleFacts &facts) {
  return json::Object{
      {"kernel", facts.kernelName},
      {"unit", getName(facts.unit)},
      {"taskType", toJSON(facts.taskType)},
      {"workspaceBytesPerBlock", toJSON(facts.workspaceBytesPerBlock)},
      {"globalRoundTrips", facts.globalRoundTrips()},
      {"storedMatmulResults", facts.storedMatmulResults()},
      {"hasSourceLines", facts.hasSourceLines},
      {"functions", listToJSON(facts.functions)}};
}

} // namespace tilekiln::bishengir
