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
      .Case("float8_e4m3", [](MLIRContext *c) -> Type { return Float8E4M3Type::get(c); })
      .Case("float8_e4m3fn", [](MLIRContext *c) -> Type { return Float8E4M3FNType::get(c); })
      .Case("float8_e4m3fnuz", [](MLIRContext *c) -> Type { return Float8E4M3FNUZType::get(c); })
      .Case("float8_e4m3b11fnuz", [](MLIRContext *c) -> Type { return Float8E4M3B11FNUZType::get(c); })
      .Case("float8_e5m2", [](MLIRContext *c) -> Type { return Float8E5M2Type::get(c); })
      .Case("float8_e5m2fnuz", [](MLIRContext *c) -> Type { return Float8E5M2FNUZType::get(c); })
      .Default(nullptr);
  return get ? get(context) : Type();
}

std::optional<DType> tilekiln::parseDType(StringRef name, MLIRContext *context) {
  if (name == "bool")
    return DType{IntegerType::get(context, 1), IntegerType::get(context, 8),
                 /*isUnsigned=*/true, /*isBool=*/true};
  if (Type real = parseFloat(name, context))
    return DType{real, real};
  bool isUnsigned = name.consume_front("u");
  unsigned bits = 0;
  if (!name.consume_front("int") || name.getAsInteger(10, bits) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return std::nullopt;
  Type integer = IntegerType::get(context, bits);
  return DType{integer, integer, isUnsigned};
}
