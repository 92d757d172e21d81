//===- Control.cpp - Loops, branches and calls ----------------------------===//
//
// Regions become jumps; what they yield is assigned to registers of the op's
// results. Functions with a body are inlined, the others are the device
// library's.
//
//===----------------------------------------------------------------------===//
#include "FunctionDecoder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilekiln;
using namespace tilekiln::sim;

llvm::Error FunctionDecoder::decodeControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return decodeFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return decodeIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return decodeWhile(loop);
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return decodeSwitch(branch);
  if (auto region = dyn_cast<scf::ExecuteRegionOp>(op)) {
    if (!region.getRegion().hasOneBlock())
      return unknown(op);
    return decodeBranch(region.getRegion(), defineResults(op));
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return decodeCall(call);
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    Instruction instruction;
    instruction.opcode = Opcode::Assert;
    instruction.a = get(assertion.getArg());
    instruction.imm = int64_t(program.texts.size());
    program.texts.push_back(assertion.getMsg().str());
    builder.emit(instruction);
    return llvm::Error::success();
  }
  return unknown(op);
}

std::vector<Register> FunctionDecoder::defineResults(Operation *op) {
  std::vector<Register> results;
  for (Value result : op->getResults()) {
    results.push_back(newRegister(result.getType()));
    define(result, results.back());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

llvm::Error FunctionDecoder::decodeBranch(Region &region, ArrayRef<Register> results) {
  Block &block = region.front();
  if (llvm::Error error = decodeBlock(block))
    return error;
  Operation *yield = block.getTerminator();
  builder.setLine(places.get(yield));
  assign(yield->getOperandTypes(), results, get(yield->getOperands()));
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeIf(scf::IfOp op) {
  FunctionBuilder::Label otherwise = builder.newLabel(), end = builder.newLabel();
  builder.jumpIfZero(get(op.getCondition()), otherwise);
  std::vector<Register> results = defineResults(op);
  if (llvm::Error error = decodeBranch(op.getThenRegion(), results))
    return error;
  bool hasElse = !op.getElseRegion().empty();
  if (hasElse)
    builder.jump(end);
  builder.bind(otherwise);
  if (hasElse)
    if (llvm::Error error = decodeBranch(op.getElseRegion(), results))
      return error;
  builder.bind(end);
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeSwitch(scf::IndexSwitchOp op) {
  std::vector<Register> results = defineResults(op);
  FunctionBuilder::Label end = builder.newLabel();
  Register chosen = get(op.getArg());
  for (auto [value, region] : llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    FunctionBuilder::Label next = builder.newLabel();
    builder.jumpIfZero(
        builder.compare(IntPredicate::EQ, chosen, integer(value)), next);
    if (llvm::Error error = decodeBranch(region, results))
      return error;
    builder.jump(end);
    builder.bind(next);
  }
  if (llvm::Error error = decodeBranch(op.getDefaultRegion(), results))
    return error;
  builder.bind(end);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The registers of the carried values are those of the results: the last
/// iteration's end leaves them there.
llvm::Error FunctionDecoder::decodeFor(scf::ForOp op) {
  Register upper = get(op.getUpperBound()), step = get(op.getStep()),
           iv = builder.newScalar();
  TypeRange types = op.getResultTypes();
  std::vector<Register> carried = defineResults(op);
  assign(types, carried, get(op.getInits()));
  builder.move(iv, get(op.getLowerBound()));
  define(op.getInductionVar(), iv);
  for (auto [argument, reg] : llvm::zip_equal(op.getRegionIterArgs(), carried))
    define(argument, reg);

  FunctionBuilder::Label body = builder.newLabel(), end = builder.newLabel();
  builder.jumpIfZero(builder.compare(IntPredicate::SLT, iv, upper), end);
  builder.bind(body);
  if (llvm::Error error = decodeBranch(op.getRegion(), carried))
    return error;
  builder.setLine(places.get(op));
  builder.forNext(iv, step, upper, body);
  builder.bind(end);
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeWhile(scf::WhileOp op) {
  std::vector<Register> carried;
  for (BlockArgument argument : op.getBeforeArguments()) {
    carried.push_back(newRegister(argument.getType()));
    define(argument, carried.back());
  }
  assign(op.getInits().getTypes(), carried, get(op.getInits()));
  std::vector<Register> results = defineResults(op);
  for (auto [argument, reg] : llvm::zip_equal(op.getAfterArguments(), results))
    define(argument, reg);

  FunctionBuilder::Label head = builder.newLabel(), end = builder.newLabel();
  builder.bind(head);
  if (llvm::Error error = decodeBlock(*op.getBeforeBody()))
    return error;
  scf::ConditionOp condition = op.getConditionOp();
  builder.setLine(places.get(condition));
  assign(condition.getArgs().getTypes(), results, get(condition.getArgs()));
  builder.jumpIfZero(get(condition.getCondition()), end);
  if (llvm::Error error = decodeBranch(op.getAfter(), carried))
    return error;
  builder.jump(head);
  builder.bind(end);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Error FunctionDecoder::decodeCall(func::CallOp op) {
  auto callee =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return errorAt(op, "'" + op.getCallee() + "' is called and nowhere declared");
  if (callee.isExternal())
    return decodeLibraryCall(op);
  if (llvm::is_contained(callStack, callee.getOperation()))
    return errorAt(op, "'" + op.getCallee() +
                           "' calls itself, which the simulator cannot inline");
  if (!callee.getBody().hasOneBlock())
    return errorAt(op, "'" + op.getCallee() +
                           "' has branches between blocks; the simulator takes "
                           "structured control flow only");
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), op.getOperands()))
    define(argument, get(operand));
  callStack.push_back(callee);
  Block &body = callee.getBody().front();
  if (llvm::Error error = decodeBlock(body))
    return error;
  callStack.pop_back();
  // A register of the callee may be assigned anew by the next call of it.
  std::vector<Register> results = defineResults(op);
  assign(op.getResultTypes(), results, get(body.getTerminator()->getOperands()));
  return llvm::Error::success();
}

llvm::Error FunctionDecoder::decodeLibraryCall(func::CallOp op) {
  if (op.getNumResults())
    return errorAt(op, "the library function '" + op.getCallee() +
                           "' returns a value, which the simulator does not know");
  std::vector<CallOperand> operands;
  for (Value value : op.getOperands()) {
    CallOperand operand;
    if (llvm::Error error = readType(op, value.getType(), operand.type))
      return error;
    operand.kind = isa<MemRefType>(value.getType()) ? CallOperand::Kind::Buffer
                                                    : CallOperand::Kind::Scalar;
    operand.reg = get(value);
    operands.push_back(operand);
  }
  if (llvm::Error error = builder.call(op.getCallee(), operands))
    return errorAt(op, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
