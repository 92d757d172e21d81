//===- FunctionDecoder.h - One function of the final IR -------------------===//
#ifndef TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H
#define TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H

#include "tilekiln/Sim/Core/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"

namespace tilekiln::sim {

/// None: a type that registers cannot hold.
std::optional<ElementType> getElementType(mlir::Type type);

/// Writes the code of an entry, with the functions that it calls put in place.
/// Decoding goes on after a problem; all are in `problems`.
class FunctionDecoder {
public:
  FunctionDecoder(Program &program, Function &function,
                  std::vector<std::string> &problems)
      : program(program), function(function), code(program, function),
        problems(problems) {}

  void decode(mlir::func::FuncOp entry);

private:
  // Values.
  Register get(mlir::Value value);
  void set(mlir::Value value, Register reg) { registers[value] = reg; }
  /// A new register of the value's kind.
  Register make(mlir::Value value);
  static bool isBuffer(mlir::Type type) { return mlir::isa<mlir::MemRefType>(type); }
  ElementType typeOf(mlir::Value value);
  Register constant(int64_t value);
  Register emit(Opcode opcode, mlir::Value result, llvm::ArrayRef<Register> operands,
                uint8_t sub = 0);
  void move(Register to, Register from, bool isBufferMove);
  ShapeOperand shape(mlir::OpFoldResult value);
  std::vector<ShapeOperand> shapes(llvm::ArrayRef<mlir::OpFoldResult> values);

  // Ops, by dialect; false where the op is not known.
  void decodeParameters(mlir::func::FuncOp entry);
  void decodeBlock(mlir::Block &block);
  void decodeOp(mlir::Operation *op);
  bool decodeArith(mlir::Operation *op);
  bool decodeMath(mlir::Operation *op);
  bool decodeAffine(mlir::Operation *op);
  bool decodeMemRef(mlir::Operation *op);
  bool decodeControl(mlir::Operation *op);
  bool decodeDevice(mlir::Operation *op);

  void decodeConstant(mlir::Value result, mlir::Attribute value);
  Register decodeExpr(mlir::AffineExpr expr, mlir::ValueRange operands,
                      unsigned dims);
  void decodeFor(mlir::scf::ForOp loop);
  void decodeIf(mlir::scf::IfOp branch);
  void decodeWhile(mlir::scf::WhileOp loop);
  void decodeSwitch(mlir::scf::IndexSwitchOp branch);
  /// Moves values into registers all at once.
  void moveAll(mlir::ValueRange from, llvm::ArrayRef<Register> to);
  void decodeCall(mlir::func::CallOp call);
  void decodeSubview(mlir::memref::SubViewOp view);
  void noteWritten(mlir::Value buffer);

  LineId line(mlir::Location location);
  void problem(mlir::Operation *op, const llvm::Twine &text);

  Program &program;
  Function &function;
  FunctionBuilder code;
  std::vector<std::string> &problems;
  llvm::DenseMap<mlir::Value, Register> registers;
  llvm::DenseMap<int64_t, Register> constants;
  llvm::DenseMap<mlir::Attribute, LineId> lines;
  /// Results of the function that is being put in place.
  llvm::SmallVector<llvm::SmallVector<Register>> inlineResults;
  unsigned inlineDepth = 0;
};

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_DECODE_FUNCTIONDECODER_H
