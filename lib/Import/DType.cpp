//===- DType.cpp - TileLang's element types in MLIR -----------------------===//
#include "DType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilekiln;

bool DType::isFloat() const { return isa<FloatType>(scalar); }

static Type parseFloat(StringRef name, MLIRContext *context) {
  using Get = Type (*)(MLIRContext *);
  Get get = llvm::StringSwitch<Get>(name)
      .Case("float16", [](MLIRContext *c) -> Type { return Float16Type::get(c); })
      .Case("bfloat16", [](MLIRContext *c) -> Type { return BFloat16Type::get(c); })
      .Case("float32", [](MLIRContext *c) -> Type { return Float32Type::get(c); })
      .Case("float64", [](MLIRContext *c) -> Type { return Float64Type::get(c); })
      .Default(nullptr);
  return get ? get(context) : Type();
}

std::optional<DType> tilekiln::parseDType(StringRef name, MLIRContext *context) {
  if (name == "bool")
    return DType{IntegerType::get(context, 1), IntegerType::get(context, 8),
                 /*isUnsigned=*/true, /*isBool=*/true};
  if (Type real = parseFloat(name, context))
    return DType{real, real};
  Float8 float8 = llvm::StringSwitch<Float8>(name)
                      .Case("float8_e4m3fn", Float8::E4M3FN)
                      .Case("float8_e5m2", Float8::E5M2)
                      .Default(Float8::None);
  if (float8 != Float8::None)
    return DType{Float32Type::get(context), IntegerType::get(context, 8), /*isUnsigned=*/false,
                 /*isBool=*/false, float8};
  bool isUnsigned = name.consume_front("u");
  unsigned bits = 0;
  if (!name.consume_front("int") || name.getAsInteger(10, bits) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return std::nullopt;
  Type integer = IntegerType::get(context, bits);
  return DType{integer, integer, isUnsigned};
}
