//===- Control.cpp - Structured control flow as jumps ---------------------===//
#include "FunctionDecoder.h"

using namespace mlir;

namespace tilekiln::sim {

void FunctionDecoder::moveAll(ValueRange from, ArrayRef<Register> to) {
  // A source may be a target of an earlier move: those go through registers of
  // their own first.
  SmallVector<Register> sources;
  for (Value value : from)
    sources.push_back(get(value));
  for (unsigned i = 0; i < sources.size(); ++i) {
    bool buffer = isBuffer(from[i].getType());
    for (unsigned j = 0; j < i; ++j)
      if (to[j] == sources[i] && isBuffer(from[j].getType()) == buffer) {
        Register copy = buffer ? code.newBuffer() : code.newScalar();
        move(copy, sources[i], buffer);
        sources[i] = copy;
        break;
      }
  }
  for (unsigned i = 0; i < sources.size(); ++i)
    if (sources[i] != to[i])
      move(to[i], sources[i], isBuffer(from[i].getType()));
}

void FunctionDecoder::decodeFor(scf::ForOp loop) {
  Register lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound()),
           step = get(loop.getStep());
  Register iv = make(loop.getInductionVar());
  move(iv, lower, false);
  SmallVector<Register> carried;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    Register source = get(init);
    carried.push_back(make(argument));
    move(carried.back(), source, isBuffer(argument.getType()));
  }
  for (auto [result, reg] : llvm::zip(loop.getResults(), carried))
    set(result, reg);
  FunctionBuilder::Label begin = code.newLabel(), end = code.newLabel();
  code.jumpIfZero(code.compare(IntPredicate::SLT, iv, upper), end);
  code.bind(begin);
  for (Operation &op : loop.getBody()->without_terminator())
    decodeOp(&op);
  moveAll(loop.getBody()->getTerminator()->getOperands(), carried);
  code.forNext(iv, step, upper, begin);
  code.bind(end);
}

void FunctionDecoder::decodeIf(scf::IfOp branch) {
  SmallVector<Register> results;
  Register condition = get(branch.getCondition());
  for (Value result : branch.getResults())
    results.push_back(make(result));
  FunctionBuilder::Label otherwise = code.newLabel(), end = code.newLabel();
  code.jumpIfZero(condition, otherwise);
  auto decodeRegion = [&](Region &region) {
    if (region.empty())
      return;
    for (Operation &op : region.front().without_terminator())
      decodeOp(&op);
    moveAll(region.front().getTerminator()->getOperands(), results);
  };
  decodeRegion(branch.getThenRegion());
  if (!branch.getElseRegion().empty())
    code.jump(end);
  code.bind(otherwise);
  decodeRegion(branch.getElseRegion());
  code.bind(end);
}

void FunctionDecoder::decodeWhile(scf::WhileOp loop) {
  SmallVector<Register> before, after;
  for (auto [argument, init] :
       llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
    Register source = get(init);
    before.push_back(make(argument));
    move(before.back(), source, isBuffer(argument.getType()));
  }
  for (BlockArgument argument : loop.getAfterArguments())
    after.push_back(make(argument));
  for (auto [result, reg] : llvm::zip(loop.getResults(), after))
    set(result, reg);
  FunctionBuilder::Label begin = code.newLabel(), end = code.newLabel();
  code.bind(begin);
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    decodeOp(&op);
  scf::ConditionOp condition = loop.getConditionOp();
  moveAll(condition.getArgs(), after);
  code.jumpIfZero(get(condition.getCondition()), end);
  for (Operation &op : loop.getAfterBody()->without_terminator())
    decodeOp(&op);
  moveAll(loop.getAfterBody()->getTerminator()->getOperands(), before);
  code.jump(begin);
  code.bind(end);
}

void FunctionDecoder::decodeSwitch(scf::IndexSwitchOp branch) {
  SmallVector<Register> results;
  Register argument = get(branch.getArg());
  for (Value result : branch.getResults())
    results.push_back(make(result));
  FunctionBuilder::Label end = code.newLabel();
  auto decodeBlockOf = [&](Block &block) {
    for (Operation &op : block.without_terminator())
      decodeOp(&op);
    moveAll(block.getTerminator()->getOperands(), results);
  };
  for (auto [i, value] : llvm::enumerate(branch.getCases())) {
    FunctionBuilder::Label next = code.newLabel();
    code.jumpIfZero(code.compare(IntPredicate::EQ, argument, constant(value)), next);
    decodeBlockOf(branch.getCaseBlock(unsigned(i)));
    code.jump(end);
    code.bind(next);
  }
  decodeBlockOf(branch.getDefaultBlock());
  code.bind(end);
}

bool FunctionDecoder::decodeControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return decodeFor(loop), true;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return decodeIf(branch), true;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return decodeWhile(loop), true;
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return decodeSwitch(branch), true;
  if (auto call = dyn_cast<func::CallOp>(op))
    return decodeCall(call), true;
  return false;
}

} // namespace tilekiln::sim
