// If this breaks, element-wise loops compute something else or run on the scalar unit.
// RUN: tilekiln-opt %s --vectorize-elementwise --cse | FileCheck %s --implicit-check-not=commonir.elementwise
// RUN: tilekiln-opt %s --vectorize-elementwise=scalar-only --cse | FileCheck %s --check-prefix=SCALAR '--implicit-check-not=tensor<'

#gm = #commonir.space<gm>

// Row statistics are broadcast where they meet the tile, not before.
// CHECK-LABEL: func.func @softmax_step
// CHECK: %[[X:.*]] = commonir.alloc "x"
// CHECK: %[[STAT:.*]] = commonir.alloc "stat"
// CHECK-DAG: %[[TILE:.*]] = commonir.read %[[X]] : memref<16x64xf32> to tensor<16x64xf32>
// CHECK-DAG: %[[ROW:.*]] = commonir.read %[[STAT]] : memref<16xf32> to tensor<16xf32>
// CHECK: %[[LOG:.*]] = math.log %[[ROW]] : tensor<16xf32>
// CHECK: %[[SPREAD:.*]] = linalg.broadcast ins(%[[LOG]] : tensor<16xf32>) outs(%{{.*}} : tensor<16x64xf32>) dimensions = [1]
// CHECK: %[[DIFF:.*]] = arith.subf %[[TILE]], %[[SPREAD]] fastmath<contract> : tensor<16x64xf32>
// CHECK: %[[SCALED:.*]] = tensor.splat %{{.*}} : tensor<16x64xf32>
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[DIFF]], %[[SCALED]] : tensor<16x64xf32>
// CHECK: commonir.write %[[PRODUCT]], %[[X]] : tensor<16x64xf32> to memref<16x64xf32>
// SCALAR-LABEL: func.func @softmax_step
// SCALAR: scf.for %[[I:.*]] = %c0{{.*}} to %c16
// SCALAR: scf.for %[[J:.*]] = %c0{{.*}} to %c64
// SCALAR: memref.store %{{.*}}, %x[%[[I]], %[[J]]] : memref<16x64xf32>
func.func @softmax_step(%scale: f32) {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "fragment" : memref<16x64xf32>
  %stat = commonir.alloc "stat" scope "fragment" : memref<16xf32>
  commonir.elementwise (%i, %j) in (%c16, %c64) {
    %0 = memref.load %x[%i, %j] : memref<16x64xf32>
    %1 = memref.load %stat[%i] : memref<16xf32>
    %2 = math.log %1 : f32
    %3 = arith.subf %0, %2 fastmath<contract> : f32
    %4 = arith.mulf %3, %scale : f32
    memref.store %4, %x[%i, %j] : memref<16x64xf32>
  }
  return
}

// Halves of a row; statement order is kept.
// CHECK-LABEL: func.func @rotary
// CHECK: %[[OLD:.*]] = commonir.read %x
// CHECK: %[[LEFT:.*]] = tensor.extract_slice %[[OLD]][0, 0] [4, 32] [1, 1]
// CHECK: %[[RIGHT:.*]] = tensor.extract_slice %[[OLD]][0, 32] [4, 32] [1, 1]
// CHECK: %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[SUM]] into %[[OLD]][0, 0] [4, 32] [1, 1]
// CHECK: commonir.write %[[ONE]], %x
// CHECK: %[[NEW:.*]] = commonir.read %x
// CHECK: %[[TWO:.*]] = tensor.insert_slice %[[LEFT]] into %[[NEW]][0, 32] [4, 32] [1, 1]
// CHECK: commonir.write %[[TWO]], %x
func.func @rotary() {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %x = commonir.alloc "x" scope "shared" : memref<4x64xf32>
  commonir.elementwise (%h, %j) in (%c4, %c32) {
    %far = arith.addi %j, %c32 : index
    %0 = memref.load %x[%h, %j] : memref<4x64xf32>
    %1 = memref.load %x[%h, %far] : memref<4x64xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %x[%h, %j] : memref<4x64xf32>
    memref.store %0, %x[%h, %far] : memref<4x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @transposed_and_strided
// CHECK: %[[A:.*]] = commonir.read %a
// CHECK: linalg.transpose ins(%[[A]] : tensor<32x16xf32>) outs(%{{.*}} : tensor<16x32xf32>) permutation = [1, 0]
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [16, 32] [1, 2] : tensor<16x64xf32> to tensor<16x32xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [16, 32] [1, 2] : tensor<16x32xf32> into tensor<16x64xf32>
func.func @transposed_and_strided() {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %a = commonir.alloc "a" scope "shared" : memref<32x16xf32>
  %b = commonir.alloc "b" scope "shared" : memref<16x64xf32>
  commonir.elementwise (%i, %j) in (%c16, %c32) {
    %even = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
    %odd = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%j)
    %0 = memref.load %a[%j, %i] : memref<32x16xf32>
    %1 = memref.load %b[%i, %odd] : memref<16x64xf32>
    %2 = arith.mulf %0, %1 : f32
    memref.store %2, %b[%i, %even] : memref<16x64xf32>
  }
  return
}

// A row of a buffer, picked by an outer loop; a (16, 1) buffer; a table read modulo
// its length; one scale for each 8 columns.
// CHECK-LABEL: func.func @reused
// CHECK: tensor.extract_slice %{{.*}}[%arg0, 0] [1, 20] [1, 1] : tensor<4x20xf32> to tensor<20xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<7xf32>) outs(%{{.*}} : tensor<3x7xf32>) dimensions = [0]
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<3x7xf32> into tensor<21xf32>
// CHECK: tensor.extract_slice %{{.*}}[1] [20] [1] : tensor<21xf32> to tensor<20xf32>
// CHECK: tensor.extract_slice %{{.*}}[0] [3] [1] : tensor<7xf32> to tensor<3xf32>
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<3xf32>) outs(%{{.*}} : tensor<3x8xf32>) dimensions = [1]
// CHECK: tensor.extract_slice %{{.*}}[0] [20] [1] : tensor<24xf32> to tensor<20xf32>
func.func @reused(%row: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %x = commonir.alloc "x" scope "shared" : memref<4x20xf32>
  %column = commonir.alloc "column" scope "shared" : memref<16x1xf32>
  %table = commonir.alloc "table" scope "shared" : memref<7xf32>
  %y = commonir.alloc "y" scope "fragment" : memref<16x20xf32>
  commonir.elementwise (%i, %j) in (%c16, %c20) {
    %place = affine.apply affine_map<(d0) -> ((d0 + 8) mod 7)>(%j)
    %group = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%j)
    %0 = memref.load %x[%row, %j] : memref<4x20xf32>
    %1 = memref.load %column[%i, %c0] : memref<16x1xf32>
    %2 = memref.load %table[%place] : memref<7xf32>
    %3 = memref.load %table[%group] : memref<7xf32>
    %4 = arith.addf %0, %1 : f32
    %5 = arith.addf %2, %3 : f32
    %6 = arith.addf %4, %5 : f32
    memref.store %6, %y[%i, %j] : memref<16x20xf32>
  }
  return
}

// The tensor's own bounds as a guard cost nothing: windows are clamped anyway.
// CHECK-LABEL: func.func @guarded_by_bounds
// CHECK-NOT: select
// CHECK: %[[ROW:.*]] = affine.apply #{{.*}}(%bx)
// CHECK: %[[W:.*]] = commonir.window %A [%[[ROW]], 0] [16, 64] keep [0, 1] : memref<?x64xf32
// CHECK: %[[T:.*]] = commonir.copy ins(%[[W]] : {{.*}}) outs(%{{.*}} : tensor<16x64xf32>) -> tensor<16x64xf32>
// CHECK: commonir.copy ins(%[[W]] : {{.*}}) outs(%x : memref<16x64xf32>)
// CHECK: %[[TWICE:.*]] = arith.addf %[[T]], %[[T]]
// CHECK: commonir.copy ins(%[[TWICE]] : tensor<16x64xf32>) outs(%[[W]] : {{.*}})
// CHECK-NEXT: }
func.func @guarded_by_bounds(%p: memref<?xf32>, %n: index) {
  %A = commonir.tensor "A" %p [%n, 64] strides [64, 1] : memref<?xf32> to memref<?x64xf32, strided<[64, 1]>, #gm>
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  commonir.launch (%b) in (%c4) {
    %x = commonir.alloc "x" scope "fragment" : memref<16x64xf32>
    commonir.elementwise (%i, %j) in (%c16, %c64) {
      %row = affine.apply affine_map<(d0, d1) -> (d1 * 16 + d0)>(%i, %b)
      %in0 = arith.cmpi slt, %row, %n : index
      %in1 = arith.cmpi slt, %j, %c64 : index
      %in = arith.andi %in0, %in1 : i1
      %0 = scf.if %in -> f32 {
        %1 = memref.load %A[%row, %j] : memref<?x64xf32, strided<[64, 1]>, #gm>
        scf.yield %1 : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %0, %x[%i, %j] : memref<16x64xf32>
      scf.if %in {
        %2 = arith.addf %0, %0 : f32
        memref.store %2, %A[%row, %j] : memref<?x64xf32, strided<[64, 1]>, #gm>
      }
    }
  }
  return
}

// Other ranges make the window smaller; what no index decides becomes a branch. A
// window that may start before the tensor says so.
// CHECK-LABEL: func.func @guarded_by_ranges
// CHECK: %[[W:.*]] = commonir.window %A [%{{.*}}, 0] [8, 64] keep [0, 1]
// CHECK: %[[T:.*]] = commonir.copy ins(%[[W]]
// CHECK: %[[IF:.*]] = arith.cmpi sge
// CHECK: scf.if %[[IF]] {
// CHECK: %[[END:.*]] = arith.maxsi
// CHECK: %[[SIZE:.*]] = arith.subi %[[END]], %c3
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[T]][0, 3] [8, %[[SIZE]]] [1, 1] : tensor<8x64xf32> to tensor<8x?xf32>
// CHECK: %[[V:.*]] = commonir.window %A [%{{.*}}, 3] [8, %[[SIZE]]] keep [0, 1]
// CHECK: commonir.copy ins(%[[PART]] : tensor<8x?xf32>) outs(%[[V]]
func.func @guarded_by_ranges(%p: memref<?xf32>, %n: index, %m: index) {
  %A = commonir.tensor "A" %p [40, 64] strides [64, 1] : memref<?xf32> to memref<40x64xf32, strided<[64, 1]>, #gm>
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  commonir.launch (%b) in (%c4) {
    commonir.elementwise (%i, %j) in (%c8, %c64) {
      %row = affine.apply affine_map<(d0, d1) -> (d1 * 8 + d0 - 1)>(%i, %b)
      %0 = memref.load %A[%row, %j] : memref<40x64xf32, strided<[64, 1]>, #gm>
      %from = arith.cmpi sgt, %j, %c2 : index
      %to = arith.cmpi slt, %j, %n : index
      %block = arith.cmpi slt, %b, %m : index
      %1 = arith.andi %from, %to : i1
      %2 = arith.andi %1, %block : i1
      scf.if %2 {
        memref.store %0, %A[%row, %j] : memref<40x64xf32, strided<[64, 1]>, #gm>
      }
    }
  }
  return
}

// Both sides of a branch on data, merged under its mask.
// CHECK-LABEL: func.func @branch_on_data
// CHECK: %[[X:.*]] = commonir.read %x
// CHECK: %[[MASK:.*]] = arith.cmpf ogt, %[[X]], %{{.*}} : tensor<64xf32>
// CHECK: %[[OLDY:.*]] = commonir.read %y
// CHECK: %[[NEWY:.*]] = arith.select %[[MASK]], %[[X]], %[[OLDY]] : tensor<64xi1>, tensor<64xf32>
// CHECK: commonir.write %[[NEWY]], %y
// CHECK: %[[NEG:.*]] = arith.negf %[[X]]
// CHECK: %[[ELSE:.*]] = arith.xori %[[MASK]], %{{.*}} : tensor<64xi1>
// CHECK: %[[OLDZ:.*]] = commonir.read %z
// CHECK: %[[NEWZ:.*]] = arith.select %[[ELSE]], %[[NEG]], %[[OLDZ]]
// CHECK: commonir.write %[[NEWZ]], %z
func.func @branch_on_data() {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  %y = commonir.alloc "y" scope "shared" : memref<64xf32>
  %z = commonir.alloc "z" scope "shared" : memref<64xf32>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = arith.cmpf ogt, %0, %zero : f32
    scf.if %1 {
      memref.store %0, %y[%i] : memref<64xf32>
    } else {
      %2 = arith.negf %0 : f32
      memref.store %2, %z[%i] : memref<64xf32>
    }
  }
  return
}

// Indices are compared in i32 whatever the block's offset: the offset is cut down on
// the scalar unit first. Numbers are broadcast, never masks.
// CHECK-LABEL: func.func @causal
// CHECK: %[[J:.*]] = commonir.iota : tensor<64xi32>
// CHECK: %[[I:.*]] = commonir.iota : tensor<16xi32>
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %c-64
// CHECK: %[[HIGH:.*]] = arith.minsi %[[LOW]], %c16
// CHECK: %[[LIMIT:.*]] = arith.index_cast %[[HIGH]] : index to i32
// CHECK: %[[LEFT:.*]] = linalg.broadcast ins(%[[I]] : tensor<16xi32>) outs(%{{.*}}) dimensions = [1]
// CHECK: %[[RIGHT:.*]] = linalg.broadcast ins(%[[J]] : tensor<64xi32>) outs(%{{.*}}) dimensions = [0]
// CHECK: %[[SPREAD:.*]] = tensor.splat %[[LIMIT]]
// CHECK: %[[SUM:.*]] = arith.addi %[[RIGHT]], %[[SPREAD]]
// CHECK: %[[MASK:.*]] = arith.cmpi sge, %[[LEFT]], %[[SUM]] : tensor<16x64xi32>
// CHECK: arith.select %[[MASK]]
func.func @causal(%b: index) {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %low = arith.constant 0xFF800000 : f32
  %s = commonir.alloc "s" scope "fragment" : memref<16x64xf32>
  commonir.elementwise (%i, %j) in (%c16, %c64) {
    %row = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 16)>(%i)[%b]
    %0 = arith.cmpi sge, %row, %j : index
    %1 = memref.load %s[%i, %j] : memref<16x64xf32>
    %2 = arith.select %0, %1, %low : f32
    memref.store %2, %s[%i, %j] : memref<16x64xf32>
  }
  return
}

// A uniform branch and a serial loop stay what they are, around tile ops.
// CHECK-LABEL: func.func @control_around_tiles
// CHECK: %[[LOOP:.*]] = scf.for %[[U:.*]] = %c0 to %arg1 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<16xf32>)
// CHECK: %[[COL:.*]] = tensor.extract_slice %{{.*}}[0, %[[U]]] [16, 1] [1, 1] : tensor<16x8xf32> to tensor<16xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[COL]] : tensor<16xf32>
// CHECK: scf.yield %[[SUM]] : tensor<16xf32>
// CHECK: scf.if %arg0 {
// CHECK: commonir.write %[[LOOP]], %y
// CHECK: } else {
// CHECK: commonir.write %{{.*}}, %y
func.func @control_around_tiles(%flag: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %x = commonir.alloc "x" scope "shared" : memref<16x8xf32>
  %y = commonir.alloc "y" scope "fragment" : memref<16xf32>
  commonir.elementwise (%i) in (%c16) {
    %0 = scf.for %u = %c0 to %n step %c1 iter_args(%acc = %zero) -> f32 {
      %1 = memref.load %x[%i, %u] : memref<16x8xf32>
      %2 = arith.addf %acc, %1 : f32
      scf.yield %2 : f32
    }
    scf.if %flag {
      memref.store %0, %y[%i] : memref<16xf32>
    } else {
      memref.store %zero, %y[%i] : memref<16xf32>
    }
  }
  return
}

// Index arithmetic as numbers: what is uniform is reduced exactly on the scalar unit,
// so that the inexact division of the vector unit sees small numbers only.
// CHECK-LABEL: func.func @index_numbers
// CHECK-DAG: %[[REST:.*]] = affine.apply #[[MOD:.*]]()[%arg0]
// CHECK-DAG: %[[J:.*]] = commonir.iota : tensor<24xi32>
// CHECK: arith.index_cast %{{.*}} : index to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[J]], %{{.*}} : tensor<24xi32>
// CHECK: %[[QUOTIENT:.*]] = arith.divsi %[[SUM]], %{{.*}} : tensor<24xi32>
// CHECK: arith.addi %[[QUOTIENT]], %{{.*}} : tensor<24xi32>
func.func @index_numbers(%b: index) {
  %c24 = arith.constant 24 : index
  %y = commonir.alloc "y" scope "fragment" : memref<24xi32>
  commonir.elementwise (%j) in (%c24) {
    %0 = affine.apply affine_map<(d0)[s0] -> ((d0 + s0 * 1000) floordiv 7)>(%j)[%b]
    %1 = arith.index_cast %0 : index to i32
    memref.store %1, %y[%j] : memref<24xi32>
  }
  return
}

// Forms that the vendor's compiler gets wrong are written in others.
// CHECK-LABEL: func.func @legal_forms
// CHECK-NOT: arith.shrui
// CHECK-NOT: arith.cmpf one
// CHECK-NOT: arith.cmpi ult
// CHECK-NOT: arith.divsi
// CHECK: arith.shrsi %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK: arith.andi
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: arith.ori
// CHECK: arith.xori
// CHECK: arith.cmpi slt
// CHECK: return
func.func @legal_forms() {
  %c64 = arith.constant 64 : index
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %x = commonir.alloc "x" scope "shared" : memref<64xi32>
  %f = commonir.alloc "f" scope "shared" : memref<64xf32>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xi32>
    %1 = memref.load %f[%i] : memref<64xf32>
    %2 = arith.shrui %0, %three : i32
    %3 = arith.divsi %2, %four : i32
    %4 = arith.negf %1 : f32
    %5 = arith.cmpf one, %1, %4 : f32
    %6 = arith.cmpi ult, %0, %2 : i32
    %7 = arith.andi %5, %6 : i1
    %8 = arith.select %7, %3, %0 : i32
    memref.store %8, %x[%i] : memref<64xi32>
  }
  return
}

// A view that is made in the loop is made before its tile is read.
// CHECK-LABEL: func.func @view_in_body
// CHECK: %[[VIEW:.*]] = memref.subview %x[0, 8] [16, 8] [1, 1]
// CHECK: %[[TILE:.*]] = commonir.read %[[VIEW]]
// CHECK: %[[NEW:.*]] = arith.negf %[[TILE]] : tensor<16x8xf32>
// CHECK: commonir.write %[[NEW]], %[[VIEW]]
func.func @view_in_body() {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %x = commonir.alloc "x" scope "shared" : memref<16x16xf32>
  commonir.elementwise (%i, %j) in (%c16, %c8) {
    %view = memref.subview %x[0, 8] [16, 8] [1, 1] : memref<16x16xf32> to memref<16x8xf32, strided<[16, 1], offset: 8>>
    %0 = memref.load %view[%i, %j] : memref<16x8xf32, strided<[16, 1], offset: 8>>
    %1 = arith.negf %0 : f32
    memref.store %1, %view[%i, %j] : memref<16x8xf32, strided<[16, 1], offset: 8>>
  }
  return
}

// What only moves data is a transfer, which needs no vector unit; not so where the
// source changes before the store.
// CHECK-LABEL: func.func @transfers
// CHECK: %[[OLD:.*]] = commonir.read %x
// CHECK-NOT: commonir.read %x
// CHECK: commonir.copy ins(%{{.*}} : memref<64xf32, {{.*}}) outs(%x : memref<64xf32>)
// CHECK: commonir.copy ins(%[[OLD]] : tensor<64xf32>) outs(%{{.*}} : memref<64xf32
// CHECK: commonir.copy ins(%x : memref<64xf32>) outs(%{{.*}} : memref<64xf32
// CHECK-NEXT: return
func.func @transfers(%p: memref<?xf32>, %q: memref<?xf32>) {
  %A = commonir.tensor "A" %p [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %B = commonir.tensor "B" %q [64] strides [1] : memref<?xf32> to memref<64xf32, strided<[1]>, #gm>
  %c64 = arith.constant 64 : index
  %x = commonir.alloc "x" scope "shared" : memref<64xf32>
  commonir.elementwise (%i) in (%c64) {
    %0 = memref.load %x[%i] : memref<64xf32>
    %1 = memref.load %A[%i] : memref<64xf32, strided<[1]>, #gm>
    memref.store %1, %x[%i] : memref<64xf32>
    memref.store %0, %A[%i] : memref<64xf32, strided<[1]>, #gm>
    %2 = memref.load %x[%i] : memref<64xf32>
    memref.store %2, %B[%i] : memref<64xf32, strided<[1]>, #gm>
  }
  return
}

// An index that is taken apart is two: no element loop.
// CHECK-LABEL: func.func @digits
// CHECK-NOT: scf.for
// CHECK: commonir.read %x
// CHECK-NOT: scf.for
// CHECK: return
func.func @digits() {
  %c128 = arith.constant 128 : index
  %x = commonir.alloc "x" scope "shared" : memref<8x32xf32>
  commonir.elementwise (%i) in (%c128) {
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 32 + 4)>(%i)
    %column = affine.apply affine_map<(d0) -> (d0 mod 32)>(%i)
    %0 = memref.load %x[%row, %column] : memref<8x32xf32>
    %1 = arith.negf %0 : f32
    memref.store %1, %x[%row, %column] : memref<8x32xf32>
  }
  return
}
