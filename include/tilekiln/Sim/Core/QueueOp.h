//===- QueueOp.h - An entry of a core's instruction queues ----------------===//
//
// What the scalar unit pushes: work with its time, the bytes that it touches and
// a job that computes its values, or a flag, or a barrier.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_QUEUEOP_H
#define TILEKILN_SIM_CORE_QUEUEOP_H

#include "tilekiln/Sim/Core/Buffer.h"
#include "tilekiln/Sim/Core/Program.h"
#include "llvm/ADT/FunctionExtras.h"

namespace tilekiln::sim {

class ValueContext;

/// Computes values; runs once, on some host thread.
using Job = llvm::unique_function<void(ValueContext &)>;

/// How global memory is read or written; decides rates and latency.
enum class TransferKind : uint8_t {
  None,
  /// Rows as they are, into L1 or UB.
  LoadL1,
  LoadUb,
  /// Rows into fractals.
  Nd2Nz,
  StoreUb,
  StoreL0c
};

/// How an instruction takes part in the hand-over of L0C that the hardware does by
/// itself: a product waits until what was there before has been fetched, and tells
/// when it is done; a fetch waits for that, and tells when the place is free. The
/// hardware does it for each 512 bytes; here it is done for a tile.
enum class UnitFlag : uint8_t {
  Off = 0,
  /// Waits, and leaves the flag as it is.
  Check = 2,
  CheckAndSet = 3
};

struct QueueOp {
  enum class Kind : uint8_t {
    Execute,
    Transfer,
    SetFlag,
    WaitFlag,
    Barrier,
    CrossSet,
    CrossWait,
    /// Work of the scalar unit itself.
    Scalar
  };
  Kind kind = Kind::Execute;
  /// The queue that it goes to; of a flag the one that raises or waits.
  Pipe pipe = Pipe::S;
  /// The other side of a flag.
  Pipe otherPipe = Pipe::S;
  TransferKind transferKind = TransferKind::None;
  CrossMode crossMode = CrossMode::IntraBlock;
  /// Event or cross-core flag.
  uint8_t flag = 0;
  /// Of a product or of a move out of L0C.
  UnitFlag unitFlag = UnitFlag::Off;
  LineId line = 0;
  llvm::StringRef function, instruction;
  double busy = 0, latency = 0;
  double flops = 0;
  /// Between memories of the core, for reports.
  int64_t localBytes = 0;
  Accesses accesses;
  Job work;

  QueueOp &reads(const Buffer &buffer, int64_t roundUpBytes = 1);
  QueueOp &writes(const Buffer &buffer, int64_t roundUpBytes = 1);
  QueueOp &atomic(const Buffer &buffer);
  QueueOp &access(const Access &access);
  QueueOp &job(Job job);
  QueueOp &counts(double flops, int64_t localBytes = 0);
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_QUEUEOP_H
