//===- TargetTest.cpp - Descriptions of targets ---------------------------===//
#include "tilekiln/Target/Target.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace tilekiln;

static std::string shipped(const std::string &name) {
  return TILEKILN_SHARE_FOLDER "/targets/" + name + ".json";
}

static Target load(const std::string &name) {
  llvm::Expected<Target> target = loadTarget(shipped(name));
  if (!target) {
    ADD_FAILURE() << llvm::toString(target.takeError());
    return {};
  }
  return *target;
}

TEST(Target, MachineOfTheReport) {
  Target target = load("ascend910b3");
  EXPECT_EQ(target.name, "ascend910b3");
  EXPECT_EQ(target.vendorName, "Ascend910B3");
  ASSERT_TRUE(target.findCore("aic"));
  // 20 cores x 8192 f16 operations x 1.8 GHz = 294.9 TFLOPS.
  EXPECT_EQ(target.findCore("aic")->count.value, 20);
  EXPECT_EQ(target.clock.value, 1800);
  ASSERT_TRUE(target.findSpace("l1"));
  EXPECT_EQ(target.findSpace("l1")->capacityBytes(), 512 * 1024);
  EXPECT_EQ(target.findSpace("l0c")->capacityBytes(), 128 * 1024);
  EXPECT_EQ(target.findSpace("ub")->core, "aiv");
  EXPECT_TRUE(target.findSpace("gm")->core.empty());
  ASSERT_TRUE(target.findTiming("nd2nz.bytesPerCycle"));
  EXPECT_EQ(target.findTiming("nd2nz.bytesPerCycle")->value, 84);
  EXPECT_EQ(target.findTiming("flag.latency")->confidence, Confidence::Low);
  EXPECT_EQ(target.findTiming("flag.latency")->range->highest, 350);
}

TEST(Target, CubeResultsReachVectorsOnlyThroughGlobalMemory) {
  Target target = load("ascend910b3");
  const Path *path = target.findPath("l0c", "ub");
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->isDirect());
  EXPECT_EQ(path->through, "gm");
  ASSERT_TRUE(target.findPath("gm", "l1"));
  EXPECT_TRUE(target.findPath("gm", "l1")->isDirect());
  EXPECT_EQ(target.findPath("gm", "l1")->queue, "mte2");
  EXPECT_EQ(target.findPath("ub", "l0a"), nullptr);
}

TEST(Target, RolesSayWhichSpaceServesForWhat) {
  Target target = load("ascend910b3");
  EXPECT_EQ(target.findRole("accumulator"), "l0c");
  EXPECT_EQ(target.findRole("operand"), "l1");
  EXPECT_EQ(target.findRole("vector"), "ub");
  EXPECT_EQ(target.findRole("nobody"), "");
}

TEST(Target, OtherMembersOfTheFamilyDifferWhereTheySaySo) {
  Target b1 = load("ascend910b1"), b2 = load("ascend910b2"), b4 = load("ascend910b4");
  EXPECT_EQ(b1.vendorName, "Ascend910B1");
  EXPECT_EQ(b1.clock.value, 1850);
  EXPECT_EQ(b1.findCore("aiv")->count.value, 48);
  EXPECT_EQ(b2.clock.value, 1800);
  EXPECT_EQ(b2.findCore("aic")->count.value, 24);
  EXPECT_EQ(b4.clock.value, 1500);
  EXPECT_EQ(b4.findSpace("gm")->capacityBytes(), int64_t(32) << 30);
  // Inherited, beside an overridden sibling.
  EXPECT_EQ(b4.findSpace("gm")->alignBytes(), 32);
  EXPECT_EQ(b4.paths.size(), load("ascend910b3").paths.size());
}

namespace {
/// A folder of descriptions of a machine with one memory.
class TargetFiles : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilekiln-target", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string write(llvm::StringRef name, llvm::StringRef text) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, name + ".json");
    std::error_code failure;
    llvm::raw_fd_ostream(path, failure) << text;
    EXPECT_FALSE(failure);
    return path.str().str();
  }

  static std::string error(const std::string &path) {
    llvm::Expected<Target> target = loadTarget(path);
    return target ? "no error" : llvm::toString(target.takeError());
  }

  llvm::SmallString<128> folder;
};

std::string figure(llvm::StringRef value) {
  return ("{\"value\": " + value +
          ", \"unit\": \"B\", \"source\": \"s\", \"confidence\": \"low\"}")
      .str();
}

std::string machine(llvm::StringRef spaces, llvm::StringRef paths = "[]",
                    llvm::StringRef more = "") {
  return ("{\"vendorName\": \"V\", \"description\": \"d\", \"clock\": " + figure("1") +
          ", \"cores\": {}, \"units\": {\"dma\": {\"cores\": [], \"reads\": [], "
          "\"writes\": []}}, \"limits\": {}, \"timing\": {}, \"spaces\": {" +
          spaces + "}, \"paths\": " + paths + more + "}")
      .str();
}

std::string space(llvm::StringRef name, llvm::StringRef bytes = "64",
                  llvm::StringRef align = "32") {
  return ("\"" + name + "\": {\"capacityBytes\": " + figure(bytes) +
          ", \"alignBytes\": " + figure(align) + "}")
      .str();
}
} // namespace

#define EXPECT_CONTAINS(text, part)                                                \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(TargetFiles, UnknownKeyIsNamedWithItsPath) {
  EXPECT_EQ(error(write("good", machine(space("m")))), "no error");
  std::string text = error(write(
      "bad", machine("\"m\": {\"capacityBytes\": " + figure("64") +
                     ", \"alignBytes\": " + figure("32") + ", \"sise\": 3}")));
  EXPECT_CONTAINS(text, "unknown key");
  EXPECT_CONTAINS(text, "bad.spaces.m.sise");
  EXPECT_CONTAINS(error(write("top", machine(space("m"), "[]", ", \"colour\": 1"))),
                  "top.colour");
}

TEST_F(TargetFiles, WrongOrMissingValueIsNamedWithItsPath) {
  std::string text = error(write("bad", machine("\"m\": {\"capacityBytes\": 64}")));
  EXPECT_CONTAINS(text, "bad.spaces.m.capacityBytes");
  text = error(write("bad", machine("\"m\": {\"capacityBytes\": " + figure("64") + "}")));
  EXPECT_CONTAINS(text, "missing value at bad.spaces.m.alignBytes");
}

TEST_F(TargetFiles, BrokenFilesAreErrors) {
  EXPECT_CONTAINS(error(write("cut", "{\"vendorName\": ")), "not JSON");
  EXPECT_CONTAINS(error(write("list", "[]")), "expected a JSON object");
  write("near", machine(space("m")));
  EXPECT_CONTAINS(error((folder + "/far.json").str()), "known targets are cut, list, near");
}

TEST_F(TargetFiles, ConstraintsAreChecked) {
  EXPECT_CONTAINS(error(write("t", machine(space("m", "-1")))), "[target_c1]");
  EXPECT_CONTAINS(error(write("t", machine(space("m", "1.5")))), "[target_c3]");
  EXPECT_CONTAINS(error(write("t", machine(space("m", "64", "48")))), "[target_c4]");
  EXPECT_CONTAINS(
      error(write("t", machine(space("m"), "[{\"from\": \"m\", \"to\": \"n\", "
                                           "\"unit\": \"dma\"}]"))),
      "paths[0].to names 'n', which is not one of the spaces [target_c5]");
  std::string path = "{\"from\": \"m\", \"to\": \"n\", \"unit\": \"dma\"}";
  EXPECT_CONTAINS(error(write("t", machine(space("m") + "," + space("n"),
                                           "[" + path + "," + path + "]"))),
                  "[target_c6]");
  EXPECT_CONTAINS(
      error(write("t", machine(space("m") + "," + space("n") + "," + space("o"),
                               "[" + path + ", {\"from\": \"m\", \"to\": \"o\", "
                                            "\"through\": \"n\"}]"))),
      "[target_c7]");
  std::string ranged = figure("64");
  ranged.insert(ranged.size() - 1, ", \"range\": [1, 2]");
  EXPECT_CONTAINS(error(write("t", machine("\"m\": {\"capacityBytes\": " + ranged +
                                           ", \"alignBytes\": " + figure("1") + "}"))),
                  "[target_c2]");
}

TEST_F(TargetFiles, ExtendingReplacesFiguresAsAWhole) {
  write("base", machine(space("m")));
  llvm::Expected<Target> target = loadTarget(
      write("more", "{\"extends\": \"base\", \"vendorName\": \"W\", \"spaces\": {" +
                        space("n", "128") + "}}"));
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  EXPECT_EQ(target->name, "more");
  EXPECT_EQ(target->vendorName, "W");
  EXPECT_EQ(target->findSpace("m")->capacityBytes(), 64);
  EXPECT_EQ(target->findSpace("n")->capacityBytes(), 128);
  EXPECT_CONTAINS(error(write("part", "{\"extends\": \"base\", \"spaces\": {\"m\": "
                                      "{\"alignBytes\": {\"value\": 8}}}}")),
                  "part.spaces.m.alignBytes.unit");
  write("a", "{\"extends\": \"b\"}");
  EXPECT_CONTAINS(error(write("b", "{\"extends\": \"a\"}")), "extends itself");
}

TEST_F(TargetFiles, RolesAreKnownAndNameSpaces) {
  auto withRoles = [](llvm::StringRef roles) {
    return machine(space("m"), "[]", (", \"roles\": " + roles).str());
  };
  llvm::Expected<Target> target = loadTarget(write("t", withRoles("{\"vector\": \"m\"}")));
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  EXPECT_EQ(target->findRole("vector"), "m");
  EXPECT_EQ(target->findRole("operand"), "");
  EXPECT_CONTAINS(error(write("t", withRoles("{\"scratch\": \"m\"}"))),
                  "roles.scratch is not known; the roles are accumulator, operand and "
                  "vector [target_c8]");
  EXPECT_CONTAINS(error(write("t", withRoles("{\"vector\": \"n\"}"))),
                  "roles.vector names 'n', which is not one of the spaces");
}
