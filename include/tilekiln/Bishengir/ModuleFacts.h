//===- ModuleFacts.h - What the vendor's compiler made of a kernel --------===//
//
// Read off the final IR: which cores run it, where its buffers lie, which
// library functions it calls and how often a tile leaves the core through
// global memory. Plain data: the placement check and the report use it without
// MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_BISHENGIR_MODULEFACTS_H
#define TILEKILN_BISHENGIR_MODULEFACTS_H

#include "tilekiln/Bishengir/Finding.h"
#include <map>
#include <optional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilekiln::bishengir {

enum class Unit { Unknown, Cube, Vector, Mix };

/// "cube", "vector", "mix" or "unknown".
llvm::StringRef getName(Unit unit);

/// One on-chip buffer. A double buffer is one entry with several addresses.
struct BufferFacts {
  /// "ub", "l1", "l0a", "l0b", "l0c".
  std::string space;
  /// Shape and element type, "4x8x16x16xf16".
  std::string type;
  /// Of one copy; none where an extent is unknown.
  std::optional<int64_t> sizeBytes;
  /// One per copy.
  std::vector<int64_t> addressesBytes;
  SourceLine source;

  /// Copies are chosen by loop parity.
  bool isDoubleBuffered() const { return addressesBytes.size() > 1; }
};

/// All call sites of one library function.
struct CallFacts {
  std::string callee;
  /// One per call site in the text, not per execution.
  std::vector<SourceLine> sites;
};

/// An operand of a matrix multiplication.
struct OperandFacts {
  /// Indices into FunctionFacts::buffers.
  std::vector<size_t> buffers;
  bool doubleBuffered = false;
  /// Loaded in the same loop as the multiplication: double-buffering pays.
  bool loadedEachStep = false;
};

struct MatmulFacts {
  std::string callee;
  bool inLoop = false;
  OperandFacts a, b;
  SourceLine source;
};

struct FunctionFacts {
  std::string name;
  /// "AIC", "AIV", "MIX", "AIC_OR_AIV" or empty.
  std::string core;
  bool isEntry = false;
  bool isPartOfMix = false;
  SourceLine source;

  std::vector<BufferFacts> buffers;
  /// Highest byte in use per space.
  std::map<std::string, int64_t> usedBytes;
  std::vector<CallFacts> calls;
  std::vector<MatmulFacts> matmuls;

  /// Results that one run of the text stores: branches that exclude each other
  /// count once.
  unsigned fixpipesToTensors = 0;
  unsigned fixpipesToWorkspace = 0;
  unsigned storesToTensors = 0;
  unsigned storesToWorkspace = 0;
  unsigned crossCoreSets = 0;
  unsigned crossCoreWaits = 0;
  /// First place of each, for messages.
  SourceLine firstWorkspaceWrite, firstCrossCoreFlag;
};

struct ModuleFacts {
  Unit unit = Unit::Unknown;
  /// The kernel's name without the vendor's _mix_aic or _mix_aiv.
  std::string kernelName;
  /// What the vendor's host function tells the launcher: 10 vector, 20 cube,
  /// 31 one AIC and one AIV, 32 one AIC and two AIVs.
  std::optional<int64_t> taskType;
  /// From the vendor's host function; 0 where there is none.
  std::optional<int64_t> workspaceBytesPerBlock;
  /// Entries and helpers of the device, no library declarations.
  std::vector<FunctionFacts> functions;
  /// Whether the final IR carries lines of the script.
  bool hasSourceLines = false;

  /// Places in the text where a tile leaves a core through the workspace.
  unsigned globalRoundTrips() const;
  /// Matrix results stored to tensors.
  unsigned storedMatmulResults() const;
};

/// Reads a final IR that hivm::parseFinalIR gave.
ModuleFacts getModuleFacts(mlir::ModuleOp module);

llvm::json::Value toJSON(const ModuleFacts &facts);

} // namespace tilekiln::bishengir

#endif // TILEKILN_BISHENGIR_MODULEFACTS_H
