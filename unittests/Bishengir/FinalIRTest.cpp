//===- FinalIRTest.cpp - Reading final IR and its facts -------------------===//
//
// Small modules in the vendor's syntax. The lint's forms are in test/Bishengir;
// here are facts that other layers take as plain structures.
//
//===----------------------------------------------------------------------===//
#include "tilekiln/Bishengir/DeviceLibrary.h"
#include "tilekiln/Bishengir/ModuleFacts.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "gtest/gtest.h"

using namespace tilekiln;
using namespace tilekiln::bishengir;

namespace {

class FinalIR : public testing::Test {
protected:
  FinalIR() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    hivm::registerFinalIRDialects(registry);
    context.appendDialectRegistry(registry);
  }

  mlir::OwningOpRef<mlir::ModuleOp> read(llvm::StringRef text) {
    auto module = hivm::parseFinalIR(text, "test.mlir", context);
    if (module)
      return std::move(*module);
    message = llvm::toString(module.takeError());
    return nullptr;
  }

  static std::string print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  mlir::MLIRContext context;
  std::string message;
};

constexpr llvm::StringLiteral doubleBuffered = R"(
func.func private @nd2nz_half(memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) attributes {hivm.func_core_type = #hivm.func_core_type<AIC>}
func.func @k_infer_task_type_function() -> i8 attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_task_type_function>} {
  %c20_i8 = arith.constant 20 : i8
  return %c20_i8 : i8
}
func.func @k_infer_workspace_shape_function() -> index attributes {hacc.function_kind = #hacc.function_kind<HOST>, hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
  %c4096 = arith.constant 4096 : index
  return %c4096 : index
}
func.func @k(%a: memref<16x16xf16, #hivm.address_space<gm>>) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0_i64 = arith.constant 0 : i64
  %c512_i64 = arith.constant 512 : i64
  %c2048_i64 = arith.constant 2048 : i64
  %one = arith.constant 1 : i64
  %p = hivm.hir.pointer_cast(%c0_i64) : memref<1x1x16x16xf16, #hivm.address_space<cbuf>>
  %q = hivm.hir.pointer_cast(%c512_i64) : memref<1x1x16x16xf16, #hivm.address_space<cbuf>>
  %other = hivm.hir.pointer_cast(%c2048_i64) : memref<2x1x16x16xf16, #hivm.address_space<cbuf>>
  %none = hivm.hir.pointer_cast(%c0_i64) : memref<0xf32, #hivm.address_space<ub>>
  scf.for %i = %c0 to %c4 step %c1 {
    %parity = affine.apply affine_map<()[s0] -> (s0 mod 2)>()[%i]
    %number = arith.index_cast %parity : index to i64
    %odd = arith.cmpi eq, %number, %one : i64
    %b = arith.select %odd, %q, %p : memref<1x1x16x16xf16, #hivm.address_space<cbuf>>
    %from = memref.cast %a : memref<16x16xf16, #hivm.address_space<gm>> to memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>
    %to = memref.cast %b : memref<1x1x16x16xf16, #hivm.address_space<cbuf>> to memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>
    func.call @nd2nz_half(%from, %to) : (memref<?x?xf16, strided<[?, ?], offset: ?>, #hivm.address_space<gm>>, memref<?x?x?x?xf16, strided<[?, ?, ?, ?], offset: ?>, #hivm.address_space<cbuf>>) -> () loc("kernel.py":12:3)
  }
  return
}
)";

} // namespace

TEST_F(FinalIR, ReadsBuffersCallsAndHostFunctions) {
  auto module = read(doubleBuffered);
  ASSERT_TRUE(module) << message;
  ModuleFacts facts = getModuleFacts(*module);
  EXPECT_EQ(facts.unit, Unit::Cube);
  EXPECT_EQ(facts.kernelName, "k");
  EXPECT_EQ(facts.taskType, 20);
  EXPECT_EQ(facts.workspaceBytesPerBlock, 4096);
  ASSERT_EQ(facts.functions.size(), 1u);
  const FunctionFacts &kernel = facts.functions.front();
  // A buffer of no elements is none; the two copies are one.
  ASSERT_EQ(kernel.buffers.size(), 2u);
  EXPECT_EQ(kernel.buffers[0].space, "l1");
  EXPECT_EQ(kernel.buffers[0].sizeBytes, 512);
  EXPECT_EQ(kernel.buffers[0].addressesBytes, (std::vector<int64_t>{0, 512}));
  EXPECT_TRUE(kernel.buffers[0].isDoubleBuffered());
  EXPECT_FALSE(kernel.buffers[1].isDoubleBuffered());
  EXPECT_EQ(kernel.usedBytes.at("l1"), 2048 + 1024);
  ASSERT_EQ(kernel.calls.size(), 1u);
  EXPECT_EQ(kernel.calls[0].callee, "nd2nz_half");
  ASSERT_EQ(kernel.calls[0].sites.size(), 1u);
  EXPECT_EQ(kernel.calls[0].sites[0], (SourceLine{"kernel.py", 12, 3}));
}

TEST_F(FinalIR, SelectionByDataIsNoDoubleBuffer) {
  std::string text = doubleBuffered.str();
  llvm::StringRef parity = "s0 mod 2";
  text.replace(text.find(parity.str()), parity.size(), "s0 + 2");
  auto module = read(text);
  ASSERT_TRUE(module) << message;
  EXPECT_EQ(getModuleFacts(*module).functions[0].buffers.size(), 3u);
}

TEST_F(FinalIR, JsonHasEveryPart) {
  auto module = read(doubleBuffered);
  ASSERT_TRUE(module) << message;
  llvm::json::Value value = toJSON(getModuleFacts(*module));
  const llvm::json::Object *object = value.getAsObject();
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->getString("unit"), "cube");
  const llvm::json::Object *kernel =
      (*object->getArray("functions"))[0].getAsObject();
  const llvm::json::Object *buffer =
      (*kernel->getArray("buffers"))[0].getAsObject();
  EXPECT_EQ(buffer->getBoolean("doubleBuffered"), true);
  EXPECT_EQ(buffer->getInteger("sizeBytes"), 512);
}

TEST_F(FinalIR, PrintsWhatItReads) {
  auto module = read(doubleBuffered);
  ASSERT_TRUE(module) << message;
  std::string once = print(*module);
  auto again = read(once);
  ASSERT_TRUE(again) << message;
  EXPECT_EQ(print(*again), once);
}

TEST_F(FinalIR, EveryPrefixIsAnErrorAndNoCrash) {
  std::string text = doubleBuffered.str();
  // Up to the last brace the text is incomplete somewhere.
  size_t end = text.rfind('}');
  for (size_t length = text.find("func.func @k(") + 8; length < end;
       length += 37) {
    EXPECT_FALSE(read(llvm::StringRef(text).take_front(length)))
        << text.substr(0, length);
    EXPECT_FALSE(message.empty());
  }
}

TEST_F(FinalIR, BadFlagIsRefused) {
  EXPECT_FALSE(read("func.func @k() {\n"
                    "  hivm.hir.sync_block_wait[<CUBE>, <PIPE_FIX>, <PIPE_S>] "
                    "flag = 16\n  return\n}\n"));
  EXPECT_NE(message.find("flag 16 does not exist"), std::string::npos);
}

TEST_F(FinalIR, UnknownVendorOpsAreKept) {
  auto module =
      read("func.func @k(%a: memref<8xf32, #hivm.address_space<ub>>) {\n"
           "  hivm.hir.vtanh ins(%a : memref<8xf32, #hivm.address_space<ub>>) "
           "outs(%a : memref<8xf32, #hivm.address_space<ub>>) "
           "round_mode = <rint>\n"
           "  %x = hfusion.thing %a {k = 1 : i32} : memref<8xf32, "
           "#hivm.address_space<ub>> -> i64\n  return\n}\n");
  ASSERT_TRUE(module) << message;
  unsigned count = 0;
  module->walk([&](mlir::Operation *op) {
    if (!hivm::isUnloweredVendorOp(op))
      return;
    ++count;
    EXPECT_GE(op->getNumOperands(), 1u);
  });
  EXPECT_EQ(count, 2u);
}

TEST(DeviceLibrary, MissingFolderSaysWhereItComesFrom) {
  auto library = DeviceLibrary::load("/does/not/exist");
  ASSERT_FALSE(static_cast<bool>(library));
  EXPECT_NE(llvm::toString(library.takeError()).find("ascendnpu-ir"),
            std::string::npos);
}
