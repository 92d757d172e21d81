//===- FakeCompilerTest.cpp - A compiler that misbehaves ------------------===//
//
// Shell scripts stand for bishengir-compile, to see that crashes, hangs and
// strange successes end as errors and leave nothing behind.
//
//===----------------------------------------------------------------------===//
#include "Process.h"
#include "tilekiln/Bishengir/Bishengir.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdlib>

using namespace tilekiln::bishengir;

namespace {

/// Gives each test its own folder for temporary files, and looks into it.
class FakeCompiler : public testing::Test {
protected:
  void SetUp() override {
    if (const char *old = ::getenv("TMPDIR"))
      oldTemporary = old;
    auto made = TemporaryFolder::create("tilekiln-test");
    ASSERT_TRUE(static_cast<bool>(made));
    folder = std::make_unique<TemporaryFolder>(std::move(*made));
    temporary = folder->pathOf("temporary");
    ASSERT_FALSE(llvm::sys::fs::create_directory(temporary));
    ::setenv("TMPDIR", temporary.c_str(), 1);
    options.reproducerFolder = folder->pathOf("reproducers");
    options.timeoutSeconds = 20;
  }

  void TearDown() override {
    EXPECT_TRUE(isEmpty(temporary)) << "the run left files behind";
    if (oldTemporary.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", oldTemporary.c_str(), 1);
  }

  static bool isEmpty(const std::string &path) {
    std::error_code error;
    return llvm::sys::fs::directory_iterator(path, error) ==
           llvm::sys::fs::directory_iterator();
  }

  void write(const std::string &script) {
    options.compiler = folder->pathOf("bishengir-compile");
    std::string text = "#!/bin/sh\n" + script;
    ASSERT_FALSE(static_cast<bool>(writeFile(options.compiler, text)));
    ASSERT_FALSE(llvm::sys::fs::setPermissions(options.compiler,
                                               llvm::sys::fs::owner_all));
  }

  /// The error of a run that must fail.
  VendorError fail(llvm::StringRef linked = "module {}\n") {
    auto result = runBishengir(linked, options);
    VendorError taken(VendorError::Kind::NoFinalIR, "there was no error");
    EXPECT_FALSE(static_cast<bool>(result));
    if (!result)
      llvm::handleAllErrors(
          result.takeError(), [&](VendorError &error) { taken = error; },
          [&](llvm::ErrorInfoBase &other) { taken.text = other.message(); });
    return taken;
  }

  std::unique_ptr<TemporaryFolder> folder;
  std::string temporary, oldTemporary;
  VendorOptions options;
};

} // namespace

TEST_F(FakeCompiler, MissingBinarySaysWhatToInstall) {
  options.compiler = folder->pathOf("not-there");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::NotInstalled);
  EXPECT_NE(error.text.find("ascendnpu-ir"), std::string::npos);
  EXPECT_NE(error.text.find("not-there"), std::string::npos);
}

TEST_F(FakeCompiler, SignalLeavesAReproducer) {
  write("echo 'some last words' >&2\nkill -SEGV $$\n");
  VendorError error = fail("module { }\n");
  EXPECT_EQ(error.kind, VendorError::Kind::Crash);
  EXPECT_NE(error.text.find("Segmentation fault"), std::string::npos);
  EXPECT_NE(error.text.find("some last words"), std::string::npos);
  ASSERT_FALSE(error.reproducer.empty());
  EXPECT_NE(error.text.find(error.reproducer), std::string::npos);
  std::string kept = readFile(error.reproducer);
  EXPECT_NE(kept.find("module { }"), std::string::npos);
  EXPECT_NE(kept.find("--target=Ascend910B3"), std::string::npos);
  EXPECT_EQ(kept.find(temporary), std::string::npos);
}

TEST_F(FakeCompiler, SignalBehindAShellIsACrashToo) {
  write("echo 'LLVM ERROR: PlanMemory Traverse IR Failed!' >&2\nexit 134\n");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::Crash);
  EXPECT_NE(error.vendorTail.find("PlanMemory"), std::string::npos);
}

TEST_F(FakeCompiler, CrashThatSaysWhyIsQuotedWithoutItsStack) {
  write("echo 'LLVM ERROR: unsupported datatype for arith::ExtFOp to hfusion' >&2\n"
        "echo '0  bishengir-compile 0x000056135344d615' >&2\nkill -ABRT $$\n");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::Crash);
  EXPECT_NE(error.text.find("unsupported datatype"), std::string::npos);
  EXPECT_NE(error.text.find("float32 have them"), std::string::npos);
  EXPECT_EQ(error.text.find("0x0000"), std::string::npos);
}

TEST_F(FakeCompiler, NoReproducerFolderIsSaid) {
  options.reproducerFolder.clear();
  write("kill -ABRT $$\n");
  VendorError error = fail();
  EXPECT_TRUE(error.reproducer.empty());
  EXPECT_NE(error.text.find("reproducer_folder"), std::string::npos);
}

TEST_F(FakeCompiler, HangEndsWithItsChildren) {
  // The child would write after the end of the limit, if it lived.
  std::string witness = folder->pathOf("witness");
  write("(sleep 2; echo alive > " + witness + ") &\nsleep 60\n");
  options.timeoutSeconds = 0.3;
  auto start = std::chrono::steady_clock::now();
  VendorError error = fail();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  EXPECT_EQ(error.kind, VendorError::Kind::Timeout);
  EXPECT_NE(error.text.find("0.3 s"), std::string::npos);
  EXPECT_FALSE(error.reproducer.empty());
  EXPECT_LT(taken.count(), 2.0);
  ::sleep(3);
  EXPECT_FALSE(llvm::sys::fs::exists(witness));
}

TEST_F(FakeCompiler, SuccessWithoutModuleIsAnError) {
  write("exit 0\n");
  EXPECT_EQ(fail().kind, VendorError::Kind::NoFinalIR);
}

TEST_F(FakeCompiler, UnreadableModuleIsAnError) {
  write("printf 'module { func.func @k(' > \"$TILEKILN_FINAL_IR\"\n");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::Unreadable);
  EXPECT_FALSE(error.reproducer.empty());
}

TEST_F(FakeCompiler, RefusalNamesThePythonLine) {
  write("echo 'loc(\"kern.py\":7:3): error: failed to legalize operation "
        "'\"'linalg.generic'\"' that was explicitly marked illegal' >&2\n"
        "exit 1\n");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::Rejected);
  EXPECT_EQ(error.source, (SourceLine{"kern.py", 7, 3}));
  std::string text;
  llvm::raw_string_ostream os(text);
  error.log(os);
  EXPECT_EQ(text.find("kern.py:7:3: error: "), 0u);
}

TEST_F(FakeCompiler, RefusalWithoutAWordIsStillAnError) {
  write("exit 3\n");
  VendorError error = fail();
  EXPECT_EQ(error.kind, VendorError::Kind::Rejected);
  EXPECT_NE(error.text.find("exit code 3"), std::string::npos);
}

TEST_F(FakeCompiler, StandInAnswersTheLongVersion) {
  // As the vendor's compiler finds and asks it.
  write("case \"$(\"$BISHENG_INSTALL_PATH/hivmc\" --version)\" in\n"
        "  'hivmc '*.*.*' ('*' '*-*-*')') ;;\n  *) exit 9 ;;\nesac\n"
        "printf 'module { func.func @' > \"$TMPDIR/in.mlir\"\n"
        "hivmc \"$TMPDIR/in.mlir\" -o out\n");
  EXPECT_EQ(fail().kind, VendorError::Kind::Unreadable);
}
