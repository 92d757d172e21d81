//===- VectorTester.h - One call of the vector library --------------------===//
//
// Issues a library function on buffers in UB and runs its jobs in order, without
// queues and time. Checks that no byte changes outside of what was declared.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_UNITTESTS_SIM_VECTORTESTER_H
#define TILEKILN_UNITTESTS_SIM_VECTORTESTER_H

#include "tilekiln/Sim/Core/Library.h"
#include "tilekiln/Sim/Core/Numbers.h"
#include "gtest/gtest.h"
#include <cstring>
#include <deque>
#include <random>

namespace tilekiln::sim {

class VectorTester : public ValueContext {
public:
  VectorTester()
      : timing(llvm::cantFail(Timing::get(llvm::cantFail(loadTarget(
            TILEKILN_SHARE_FOLDER "/targets/ascend910b3.json"))))),
        ub(timing.capacityBytes[unsigned(Space::UB)]) {
    std::mt19937 noise(7);
    for (int64_t i = 0; i < ub.size(); ++i)
      ub.data()[i] = uint8_t(noise());
  }

  Memory &memory(Space, unsigned) override { return ub; }
  CubeMemory &cube() override { std::abort(); }
  void fault(FaultKind kind, Space, int64_t, std::string text) override {
    faults.push_back({kind, std::move(text)});
  }

  /// A buffer with the next free address, blocks and 64 bytes behind it.
  Buffer room(ElementType type, std::vector<int64_t> sizes,
              std::vector<int64_t> strides = {}, int64_t offset = 0) {
    Buffer buffer = Buffer::make(Space::UB, type, next, sizes);
    for (size_t i = 0; i < strides.size(); ++i)
      buffer.strides[i] = strides[i];
    buffer.offset = offset;
    int64_t last = offset + 1;
    for (unsigned i = 0; i < buffer.rank; ++i)
      last += std::max<int64_t>(sizes[i] - 1, 0) * buffer.strides[i];
    next += (last * int64_t(getBits(type)) / 8 + 31) / 32 * 32 + 64;
    EXPECT_LE(next, ub.size());
    return buffer;
  }

  template <typename T>
  Buffer put(ElementType type, const std::vector<T> &data,
             std::vector<int64_t> sizes = {}, std::vector<int64_t> strides = {},
             int64_t offset = 0) {
    if (sizes.empty())
      sizes = {int64_t(data.size())};
    Buffer buffer = room(type, sizes, strides, offset);
    fill(buffer, data);
    return buffer;
  }

  template <typename T>
  void fill(const Buffer &buffer, const std::vector<T> &values) {
    size_t i = 0;
    forEach(buffer, [&](uint8_t *at) { std::memcpy(at, &values[i++], sizeof(T)); });
    setWritten(buffer);
  }

  template <typename T> std::vector<T> get(const Buffer &buffer) {
    std::vector<T> out;
    forEach(buffer, [&](uint8_t *at) {
      T value;
      std::memcpy(&value, at, sizeof value);
      out.push_back(value);
    });
    return out;
  }

  Buffer flags(const std::vector<bool> &bits) {
    Buffer buffer = room(ElementType::I1, {int64_t(bits.size())});
    for (size_t i = 0; i < bits.size(); ++i) {
      uint8_t &byte = data(buffer)[i / 8];
      byte = uint8_t((byte & ~(1u << i % 8)) | unsigned(bits[i]) << i % 8);
    }
    setWritten(buffer);
    return buffer;
  }
  std::vector<bool> getFlags(const Buffer &buffer) {
    std::vector<bool> bits;
    for (int64_t i = 0; i < buffer.sizes[0]; ++i)
      bits.push_back(data(buffer)[i / 8] >> (i % 8) & 1);
    return bits;
  }

  /// An operand: a buffer or a number.
  struct Operand {
    std::optional<Buffer> buffer;
    CallArgument argument;
    Operand(const Buffer &buffer) : buffer(buffer) {}
    Operand(int value) { argument.scalar = Scalar::integer(value); }
    Operand(int64_t value) { argument.scalar = Scalar::integer(value); }
    Operand(float value) {
      argument.scalar = Scalar::real(double(value));
      argument.type = ElementType::F32;
    }
  };

  /// Issues and runs; instructions and busy cycles can be looked at after.
  void call(llvm::StringRef name, std::vector<Operand> operands) {
    auto function = LibraryTable::get().find(name);
    if (!function) {
      ADD_FAILURE() << llvm::toString(function.takeError());
      return;
    }
    llvm::SmallVector<CallArgument, 8> arguments;
    llvm::SmallVector<CallOperand, 8> kinds;
    for (Operand &operand : operands) {
      if (operand.buffer)
        operand.argument.buffer = &*operand.buffer;
      arguments.push_back(operand.argument);
      kinds.push_back({operand.buffer ? CallOperand::Kind::Buffer
                                      : CallOperand::Kind::Scalar,
                       operand.argument.type, 0});
    }
    llvm::Error error = (*function)->checkOperands(kinds);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    IssueState state;
    state.core = CoreType::AIV;
    Issue issue(timing, state);
    (*function)->issue(CallArguments(arguments), issue);
    for (Issue::IssueFault &found : issue.faults())
      faults.push_back(found);
    instructions.clear();
    busy = 0;
    int flags = 0;
    for (QueueOp &op : issue.ops()) {
      if (op.kind == QueueOp::Kind::SetFlag)
        ++flags;
      if (op.kind == QueueOp::Kind::WaitFlag)
        --flags;
      if (op.kind == QueueOp::Kind::Execute) {
        instructions.push_back(op.instruction.str());
        busy += op.busy;
      }
      run(op, name);
    }
    EXPECT_EQ(flags, 0) << name.str() << " leaves a flag";
  }

  bool ran(llvm::StringRef instruction) const {
    return llvm::is_contained(instructions, instruction);
  }
  std::vector<FaultKind> kinds() const {
    std::vector<FaultKind> list;
    for (const Issue::IssueFault &found : faults)
      list.push_back(found.kind);
    return list;
  }

  Timing timing;
  Memory ub;
  std::vector<std::string> instructions;
  double busy = 0;
  std::vector<Issue::IssueFault> faults;

private:
  void run(QueueOp &op, llvm::StringRef name) {
    std::vector<uint8_t> before(ub.data(), ub.data() + ub.size());
    if (op.work)
      op.work(*this);
    std::vector<bool> declared(before.size(), false);
    for (const Access &access : op.accesses) {
      EXPECT_GE(access.beginBytes, 0);
      EXPECT_LE(access.endBytes(), ub.size());
      if (access.mode != Access::Mode::Read)
        for (int64_t r = 0; r < access.runs; ++r)
          for (int64_t b = 0; b < access.runBytes; ++b)
            declared[size_t(access.beginBytes + r * access.strideBytes + b)] = true;
    }
    for (size_t i = 0; i < before.size(); ++i)
      if (before[i] != ub.data()[i] && !declared[i]) {
        ADD_FAILURE() << name.str() << ": " << op.instruction.str()
                      << " changes byte " << i << ", which it did not declare";
        return;
      }
  }

  template <typename F> void forEach(const Buffer &buffer, F f) {
    llvm::SmallVector<int64_t, 4> index(buffer.rank, 0);
    for (int64_t left = buffer.elementCount(); left > 0; --left) {
      int64_t at = 0;
      for (unsigned d = 0; d < buffer.rank; ++d)
        at += index[d] * buffer.strides[d];
      f(data(buffer) + at * int64_t(getBytes(buffer.type)));
      for (unsigned d = buffer.rank; d-- > 0;) {
        if (++index[d] < buffer.sizes[d])
          break;
        index[d] = 0;
      }
    }
  }

  int64_t next = 0;
};

/// The first elements of a line.
inline Buffer slice(Buffer buffer, int64_t count) {
  buffer.sizes[0] = count;
  return buffer;
}

/// Numbers between -4 and 4.
inline std::vector<float> randomFloats(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> numbers(-4, 4);
  std::vector<float> out(count);
  for (float &x : out)
    x = numbers(random);
  return out;
}

template <typename T>
std::vector<T> randomIntegers(size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(count);
  for (T &x : out)
    x = T(random());
  return out;
}

inline std::vector<uint16_t> toHalves(const std::vector<float> &values) {
  std::vector<uint16_t> out(values.size());
  toF16(values.data(), out.data(), values.size());
  return out;
}
inline std::vector<float> fromHalves(const std::vector<uint16_t> &values) {
  std::vector<float> out(values.size());
  fromF16(values.data(), out.data(), values.size());
  return out;
}

} // namespace tilekiln::sim

#endif // TILEKILN_UNITTESTS_SIM_VECTORTESTER_H
