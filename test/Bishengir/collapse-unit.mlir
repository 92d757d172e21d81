// The vendor collapses a row of a padded buffer, whose stride over the one row
// means nothing. If this breaks, such a final IR ends the process.
// RUN: tilekiln-hivm --no-lint --print-module %s | FileCheck %s

func.func private @vexp_1d_float(memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>)

// CHECK-LABEL: func.func @rows
// CHECK: %[[ROW:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [1, 24] [1, 1]
// CHECK: %[[FLAT:.*]] = memref.subview %[[ROW]][0, 0] [1, 24] [1, 1] : {{.*}} to memref<24xf32, strided<[1], offset: ?>, #hivm.address_space<ub>>
// CHECK-NOT: collapse_shape
// CHECK: memref.cast %[[FLAT]]
func.func @rows(%i: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %p = arith.constant 0 : i64
  %x = hivm.hir.pointer_cast(%p) : memref<40x32xf32, #hivm.address_space<ub>>
  %row = memref.subview %x[%i, 0] [1, 24] [1, 1] : memref<40x32xf32, #hivm.address_space<ub>> to memref<1x24xf32, strided<[32, 1], offset: ?>, #hivm.address_space<ub>>
  %flat = memref.collapse_shape %row [[0, 1]] : memref<1x24xf32, strided<[32, 1], offset: ?>, #hivm.address_space<ub>> into memref<24xf32, strided<[1], offset: ?>, #hivm.address_space<ub>>
  %any = memref.cast %flat : memref<24xf32, strided<[1], offset: ?>, #hivm.address_space<ub>> to memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>
  func.call @vexp_1d_float(%any) : (memref<?xf32, strided<[?], offset: ?>, #hivm.address_space<ub>>) -> ()
  return
}
