// Comparisons of which the vendor's compiler has another idea, refuses or
// makes a scalar loop.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @floats
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true>
// one: neither equal nor a NaN.
// CHECK: %[[LT:.*]] = arith.cmpf olt, %[[X]], %[[Y]]
// CHECK: %[[GT:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK: %[[ONE:.*]] = arith.ori %[[LT]], %[[GT]]
// ueq
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: %[[NE:.*]] = arith.ori
// CHECK: %[[UEQ:.*]] = arith.xori %[[NE]], %[[TRUE]]
// ult, ule, ugt, uge
// CHECK: %[[A:.*]] = arith.cmpf oge
// CHECK: %[[ULT:.*]] = arith.xori %[[A]], %[[TRUE]]
// CHECK: %[[B:.*]] = arith.cmpf ogt
// CHECK: %[[ULE:.*]] = arith.xori %[[B]], %[[TRUE]]
// CHECK: %[[C:.*]] = arith.cmpf ole
// CHECK: %[[UGT:.*]] = arith.xori %[[C]], %[[TRUE]]
// CHECK: %[[D:.*]] = arith.cmpf olt
// CHECK: %[[UGE:.*]] = arith.xori %[[D]], %[[TRUE]]
// uno, ord
// CHECK: %[[NX:.*]] = arith.cmpf une, %[[X]], %[[X]]
// CHECK: %[[NY:.*]] = arith.cmpf une, %[[Y]], %[[Y]]
// CHECK: %[[UNO:.*]] = arith.ori %[[NX]], %[[NY]]
// CHECK: %[[EX:.*]] = arith.cmpf oeq, %[[X]], %[[X]]
// CHECK: %[[EY:.*]] = arith.cmpf oeq, %[[Y]], %[[Y]]
// CHECK: %[[ORD:.*]] = arith.andi %[[EX]], %[[EY]]
// Right as it is.
// CHECK: %[[OLE:.*]] = arith.cmpf ole, %[[X]], %[[Y]]
// CHECK: return %[[ONE]], %[[UEQ]], %[[ULT]], %[[ULE]], %[[UGT]], %[[UGE]], %[[UNO]], %[[ORD]], %[[OLE]]
func.func @floats(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = arith.cmpf one, %x, %y : tensor<8xf32>
  %1 = arith.cmpf ueq, %x, %y : tensor<8xf32>
  %2 = arith.cmpf ult, %x, %y : tensor<8xf32>
  %3 = arith.cmpf ule, %x, %y : tensor<8xf32>
  %4 = arith.cmpf ugt, %x, %y : tensor<8xf32>
  %5 = arith.cmpf uge, %x, %y : tensor<8xf32>
  %6 = arith.cmpf uno, %x, %y : tensor<8xf32>
  %7 = arith.cmpf ord, %x, %y : tensor<8xf32>
  %8 = arith.cmpf ole, %x, %y : tensor<8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// isnan has one operand.
// CHECK-LABEL: func.func @isnan
// CHECK-NEXT: arith.cmpf une
// CHECK-NEXT: return
func.func @isnan(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = arith.cmpf uno, %x, %x : tensor<8xf32>
  return %0 : tensor<8xi1>
}

// CHECK-LABEL: func.func @integers
// CHECK-DAG: %[[SIGN:.*]] = arith.constant dense<-2147483648>
// CHECK: %[[A:.*]] = arith.xori %{{.*}}, %[[SIGN]] : tensor<8xi32>
// CHECK: %[[B:.*]] = arith.xori %{{.*}}, %[[SIGN]] : tensor<8xi32>
// CHECK: arith.cmpi slt, %[[A]], %[[B]] : tensor<8xi32>
// Sixteen bits in i32, without the sign for an unsigned comparison.
// CHECK: %[[C:.*]] = arith.extsi %{{.*}} : tensor<8xi16> to tensor<8xi32>
// CHECK: %[[D:.*]] = arith.extsi %{{.*}} : tensor<8xi16> to tensor<8xi32>
// CHECK: arith.cmpi sgt, %[[C]], %[[D]] : tensor<8xi32>
// CHECK: arith.extsi
// CHECK: arith.andi
// CHECK: arith.extsi
// CHECK: arith.andi
// CHECK: arith.cmpi sge, %{{.*}} : tensor<8xi32>
// Right as it is.
// CHECK: arith.cmpi ult, %{{.*}} : tensor<8xi8>
func.func @integers(%x: tensor<8xi32>, %y: tensor<8xi32>, %a: tensor<8xi16>, %b: tensor<8xi16>, %c: tensor<8xi8>, %d: tensor<8xi8>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = arith.cmpi ult, %x, %y : tensor<8xi32>
  %1 = arith.cmpi sgt, %a, %b : tensor<8xi16>
  %2 = arith.cmpi uge, %a, %b : tensor<8xi16>
  %3 = arith.cmpi ult, %c, %d : tensor<8xi8>
  return %0, %1, %2, %3 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// CHECK-LABEL: func.func @truths
// CHECK: %[[DIFFER:.*]] = arith.xori %{{.*}}, %{{.*}} : tensor<8xi1>
// CHECK: arith.xori %[[DIFFER]], %{{.*}} : tensor<8xi1>
// CHECK-NOT: arith.cmpi
func.func @truths(%x: tensor<8xi1>, %y: tensor<8xi1>) -> tensor<8xi1> {
  %0 = arith.cmpi eq, %x, %y : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// The scalar unit has every comparison.
// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: arith.cmpf ult
// CHECK-NEXT: return
func.func @scalars(%x: f32, %y: f32) -> i1 {
  %0 = arith.cmpf ult, %x, %y : f32
  return %0 : i1
}
