//===- KernelTester.h - Small kernels of linked IR and their values -------===//
//
// What the tests of the CPU executor share: the entry around a body, a load and
// a store of a whole tile, and a run that fails the test with the executor's
// message.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_UNITTESTS_CPU_KERNELTESTER_H
#define TILEKILN_UNITTESTS_CPU_KERNELTESTER_H

#include "mlir/IR/MLIRContext.h"
#include "tilekiln/Cpu/Executor.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <thread>

namespace tilekiln::test {

/// "memref<?xf32>" for "f32" and so on; the arguments are called %a0, %a1 ...
inline std::string kernel(std::vector<std::string> types,
                          llvm::StringRef body) {
  std::string text = "func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, ";
  for (auto [index, type] : llvm::enumerate(types))
    text += llvm::formatv("%a{0}: {1}, ", index, type);
  return text +
         "%gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {\n"
         "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
         "  %x = arith.index_cast %px : i32 to index\n"
         "  %y = arith.index_cast %py : i32 to index\n" +
         body.str() + "\n  return\n}\n";
}

inline std::string buffer(llvm::StringRef element) {
  return ("memref<?x" + element + ">").str();
}

/// %name = the first rows x columns elements of argument `index` as a tensor.
inline std::string load(llvm::StringRef name, unsigned index, int64_t rows,
                        int64_t columns, llvm::StringRef element) {
  return llvm::formatv(R"(
  %{0}v = memref.reinterpret_cast %a{1} to offset: [0], sizes: [{2}, {3}], strides: [{3}, 1] : memref<?x{4}> to memref<{2}x{3}x{4}, strided<[{3}, 1]>>
  %{0}l = memref.alloc() : memref<{2}x{3}x{4}>
  memref.copy %{0}v, %{0}l : memref<{2}x{3}x{4}, strided<[{3}, 1]>> to memref<{2}x{3}x{4}>
  %{0} = bufferization.to_tensor %{0}l restrict writable : memref<{2}x{3}x{4}>
)",
                       name, index, rows, columns, element);
}

/// Stores tensor %name over the start of argument `index`.
inline std::string store(llvm::StringRef name, unsigned index, int64_t rows,
                         int64_t columns, llvm::StringRef element) {
  return llvm::formatv(R"(
  %{0}o{1} = memref.reinterpret_cast %a{1} to offset: [0], sizes: [{2}, {3}], strides: [{3}, 1] : memref<?x{4}> to memref<{2}x{3}x{4}, strided<[{3}, 1]>>
  bufferization.materialize_in_destination %{0} in writable %{0}o{1} : (tensor<{2}x{3}x{4}>, memref<{2}x{3}x{4}, strided<[{3}, 1]>>) -> ()
)",
                       name, index, rows, columns, element);
}

template <typename T>
KernelArgument argument(std::vector<T> &values) {
  return KernelArgument::buffer(values.data(), values.size());
}
inline KernelArgument argument(int64_t value) {
  return KernelArgument::scalar(value);
}
inline KernelArgument argument(double value) {
  return KernelArgument::scalar(value);
}

struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

class Kernel {
public:
  explicit Kernel(llvm::StringRef text, llvm::StringRef entry = "k") {
    auto module = parseLinked(text, context);
    if (!module) {
      message = llvm::toString(module.takeError());
      return;
    }
    auto created = Executor::create(**module, entry);
    if (!created)
      message = llvm::toString(created.takeError());
    else
      executor = std::move(*created);
  }

  /// Runs it; an error fails the test.
  template <typename... Args>
  void run(Grid grid, Args &&...args) {
    ASSERT_TRUE(executor) << message;
    EXPECT_EQ(tryRun(grid, std::forward<Args>(args)...), "");
  }
  /// Runs it and gives the error's text.
  template <typename... Args>
  std::string tryRun(Grid grid, Args &&...args) {
    std::vector<KernelArgument> arguments{argument(args)...};
    return llvm::toString(
        executor->launch(arguments, grid.x, grid.y, grid.z, options));
  }

  /// Why it could not be compiled.
  std::string message;
  LaunchOptions options;

private:
  mlir::MLIRContext context;
  std::unique_ptr<Executor> executor;
};

/// bfloat16 by its bits.
struct Bf16 {
  uint16_t bits = 0;
  static Bf16 of(float value) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    Bf16 result;
    result.bits = uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16);
    return result;
  }
  float value() const {
    uint32_t word = uint32_t(bits) << 16;
    float result;
    std::memcpy(&result, &word, 4);
    return result;
  }
};

inline float toFloat(float value) { return value; }
inline float toFloat(_Float16 value) { return float(value); }
inline float toFloat(Bf16 value) { return value.value(); }
inline float toFloat(int8_t value) { return value; }
inline float toFloat(int32_t value) { return float(value); }

template <typename T>
T fromFloat(float value) {
  if constexpr (std::is_same_v<T, Bf16>)
    return Bf16::of(value);
  else
    return T(value);
}

/// Small whole numbers and quarters, exact in every float type.
template <typename T>
std::vector<T> randomValues(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> values(count);
  for (T &value : values) {
    int number = int(generator() % 33) - 16;
    value = fromFloat<T>(std::is_integral_v<T> ? number : number / 4.0f);
  }
  return values;
}

} // namespace tilekiln::test

#endif // TILEKILN_UNITTESTS_CPU_KERNELTESTER_H
