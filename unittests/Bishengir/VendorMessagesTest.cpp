//===- VendorMessagesTest.cpp - Reading what the vendor prints ------------===//
//
// Texts as the vendor's compiler prints them, with made-up file names.
//
//===----------------------------------------------------------------------===//
#include "VendorMessages.h"
#include "gtest/gtest.h"

using namespace tilekiln::bishengir;

static VendorOutput parse(llvm::StringRef text) {
  return parseVendorOutput(text, "given.mlir", "linked.mlir");
}

TEST(VendorMessages, TakesPositionAndDropsTheGeneralFailure) {
  VendorOutput output = parse(
      "loc(\"given.mlir\":1:1): error: Failed to run BiShengHIR pipeline\n\n"
      "loc(\"kern.py\":42:7): error: 'hivm.hir.copy' op Unsupported copy from "
      "cbuf to cbuf!\n[ERROR] Failed to run BiShengIR pipeline\n"
      "loc(\"given.mlir\":1:1): loc(\"kern.py\":42:7): ");
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_EQ(output.messages[0].severity, "error");
  EXPECT_EQ(output.messages[0].source, (SourceLine{"kern.py", 42, 7}));
  EXPECT_EQ(output.messages[0].text,
            "'hivm.hir.copy' op Unsupported copy from cbuf to cbuf!");
}

TEST(VendorMessages, LastOfSeveralPositionsCounts) {
  VendorOutput output =
      parse("loc(\"a.py\":1:1): loc(\"b.py\":2:3): warning: cannot pipeline\n");
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_EQ(output.messages[0].severity, "warning");
  EXPECT_EQ(output.messages[0].source, (SourceLine{"b.py", 2, 3}));
}

TEST(VendorMessages, ParserErrorsNameTheLinkedText) {
  VendorOutput output = parse("given.mlir:23:5: error: expected '['\n");
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_EQ(output.messages[0].source, (SourceLine{"linked.mlir", 23, 5}));
}

TEST(VendorMessages, OverflowInBytes) {
  VendorOutput output = parse(
      "loc(\"k.py\":3:1): error: ub overflow, requires 2097152 bits while "
      "1572864 bits available! (possible reason: ...)\n"
      "loc(\"k.py\":3:1): error: cbuf overflow, requires 4194312 bits "
      "while 4194304 bits available!\n"
      "loc(\"k.py\":3:1): error: cc overflow, requires 2097152 bits while "
      "1048576 bits available!\n");
  ASSERT_EQ(output.overflows.size(), 3u);
  EXPECT_EQ(output.overflows[0].space, "ub");
  EXPECT_EQ(output.overflows[0].neededBytes, 262144);
  EXPECT_EQ(output.overflows[0].availableBytes, 196608);
  EXPECT_EQ(output.overflows[0].source.line, 3u);
  EXPECT_EQ(output.overflows[1].space, "l1");
  EXPECT_EQ(output.overflows[1].neededBytes, 524289);
  EXPECT_EQ(output.overflows[2].space, "l0c");
}

TEST(VendorMessages, NotesTellRetryFromFailure) {
  VendorOutput failed = parse(
      "[NOTE] Ub overflow detected; automatically set enable-code-motion to "
      "false and retrying compilation.\n[NOTE] Due to Ub overflow, "
      "automatically set enable-code-motion to false; compilation still "
      "failed.\n");
  EXPECT_EQ(failed.notes.size(), 2u);
  EXPECT_FALSE(failed.succeededAfterRetry);
  VendorOutput succeeded =
      parse("[NOTE] Due to Ub overflow, automatically set enable-code-motion "
            "to false; compilation then succeeded.\n");
  EXPECT_TRUE(succeeded.succeededAfterRetry);
}

TEST(VendorMessages, LlvmErrorIsAnError) {
  VendorOutput output = parse("LLVM ERROR: PlanMemory Traverse IR Failed!\n");
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_EQ(output.messages[0].severity, "error");
  EXPECT_NE(getAdvice(output.messages[0].text), "");
}

TEST(VendorMessages, TailLeavesOutBackTraces) {
  std::string tail = getTail("first\n #0 0x000055e7 (/bin/x+0x1)\n"
                             "0.\tProgram arguments: /bin/x y\n\nlast\n");
  EXPECT_EQ(tail, "first\nlast\n");
}

TEST(VendorMessages, TailLeavesOutBackTracesWithoutSymbols) {
  std::string tail = getTail("first\nPLEASE submit a bug report to them\n"
                             "Stack dump without symbol names (ensure you have llvm-symbolizer)\n"
                             "0  bishengir-compile 0x000056135344d615\n"
                             "5  libc.so.6         0x00007f7cd0059fb2 gsignal + 18\nlast\n");
  EXPECT_EQ(tail, "first\nlast\n");
}

TEST(VendorMessages, GarbageIsIgnored) {
  VendorOutput output = parse("loc(\"a\":99999999999999999999:1): error: x\n"
                              "loc(\nub overflow, requires many bits\n: : :\n");
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_FALSE(output.messages[0].source.isKnown());
  EXPECT_TRUE(output.overflows.empty());
}
