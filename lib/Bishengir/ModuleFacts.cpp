//===- ModuleFacts.cpp - What the vendor's compiler made of a kernel ------===//
//
// One pass over each device function for buffers, one for calls. Which buffers
// are copies of one another is read off the selections that choose one by loop
// parity.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/ModuleFacts.h"
#include "LibraryCall.h"
#include "Trace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilekiln::bishengir {
namespace {

/// The project's names of memories, not the vendor's.
StringRef getSpaceName(hivm::AddressSpace space) {
  switch (space) {
  case hivm::AddressSpace::L1:
    return "l1";
  case hivm::AddressSpace::L0A:
    return "l0a";
  case hivm::AddressSpace::L0B:
    return "l0b";
  case hivm::AddressSpace::L0C:
    return "l0c";
  case hivm::AddressSpace::UB:
    return "ub";
  case hivm::AddressSpace::GM:
  case hivm::AddressSpace::Zero:
    return "gm";
  }
  llvm_unreachable("all spaces are named");
}

std::string getShapeText(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      os << '?';
    else
      os << extent;
    os << 'x';
  }
  type.getElementType().print(os);
  return text;
}

/// Whether a condition alternates with a loop: some remainder feeds it. Where the
/// loop does not start at 0, the remainder is written as x - (x floordiv 2) * 2.
bool isLoopParity(Value condition) {
  SmallVector<Value> worklist{condition};
  llvm::SmallPtrSet<Value, 8> visited;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !visited.insert(value).second)
      continue;
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return true;
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      bool hasMod = false;
      apply.getAffineMap().walkExprs([&](AffineExpr expr) {
        hasMod |= expr.getKind() == AffineExprKind::Mod ||
                  expr.getKind() == AffineExprKind::FloorDiv;
      });
      if (hasMod)
        return true;
    }
    if (isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect()))
      llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// Results per run of the text: the larger of two branches, not their sum.
unsigned countCalls(Block &block,
                    llvm::function_ref<bool(func::CallOp)> isCounted) {
  unsigned count = 0;
  for (Operation &op : block) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      count += isCounted(call);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned inThen = countCalls(*branch.thenBlock(), isCounted);
      unsigned inElse =
          branch.elseBlock() ? countCalls(*branch.elseBlock(), isCounted) : 0;
      count += std::max(inThen, inElse);
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          count += countCalls(inner, isCounted);
    }
  }
  return count;
}

class FunctionReader {
public:
  FunctionReader(func::FuncOp function) : function(function) {}

  FunctionFacts run() {
    facts.name = function.getSymName().str();
    facts.source = getSourceLine(function.getLoc());
    facts.isEntry = function->hasAttr("hacc.entry");
    facts.isPartOfMix = function->hasAttr("hivm.part_of_mix");
    if (auto core = function->getAttrOfType<hivm::FuncCoreTypeAttr>(
            "hivm.func_core_type"))
      facts.core = hivm::stringifyFuncCoreType(core.getValue()).str();
    readBuffers();
    readCalls();
    readTransfers();
    readCrossCoreFlags();
    return std::move(facts);
  }

private:
  void readBuffers() {
    llvm::EquivalenceClasses<Operation *> copies;
    SmallVector<hivm::PointerCastOp> casts;
    function.walk([&](hivm::PointerCastOp cast) {
      auto type = mlir::cast<MemRefType>(cast.getResult().getType());
      // An extent of 0 stands for "no buffer" in the library's signatures.
      if (llvm::is_contained(type.getShape(), 0))
        return;
      copies.insert(cast);
      casts.push_back(cast);
    });
    function.walk([&](arith::SelectOp select) {
      if (!isa<MemRefType>(select.getType()) ||
          !isLoopParity(select.getCondition()))
        return;
      BufferRoots roots = traceRoots(select);
      for (hivm::PointerCastOp cast : roots.casts)
        copies.unionSets(roots.casts.front(), cast);
    });
    llvm::DenseMap<Operation *, size_t> bufferOfLeader;
    for (hivm::PointerCastOp cast : casts) {
      Operation *leader = copies.getLeaderValue(cast);
      auto [entry, isNew] =
          bufferOfLeader.try_emplace(leader, facts.buffers.size());
      if (isNew)
        facts.buffers.push_back(describe(cast));
      bufferOfCast[cast] = entry->second;
      addAddresses(cast, facts.buffers[entry->second]);
    }
  }

  BufferFacts describe(hivm::PointerCastOp op) {
    auto type = mlir::cast<MemRefType>(op.getResult().getType());
    BufferFacts buffer;
    if (auto space = hivm::getAddressSpace(type))
      buffer.space = getSpaceName(*space).str();
    buffer.type = getShapeText(type);
    buffer.sizeBytes = getSizeBytes(type);
    buffer.source = getSourceLine(op.getLoc());
    return buffer;
  }

  void addAddresses(hivm::PointerCastOp op, BufferFacts &buffer) {
    for (Value address : op.getAddrs())
      if (std::optional<int64_t> begin = getConstant(address))
        if (!llvm::is_contained(buffer.addressesBytes, *begin))
          buffer.addressesBytes.push_back(*begin);
    for (const ByteRange &range : getByteRanges(op)) {
      int64_t &used = facts.usedBytes[getSpaceName(range.space).str()];
      used = std::max(used, range.end);
    }
  }

  void readCalls() {
    llvm::MapVector<StringRef, CallFacts> calls;
    for (func::CallOp call : getLibraryCalls(function)) {
      CallFacts &entry = calls[call.getCallee()];
      entry.callee = call.getCallee().str();
      entry.sites.push_back(getSourceLine(call.getLoc()));
      if (auto matmul = MatmulCall::get(call))
        readMatmul(*matmul);
    }
    for (auto &entry : calls)
      facts.calls.push_back(std::move(entry.second));
  }

  void readMatmul(MatmulCall matmul) {
    MatmulFacts entry;
    entry.callee = matmul.call.getCallee().str();
    entry.source = getSourceLine(matmul.call.getLoc());
    scf::ForOp loop = getInnermostLoop(matmul.call);
    entry.inLoop = static_cast<bool>(loop);
    entry.a = readOperand(matmul.a, loop);
    entry.b = readOperand(matmul.b, loop);
    facts.matmuls.push_back(std::move(entry));
  }

  OperandFacts readOperand(Value operand, scf::ForOp loop) {
    OperandFacts entry;
    BufferRoots roots = traceRoots(operand);
    for (hivm::PointerCastOp cast : roots.casts) {
      auto found = bufferOfCast.find(cast);
      if (found == bufferOfCast.end())
        continue;
      if (!llvm::is_contained(entry.buffers, found->second))
        entry.buffers.push_back(found->second);
    }
    entry.doubleBuffered = llvm::any_of(entry.buffers, [&](size_t buffer) {
      return facts.buffers[buffer].isDoubleBuffered();
    });
    if (loop)
      for (func::CallOp call : getLibraryCalls(loop)) {
        auto load = TransferCall::get(call, CallFamily::LoadL1);
        if (load && getInnermostLoop(call) == loop &&
            sharesRoot(traceRoots(load->destination), roots))
          entry.loadedEachStep = true;
      }
    return entry;
  }

  static bool sharesRoot(const BufferRoots &left, const BufferRoots &right) {
    return llvm::any_of(left.casts, [&](hivm::PointerCastOp cast) {
      return llvm::is_contained(right.casts, cast);
    });
  }

  void readTransfers() {
    if (function.isExternal())
      return;
    auto count = [&](CallFamily family, bool toWorkspace) {
      unsigned total = 0;
      for (Block &block : function.getBody())
        total += countCalls(block, [&](func::CallOp call) {
          auto store = TransferCall::get(call, family);
          if (!store || reachesWorkspace(store->destination) != toWorkspace)
            return false;
          if (toWorkspace && !facts.firstWorkspaceWrite.isKnown())
            facts.firstWorkspaceWrite = getSourceLine(call.getLoc());
          return true;
        });
      return total;
    };
    facts.fixpipesToTensors = count(CallFamily::Fixpipe, false);
    facts.fixpipesToWorkspace = count(CallFamily::Fixpipe, true);
    facts.storesToTensors = count(CallFamily::StoreUB, false);
    facts.storesToWorkspace = count(CallFamily::StoreUB, true);
  }

  void readCrossCoreFlags() {
    function.walk([&](Operation *op) {
      if (isa<hivm::SyncBlockSetOp>(op))
        ++facts.crossCoreSets;
      else if (isa<hivm::SyncBlockWaitOp>(op))
        ++facts.crossCoreWaits;
      else
        return;
      if (!facts.firstCrossCoreFlag.isKnown())
        facts.firstCrossCoreFlag = getSourceLine(op->getLoc());
    });
  }

  func::FuncOp function;
  FunctionFacts facts;
  llvm::DenseMap<Operation *, size_t> bufferOfCast;
};

/// The constant that one of the vendor's host functions returns.
std::optional<int64_t> getHostConstant(ModuleOp module, StringRef kind) {
  std::optional<int64_t> constant;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (hivm::getVendorText(function->getAttr("hacc.host_func_type"),
                            "host_func_type") != kind ||
        function.isExternal())
      continue;
    auto result =
        dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
    if (result && result.getNumOperands() == 1)
      constant = getConstant(result.getOperand(0));
  }
  return constant;
}

bool isHost(func::FuncOp function) {
  return hivm::getVendorText(function->getAttr("hacc.function_kind"),
                             "function_kind") == "HOST";
}

bool hasHostFunction(ModuleOp module, StringRef kind) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp host) {
    return hivm::getVendorText(host->getAttr("hacc.host_func_type"),
                               "host_func_type") == kind;
  });
}

Unit getUnit(ArrayRef<FunctionFacts> functions) {
  bool hasCube = false, hasVector = false;
  for (const FunctionFacts &function : functions) {
    hasCube |= function.core == "AIC" || function.core == "MIX";
    hasVector |= function.core == "AIV" || function.core == "MIX";
  }
  if (hasCube && hasVector)
    return Unit::Mix;
  return hasCube ? Unit::Cube : hasVector ? Unit::Vector : Unit::Unknown;
}

} // namespace

StringRef getName(Unit unit) {
  switch (unit) {
  case Unit::Unknown:
    return "unknown";
  case Unit::Cube:
    return "cube";
  case Unit::Vector:
    return "vector";
  case Unit::Mix:
    return "mix";
  }
  llvm_unreachable("all units are named");
}

unsigned ModuleFacts::globalRoundTrips() const {
  unsigned count = 0;
  for (const FunctionFacts &function : functions)
    count += function.fixpipesToWorkspace + function.storesToWorkspace;
  return count;
}

unsigned ModuleFacts::storedMatmulResults() const {
  unsigned count = 0;
  for (const FunctionFacts &function : functions)
    count += function.fixpipesToTensors;
  return count;
}

ModuleFacts getModuleFacts(ModuleOp module) {
  ModuleFacts facts;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || isHost(function))
      continue;
    facts.functions.push_back(FunctionReader(function).run());
    const FunctionFacts &added = facts.functions.back();
    facts.hasSourceLines |= added.source.isKnown();
    if (!added.isEntry || !facts.kernelName.empty())
      continue;
    StringRef name = added.name;
    if (added.isPartOfMix && !name.consume_back("_mix_aic"))
      name.consume_back("_mix_aiv");
    facts.kernelName = name.str();
  }
  facts.unit = getUnit(facts.functions);
  facts.taskType = getHostConstant(module, "infer_task_type_function");
  constexpr StringLiteral workspace = "infer_workspace_shape_function";
  facts.workspaceBytesPerBlock = getHostConstant(module, workspace);
  if (!hasHostFunction(module, workspace))
    facts.workspaceBytesPerBlock = 0;
  return facts;
}

} // namespace tilekiln::bishengir
