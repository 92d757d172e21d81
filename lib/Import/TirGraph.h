//===- TirGraph.h - The nodes of a TIR object graph -----------------------===//
//
// A checked, read-only view of the JSON. After parse() every node of a known
// type has the fields that its type demands, with references that lead to an
// earlier node of the right type, so that the importer reads without checking
// and no walk can go in a circle.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_IMPORT_TIRGRAPH_H
#define TILEKILN_IMPORT_TIRGRAPH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <vector>

namespace tilekiln {

class TirGraph;
class TirNode;
using TirList = llvm::SmallVector<TirNode, 4>;
using TirPairs = llvm::SmallVector<std::pair<TirNode, TirNode>, 4>;

/// One node, by handle.
class TirNode {
public:
  TirNode() = default;
  TirNode(const TirGraph *graph, uint32_t index) : graph(graph), index(index) {}

  /// The type's own name, the same in both TVM versions: "For", "BufferLoad",
  /// "Block"; "Array", "Map" and "String" for containers.
  llvm::StringRef type() const;
  /// The type as the JSON spells it.
  llvm::StringRef spelledType() const;
  bool is(llvm::StringRef name) const { return type() == name; }
  bool isNone() const { return !graph || is("None"); }
  uint32_t id() const { return index; }

  /// The node that a field refers to.
  TirNode operator[](llvm::StringRef field) const;
  /// A string: of a String node, or written in the field itself.
  llvm::StringRef text(llvm::StringRef field) const;
  llvm::StringRef text() const;
  int64_t integer(llvm::StringRef field) const;
  double real(llvm::StringRef field) const;
  /// The value of an int or bool node, or of an IntImm.
  std::optional<int64_t> constant() const;

  /// The value of a float node.
  std::optional<double> number() const;

  /// Nodes that this one's fields or elements refer to.
  TirList children() const;
  /// Elements of an Array.
  TirList elements() const;
  TirList list(llvm::StringRef field) const {
    return (*this)[field].elements();
  }
  /// Pairs of a Map.
  TirPairs pairs() const;

  bool operator==(const TirNode &other) const { return index == other.index; }

private:
  const llvm::json::Value *field(llvm::StringRef name) const;

  const TirGraph *graph = nullptr;
  uint32_t index = 0;
};

class TirGraph {
public:
  /// Reads and checks `json`; the error says which node is wrong and how.
  static llvm::Expected<std::unique_ptr<TirGraph>> parse(llvm::StringRef json);

  TirNode root() const { return TirNode(this, rootIndex); }

private:
  friend class TirNode;
  struct Node {
    llvm::StringRef spelled;
    llvm::StringRef type;
    const llvm::json::Value *data;
  };

  llvm::Error checkNode(uint32_t index) const;
  llvm::Error checkField(uint32_t index, llvm::StringRef field,
                         llvm::StringRef expected) const;
  llvm::Error checkReference(uint32_t from, const llvm::json::Value &value,
                             const llvm::Twine &what,
                             llvm::StringRef expected) const;

  llvm::json::Value document = nullptr;
  std::vector<Node> nodes;
  uint32_t rootIndex = 0;
};

} // namespace tilekiln

#endif // TILEKILN_IMPORT_TIRGRAPH_H
