//===- PipePairTest.cpp - A missing flag between every two pipes ----------===//
//
// Every ordered pair of pipes, with each way in which two instructions can depend
// on each other through memory: with the flag there is no fault, without it or
// with one that says something else there is a race. Instructions that touch what
// the test wants stand in for the device library, whose own functions do not reach
// every memory from every pipe.
//
//===----------------------------------------------------------------------===//
#include "SimTester.h"

using namespace tilekiln;
using namespace tilekiln::sim;

namespace {

enum class Hazard { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };
enum class Order {
  /// The first pipe raises, the second waits.
  Flag,
  /// All pipes meet.
  BarrierAll,
  None,
  /// The flag is raised before the first instruction.
  TooEarly,
  /// The second pipe waits when its instruction has been issued.
  TooLate,
  /// The second pipe raises, the first waits.
  Reversed,
  /// Of a third pipe.
  OtherPipe
};

bool isOrdered(Order order) {
  return order == Order::Flag || order == Order::BarrierAll;
}

/// touch(pipe, writes, buffer).
void issueTouch(const Signature &, const CallArguments &arguments, Issue &issue) {
  QueueOp &op = issue.execute(Pipe(arguments.integer(0)), "touch", 10, 5);
  if (arguments.integer(1))
    op.writes(arguments.buffer(2));
  else
    op.reads(arguments.buffer(2));
}

struct PairTester : SimTester {
  explicit PairTester(CoreType core) : code(begin(core)) {
    program.functions.push_back(
        {"touch", std::make_shared<LibraryFunction>(
                      Signature{"touch", {}, {}, {}, 0},
                      LibraryRow{"touch", "ssb", issueTouch})});
  }

  void touch(Pipe pipe, bool writes, Register buffer) {
    Function &function = core();
    CallSite site;
    for (int64_t number : {int64_t(pipe), int64_t(writes)})
      site.operands.push_back({CallOperand::Kind::Scalar, ElementType::I64,
                               code.constant(number)});
    site.operands.push_back({CallOperand::Kind::Buffer, ElementType::I8, buffer});
    function.calls.push_back(site);
    Instruction call;
    call.opcode = Opcode::Call;
    call.imm = int64_t(function.calls.size() - 1);
    code.emit(call);
  }

  void raise(Pipe from, Pipe to) { code.setFlag(from, to, 3); }
  void wait(Pipe from, Pipe to) { code.waitFlag(from, to, 3); }

  Function &core() { return program.aic ? *program.aic : *program.aiv; }
  FunctionBuilder &code;
};

/// What keeps the two apart, or does not.
SimResult runPair(Pipe first, Pipe second, Hazard hazard, Order order,
                  std::string &text) {
  // AIVs are as good for every pipe: a core has all queues.
  PairTester tester(CoreType::AIV);
  tester.options.values = false;
  Register buffer = tester.code.pointer(Space::UB, ElementType::F32, 256, {64});
  Pipe third = Pipe::S;
  while (third == first || third == second)
    third = Pipe(unsigned(third) + 1);

  if (order == Order::TooEarly)
    tester.raise(first, second);
  if (order == Order::Reversed) {
    tester.raise(second, first);
    tester.wait(second, first);
  }
  tester.touch(first, hazard != Hazard::WriteAfterRead, buffer);
  if (order == Order::Flag || order == Order::TooLate)
    tester.raise(first, second);
  if (order == Order::OtherPipe) {
    tester.raise(third, second);
    tester.wait(third, second);
  }
  if (order == Order::Flag || order == Order::TooEarly)
    tester.wait(first, second);
  if (order == Order::BarrierAll)
    tester.code.barrier(Pipe::All);
  tester.touch(second, hazard != Hazard::ReadAfterWrite, buffer);
  if (order == Order::TooLate)
    tester.wait(first, second);
  SimResult result = tester.run();
  text = tester.faults(result);
  return result;
}

using PipePair = std::pair<Pipe, Pipe>;

std::vector<PipePair> allPairs() {
  std::vector<PipePair> pairs;
  for (unsigned first = 0; first < pipeCount; ++first)
    for (unsigned second = 0; second < pipeCount; ++second)
      if (first != second)
        pairs.push_back({Pipe(first), Pipe(second)});
  return pairs;
}

class PipePairs : public testing::TestWithParam<PipePair> {};

TEST_P(PipePairs, needAFlag) {
  auto [first, second] = GetParam();
  for (Hazard hazard :
       {Hazard::ReadAfterWrite, Hazard::WriteAfterRead, Hazard::WriteAfterWrite})
    for (Order order : {Order::Flag, Order::BarrierAll, Order::None, Order::TooEarly,
                        Order::TooLate, Order::Reversed, Order::OtherPipe}) {
      SCOPED_TRACE(testing::Message() << "hazard " << int(hazard) << ", order " << int(order));
      std::string text;
      SimResult result = runPair(first, second, hazard, order, text);
      if (isOrdered(order)) {
        EXPECT_EQ(text, "");
        continue;
      }
      ASSERT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::Race}) << text;
      // It says who does what, and what is missing. Nothing says which of the two
      // is the other one.
      bool secondLate = result.faults[0].pipe == second;
      EXPECT_TRUE(secondLate || result.faults[0].pipe == first) << text;
      const char *did[] = {hazard == Hazard::WriteAfterRead ? "reads" : "writes",
                           hazard == Hazard::ReadAfterWrite ? "reads" : "writes"};
      std::string expected =
          did[secondLate] + std::string(" byte 256 of ub while pipe ") +
          getName(secondLate ? first : second).str() + " of AIV 0 " +
          did[!secondLate] + " it, and nothing orders the two: a set_flag and "
                             "wait_flag between the pipes is missing";
      EXPECT_NE(text.find(expected), std::string::npos) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, PipePairs,
    testing::ValuesIn(allPairs()), [](const testing::TestParamInfo<PipePair> &info) {
      return (getName(info.param.first) + "To" + getName(info.param.second)).str();
    });

/// Pipes whose instructions overlap each other, and those that take one at a time.
TEST(OnePipe, needsABarrierWhereItsInstructionsOverlap) {
  for (unsigned pipe = 0; pipe < pipeCount; ++pipe)
    for (bool barrier : {false, true})
      for (bool readsLater : {false, true}) {
        PairTester tester(CoreType::AIV);
        tester.options.values = false;
        Register buffer = tester.code.pointer(Space::UB, ElementType::F32, 0, {64});
        tester.touch(Pipe(pipe), true, buffer);
        if (barrier)
          tester.code.barrier(Pipe(pipe));
        tester.touch(Pipe(pipe), !readsLater, buffer);
        SimResult result = tester.run();
        bool overlaps = Pipe(pipe) == Pipe::V || Pipe(pipe) == Pipe::MTE2 ||
                        Pipe(pipe) == Pipe::MTE3 || Pipe(pipe) == Pipe::FIX;
        EXPECT_EQ(result.faults.size(), size_t(overlaps && !barrier))
            << getName(Pipe(pipe)).str() << tester.faults(result);
      }
}

/// Halves of a block: the n-th wait belongs to the n-th raise.
TEST(TwoCores, needACrossCoreFlag) {
  for (bool flag : {true, false}) {
    SimTester tester;
    tester.program.aivPerBlock = 2;
    tester.program.workspaceBytesPerBlock = 1024;
    tester.program.functions.push_back(
        {"touch", std::make_shared<LibraryFunction>(
                      Signature{"touch", {}, {}, {}, 0},
                      LibraryRow{"touch", "ssb", issueTouch})});
    tester.options.values = false;
    auto half = [&](CoreType kind, Pipe pipe, bool writes) {
      FunctionBuilder &code = tester.begin(kind);
      Function &function =
          kind == CoreType::AIC ? *tester.program.aic : *tester.program.aiv;
      Parameter workspace;
      workspace.kind = Parameter::Kind::Workspace;
      workspace.isBuffer = true;
      workspace.type = ElementType::I8;
      Register buffer = code.parameter(workspace);
      if (!writes && flag)
        code.crossWait(Pipe::S, 2);
      CallSite site;
      for (int64_t number : {int64_t(pipe), int64_t(writes)})
        site.operands.push_back({CallOperand::Kind::Scalar, ElementType::I64,
                                 code.constant(number)});
      site.operands.push_back({CallOperand::Kind::Buffer, ElementType::I8, buffer});
      function.calls.push_back(site);
      Instruction call;
      call.opcode = Opcode::Call;
      call.imm = 0;
      code.emit(call);
      if (writes && flag)
        code.crossSet(Pipe::FIX, 2);
    };
    half(CoreType::AIC, Pipe::FIX, true);
    half(CoreType::AIV, Pipe::MTE2, false);
    SimResult result = tester.run();
    std::string text = tester.faults(result);
    EXPECT_EQ(text.empty(), flag) << text;
    if (!flag) {
      EXPECT_EQ(result.faults[0].kind, FaultKind::Race);
      EXPECT_NE(text.find("a cross-core flag between the cores is missing"),
                std::string::npos)
          << text;
    }
  }
}

} // namespace
