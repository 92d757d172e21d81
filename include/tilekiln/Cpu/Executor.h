//===- Executor.h - Values of linked IR on the host -----------------------===//
//
// Compiles a kernel of linked IR for the host through LLVM's JIT and runs its
// blocks over the machine's threads. Matrix products go to BLAS. The kernel's
// entry is `(lock, workspace, user arguments..., gx, gy, gz, px, py, pz)`: two
// memref<?xi8>, then memref<?xT> and numbers, then the grid and the index of
// the block as six i32.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_CPU_EXECUTOR_H
#define TILEKILN_CPU_EXECUTOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace tilekiln {

/// One user argument of a launch, in the order of the entry function.
struct KernelArgument {
  enum class Kind { Buffer, Integer, Real };
  Kind kind = Kind::Integer;
  /// Borrowed for the time of the launch.
  void *data = nullptr;
  int64_t elementCount = 0;
  int64_t integer = 0;
  double real = 0;

  static KernelArgument buffer(void *data, int64_t elementCount);
  static KernelArgument scalar(int64_t value);
  static KernelArgument scalar(double value);
};

struct LaunchOptions {
  /// 0: as many as the machine has.
  unsigned threads = 0;
};

/// Reads linked IR, with the vendor's operations in generic form. It is
/// verified only when it is compiled.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseLinked(llvm::StringRef text, mlir::MLIRContext &context);

class Executor {
public:
  /// Compiles `entryName` of a module, which is left as it is.
  static llvm::Expected<std::unique_ptr<Executor>>
  create(mlir::ModuleOp linked, llvm::StringRef entryName);
  ~Executor();

  /// Runs all blocks of the grid and returns when the last one is done. Blocks
  /// start in the order of the hardware, z fastest; what depends on an order
  /// between blocks (float atomics, prints) follows it, so that a launch gives
  /// the same values on any number of threads.
  llvm::Error launch(llvm::ArrayRef<KernelArgument> userArguments,
                     int64_t gridX, int64_t gridY, int64_t gridZ,
                     const LaunchOptions &options = {});

private:
  Executor();

  /// How an argument is handed over; decided by the entry's type.
  enum class Slot { Buffer, I1, I8, I16, I32, I64, F16, BF16, F32, F64 };
  llvm::Error readSignature(mlir::ModuleOp linked, llvm::StringRef entryName);

  std::string name;
  std::vector<Slot> userSlots;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  void (*entry)(void **) = nullptr;
};

} // namespace tilekiln

#endif // TILEKILN_CPU_EXECUTOR_H
