// If this breaks, an accumulator that is reset on a loop's first step leaves the cube.
// RUN: tilekiln-opt %s --hoist-clear | FileCheck %s

// The reset says "the first step of both loops": the outer one starts from zero.
// CHECK-LABEL: func.func @first_of_two_loops
// CHECK: %[[ZERO:.*]] = commonir.fill ins(%{{.*}} : f32)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: commonir.gemm
// CHECK-NOT: clear
// CHECK: return
func.func @first_of_two_loops(%a: tensor<16x16xf16>, %dirty: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c1) {
    %r = scf.for %ko = %c0 to %c2 step %c1 iter_args(%outer = %dirty) -> (tensor<16x16xf32>) {
      %s = scf.for %ki = %c0 to %c2 step %c1 iter_args(%acc = %outer) -> (tensor<16x16xf32>) {
        %first = arith.cmpi eq, %ko, %c0 : index
        %also = arith.cmpi eq, %ki, %c0 : index
        %clear = arith.andi %first, %also : i1
        %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%acc : tensor<16x16xf32>) clear %clear -> tensor<16x16xf32>
        scf.yield %g : tensor<16x16xf32>
      }
      scf.yield %s : tensor<16x16xf32>
    }
    commonir.print "r" %r : tensor<16x16xf32>
  }
  return
}

// Only the inner loop's first step: the sum starts anew on every outer step.
// CHECK-LABEL: func.func @first_of_inner_loop
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg1)
// CHECK: %[[ZERO:.*]] = commonir.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
func.func @first_of_inner_loop(%a: tensor<16x16xf16>, %dirty: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c1) {
    %r = scf.for %ko = %c0 to %c2 step %c1 iter_args(%outer = %dirty) -> (tensor<16x16xf32>) {
      %s = scf.for %ki = %c0 to %c2 step %c1 iter_args(%acc = %outer) -> (tensor<16x16xf32>) {
        %clear = arith.cmpi eq, %ki, %c0 : index
        %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%acc : tensor<16x16xf32>) clear %clear -> tensor<16x16xf32>
        scf.yield %g : tensor<16x16xf32>
      }
      scf.yield %s : tensor<16x16xf32>
    }
    commonir.print "r" %r : tensor<16x16xf32>
  }
  return
}

// A later step: the condition stays.
// CHECK-LABEL: func.func @second_step
// CHECK: commonir.gemm {{.*}} clear %{{.*}} ->
func.func @second_step(%a: tensor<16x16xf16>, %dirty: tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  commonir.launch (%bx) in (%c1) {
    %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %dirty) -> (tensor<16x16xf32>) {
      %clear = arith.cmpi eq, %k, %c1 : index
      %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%acc : tensor<16x16xf32>) clear %clear -> tensor<16x16xf32>
      scf.yield %g : tensor<16x16xf32>
    }
    commonir.print "r" %r : tensor<16x16xf32>
  }
  return
}
