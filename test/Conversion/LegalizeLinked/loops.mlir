// Loops start at 0 and go in steps of 1; what they compute with stays.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @from_one
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C5]] step %[[C1]] iter_args
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[I]], %[[C1]] : index
// CHECK-NEXT: arith.muli %{{.*}}, %[[K]]
// CHECK: } {commonir.num_stages = 2 : i64}
func.func @from_one(%x: index) -> index {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %k = %c1 to %c6 step %c1 iter_args(%a = %x) -> (index) {
    %0 = arith.muli %a, %k : index
    scf.yield %0 : index
  } {commonir.num_stages = 2 : i64}
  return %r : index
}

// Bounds that are known at launch, of another type, in larger steps.
// CHECK-LABEL: func.func @symbolic
// CHECK-SAME: %[[LOW:[^:]*]]: i32, %[[HIGH:[^:]*]]: i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[SPAN:.*]] = arith.subi %[[HIGH]], %[[LOW]] : i32
// CHECK: %[[MORE:.*]] = arith.addi %[[SPAN]], %[[C2]] : i32
// CHECK: %[[STEPS:.*]] = arith.divsi %[[MORE]], %[[C3]] : i32
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[STEPS]] step %[[C1]]
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %[[C3]]
// CHECK: arith.addi %[[SCALED]], %[[LOW]]
func.func @symbolic(%low: i32, %high: i32, %x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %r = scf.for %k = %low to %high step %c3 iter_args(%a = %x) -> (i32) : i32 {
    %0 = arith.muli %a, %k : i32
    scf.yield %0 : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @from_zero
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 iter_args
// CHECK-NEXT: arith.muli %{{.*}}, %[[I]]
func.func @from_zero(%x: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (index) {
    %0 = arith.muli %a, %k : index
    scf.yield %0 : index
  }
  return %r : index
}
