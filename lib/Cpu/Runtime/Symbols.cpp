//===- Symbols.cpp - Every function that compiled code may refer to -------===//
//
// The JIT would find functions of the C library in the process by itself, but
// only those that were loaded for everyone to see; in a Python process most are
// not. So all are named here.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Runtime.h"
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
// What LLVM calls for f16 on a processor without F16C.
extern "C" {
float __extendhfsf2(_Float16);
_Float16 __truncsfhf2(float);
}
#endif

namespace tilekiln {

void forEachRuntimeSymbol(SymbolSink sink) {
  addMemorySymbols(sink);
  addMatmulSymbols(sink);
  addAtomicSymbols(sink);
  addScanSymbols(sink);
  addPrintSymbols(sink);

#define TILEKILN_UNARY(NAME)                                                   \
  sink(#NAME "f",                                                              \
       reinterpret_cast<void *>(static_cast<float (*)(float)>(&::NAME##f)));   \
  sink(#NAME,                                                                  \
       reinterpret_cast<void *>(static_cast<double (*)(double)>(&::NAME)));
#define TILEKILN_BINARY(NAME)                                                  \
  sink(#NAME "f", reinterpret_cast<void *>(                                    \
                      static_cast<float (*)(float, float)>(&::NAME##f)));      \
  sink(#NAME, reinterpret_cast<void *>(                                        \
                  static_cast<double (*)(double, double)>(&::NAME)));
  TILEKILN_UNARY(exp)
  TILEKILN_UNARY(exp2)
  TILEKILN_UNARY(expm1)
  TILEKILN_UNARY(log)
  TILEKILN_UNARY(log2)
  TILEKILN_UNARY(log10)
  TILEKILN_UNARY(log1p)
  TILEKILN_UNARY(sqrt)
  TILEKILN_UNARY(cbrt)
  TILEKILN_UNARY(sin)
  TILEKILN_UNARY(cos)
  TILEKILN_UNARY(tan)
  TILEKILN_UNARY(asin)
  TILEKILN_UNARY(acos)
  TILEKILN_UNARY(atan)
  TILEKILN_UNARY(sinh)
  TILEKILN_UNARY(cosh)
  TILEKILN_UNARY(tanh)
  TILEKILN_UNARY(asinh)
  TILEKILN_UNARY(acosh)
  TILEKILN_UNARY(atanh)
  TILEKILN_UNARY(erf)
  TILEKILN_UNARY(floor)
  TILEKILN_UNARY(ceil)
  TILEKILN_UNARY(round)
  TILEKILN_UNARY(trunc)
  TILEKILN_UNARY(rint)
  TILEKILN_UNARY(nearbyint)
  TILEKILN_BINARY(pow)
  TILEKILN_BINARY(atan2)
  TILEKILN_BINARY(fmod)
  TILEKILN_BINARY(fmin)
  TILEKILN_BINARY(fmax)
#undef TILEKILN_UNARY
#undef TILEKILN_BINARY
  sink("fmaf", reinterpret_cast<void *>(
                   static_cast<float (*)(float, float, float)>(&::fmaf)));
  sink("fma", reinterpret_cast<void *>(
                  static_cast<double (*)(double, double, double)>(&::fma)));
  sink("memcpy", reinterpret_cast<void *>(&::memcpy));
  sink("memmove", reinterpret_cast<void *>(&::memmove));
  sink("memset", reinterpret_cast<void *>(&::memset));
#if defined(__GLIBC__)
  sink("roundevenf",
       reinterpret_cast<void *>(static_cast<float (*)(float)>(&::roundevenf)));
  sink("roundeven",
       reinterpret_cast<void *>(static_cast<double (*)(double)>(&::roundeven)));
  // LLVM joins sin and cos of one value.
  sink("sincosf",
       reinterpret_cast<void *>(
           static_cast<void (*)(float, float *, float *)>(&::sincosf)));
  sink("sincos",
       reinterpret_cast<void *>(
           static_cast<void (*)(double, double *, double *)>(&::sincos)));
#endif
#if defined(__x86_64__)
  sink("__extendhfsf2", reinterpret_cast<void *>(&__extendhfsf2));
  sink("__truncsfhf2", reinterpret_cast<void *>(&__truncsfhf2));
#endif
}

} // namespace tilekiln
