//===- Calls.cpp - Intrinsics that give a value ---------------------------===//
//
// Names are those of TileLang without the TVM version's prefix. What exists
// only on GPUs is refused by name, with what to write instead.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilekiln;

StringRef Importer::callee(TirNode call) {
  TirNode op = call["op"];
  StringRef name = op.is("Op") ? op.text() : op.text("name_hint");
  return name.substr(name.rfind('.') + 1);
}

LogicalResult Importer::refuseCall(TirNode call) {
  StringRef name = callee(call);
  if (name.contains("extern") || name == "call_packed" || name == "call_llvm_intrin") {
    TirList args = call.list("args");
    StringRef target = !args.empty() && args[0].is("StringImm") ? args[0].text("value") : "";
    return fail() << "the external function '" << target
                  << "' cannot be called on this accelerator; express the work "
                     "with TileLang's own operations";
  }
  auto starts = [&](std::initializer_list<StringRef> prefixes) {
    return llvm::any_of(prefixes, [&](StringRef p) { return name.starts_with(p); });
  };
  StringRef advice = "it is not among the operations that TileKiln imports";
  if (starts({"get_lane_idx", "get_warp_idx", "get_warp_group_idx"}))
    advice = "there are no warps here; compute it from T.get_thread_binding()";
  else if (starts({"gemm"}))
    advice = "sparse and block-scaled products need GPU tensor cores; use T.gemm "
             "on dense operands";
  else if (starts({"shfl", "warp", "any_sync", "all_sync", "ballot", "activemask",
                   "match_any", "match_all", "syncthreads_"}))
    advice = "it works across the threads of a GPU; use T.reduce_* on a buffer";
  else if (starts({"wgmma", "tcgen05", "ptx", "mma", "tvm_mma", "ldmatrix", "stmatrix",
                   "initialize_", "warpgroup", "wait_wgmma", "cluster"}))
    advice = "it is a GPU instruction; use T.gemm and T.copy";
  else if (starts({"tma", "async_copy", "mbarrier", "barrier", "create_", "fence", "cp_async",
                   "get_mbarrier", "copy_cluster"}))
    advice = "it steers a GPU's copy engine; use T.copy in a T.Pipelined loop, which "
             "is overlapped without it";
  else if (starts({"atomic"}))
    advice = "blocks have no order, so that they cannot signal each other; update with "
             "T.atomic_add, T.atomic_max and T.atomic_min, read and write plainly, and put "
             "what must come later into a second launch";
  else if (starts({"thread_return", "ret"}))
    advice = "put the rest of the kernel under the opposite condition";
  return fail() << "'" << (call["op"].is("Op") ? call["op"].text() : name)
                << "' is not supported: " << advice;
}

Value Importer::importMath(StringRef name, ArrayRef<Value> args, const DType &type) {
  Value x = args.empty() ? Value() : args[0];
  Value y = args.size() > 1 ? args[1] : Value();
  auto one = [&] { return realConstant(1, type); };
  if (!type.isFloat()) {
    if (args.size() == 2) {
      if (name == "bitwise_and") return fold<arith::AndIOp>(x, y);
      if (name == "bitwise_or") return fold<arith::OrIOp>(x, y);
      if (name == "bitwise_xor") return fold<arith::XOrIOp>(x, y);
      if (name == "shift_left") return fold<arith::ShLIOp>(x, y);
      if (name == "shift_right")
        return type.isSigned() ? fold<arith::ShRSIOp>(x, y) : fold<arith::ShRUIOp>(x, y);
      if (name == "pow" && type.isSigned()) return fold<math::IPowIOp>(x, y);
      if (name == "truncmod") return binary("Mod", x, y, type);
      if (name == "truncdiv") return binary("Div", x, y, type);
    }
    if (args.size() == 1) {
      if (name == "bitwise_not") {
        auto all = builder.getIntegerAttr(
            type.scalar, APInt::getAllOnes(type.scalar.getIntOrFloatBitWidth()));
        return fold<arith::XOrIOp>(x, constant(all));
      }
      if (name == "abs" || name == "fabs")
        return type.isSigned() ? fold<math::AbsIOp>(x) : x;
      if (name == "popcount") return fold<math::CtPopOp>(x);
      if (name == "clz") return fold<math::CountLeadingZerosOp>(x);
      for (StringRef rounding : {"floor", "ceil", "round", "nearbyint", "trunc", "rint"})
        if (name == rounding)
          return x;
    }
    return nullptr;
  }
  if (args.size() == 3 && (name == "fma" || name == "ieee_fmaf"))
    return fold<math::FmaOp>(x, y, args[2]);
  if (args.size() == 2) {
    if (name == "pow") return fold<math::PowFOp>(x, y);
    if (name == "fmod" || name == "truncmod") return fold<arith::RemFOp>(x, y);
    if (name == "atan2") return fold<math::Atan2Op>(x, y);
    if (name == "copysign") return fold<math::CopySignOp>(x, y);
    if (name == "ieee_add") return fold<arith::AddFOp>(x, y);
    if (name == "ieee_sub") return fold<arith::SubFOp>(x, y);
    if (name == "ieee_mul") return fold<arith::MulFOp>(x, y);
    if (name == "ieee_fdiv") return fold<arith::DivFOp>(x, y);
    return nullptr;
  }
  if (args.size() != 1)
    return nullptr;
  if (name == "exp") return fold<math::ExpOp>(x);
  if (name == "exp2") return fold<math::Exp2Op>(x);
  if (name == "exp10") return fold<math::PowFOp>(realConstant(10, type), x);
  if (name == "expm1") return fold<math::ExpM1Op>(x);
  if (name == "log") return fold<math::LogOp>(x);
  if (name == "log2") return fold<math::Log2Op>(x);
  if (name == "log10") return fold<math::Log10Op>(x);
  if (name == "log1p") return fold<math::Log1pOp>(x);
  if (name == "sqrt" || name == "ieee_fsqrt") return fold<math::SqrtOp>(x);
  if (name == "rsqrt" || name == "ieee_frsqrt") return fold<math::RsqrtOp>(x);
  if (name == "fast_rcp" || name == "ieee_frcp") return fold<arith::DivFOp>(one(), x);
  if (name == "tanh") return fold<math::TanhOp>(x);
  if (name == "sinh") return fold<math::SinhOp>(x);
  if (name == "cosh") return fold<math::CoshOp>(x);
  if (name == "sin") return fold<math::SinOp>(x);
  if (name == "cos") return fold<math::CosOp>(x);
  if (name == "tan") return fold<math::TanOp>(x);
  if (name == "asin") return fold<math::AsinOp>(x);
  if (name == "acos") return fold<math::AcosOp>(x);
  if (name == "atan") return fold<math::AtanOp>(x);
  if (name == "erf") return fold<math::ErfOp>(x);
  if (name == "fabs" || name == "abs") return fold<math::AbsFOp>(x);
  if (name == "floor") return fold<math::FloorOp>(x);
  if (name == "ceil") return fold<math::CeilOp>(x);
  if (name == "trunc") return fold<math::TruncOp>(x);
  // The language's round is the hardware's rint: ties go to even.
  if (name == "round" || name == "nearbyint" || name == "rint")
    return fold<math::RoundEvenOp>(x);
  if (name == "sigmoid") {
    Value power = fold<math::ExpOp>(fold<arith::NegFOp>(x));
    return fold<arith::DivFOp>(one(), fold<arith::AddFOp>(one(), power));
  }
  return nullptr;
}

/// isnan, isinf and isfinite of a float; of an integer they are known.
static std::optional<arith::CmpFPredicate> classification(StringRef name) {
  using P = arith::CmpFPredicate;
  return llvm::StringSwitch<std::optional<P>>(name)
      .Case("isnan", P::UNO)
      .Case("isinf", P::OEQ)
      .Case("isfinite", P::OLT)
      .Default(std::nullopt);
}

Value Importer::importCall(TirNode call) {
  StringRef name = callee(call);
  TirList args = call.list("args");
  auto has = [&](StringRef wanted, size_t count) {
    return name == wanted && args.size() == count;
  };
  if (name == "launch_thread_idx") {
    fail() << "the thread index has no meaning on this accelerator, whose cores work "
              "on whole tiles; use T.Parallel and tile operations instead";
    return nullptr;
  }
  if (call.text("dtype") == "handle" || call.text("dtype") == "void" ||
      name.contains("extern") || !call["op"].is("Op")) {
    (void)refuseCall(call);
    return nullptr;
  }
  std::optional<DType> type = dtype(call.text("dtype"));
  if (!type)
    return nullptr;
  if (name == "any_of" || name == "all_of")
    return importAnyAll(call, name == "all_of");
  if (name.starts_with("atomic_") && name.ends_with("_ret_elem_op"))
    return importFetch(call);
  if (has("if_then_else", 3)) {
    Value condition = importCondition(args[0]);
    return condition ? choose(condition, args[1], args[2], *type) : Value();
  }
  if (name == "infinity" && type->isFloat())
    return realConstant(std::numeric_limits<double>::infinity(), *type);
  if (has("likely", 1))
    return importValue(args[0]);
  if (has("large_uint_imm", 2) && args[0].constant() && args[1].constant())
    return integerConstant(int64_t(uint64_t(*args[0].constant()) |
                                   uint64_t(*args[1].constant()) << 32), *type);

  // The rounding mode of the ieee_ functions comes last, as a string.
  name.consume_front("__");
  if (name.starts_with("ieee_") && args.size() > 1 && args.back().is("StringImm")) {
    if (args.back().text("value") != "rn") {
      fail() << "'" << name << "' rounds '" << args.back().text("value")
             << "'; only to nearest ('rn') is supported";
      return nullptr;
    }
    args.pop_back();
  }
  SmallVector<Value> values;
  for (TirNode arg : args) {
    // What is no scalar (a pointer, a string) belongs to ops refused below.
    if (arg.is("StringImm") || !parseDType(arg.text("dtype"), context)) {
      (void)refuseCall(call);
      return nullptr;
    }
    values.push_back(importValue(arg));
    if (!values.back())
      return nullptr;
  }
  if (std::optional<arith::CmpFPredicate> predicate = classification(name);
      predicate && values.size() == 1 && type->isBool) {
    std::optional<DType> operand = dtype(args[0].text("dtype"));
    if (operand && !operand->isFloat())
      return trueConstant(name == "isfinite");
    if (operand && values[0].getType() == operand->scalar) {
      if (name == "isnan")
        return fold<arith::CmpFOp>(*predicate, values[0], values[0]);
      Value infinity = realConstant(std::numeric_limits<double>::infinity(), *operand);
      return fold<arith::CmpFOp>(*predicate, fold<math::AbsFOp>(values[0]), infinity);
    }
  }
  if (std::optional<DType> from = args.size() == 1 ? parseDType(args[0].text("dtype"), context)
                                                   : std::nullopt;
      name == "reinterpret" && from && from->isFloat8() != type->isFloat8()) {
    Value byte = toMemory(values[0], *from);
    if (byte.getType() == type->memory)
      return fromMemory(byte, *type);
  }
  if (name == "reinterpret" && values.size() == 1 &&
      values[0].getType().getIntOrFloatBitWidth() ==
          type->scalar.getIntOrFloatBitWidth()) {
    if (values[0].getType() == type->scalar)
      return values[0];
    return fold<arith::BitcastOp>(type->scalar, values[0]);
  }
  bool isUniform = llvm::all_of(values, [&](Value v) { return v.getType() == type->scalar; });
  if (isUniform && name == "clamp" && values.size() == 3)
    return binary("Min", binary("Max", values[0], values[1], *type), values[2], *type);
  if (Value result = isUniform ? importMath(name, values, *type) : Value())
    return type->isFloat8() ? convert(result, *parseDType("float32", context), *type) : result;
  (void)refuseCall(call);
  return nullptr;
}
