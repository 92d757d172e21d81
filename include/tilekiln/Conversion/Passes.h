//===- Passes.h - Conversions ---------------------------------------------===//
#ifndef TILEKILN_CONVERSION_PASSES_H
#define TILEKILN_CONVERSION_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "tilekiln/Dialect/HIVM/Annotation.h"
#include "tilekiln/Dialect/HIVM/HFusion.h"
#include "tilekiln/Dialect/HIVM/HIVM.h"

namespace tilekiln {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilekiln/Conversion/Passes.h.inc"
} // namespace tilekiln

#endif // TILEKILN_CONVERSION_PASSES_H
