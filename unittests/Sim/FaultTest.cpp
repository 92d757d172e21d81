//===- FaultTest.cpp - Every kind of fault, provoked ----------------------===//
#include "SimTester.h"

using namespace tilekiln;
using namespace tilekiln::sim;
using T = SimTester;

namespace {

bool has(const SimResult &result, FaultKind kind) {
  for (const Fault &fault : result.faults)
    if (fault.kind == kind)
      return true;
  return false;
}

/// Which synchronisation a copy through UB leaves out.
struct Missing {
  const char *name;
  bool loadToCopy = false, copyToStore = false, copyToLoad = false,
       storeToCopy = false, barrier = false;
};

/// Two rounds of load, copy, copy, store through the same buffers.
SimResult runCopy(const Missing &missing, std::string *text = nullptr,
                  std::vector<float> *out = nullptr) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> in(256, 2.0f), result(256, 0.0f);
  Register gmIn = tester.tensor(code, 0, ElementType::F32, in, {256});
  Register gmOut = tester.tensor(code, 1, ElementType::F32, result, {256});
  tester.program.writtenArguments = {false, true};
  Register a = code.pointer(Space::UB, ElementType::F32, 0, {256});
  Register b = code.pointer(Space::UB, ElementType::F32, 1024, {256});
  Register c = code.pointer(Space::UB, ElementType::F32, 2048, {256});
  code.setFlag(Pipe::V, Pipe::MTE2, 0);
  code.setFlag(Pipe::MTE3, Pipe::V, 0);
  for (int round = 0; round < 2; ++round) {
    if (!missing.copyToLoad || round == 0)
      code.waitFlag(Pipe::V, Pipe::MTE2, 0);
    tester.call(code, "load_gm_to_ubuf_1d_float",
                {T::buffer(gmIn), T::buffer(a), T::number(0), T::real(0),
                 T::number(0)});
    if (!missing.loadToCopy) {
      code.setFlag(Pipe::MTE2, Pipe::V, 0);
      code.waitFlag(Pipe::MTE2, Pipe::V, 0);
    }
    if (!missing.storeToCopy || round == 0)
      code.waitFlag(Pipe::MTE3, Pipe::V, 0);
    tester.call(code, "copy_ubuf_to_ubuf_1d_float",
                {T::buffer(a), T::buffer(b), T::number(0), T::real(0)});
    if (!missing.copyToLoad)
      code.setFlag(Pipe::V, Pipe::MTE2, 0);
    if (!missing.barrier)
      code.barrier(Pipe::V);
    tester.call(code, "copy_ubuf_to_ubuf_1d_float",
                {T::buffer(b), T::buffer(c), T::number(0), T::real(0)});
    if (!missing.copyToStore) {
      code.setFlag(Pipe::V, Pipe::MTE3, 0);
      code.waitFlag(Pipe::V, Pipe::MTE3, 0);
    }
    if (round)
      code.barrier(Pipe::MTE3);
    tester.call(code, "store_ubuf_to_gm_1d_float",
                {T::buffer(c), T::buffer(gmOut), T::number(0)});
    if (!missing.storeToCopy)
      code.setFlag(Pipe::MTE3, Pipe::V, 0);
  }
  if (!missing.copyToLoad)
    code.waitFlag(Pipe::V, Pipe::MTE2, 0);
  if (!missing.storeToCopy)
    code.waitFlag(Pipe::MTE3, Pipe::V, 0);
  code.barrier(Pipe::All);
  SimResult run = tester.run();
  if (text)
    *text = tester.faults(run);
  if (out)
    *out = result;
  return run;
}

TEST(Faults, synchronisedCopyHasNone) {
  std::string text;
  std::vector<float> out;
  runCopy({"none"}, &text, &out);
  EXPECT_EQ(text, "");
  EXPECT_EQ(out, std::vector<float>(256, 2.0f));
}

class MissingSync : public testing::TestWithParam<Missing> {};

TEST_P(MissingSync, isARace) {
  std::string text;
  SimResult result = runCopy(GetParam(), &text);
  EXPECT_TRUE(has(result, FaultKind::Race)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, MissingSync,
    testing::Values(Missing{"loadToCopy", true}, Missing{"copyToStore", false, true},
                    Missing{"copyToLoad", false, false, true},
                    Missing{"storeToCopy", false, false, false, true},
                    Missing{"barrier", false, false, false, false, true}),
    [](const testing::TestParamInfo<Missing> &info) { return info.param.name; });

TEST(Faults, waitWithoutSetIsADeadlock) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  code.waitFlag(Pipe::MTE2, Pipe::V, 3);
  code.barrier(Pipe::All);
  SimResult result = tester.run();
  ASSERT_TRUE(has(result, FaultKind::Deadlock));
  std::string text = tester.faults(result);
  EXPECT_NE(text.find("pipe V waits for event 3 from pipe MTE2"), std::string::npos)
      << text;
}

TEST(Faults, flagSetTwiceIsLeft) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  code.setFlag(Pipe::V, Pipe::MTE3, 1);
  code.setFlag(Pipe::V, Pipe::MTE3, 1);
  code.waitFlag(Pipe::V, Pipe::MTE3, 1);
  SimResult result = tester.run();
  EXPECT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::FlagLeft});
}

TEST(Faults, storeBehindATensorIsOutOfRange) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> data(64, 1.0f);
  tester.tensor(code, 0, ElementType::F32, data, {64});
  BufferRecipe view;
  view.kind = BufferRecipe::Kind::Reinterpret;
  view.offsets = {ShapeOperand::value(32)};
  view.sizes = {ShapeOperand::value(64)};
  view.strides = {ShapeOperand::value(1)};
  Register moved = code.makeBuffer(view, 0);
  Register ub = code.pointer(Space::UB, ElementType::F32, 0, {64});
  tester.call(code, "load_gm_to_ubuf_1d_float",
              {T::buffer(moved), T::buffer(ub), T::number(0), T::real(0), T::number(0)});
  SimResult result = tester.run();
  ASSERT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::OutOfRange});
  EXPECT_EQ(result.faults[0].addressBytes, 256);
  EXPECT_EQ(result.faults[0].space, Space::GM);
}

TEST(Faults, bufferBehindUbIsOutOfRange) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  Register a = code.pointer(Space::UB, ElementType::F32, 196608 - 64, {64});
  Register b = code.pointer(Space::UB, ElementType::F32, 0, {64});
  tester.call(code, "copy_ubuf_to_ubuf_1d_float",
              {T::buffer(b), T::buffer(a), T::number(0), T::real(0)});
  SimResult result = tester.run();
  EXPECT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::OutOfRange});
}

TEST(Faults, unwrittenMemoryThatIsStored) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> data(64, 1.0f);
  Register gm = tester.tensor(code, 0, ElementType::F32, data, {64});
  Register a = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register b = code.pointer(Space::UB, ElementType::F32, 512, {64});
  // Copying is no fault: the store is.
  tester.call(code, "copy_ubuf_to_ubuf_1d_float",
              {T::buffer(a), T::buffer(b), T::number(0), T::real(0)});
  code.setFlag(Pipe::V, Pipe::MTE3, 0);
  code.waitFlag(Pipe::V, Pipe::MTE3, 0);
  tester.call(code, "store_ubuf_to_gm_1d_float",
              {T::buffer(b), T::buffer(gm), T::number(0)});
  SimResult result = tester.run();
  ASSERT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::Unwritten});
  EXPECT_EQ(result.faults[0].pipe, Pipe::MTE3);
}

TEST(Faults, overlapOfLiveBuffers) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> data(64, 1.0f);
  Register gm = tester.tensor(code, 0, ElementType::F32, data, {64});
  Register a = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register b = code.pointer(Space::UB, ElementType::F32, 128, {64});
  auto load = [&](Register to) {
    tester.call(code, "load_gm_to_ubuf_1d_float",
                {T::buffer(gm), T::buffer(to), T::number(0), T::real(0), T::number(0)});
  };
  load(a);
  code.barrier(Pipe::MTE2);
  load(b);
  code.setFlag(Pipe::MTE2, Pipe::MTE3, 0);
  code.waitFlag(Pipe::MTE2, Pipe::MTE3, 0);
  tester.call(code, "store_ubuf_to_gm_1d_float",
              {T::buffer(a), T::buffer(gm), T::number(0)});
  SimResult result = tester.run();
  EXPECT_TRUE(has(result, FaultKind::Overlap)) << tester.faults(result);
}

TEST(Faults, blocksThatWriteTheSameBytes) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> data(64, 1.0f);
  Register gm = tester.tensor(code, 0, ElementType::F32, data, {64});
  tester.program.writtenArguments = {true};
  Register ub = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register other = code.pointer(Space::UB, ElementType::F32, 0, {64});
  (void)other;
  std::vector<float> zero(64, 0.0f);
  Register source = tester.tensor(code, 1, ElementType::F32, zero, {64});
  tester.call(code, "load_gm_to_ubuf_1d_float",
              {T::buffer(source), T::buffer(ub), T::number(0), T::real(0),
               T::number(0)});
  code.setFlag(Pipe::MTE2, Pipe::MTE3, 0);
  code.waitFlag(Pipe::MTE2, Pipe::MTE3, 0);
  tester.call(code, "store_ubuf_to_gm_1d_float",
              {T::buffer(ub), T::buffer(gm), T::number(0)});
  tester.launch.gridX = 3;
  SimResult result = tester.run();
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults[0].kind, FaultKind::Race);
  EXPECT_NE(result.faults[0].text.find("blocks run in no order"), std::string::npos);
}

/// A cube half that raises flag 0 `sets` times and vector halves that wait
/// `waits` times.
SimResult runHandshake(int sets, int waits, std::string &text) {
  SimTester tester;
  tester.program.aivPerBlock = 2;
  FunctionBuilder &cube = tester.begin(CoreType::AIC);
  for (int i = 0; i < sets; ++i)
    cube.crossSet(Pipe::FIX, 0);
  FunctionBuilder &vector = tester.begin(CoreType::AIV);
  for (int i = 0; i < waits; ++i)
    vector.crossWait(Pipe::S, 0);
  SimResult result = tester.run();
  text = tester.faults(result);
  return result;
}

TEST(Faults, halvesThatDisagreeOnHandshakes) {
  std::string text;
  EXPECT_TRUE(runHandshake(2, 2, text).faults.empty()) << text;
  EXPECT_TRUE(has(runHandshake(2, 3, text), FaultKind::Deadlock)) << text;
  EXPECT_TRUE(has(runHandshake(3, 2, text), FaultKind::FlagLeft)) << text;
  EXPECT_TRUE(has(runHandshake(40, 2, text), FaultKind::FlagOverflow)) << text;
}

TEST(Faults, cubeCountsAFlagWhenBothVectorsRaisedIt) {
  SimTester tester;
  tester.program.aivPerBlock = 2;
  FunctionBuilder &cube = tester.begin(CoreType::AIC);
  cube.crossWait(Pipe::S, 4);
  FunctionBuilder &vector = tester.begin(CoreType::AIV);
  // AIV 1 alone raises it.
  Instruction which;
  which.opcode = Opcode::SubBlockIdx;
  which.dst = vector.newScalar();
  Register sub = vector.emit(which).dst;
  FunctionBuilder::Label end = vector.newLabel();
  vector.jumpIfZero(sub, end);
  vector.crossSet(Pipe::MTE3, 4);
  vector.bind(end);
  SimResult result = tester.run();
  EXPECT_TRUE(has(result, FaultKind::Deadlock)) << tester.faults(result);
}

TEST(Faults, workspaceThatIsTooSmall) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  Parameter parameter;
  parameter.kind = Parameter::Kind::Workspace;
  parameter.isBuffer = true;
  parameter.type = ElementType::I8;
  Register workspace = code.parameter(parameter);
  BufferRecipe view;
  view.kind = BufferRecipe::Kind::View;
  view.type = ElementType::F32;
  view.offsets = {ShapeOperand::value(0)};
  view.sizes = {ShapeOperand::value(64)};
  Register tile = code.makeBuffer(view, workspace);
  Register ub = code.pointer(Space::UB, ElementType::F32, 0, {64});
  tester.call(code, "load_gm_to_ubuf_1d_float",
              {T::buffer(tile), T::buffer(ub), T::number(0), T::real(0), T::number(0)});
  tester.launch.workspaceBytes = 128;
  SimResult result = tester.run();
  ASSERT_EQ(kinds(result), std::vector<FaultKind>{FaultKind::OutOfRange});
  EXPECT_NE(result.faults[0].text.find("workspace"), std::string::npos);
}

/// A row of 33 elements is loaded to where another buffer was, copied with what is
/// behind it, and `stored` elements of that go out.
std::vector<FaultKind> readPadding(int64_t stored) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> in(64, 1.0f), out(64, 0.0f);
  Register gmIn = tester.tensor(code, 0, ElementType::F32, in, {64});
  Register gmOut = tester.tensor(code, 1, ElementType::F32, out, {64});
  tester.program.writtenArguments = {false, true};
  auto part = [&](Register buffer, int64_t count) {
    BufferRecipe view;
    view.kind = BufferRecipe::Kind::Subview;
    view.offsets = {ShapeOperand::value(0)};
    view.sizes = {ShapeOperand::value(count)};
    view.strides = {ShapeOperand::value(1)};
    return code.makeBuffer(view, buffer);
  };
  auto load = [&](Register from, Register to) {
    tester.call(code, "load_gm_to_ubuf_1d_float",
                {T::buffer(from), T::buffer(to), T::number(0), T::real(0), T::number(0)});
    code.barrier(Pipe::All);
  };
  Register old = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register row = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register copy = code.pointer(Space::UB, ElementType::F32, 1024, {64});
  load(gmIn, old);
  load(part(gmIn, 33), part(row, 33));
  tester.call(code, "copy_ubuf_to_ubuf_1d_float",
              {T::buffer(row), T::buffer(copy), T::number(0), T::real(0)});
  code.barrier(Pipe::All);
  tester.call(code, "store_ubuf_to_gm_1d_float",
              {T::buffer(part(copy, stored)), T::buffer(part(gmOut, stored)), T::number(0)});
  code.barrier(Pipe::All);
  SimResult result = tester.run();
  std::vector<FaultKind> kinds;
  for (const Fault &fault : result.faults)
    kinds.push_back(fault.kind);
  return kinds;
}

/// A tile is printed, or one element of it loaded, and then overwritten.
std::string overwriteAfterScalarRead(bool prints) {
  SimTester tester;
  FunctionBuilder &code = tester.begin(CoreType::AIV);
  std::vector<float> in(64, 2.0f);
  Register gm = tester.tensor(code, 0, ElementType::F32, in, {64});
  Register a = code.pointer(Space::UB, ElementType::F32, 0, {64});
  Register b = code.pointer(Space::UB, ElementType::F32, 1024, {64});
  for (Register to : {a, b})
    tester.call(code, "load_gm_to_ubuf_1d_float",
                {T::buffer(gm), T::buffer(to), T::number(0), T::real(0), T::number(0)});
  code.barrier(Pipe::All);
  if (prints)
    tester.call(code, "print_1d_float_ubuf",
                {T::number(0), T::number(0), T::buffer(a), T::number(0)});
  else
    code.load(a, {code.constant(3)}, ElementType::F32);
  tester.call(code, "copy_ubuf_to_ubuf_1d_float",
              {T::buffer(b), T::buffer(a), T::number(0), T::real(0)});
  code.barrier(Pipe::All);
  testing::internal::CaptureStdout();
  SimResult result = tester.run();
  testing::internal::GetCapturedStdout();
  return tester.faults(result);
}

TEST(Faults, paddingIsUndefinedNotAnOverlap) {
  EXPECT_EQ(readPadding(33), std::vector<FaultKind>{});
  EXPECT_EQ(readPadding(48), std::vector<FaultKind>{FaultKind::Unwritten});
}

TEST(Faults, printingEndsBeforeWhatFollows) {
  EXPECT_EQ(overwriteAfterScalarRead(/*prints=*/true), "");
  EXPECT_NE(overwriteAfterScalarRead(/*prints=*/false).find("while pipe S"), std::string::npos);
}

} // namespace
