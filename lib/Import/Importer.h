//===- Importer.h - The state and the parts of one import -----------------===//
//
// One class, its parts in files of their own: Function (parameters, tensors,
// launches), Statements and Control (the body), Tiles and Regions (tile ops
// and their operands), Threads (work per thread), Reducers, Index (addresses),
// Scalars and Calls (values).
// A part that fails has emitted a diagnostic and gives null or failure.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_IMPORT_IMPORTER_H
#define TILEKILN_IMPORT_IMPORTER_H

#include "DType.h"
#include "TirGraph.h"
#include "tilekiln/Dialect/CommonIR/CommonIR.h"
#include "tilekiln/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace tilekiln {

class Importer {
public:
  Importer(const TirGraph &graph, mlir::MLIRContext *context,
           const ImportOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  //===--------------------------------------------------------------------===//
  // Importer.cpp: diagnostics, limits, constants, names
  //===--------------------------------------------------------------------===//

  /// Emits an error at the present Python line.
  mlir::InFlightDiagnostic fail();
  /// Sets the present location for a scope, where the node's span has one.
  class At {
  public:
    At(Importer &importer, TirNode node);
    ~At() { importer.here = saved; }

  private:
    Importer &importer;
    mlir::Location saved;
  };
  /// Counts recursion and work; `ok()` is false, with an error, past the limits.
  class Step {
  public:
    explicit Step(Importer &importer);
    ~Step() { --importer.depth; }
    bool ok() const { return good; }

  private:
    Importer &importer;
    bool good;
  };

  mlir::Location locationOf(TirNode node);
  /// Drops what nothing uses and puts the constants in the order of their use.
  void tidy();
  /// A constant, made once at the function's start.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value indexConstant(int64_t value);
  mlir::Value trueConstant(bool value);
  mlir::Value valueOf(mlir::OpFoldResult folded);
  std::string uniqueName(llvm::StringRef wanted);
  /// The type called `name`, or an error.
  std::optional<DType> dtype(llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // What names mean
  //===--------------------------------------------------------------------===//

  struct Binding {
    enum class Kind {
      Value,  ///< `value`, an index or a scalar of `dtype`
      Thread, ///< a thread index outside of what runs once per thread
      Later,  ///< `expression`, imported where the name is used
      PerThread ///< an element of `value`, a buffer over the threads
    };
    Kind kind = Kind::Value;
    mlir::Value value;
    TirNode expression;
  };
  struct BufferInfo {
    mlir::Value memref;
    DType dtype;
    llvm::SmallVector<mlir::OpFoldResult> shape;
    std::string name;
    bool isGlobal = false;
    /// One copy per thread, side by side in the last dimensions of `memref`.
    bool isPerThread = false;
  };

  /// The buffer of a node: known, or a view of one that shares its storage.
  BufferInfo *lookUp(TirNode buffer);

  llvm::DenseMap<uint32_t, Binding> bindings;
  std::map<uint32_t, BufferInfo> buffers;
  /// The buffer that first named a storage variable.
  llvm::DenseMap<uint32_t, uint32_t> storageOwners;

  //===--------------------------------------------------------------------===//
  // Function.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult importFunction(TirNode function);
  mlir::LogicalResult declareTensor(TirNode buffer, mlir::Value pointer,
                                    mlir::Attribute pad);
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>> stridesOf(TirNode buffer);
  /// A tensor of T.alloc_global: a parameter that the launcher fills.
  mlir::LogicalResult declareScratch(TirNode buffer);
  mlir::LogicalResult importTopLevel(TirNode body);
  bool opensLaunch(TirNode statement);
  mlir::FailureOr<llvm::SmallVector<TirList>> splitAtBarriers(TirNode body);
  TirList buffersIn(TirNode root);
  void forgetOnChip();
  mlir::LogicalResult importLaunch(TirNode statement);
  /// The variables of expressions, each once, in order.
  TirList variables(llvm::ArrayRef<TirNode> expressions);
  mlir::TypedAttr constantOf(TirNode value, const DType &type);

  //===--------------------------------------------------------------------===//
  // Statements.cpp, Control.cpp
  //===--------------------------------------------------------------------===//

  /// How a run of statements may have ended before its end: conditions of type
  /// i1, null where it cannot. `left`: by break or continue; `broke`: by break.
  struct Exit {
    mlir::Value left, broke;
  };
  /// A run of statements' possible ends, found without looking into loops.
  struct Leaves {
    bool breaks = false, continues = false;
    bool any() const { return breaks || continues; }
  };
  /// The innermost loop around a statement.
  struct LoopContext {
    bool isParallel = false;
    Leaves leaves;
  };

  /// A statement tree as a list: sequences, blocks, lets and attributes give
  /// their own place and then their bodies'.
  TirList flatten(TirNode statement);
  mlir::FailureOr<Exit> importBody(TirNode statement);
  mlir::FailureOr<Exit> importList(llvm::ArrayRef<TirNode> statements);
  mlir::FailureOr<Exit> importStatement(TirNode statement);
  mlir::LogicalResult importEvaluate(TirNode call);
  mlir::LogicalResult importBind(TirNode variable, TirNode value);
  mlir::LogicalResult importBlock(TirNode block);
  mlir::LogicalResult importAttribute(TirNode statement);
  mlir::LogicalResult importStore(TirNode store);
  mlir::LogicalResult importPrint(TirNode call);
  mlir::LogicalResult declareBuffer(TirNode buffer);
  mlir::LogicalResult allocate(TirNode buffer, llvm::StringRef scope);
  /// The call that prints a whole buffer, where `statement` is such a print.
  TirNode tilePrint(TirNode statement);
  mlir::LogicalResult setPads(TirNode map);
  std::string scopeOf(TirNode buffer);

  mlir::FailureOr<Exit> importIf(TirNode statement);
  mlir::LogicalResult importFor(TirNode loop);
  mlir::LogicalResult importParallel(TirNode loop);
  struct Contributions;
  /// The body of a T.Parallel nest; `made` takes what it gives to reducers.
  mlir::LogicalResult importPoints(commonir::ElementwiseOp op, llvm::ArrayRef<TirNode> loops,
                                   llvm::ArrayRef<mlir::OpFoldResult> starts,
                                   Contributions &made);
  mlir::LogicalResult importWhile(TirNode loop);
  void annotate(mlir::Operation *loop, TirNode node);
  Leaves leaves(llvm::ArrayRef<TirNode> statements);
  mlir::FailureOr<Exit> importLeave(bool isBreak);
  /// An exit as values to yield: `left`, and `broke` where the loop has both.
  llvm::SmallVector<mlir::Value> exitValues(Exit exit);
  Exit exitOf(mlir::ValueRange values);
  mlir::LogicalResult yieldBody(mlir::Block *block, llvm::ArrayRef<TirNode> statements,
                                bool yieldsExit);
  /// Imports a loop's body into `block`; gives whether the loop goes on (i1).
  mlir::FailureOr<mlir::Value> importLoopBody(TirNode body, Leaves leaves);

  std::optional<LoopContext> loop;
  bool insideElementwise = false;

  //===--------------------------------------------------------------------===//
  // Threads.cpp
  //===--------------------------------------------------------------------===//

  /// A launch whose body uses the index of its threads.
  struct Threads {
    struct Axis {
      TirNode variable;
      int64_t extent = 1;
      bool isUsed = true;
      mlir::Value index; ///< in what runs once per thread
    };
    llvm::SmallVector<Axis, 3> axes; ///< of more than one thread; z, y, x
    llvm::DenseSet<uint32_t> names;   ///< variables that differ between threads
    llvm::DenseSet<uint32_t> storage; ///< of buffers with one copy per thread
    /// Variables that one statement alone uses, a loop that threads take apart:
    /// made anew in it. By storage: that statement, and the buffer once declared.
    std::map<uint32_t, std::pair<TirNode, TirNode>> owned;
    bool isUsed = false;
    bool isOpen = false; ///< inside of what runs once per thread
  };
  /// Fills `threads` where `body` uses a thread index; `bound` has variable and
  /// extent of axes that are bound around it.
  mlir::LogicalResult findThreads(TirNode body,
                                  llvm::ArrayRef<std::pair<TirNode, TirNode>> bound);
  bool spreadVariation(llvm::ArrayRef<TirNode> statements, bool isDivergent);
  /// Whether an expression or statement reads or writes what differs.
  bool varies(TirNode node);
  bool leavesApart(llvm::ArrayRef<TirNode> statements);
  /// Whether threads part at this loop or branch.
  bool divergesAt(TirNode statement);
  bool readsMemory(TirNode expression);
  llvm::DenseSet<uint32_t> storageIn(TirNode root);
  void findOwned(llvm::ArrayRef<TirNode> statements, bool isRepeated,
                 llvm::DenseSet<uint32_t> &shared);
  static bool isBarrier(llvm::StringRef name);
  bool isElementAtomic(TirNode call);
  llvm::SmallVector<Threads::Axis *> axesOf(TirNode statement);
  mlir::LogicalResult forEachThread(llvm::ArrayRef<Threads::Axis *> axes,
                                    llvm::ArrayRef<TirNode> lanes, bool inOrder,
                                    llvm::function_ref<mlir::LogicalResult()> body);
  mlir::LogicalResult importPerThread(TirNode statement);
  mlir::LogicalResult importVaryingBind(TirNode variable, TirNode value);
  bool clearsPerThread(TirNode call);
  mlir::LogicalResult importPerThreadFill(TirNode call);
  /// True where the statement differs between threads and has been imported.
  mlir::FailureOr<bool> importForThreads(TirNode statement);
  /// A buffer's shape with room for all threads, and a thread's place in it.
  llvm::SmallVector<int64_t> perThreadShape(llvm::ArrayRef<int64_t> shape);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> perThreadPlace(mlir::ValueRange indices,
                                                                 llvm::StringRef name);

  std::optional<Threads> threads;

  //===--------------------------------------------------------------------===//
  // Regions.cpp
  //===--------------------------------------------------------------------===//

  /// A box of a buffer.
  struct Region {
    BufferInfo *buffer = nullptr;
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
  };
  mlir::FailureOr<Region> importRegion(TirNode node);
  /// The region as a tile: a window of a global tensor, else the buffer or a
  /// part of it, with the dimensions in `keep` only.
  mlir::Value tile(const Region &region, llvm::ArrayRef<int64_t> keep);
  mlir::Value tile(const Region &region);
  /// The region without the dimensions that are not in `keep`, for `temporary`.
  static Region reduced(const Region &region, llvm::ArrayRef<int64_t> keep);
  /// Unit dimensions left out until `rank` are left.
  mlir::Value tileOfRank(const Region &region, size_t rank, llvm::StringRef role);
  /// An on-chip buffer of a region's sizes, for a tile on its way.
  mlir::Value temporary(const Region &like, const DType &type, llvm::StringRef role);
  /// Which dimensions of both sides correspond, unit dimensions left out.
  mlir::LogicalResult align(const Region &source, const Region &dest,
                            llvm::SmallVectorImpl<int64_t> &keepSource,
                            llvm::SmallVectorImpl<int64_t> &keepDest,
                            llvm::StringRef what);
  mlir::Value makeView(const BufferInfo &owner, TirNode buffer);

  //===--------------------------------------------------------------------===//
  // Tiles.cpp
  //===--------------------------------------------------------------------===//

  /// Imports the tile op called `name`; false if there is none of that name.
  mlir::FailureOr<bool> importTileOp(llvm::StringRef name, TirNode call);
  mlir::LogicalResult refuseInsideParallel(TirNode call);
  mlir::LogicalResult importCopy(TirNode call);
  mlir::LogicalResult importFill(TirNode call);
  mlir::LogicalResult importGemm(TirNode call, llvm::StringRef name);
  mlir::LogicalResult importReduce(TirNode call);
  mlir::LogicalResult importScan(TirNode call, commonir::ScanKind kind);
  /// The tile with the sign bits of its elements flipped, in a tile of its own or
  /// in `into`: unsigned numbers are ordered like signed ones then.
  mlir::Value flipSigns(mlir::Value tile, const DType &type, llvm::StringRef name,
                        mlir::Value into = {});
  mlir::LogicalResult importTranspose(TirNode call);
  mlir::LogicalResult importIm2col(TirNode call);
  mlir::LogicalResult importAtomic(TirNode call, commonir::AtomicKind kind);
  mlir::LogicalResult importAtomicElement(TirNode call, commonir::AtomicKind kind);
  mlir::LogicalResult moveTile(mlir::Value source, const DType &from,
                               mlir::Value dest, const DType &to);
  mlir::LogicalResult onChip(const Region &region, llvm::StringRef role);
  mlir::FailureOr<bool> flag(TirNode node, llvm::StringRef what);
  /// A dimension of a tile of this rank, where below zero counts from the last.
  mlir::FailureOr<int64_t> dimension(TirNode node, int64_t rank, llvm::StringRef of);

  //===--------------------------------------------------------------------===//
  // Reducers.cpp
  //===--------------------------------------------------------------------===//

  /// What a T.Parallel loop gives to a reducer: `element` of it, one per point in
  /// `tile`.
  struct Contribution {
    TirNode element;
    commonir::ReduceKind kind;
    mlir::Value tile;
  };
  struct Contributions {
    commonir::ElementwiseOp op;
    TirList loops;
    llvm::SmallVector<Contribution, 1> tiles;
  };
  mlir::LogicalResult declareReducers(TirNode map);
  std::optional<commonir::ReduceKind> reducerKind(TirNode buffer);
  mlir::Value ownTile(llvm::ArrayRef<int64_t> shape, const DType &type, llvm::StringRef name);
  mlir::Value reduceIdentity(commonir::ReduceKind kind, const DType &type);
  mlir::Value combine(commonir::ReduceKind kind, mlir::Value a, mlir::Value b,
                      const DType &type);
  mlir::LogicalResult importReducerInit(TirNode call);
  mlir::LogicalResult importFinalize(TirNode call);
  std::pair<TirNode, TirNode> reducerStore(TirNode store);
  bool isSameList(llvm::ArrayRef<TirNode> a, llvm::ArrayRef<TirNode> b);
  void findUpdates(TirNode body,
                   llvm::SmallVectorImpl<std::pair<TirNode, TirNode>> &updates);
  std::optional<int> soleLoop(TirNode index, llvm::ArrayRef<TirNode> loops);
  /// Whether the points of a T.Parallel nest must run one after the other.
  bool usesNameBoundIn(TirNode body, llvm::ArrayRef<TirNode> expressions);
  bool needsOrder(llvm::ArrayRef<TirNode> loops);
  mlir::LogicalResult importUpdate(TirNode element, TirNode value, commonir::ReduceKind kind);
  /// An update of a reducer, whose kind is the reducer's.
  mlir::LogicalResult importReducerUpdate(TirNode element, TirNode value);
  /// The element that an atomic update of a single one names; null for others.
  TirNode atomicElement(TirNode call);
  /// Whether points must run one after the other: an update gives back what was
  /// there before, or an on-chip buffer is also read.
  bool isOrdered(TirNode body);
  TirNode readsInOrder(TirNode body);
  void remarkOrder();
  mlir::Value importFetch(TirNode call);
  mlir::LogicalResult reduceContribution(const Contribution &made,
                                         llvm::ArrayRef<TirNode> loops);
  mlir::LogicalResult importInOrder(llvm::ArrayRef<TirNode> loops);
  mlir::Value importAnyAll(TirNode call, bool isAll);

  llvm::DenseMap<uint32_t, commonir::ReduceKind> reducers;
  std::optional<Contributions> contributions;

  //===--------------------------------------------------------------------===//
  // Index.cpp
  //===--------------------------------------------------------------------===//

  /// An expression as an affine one over `terms`; what is not affine becomes a
  /// term. Null on failure.
  mlir::AffineExpr affine(TirNode node, llvm::SmallVectorImpl<mlir::Value> &terms);
  mlir::AffineExpr affineTerm(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &terms);
  mlir::AffineExpr affineVariable(TirNode node, llvm::SmallVectorImpl<mlir::Value> &terms);
  mlir::FailureOr<mlir::OpFoldResult> importFoldedIndex(TirNode node);
  mlir::Value importIndex(TirNode node);
  mlir::Value importMinMaxIndex(TirNode node, bool isMin);
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  importFoldedIndices(llvm::ArrayRef<TirNode> nodes);
  /// Indices into dimensions of these extents.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  importIndices(llvm::ArrayRef<TirNode> nodes, llvm::ArrayRef<mlir::OpFoldResult> extents);
  /// A constant below zero counts from the end, as in Python.
  mlir::OpFoldResult fromEnd(mlir::OpFoldResult index, mlir::OpFoldResult extent);
  /// Made of loop and block indices, symbols and constants only.
  bool isIndexLike(TirNode node, bool &hasVariable, unsigned levels = 64);

  //===--------------------------------------------------------------------===//
  // Scalars.cpp, Calls.cpp
  //===--------------------------------------------------------------------===//

  /// A scalar of the type that its dtype says.
  mlir::Value importValue(TirNode node);
  mlir::Value importCondition(TirNode node);
  mlir::Value importVariable(TirNode node);
  mlir::Value importBinary(TirNode node);
  mlir::Value binary(llvm::StringRef name, mlir::Value a, mlir::Value b,
                     const DType &type);
  mlir::Value compare(TirNode node);
  mlir::Value importLogic(TirNode node);
  mlir::Value loadElement(TirNode load);
  mlir::Value choose(mlir::Value condition, TirNode whenTrue, TirNode whenFalse,
                     const DType &type);
  /// Moves both sides of `choice` before it where they may always be computed.
  bool hoist(mlir::scf::IfOp choice);
  bool mayAlwaysRun(mlir::Operation &op);
  mlir::Value importCall(TirNode call);
  mlir::Value importMath(llvm::StringRef name, llvm::ArrayRef<mlir::Value> args,
                         const DType &type);
  mlir::Value convert(mlir::Value value, const DType &from, const DType &to);
  /// A value in the form that memory holds, and back.
  mlir::Value toMemory(mlir::Value value, const DType &type);
  mlir::Value fromMemory(mlir::Value value, const DType &type);
  static double roundToFloat8(double value, Float8 kind);
  mlir::Value decodeFloat8(mlir::Value byte, Float8 kind);
  mlir::Value encodeFloat8(mlir::Value value, Float8 kind);
  mlir::LogicalResult notFloat8(const BufferInfo &info, const llvm::Twine &what);
  mlir::Value integerConstant(int64_t value, const DType &type);
  mlir::Value realConstant(double value, const DType &type);
  template <typename Op, typename... Args> mlir::Value fold(Args &&...args);

  /// The name of a call's op without the dialect of its TVM version.
  llvm::StringRef callee(TirNode call);
  mlir::LogicalResult refuseCall(TirNode call);

  mlir::MLIRContext *context;
  const TirGraph &graph;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::Location here;
  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  mlir::Operation *lastConstant = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  /// The launch being imported, and the last buffer made in it.
  commonir::LaunchOp launch;
  llvm::StringSet<> names;
  // Far above what kernels need; a hostile graph must not exhaust stack or memory.
  static constexpr unsigned depthLimit = 512;
  static constexpr uint64_t workLimit = 1'000'000;
  unsigned depth = 0;
  uint64_t work = 0;
};

/// Creates an op, or gives what it folds to; constants are shared.
template <typename Op, typename... Args>
mlir::Value Importer::fold(Args &&...args) {
  mlir::Value value = builder.createOrFold<Op>(here, std::forward<Args>(args)...);
  mlir::Operation *op = value.getDefiningOp();
  mlir::Attribute folded;
  if (op && mlir::matchPattern(op, mlir::m_Constant(&folded))) {
    mlir::Value shared = constant(llvm::cast<mlir::TypedAttr>(folded));
    if (shared != value && op->use_empty())
      op->erase();
    return shared;
  }
  return value;
}

} // namespace tilekiln

#endif // TILEKILN_IMPORT_IMPORTER_H
