//===- Program.h - What the simulated cores execute -----------------------===//
//
// A register program per function: the scalar unit's code with the memory
// shapes, synchronisation and library calls in it. Made once per kernel (by
// Sim/Decode, or by hand through FunctionBuilder) and then run for every block
// and core. Registers hold scalars (an integer sign-extended to 64 bits, or a
// double rounded to the scalar's type); a second register file holds buffers.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_CORE_PROGRAM_H
#define TILEKILN_SIM_CORE_PROGRAM_H

#include "tilekiln/Sim/Core/Buffer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tilekiln::sim {

class LibraryFunction;

/// A scalar register's content. Integers are sign-extended from their width, I1
/// is 0 or 1; floats are doubles that their type can hold.
union Scalar {
  int64_t i;
  double f;
  Scalar() : i(0) {}
  static Scalar integer(int64_t value) {
    Scalar scalar;
    scalar.i = value;
    return scalar;
  }
  static Scalar real(double value) {
    Scalar scalar;
    scalar.f = value;
    return scalar;
  }
};

using Register = uint32_t;
constexpr Register noRegister = ~0u;

/// Meaning of an instruction; r[x] is a scalar register, b[x] a buffer register.
enum class Opcode : uint8_t {
  // r[d] = constant, r[a].
  Const,
  Move,
  // Integers of `type`: r[d] = r[a] op r[b], wrapped to the type.
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  FloorDivS,
  CeilDivS,
  CeilDivU,
  /// affine's mod: never negative for a positive divisor.
  Mod,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  // r[d] = r[a] predicate r[b]; `sub` is an IntPredicate or FloatPredicate.
  CmpI,
  CmpF,
  // r[d] = r[a] ? r[b] : r[c].
  Select,
  // Conversions from `from` to `type`.
  ExtS,
  ExtU,
  Trunc,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  /// f32 to f16 and back: rounds to nearest even.
  FPCast,
  Bitcast,
  // Floats, rounded to `type`.
  FAdd,
  FSub,
  FMul,
  FDiv,
  FRem,
  FNeg,
  /// maximumf and minimumf: NaN wins. maxnumf and minnumf: the number wins.
  FMaximum,
  FMinimum,
  FMaxNum,
  FMinNum,
  /// r[d] = f(r[a]); `sub` is a MathFunction.
  Math,

  // Buffers. `imm` is the index of a BufferRecipe in Function::recipes.
  /// b[d] = recipe(b[a]).
  MakeBuffer,
  BufferMove,
  /// b[d] = r[a] ? b[b] : b[c].
  BufferSelect,
  /// r[d] = sizes[imm], strides[imm], offset or address of b[a]; `sub` is a
  /// BufferField.
  BufferField,
  /// r[d] = element of b[a] at the indices in operands[imm .. imm + sub).
  Load,
  /// element of b[a] at those indices = r[b].
  Store,

  // Control; `imm` is an index into Function::code.
  Jump,
  JumpIfZero,
  /// r[a] += r[b]; if r[a] < r[c] (signed) jump.
  ForNext,
  Return,

  // Device.
  /// Library call number `imm` of Function::calls.
  Call,
  /// `pipe` to `otherPipe`, event `imm`, or r[a] where a is a register.
  SetFlag,
  WaitFlag,
  Barrier,
  /// Cross-core flag `imm`, or r[a]; `sub` is a CrossMode. Set runs in `pipe`,
  /// wait holds `pipe`.
  CrossSet,
  CrossWait,
  BlockIdx,
  BlockNum,
  SubBlockIdx,
  SubBlockNum,
  SysCount,
  /// Control register bit `imm` = `sub`.
  SetCtrl,
  /// A run-time check: r[a] must not be 0; `imm` is an index into
  /// Program::texts.
  Assert
};

enum class IntPredicate : uint8_t { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };
/// arith's order.
enum class FloatPredicate : uint8_t {
  False,
  OEQ,
  OGT,
  OGE,
  OLT,
  OLE,
  ONE,
  ORD,
  UEQ,
  UGT,
  UGE,
  ULT,
  ULE,
  UNE,
  UNO,
  True
};
enum class MathFunction : uint8_t {
  Abs,
  AbsInt,
  Exp,
  Exp2,
  Log,
  Log2,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Tanh,
  Erf,
  Floor,
  Ceil,
  Round,
  RoundEven,
  Trunc,
  /// Two operands: r[a], r[b].
  Pow,
  Fma // r[a] * r[b] + r[c]
};
enum class BufferField : uint8_t { Size, Stride, Offset, AddressBytes };
/// Which cores a cross-core flag counts.
enum class CrossMode : uint8_t { InterBlock, InterSubblock, IntraBlock };

struct Instruction {
  Opcode opcode = Opcode::Return;
  ElementType type = ElementType::I64;
  ElementType from = ElementType::I64;
  uint8_t sub = 0;
  Pipe pipe = Pipe::S;
  Pipe otherPipe = Pipe::S;
  Register dst = noRegister, a = noRegister, b = noRegister, c = noRegister;
  LineId line = 0;
  int64_t imm = 0;
};

/// A number in a buffer's shape: a constant or a register.
struct ShapeOperand {
  Register reg = noRegister;
  int64_t constant = 0;
  static ShapeOperand value(int64_t constant) { return {noRegister, constant}; }
  static ShapeOperand inRegister(Register reg) { return {reg, 0}; }
};

/// How a buffer is made, of nothing or of another one.
struct BufferRecipe {
  enum class Kind : uint8_t {
    /// pointer_cast: a dense buffer at address offsets[0] of `space`.
    Pointer,
    /// memref.view: a dense buffer, offsets[0] bytes behind the source.
    View,
    /// reinterpret_cast: offsets[0], sizes and strides replace the source's.
    Reinterpret,
    /// subview: offsets, sizes and strides (in steps of the source's) per source
    /// dimension; dimensions with `dropped` vanish.
    Subview,
    /// collapse_shape: groups of source dimensions become one.
    Collapse,
    /// expand_shape: each source dimension becomes a group; `sizes` are the new
    /// ones.
    Expand,
    /// transpose: result dimension i is source dimension permutation[i].
    Permute,
    /// The same bytes under another type of the same width.
    Retype
  };
  Kind kind = Kind::Pointer;
  Space space = Space::UB;
  ElementType type = ElementType::I8;
  uint32_t origin = 0;
  std::vector<ShapeOperand> offsets, sizes, strides;
  /// Collapse, Expand: dimensions per group. Subview: not used.
  std::vector<unsigned> groups;
  std::vector<unsigned> permutation;
  std::vector<bool> dropped;
};

/// An operand of a library call.
struct CallOperand {
  enum class Kind : uint8_t { Scalar, Buffer };
  Kind kind = Kind::Scalar;
  /// Of a scalar.
  ElementType type = ElementType::I64;
  Register reg = 0;
};

struct CallSite {
  /// Index into Program::functions.
  unsigned function = 0;
  std::vector<CallOperand> operands;
};

/// Where an entry's parameter comes from.
struct Parameter {
  enum class Kind : uint8_t {
    FftsBase,
    Lock,
    Workspace,
    /// Number `user` of the launch's arguments.
    User,
    GridX,
    GridY,
    GridZ
  };
  Kind kind = Kind::User;
  bool isBuffer = false;
  /// Of a scalar, or of a buffer's elements.
  ElementType type = ElementType::I64;
  unsigned user = 0;
  /// A buffer or a scalar register.
  Register reg = 0;
  /// Buffers with a static shape; empty: one dimension, as long as the tensor.
  std::vector<int64_t> shape;
};

struct Function {
  std::string name;
  CoreType core = CoreType::AIV;
  std::vector<Parameter> parameters;
  std::vector<Instruction> code;
  std::vector<BufferRecipe> recipes;
  std::vector<CallSite> calls;
  /// Index registers of loads and stores.
  std::vector<Register> operands;
  unsigned scalarRegisters = 0;
  unsigned bufferRegisters = 0;
  /// Contents of registers at the start; constants take no instruction.
  std::vector<std::pair<Register, Scalar>> constants;
};

struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// Functions of the library that a program calls, made once.
struct LibraryCallee {
  std::string name;
  std::shared_ptr<const LibraryFunction> function;
};

struct Program {
  std::string name;
  /// The halves of the kernel; a vector kernel has no `aic`, a cube kernel no
  /// `aiv`.
  std::unique_ptr<Function> aic, aiv;
  /// AIVs per block: 2 in a mixed kernel with task type 32, else 1.
  unsigned aivPerBlock = 1;
  int64_t workspaceBytesPerBlock = 0;
  std::vector<LibraryCallee> functions;
  /// lines[0] is unknown.
  std::vector<SourcePlace> lines{SourcePlace()};
  std::vector<std::string> texts;
  /// Text of pointer_casts by origin, for faults ("64x128xf32 at 0x4000").
  std::vector<std::string> origins{std::string()};
  /// User arguments that some function writes to, as far as the text tells;
  /// others need no check for conflicts between blocks.
  std::vector<bool> writtenArguments;

  bool isMixed() const { return aic && aiv; }
};

/// Writes a function's code.
class FunctionBuilder {
public:
  FunctionBuilder(Program &program, Function &function)
      : program(program), function(function) {}

  void setLine(LineId line) { currentLine = line; }
  LineId line() const { return currentLine; }

  Register newScalar() { return function.scalarRegisters++; }
  Register newBuffer() { return function.bufferRegisters++; }
  /// Adds an entry parameter and gives its register.
  Register parameter(Parameter parameter);

  /// A label is bound at most once; jumps to it may come before.
  struct Label {
    unsigned id;
  };
  Label newLabel();
  void bind(Label label);

  Instruction &emit(Instruction instruction);
  /// A register that holds a number from the start; nothing may change it.
  Register constant(int64_t value, ElementType type = ElementType::I64);
  Register realConstant(double value, ElementType type = ElementType::F32);
  Register binary(Opcode opcode, Register a, Register b,
                  ElementType type = ElementType::I64);
  Register compare(IntPredicate predicate, Register a, Register b);
  void move(Register dst, Register src);
  void jump(Label label);
  void jumpIfZero(Register condition, Label label);
  /// iv += step; if iv < upper jump.
  void forNext(Register iv, Register step, Register upper, Label label);

  Register makeBuffer(BufferRecipe recipe, Register source = noRegister);
  /// A dense buffer at a constant address, with an origin of its own.
  Register pointer(Space space, ElementType type, int64_t addressBytes,
                   llvm::ArrayRef<int64_t> sizes);
  Register load(Register buffer, llvm::ArrayRef<Register> indices,
                ElementType type);
  void store(Register value, Register buffer, llvm::ArrayRef<Register> indices,
             ElementType type);

  /// An error names a function that the library table does not know.
  llvm::Error call(llvm::StringRef callee, llvm::ArrayRef<CallOperand> operands);
  void setFlag(Pipe from, Pipe to, int event);
  void setFlag(Pipe from, Pipe to, Register event);
  void waitFlag(Pipe from, Pipe to, int event);
  void waitFlag(Pipe from, Pipe to, Register event);
  void barrier(Pipe pipe);
  void crossSet(Pipe pipe, int flag, CrossMode mode = CrossMode::IntraBlock);
  void crossWait(Pipe pipe, int flag);
  void ret();

  /// Resolves labels; call once at the end.
  void finish();

private:
  Program &program;
  Function &function;
  LineId currentLine = 0;
  std::vector<int64_t> labels;
};

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_CORE_PROGRAM_H
