//===- FunctionDecoder.h - One device function as register code -----------===//
//
// Walks a function once, in order. Every SSA value is a register; a loop's
// carried values are registers of their own that the loop's end writes to.
// An expression that was computed before, in the same region or one around it, is
// not computed again: hivmc does as much.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H
#define TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H

#include "SourcePlaces.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"
#include "llvm/ADT/ScopedHashTable.h"
#include <array>

namespace tilekiln::sim {

/// The simulator's words for types of the IR; none where it has no word.
std::optional<ElementType> getElementType(mlir::Type type);
std::optional<Space> getSpace(mlir::BaseMemRefType type);

class FunctionDecoder {
public:
  FunctionDecoder(Program &program, SourcePlaces &places, Function &function)
      : program(program), places(places), function(function),
        builder(program, function) {}

  llvm::Error run(mlir::func::FuncOp entry);

private:
  using Shape = std::vector<ShapeOperand>;

  //===--------------------------------------------------------------------===//
  // FunctionDecoder.cpp: values and the way to the right decoder
  //===--------------------------------------------------------------------===//

  llvm::Error addParameters(mlir::func::FuncOp entry);
  /// Each op of a block but its terminator.
  llvm::Error decodeBlock(mlir::Block &block);
  llvm::Error decode(mlir::Operation *op);

  /// The register that holds a value.
  Register get(mlir::Value value);
  std::vector<Register> get(mlir::ValueRange values);
  void define(mlir::Value value, Register reg) { registers[value] = reg; }
  /// A register for a value that is assigned in several places.
  Register newRegister(mlir::Type type);

  /// A register that holds this from the start.
  Register constant(Scalar content);
  Register integer(int64_t value) { return constant(Scalar::integer(value)); }
  /// Instruction without effect: its result may be that of an equal one.
  Register pure(Instruction instruction);
  Register pure(Opcode opcode, ElementType type, Register a,
                Register b = noRegister, Register c = noRegister,
                uint8_t sub = 0);
  void move(mlir::Type type, Register dst, Register src);
  /// All at once: a source may be another one's destination.
  void assign(mlir::TypeRange types, llvm::ArrayRef<Register> dsts,
              llvm::ArrayRef<Register> srcs);

  llvm::Error unknown(mlir::Operation *op);
  /// Of a scalar value or of a memref's elements.
  llvm::Error readType(mlir::Operation *op, mlir::Type type, ElementType &out);

  //===--------------------------------------------------------------------===//
  // Scalars.cpp: arith, math, affine
  //===--------------------------------------------------------------------===//

  llvm::Error decodeScalar(mlir::Operation *op);
  llvm::Error decodeSelect(mlir::arith::SelectOp op);
  llvm::Error decodeExtended(mlir::Operation *op);
  llvm::Error decodeAffine(mlir::Operation *op);
  Register decodeExpr(mlir::AffineExpr expr, llvm::ArrayRef<Register> dims,
                      llvm::ArrayRef<Register> symbols);
  std::vector<Register> decodeMap(mlir::AffineMap map,
                                  mlir::ValueRange operands);

  //===--------------------------------------------------------------------===//
  // Buffers.cpp: memref, pointer_cast
  //===--------------------------------------------------------------------===//

  llvm::Error decodeMemRef(mlir::Operation *op);
  llvm::Error decodePointerCast(hivm::PointerCastOp op);
  llvm::Error decodeBitcast(hivm::BitcastOp op);
  llvm::Error decodeMetadata(mlir::memref::ExtractStridedMetadataOp op);
  ShapeOperand shape(mlir::OpFoldResult value);
  Shape shape(llvm::ArrayRef<mlir::OpFoldResult> values);
  llvm::Error makeBuffer(mlir::Operation *op, mlir::Value result,
                         BufferRecipe recipe, mlir::Value source = {});
  Register field(BufferField field, Register buffer, int64_t dim);

  //===--------------------------------------------------------------------===//
  // Control.cpp: scf, calls
  //===--------------------------------------------------------------------===//

  llvm::Error decodeControl(mlir::Operation *op);
  llvm::Error decodeFor(mlir::scf::ForOp op);
  llvm::Error decodeIf(mlir::scf::IfOp op);
  llvm::Error decodeWhile(mlir::scf::WhileOp op);
  llvm::Error decodeSwitch(mlir::scf::IndexSwitchOp op);
  /// Registers for an op's results, assigned by whichever region runs.
  std::vector<Register> defineResults(mlir::Operation *op);
  /// A region that yields to `results`.
  llvm::Error decodeBranch(mlir::Region &region,
                           llvm::ArrayRef<Register> results);
  llvm::Error decodeCall(mlir::func::CallOp op);
  llvm::Error decodeLibraryCall(mlir::func::CallOp op);

  //===--------------------------------------------------------------------===//
  // Device.cpp: hivm.hir
  //===--------------------------------------------------------------------===//

  llvm::Error decodeDevice(mlir::Operation *op);
  llvm::Error decodeFlag(mlir::Operation *op, Opcode opcode, hivm::Pipe from,
                         hivm::Pipe to, std::optional<hivm::Event> constant,
                         mlir::Value dynamic);
  llvm::Error decodeCrossFlag(mlir::Operation *op, Opcode opcode,
                              hivm::Pipe pipe, mlir::IntegerAttr constant,
                              mlir::Value dynamic, CrossMode mode);
  llvm::Error readPipe(mlir::Operation *op, hivm::Pipe pipe, Pipe &out);

  //===--------------------------------------------------------------------===//

  /// What makes two instructions equal.
  using Expression = std::array<int64_t, 8>;
  struct ExpressionInfo {
    static Expression getEmptyKey() { return {-1}; }
    static Expression getTombstoneKey() { return {-2}; }
    static unsigned getHashValue(const Expression &key) {
      return unsigned(llvm::hash_combine_range(key.begin(), key.end()));
    }
    static bool isEqual(const Expression &a, const Expression &b) {
      return a == b;
    }
  };
  using Expressions =
      llvm::ScopedHashTable<Expression, Register, ExpressionInfo>;

  Program &program;
  SourcePlaces &places;
  Function &function;
  FunctionBuilder builder;
  llvm::DenseMap<mlir::Value, Register> registers;
  Expressions expressions;
  /// By content.
  std::map<int64_t, Register> constants;
  /// Functions that are being inlined, for recursion.
  llvm::SmallVector<mlir::Operation *> callStack;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H
