//===- TirGraph.cpp - Reads and checks a TIR object graph -----------------===//
//
// What each node type must hold is one table. Nodes of other types are kept
// unread: the importer names them when a statement needs one.
//
//===----------------------------------------------------------------------===//
#include "TirGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include <limits>

using namespace llvm;
using namespace tilekiln;

//===----------------------------------------------------------------------===//
// The table of node types
//===----------------------------------------------------------------------===//

namespace {
/// What a field holds. `expected` is a node type, or one of the words below.
struct FieldRule {
  StringLiteral name, expected;
};
struct TypeRule {
  StringLiteral type;
  std::vector<FieldRule> fields;
};
} // namespace

// Words for fields that are not a reference to a node of one type.
static constexpr StringLiteral anyNode = "node", maybeNone = "node or None",
                               inlineText = "text", inlineInteger = "integer",
                               inlineNumber = "number";

static const std::vector<TypeRule> &typeRules() {
  static const std::vector<TypeRule> rules = [] {
    std::vector<TypeRule> table = {
        {"Span", {{"source_name", "SourceName"}, {"line", inlineInteger}}},
        {"IntImm", {{"dtype", inlineText}, {"value", inlineInteger}}},
        {"FloatImm", {{"dtype", inlineText}, {"value", inlineNumber}}},
        {"StringImm", {{"value", "String"}}},
        {"Var", {{"name", "String"}, {"dtype", inlineText}, {"type_annotation", maybeNone}}},
        {"PointerType", {{"storage_scope", "String"}}},
        {"Buffer",
         {{"data", "Var"}, {"dtype", inlineText}, {"shape", "Array"},
          {"strides", "Array"}, {"elem_offset", maybeNone}, {"name", "String"}}},
        {"IterVar", {{"var", "Var"}, {"thread_tag", "String"}}},
        {"Range", {{"min", anyNode}, {"extent", anyNode}}},
        {"BufferRegion", {{"buffer", "Buffer"}, {"region", "Array"}}},
        {"PrimFunc",
         {{"params", "Array"}, {"buffer_map", "Map"}, {"body", anyNode},
          {"attrs", maybeNone}}},
        {"DictAttrs", {{"__dict__", "Map"}}},
        {"Block",
         {{"alloc_buffers", "Array"}, {"match_buffers", "Array"},
          {"annotations", "Map"}, {"iter_vars", "Array"}, {"init", maybeNone},
          {"body", anyNode}}},
        {"BlockRealize",
         {{"iter_values", "Array"}, {"predicate", anyNode}, {"block", "Block"}}},
        {"For",
         {{"loop_var", "Var"}, {"min", anyNode}, {"extent", anyNode},
          {"kind", inlineInteger}, {"body", anyNode},
          {"thread_binding", maybeNone}, {"annotations", "Map"}}},
        {"While", {{"condition", anyNode}, {"body", anyNode}}},
        {"IfThenElse",
         {{"condition", anyNode}, {"then_case", anyNode}, {"else_case", maybeNone}}},
        {"SeqStmt", {{"seq", "Array"}}},
        {"Evaluate", {{"value", anyNode}}},
        {"Bind", {{"var", "Var"}, {"value", anyNode}}},
        {"LetStmt", {{"var", "Var"}, {"value", anyNode}, {"body", anyNode}}},
        {"AttrStmt",
         {{"node", maybeNone}, {"attr_key", "String"}, {"value", anyNode}, {"body", anyNode}}},
        {"DeclBuffer", {{"buffer", "Buffer"}}},
        {"AllocBuffer", {{"buffer", "Buffer"}}},
        {"BufferStore",
         {{"buffer", "Buffer"}, {"indices", "Array"}, {"value", anyNode}, {"predicate", maybeNone}}},
        {"BufferLoad",
         {{"buffer", "Buffer"}, {"indices", "Array"}, {"dtype", inlineText}, {"predicate", maybeNone}}},
        {"Call", {{"op", anyNode}, {"args", "Array"}, {"dtype", inlineText}}},
        {"Cast", {{"dtype", inlineText}, {"value", anyNode}}},
        {"Not", {{"dtype", inlineText}, {"a", anyNode}}},
        {"Select",
         {{"dtype", inlineText}, {"condition", anyNode},
          {"true_value", anyNode}, {"false_value", anyNode}}},
        {"Let",
         {{"dtype", inlineText}, {"var", "Var"}, {"value", anyNode}, {"body", anyNode}}},
        {"Ramp", {{"base", anyNode}, {"stride", anyNode}, {"lanes", anyNode}}},
    };
    for (StringLiteral binary :
         {StringLiteral("Add"), StringLiteral("Sub"), StringLiteral("Mul"),
          StringLiteral("Div"), StringLiteral("Mod"), StringLiteral("FloorDiv"),
          StringLiteral("FloorMod"), StringLiteral("Min"), StringLiteral("Max"),
          StringLiteral("EQ"), StringLiteral("NE"), StringLiteral("LT"),
          StringLiteral("LE"), StringLiteral("GT"), StringLiteral("GE"),
          StringLiteral("And"), StringLiteral("Or")})
      table.push_back({binary, {{"dtype", inlineText}, {"a", anyNode}, {"b", anyNode}}});
    return table;
  }();
  return rules;
}

/// TVM 0.25 calls blocks SBlock and lives in tirx, TVM 0.23 in tir.
static StringRef ownName(StringRef spelled) {
  StringRef name = spelled.substr(spelled.rfind('.') + 1);
  return StringSwitch<StringRef>(name)
      .Case("SBlock", "Block")
      .Case("SBlockRealize", "BlockRealize")
      .Case("SizeVar", "Var")
      .Default(name);
}

//===----------------------------------------------------------------------===//
// Text to nodes
//===----------------------------------------------------------------------===//

/// The writer's infinities and NaN are no JSON: they become strings here. Also
/// refuses nesting that the recursive JSON reader could not survive; a graph
/// is a flat list of nodes.
static Expected<std::string> toStandardJson(StringRef text) {
  constexpr int nestingLimit = 64;
  std::string result;
  result.reserve(text.size());
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    StringRef rest = text.substr(i);
    if (text[i] == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      result += text.slice(i, end);
      i = end;
      continue;
    }
    if (text[i] == '[' || text[i] == '{') {
      if (++depth > nestingLimit)
        return createStringError(
            "the TIR's JSON is nested deeper than %d levels, which no object "
            "graph is; pass the text that tilelang.tvm.ir.save_json gives",
            nestingLimit);
    } else if (text[i] == ']' || text[i] == '}') {
      --depth;
    }
    bool replaced = false;
    for (StringRef word : {"-Infinity", "Infinity", "NaN"})
      if (rest.starts_with(word)) {
        (result += '"') += word;
        result += '"';
        i += word.size();
        replaced = true;
        break;
      }
    if (!replaced)
      result += text[i++];
  }
  return result;
}

Expected<std::unique_ptr<TirGraph>> TirGraph::parse(StringRef text) {
  Expected<std::string> standard = toStandardJson(text);
  if (!standard)
    return standard.takeError();
  Expected<json::Value> parsed = json::parse(*standard);
  if (!parsed)
    return createStringError("the TIR is not valid JSON: " +
                             toString(parsed.takeError()));
  auto graph = std::make_unique<TirGraph>();
  graph->document = std::move(*parsed);

  const json::Object *top = graph->document.getAsObject();
  const json::Array *list = top ? top->getArray("nodes") : nullptr;
  std::optional<int64_t> root = top ? top->getInteger("root_index") : std::nullopt;
  if (!list || !root)
    return createStringError("malformed TIR: expected an object with \"nodes\" and "
                             "\"root_index\", as tilelang.tvm.ir.save_json writes it");
  if (*root < 0 || *root >= int64_t(list->size()) ||
      list->size() > std::numeric_limits<uint32_t>::max())
    return createStringError("malformed TIR: root_index %lld is not one of %zu nodes",
                             (long long)*root, list->size());
  graph->rootIndex = uint32_t(*root);

  for (const json::Value &value : *list) {
    const json::Object *object = value.getAsObject();
    std::optional<StringRef> type = object ? object->getString("type") : std::nullopt;
    if (!type)
      return createStringError("malformed TIR: node %zu has no \"type\"",
                               graph->nodes.size());
    graph->nodes.push_back({*type, ownName(*type), object->get("data")});
  }
  for (uint32_t index = 0; index < graph->nodes.size(); ++index)
    if (Error error = graph->checkNode(index))
      return error;
  return graph;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error malformed(uint32_t index, StringRef type, const Twine &what) {
  return createStringError("malformed TIR: node " + Twine(index) + " (" + type +
                           ") " + what);
}

Error TirGraph::checkReference(uint32_t from, const json::Value &value,
                               const Twine &what, StringRef expected) const {
  std::optional<int64_t> target = value.getAsInteger();
  StringRef type = nodes[from].spelled;
  if (!target)
    return malformed(from, type, what + " is not the number of a node");
  if (*target < 0 || *target >= int64_t(nodes.size()))
    return malformed(from, type, what + " refers to node " + Twine(*target) +
                                     ", of which there are " + Twine(nodes.size()));
  // The writer puts what a node refers to before it; anything else is a cycle.
  if (*target >= int64_t(from))
    return malformed(from, type, what + " refers to node " + Twine(*target) +
                                     ", which does not come before it");
  StringRef found = nodes[*target].type;
  bool fits = expected == maybeNone ||
              (expected == anyNode ? found != "None" : found == expected);
  if (!fits)
    return malformed(from, type, what + " should be " +
                                     (expected == anyNode ? StringRef("present") : expected) +
                                     ", is " + nodes[*target].spelled);
  return Error::success();
}

Error TirGraph::checkField(uint32_t index, StringRef field, StringRef expected) const {
  const json::Value *value = nodes[index].data->getAsObject()->get(field);
  StringRef type = nodes[index].spelled;
  if (!value)
    return malformed(index, type, "has no field \"" + field + "\"");
  if (expected == inlineText)
    return value->getAsString()
               ? Error::success()
               : malformed(index, type, "field \"" + field + "\" is not a string");
  if (expected == inlineInteger)
    return value->getAsInteger()
               ? Error::success()
               : malformed(index, type, "field \"" + field + "\" is not an integer");
  if (expected == inlineNumber) {
    std::optional<StringRef> word = value->getAsString();
    bool isWord = word && is_contained({"Infinity", "-Infinity", "NaN"}, *word);
    return value->getAsNumber() || isWord
               ? Error::success()
               : malformed(index, type, "field \"" + field + "\" is not a number");
  }
  return checkReference(index, *value, "field \"" + field + "\"", expected);
}

Error TirGraph::checkNode(uint32_t index) const {
  const Node &node = nodes[index];
  if (node.type == "Array" || node.type == "Map") {
    const json::Array *list = node.data ? node.data->getAsArray() : nullptr;
    if (!list)
      return malformed(index, node.spelled, "holds no list");
    if (node.type == "Map" && list->size() % 2)
      return malformed(index, node.spelled, "has a key without a value");
    for (auto [position, value] : enumerate(*list))
      if (Error error = checkReference(index, value, "element " + Twine(position),
                                       maybeNone))
        return error;
    return Error::success();
  }
  if (node.type == "String" || node.type == "SourceName" || node.type == "Op")
    return node.data && node.data->getAsString()
               ? Error::success()
               : malformed(index, node.spelled, "holds no string");
  for (const TypeRule &rule : typeRules()) {
    if (rule.type != node.type)
      continue;
    if (!node.data || !node.data->getAsObject())
      return malformed(index, node.spelled, "holds no fields");
    for (const FieldRule &field : rule.fields)
      if (Error error = checkField(index, field.name, field.expected))
        return error;
    if (const json::Value *span = node.data->getAsObject()->get("span"))
      return checkReference(index, *span, "field \"span\"", maybeNone);
    return Error::success();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// TirNode
//===----------------------------------------------------------------------===//

StringRef TirNode::type() const {
  return graph ? graph->nodes[index].type : StringRef("None");
}
StringRef TirNode::spelledType() const {
  return graph ? graph->nodes[index].spelled : StringRef("None");
}

const json::Value *TirNode::field(StringRef name) const {
  if (!graph)
    return nullptr;
  const json::Value *data = graph->nodes[index].data;
  const json::Object *object = data ? data->getAsObject() : nullptr;
  return object ? object->get(name) : nullptr;
}

TirNode TirNode::operator[](StringRef name) const {
  const json::Value *value = field(name);
  std::optional<int64_t> target = value ? value->getAsInteger() : std::nullopt;
  return target ? TirNode(graph, uint32_t(*target)) : TirNode();
}

StringRef TirNode::text(StringRef name) const {
  const json::Value *value = field(name);
  if (!value)
    return {};
  if (std::optional<StringRef> text = value->getAsString())
    return *text;
  return (*this)[name].text();
}

StringRef TirNode::text() const {
  if (!graph)
    return {};
  const json::Value *data = graph->nodes[index].data;
  std::optional<StringRef> text = data ? data->getAsString() : std::nullopt;
  return text.value_or("");
}

int64_t TirNode::integer(StringRef name) const {
  const json::Value *value = field(name);
  return value ? value->getAsInteger().value_or(0) : 0;
}

double TirNode::real(StringRef name) const {
  const json::Value *value = field(name);
  if (std::optional<StringRef> word = value->getAsString()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return *word == "Infinity"    ? infinity
           : *word == "-Infinity" ? -infinity
                                  : std::numeric_limits<double>::quiet_NaN();
  }
  return value->getAsNumber().value_or(0);
}

std::optional<int64_t> TirNode::constant() const {
  if (isNone())
    return std::nullopt;
  if (is("IntImm"))
    return integer("value");
  const json::Value *data = graph->nodes[index].data;
  if (!data || !(is("int") || is("bool")))
    return std::nullopt;
  if (std::optional<bool> flag = data->getAsBoolean())
    return *flag;
  return data->getAsInteger();
}

TirList TirNode::elements() const {
  TirList result;
  if (!isNone() && (is("Array") || is("Map")))
    for (const json::Value &value : *graph->nodes[index].data->getAsArray())
      result.push_back(TirNode(graph, uint32_t(*value.getAsInteger())));
  return result;
}

TirPairs TirNode::pairs() const {
  TirList flat = elements();
  TirPairs result;
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    result.push_back({flat[i], flat[i + 1]});
  return result;
}

std::optional<double> TirNode::number() const {
  const json::Value *data = graph ? graph->nodes[index].data : nullptr;
  return data && is("float") ? data->getAsNumber() : std::nullopt;
}

TirList TirNode::children() const {
  if (isNone() || is("Array") || is("Map"))
    return elements();
  TirList result;
  for (const TypeRule &rule : typeRules())
    if (rule.type == type())
      for (const FieldRule &field : rule.fields)
        if (!is_contained({inlineText, inlineInteger, inlineNumber}, field.expected))
          result.push_back((*this)[field.name]);
  return result;
}
