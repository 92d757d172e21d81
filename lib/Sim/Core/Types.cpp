//===- Types.cpp - Names of pipes, memories and types ---------------------===//
#include "tilekiln/Sim/Core/Types.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilekiln::sim;
using llvm::StringRef;

unsigned tilekiln::sim::getBits(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return 1;
  case ElementType::I8:
  case ElementType::U8:
    return 8;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 16;
  case ElementType::I32:
  case ElementType::U32:
  case ElementType::F32:
    return 32;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::F64:
    return 64;
  }
  return 0;
}

bool tilekiln::sim::isFloat(ElementType type) { return type >= ElementType::F16; }

bool tilekiln::sim::isUnsigned(ElementType type) {
  return type >= ElementType::U8 && type <= ElementType::U64;
}

StringRef tilekiln::sim::getName(Pipe pipe) {
  static constexpr StringRef names[] = {"S",    "V",    "M",   "MTE1",
                                        "MTE2", "MTE3", "FIX", "ALL"};
  return names[unsigned(pipe)];
}

StringRef tilekiln::sim::getName(Space space) {
  static constexpr StringRef names[] = {"gm", "l1", "l0a", "l0b", "l0c", "ub"};
  return names[unsigned(space)];
}

StringRef tilekiln::sim::getName(CoreType kind) {
  return kind == CoreType::AIC ? "aic" : "aiv";
}

StringRef tilekiln::sim::getName(ElementType type) {
  static constexpr StringRef names[] = {"i1",  "i8",  "i16", "i32", "i64",
                                        "u8",  "u16", "u32", "u64", "f16",
                                        "bf16", "f32", "f64"};
  return names[unsigned(type)];
}

std::optional<ElementType> tilekiln::sim::parseLibraryType(StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Case("bool", ElementType::I1)
      .Case("int8_t", ElementType::I8)
      .Case("int16_t", ElementType::I16)
      .Case("int32_t", ElementType::I32)
      .Case("int64_t", ElementType::I64)
      .Case("uint8_t", ElementType::U8)
      .Case("uint16_t", ElementType::U16)
      .Case("uint32_t", ElementType::U32)
      .Case("uint64_t", ElementType::U64)
      .Case("half", ElementType::F16)
      .Case("bfloat16_t", ElementType::BF16)
      .Case("float", ElementType::F32)
      .Case("double", ElementType::F64)
      .Default(std::nullopt);
}
