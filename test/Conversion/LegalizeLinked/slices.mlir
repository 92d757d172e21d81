// Parts of tiles that start at no multiple of 32 bytes.
// RUN: tilekiln-opt %s --legalize-linked | FileCheck %s

// CHECK-LABEL: func.func @narrowed
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[3, 0] [1, 100] [1, 1]
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[PART]] : tensor<1x100xf32>)
// CHECK: arith.truncf %[[COPY]]
// The others have a right path, however slow.
// CHECK: math.exp %[[PART]]
func.func @narrowed(%x: tensor<64x100xf32>) -> (tensor<1x100xf16>, tensor<1x100xf32>) {
  %p = tensor.extract_slice %x[3, 0] [1, 100] [1, 1] : tensor<64x100xf32> to tensor<1x100xf32>
  %0 = arith.truncf %p : tensor<1x100xf32> to tensor<1x100xf16>
  %1 = math.exp %p : tensor<1x100xf32>
  return %0, %1 : tensor<1x100xf16>, tensor<1x100xf32>
}

// Every row of 128 elements starts a block; so does every sixteenth element.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: linalg.copy
func.func @aligned(%x: tensor<64x128xf32>, %n: index) -> tensor<1x16xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<1x16xf16>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %e) -> tensor<1x16xf16> {
    %at = arith.muli %k, %c16 : index
    %p = tensor.extract_slice %x[%n, %at] [1, 16] [1, 1] : tensor<64x128xf32> to tensor<1x16xf32>
    %h = arith.truncf %p : tensor<1x16xf32> to tensor<1x16xf16>
    scf.yield %h : tensor<1x16xf16>
  }
  return %r : tensor<1x16xf16>
}

// All arithmetic of bf16 converts; a change of shape does not move a part.
// CHECK-LABEL: func.func @bfloat
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[FLAT]] : tensor<5xbf16>)
// CHECK: math.exp %[[COPY]]
func.func @bfloat(%x: tensor<64x5xbf16>, %n: index) -> tensor<5xbf16> {
  %p = tensor.extract_slice %x[%n, 0] [1, 5] [1, 1] : tensor<64x5xbf16> to tensor<1x5xbf16>
  %f = tensor.collapse_shape %p [[0, 1]] : tensor<1x5xbf16> into tensor<5xbf16>
  %0 = math.exp %f : tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

// A comparison sets single bits of such a part.
// CHECK-LABEL: func.func @compared
// CHECK: %[[COPY:.*]] = linalg.copy
// CHECK: arith.cmpf ogt, %[[COPY]], %{{.*}} : tensor<100xf32>
func.func @compared(%x: tensor<64x100xf32>, %y: tensor<100xf32>) -> tensor<100xi1> {
  %p = tensor.extract_slice %x[3, 0] [1, 100] [1, 1] : tensor<64x100xf32> to tensor<100xf32>
  %0 = arith.cmpf ogt, %p, %y : tensor<100xf32>
  return %0 : tensor<100xi1>
}

// CHECK-LABEL: func.func @atomic
// CHECK: %[[COPY:.*]] = linalg.copy
// CHECK: hivm.hir.store ins(%[[COPY]] : tensor<4xf32>) {{.*}} atomic = <add>
func.func @atomic(%x: tensor<64xf32>, %m: memref<4xf32>) {
  %p = tensor.extract_slice %x[3] [4] [1] : tensor<64xf32> to tensor<4xf32>
  hivm.hir.store ins(%p : tensor<4xf32>) outs(%m : memref<4xf32>) atomic = <add>
  return
}

// A part of a tile with such rows is written with more dimensions: else it is
// taken for a concatenation, and fails.
// CHECK-LABEL: func.func @written
// CHECK: %[[EXP:.*]] = math.exp
// CHECK: %[[PART:.*]] = tensor.expand_shape %[[EXP]] {{\[\[}}0, 1], [2]] output_shape [1, 1, 100]
// CHECK: %[[MORE:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3]] output_shape [1, 1, 64, 100]
// CHECK: %[[SET:.*]] = tensor.insert_slice %[[PART]] into %[[MORE]][0, 0, 3, 0] [1, 1, 1, 100] [1, 1, 1, 1] : tensor<1x1x100xf32> into tensor<1x1x64x100xf32>
// CHECK: tensor.collapse_shape %[[SET]]
// Whole blocks are written as they are.
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[3, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<64x128xf32>
func.func @written(%x: tensor<64x100xf32>, %p: tensor<1x100xf32>, %y: tensor<64x128xf32>, %q: tensor<1x128xf32>) -> (tensor<64x100xf32>, tensor<64x128xf32>) {
  %e = math.exp %p : tensor<1x100xf32>
  %0 = tensor.insert_slice %e into %x[3, 0] [1, 100] [1, 1] : tensor<1x100xf32> into tensor<64x100xf32>
  %1 = tensor.insert_slice %q into %y[3, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<64x128xf32>
  return %0, %1 : tensor<64x100xf32>, tensor<64x128xf32>
}

// A part that is only moved keeps its shape.
// CHECK-LABEL: func.func @moved
// CHECK: %[[PART:.*]] = tensor.extract_slice
// CHECK: tensor.insert_slice %[[PART]] into %{{.*}}[0, 3, 0] [1, 1, 100] [1, 1, 1] : tensor<1x100xf32> into tensor<1x64x100xf32>
func.func @moved(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %p = tensor.extract_slice %x[0, 0] [1, 100] [1, 1] : tensor<64x100xf32> to tensor<1x100xf32>
  %0 = tensor.insert_slice %p into %x[3, 0] [1, 100] [1, 1] : tensor<1x100xf32> into tensor<64x100xf32>
  return %0 : tensor<64x100xf32>
}

// A part that is written after its tile was overwritten is copied before.
// CHECK-LABEL: func.func @swapped
// CHECK: %[[OLD:.*]] = tensor.extract_slice %{{.*}}[3, 0]
// CHECK: %[[COPY:.*]] = linalg.elemwise_binary {{.*}} ins(%[[OLD]], %[[OLD]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice
// CHECK: tensor.insert_slice %[[COPY]] into %[[FIRST]][5, 0]
func.func @swapped(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %a = tensor.extract_slice %x[5, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
  %0 = tensor.insert_slice %a into %x[3, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<64x128xf32>
  %b = tensor.extract_slice %x[3, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
  %1 = tensor.insert_slice %b into %0[5, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// Dimensions of one element that come back are not dropped first.
// CHECK-LABEL: func.func @unit_dims
// CHECK: tensor.extract_slice %{{.*}}[3, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
// CHECK-NOT: tensor.expand_shape
func.func @unit_dims(%x: tensor<64x128xf32>) -> tensor<1x128xf32> {
  %a = tensor.extract_slice %x[3, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<128xf32>
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [1, 128] : tensor<128xf32> into tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// The width of a column that is stored atomically must not be known.
// CHECK-LABEL: func.func @atomicColumn
// CHECK-SAME: %[[BLOCKS:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32)
// CHECK: %[[LEAST:.*]] = arith.minsi %[[BLOCKS]], %c1_i32
// CHECK: %[[WIDTH:.*]] = arith.index_cast %[[LEAST]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, %[[WIDTH]]] [1, 1]
// CHECK: %[[PLACE:.*]] = memref.subview %{{.*}}[0, 0] [%{{.*}}, %[[WIDTH]]] [1, 1]
// CHECK: hivm.hir.store ins(%[[PART]] : tensor<?x?xf32>) outs(%[[PLACE]]
func.func @atomicColumn(%lock: memref<?xi8>, %workspace: memref<?xi8>, %x: tensor<32x64xf32>,
                        %y: memref<32x64xf32, strided<[1, 1]>>, %n: index, %b: i32, %c: i32, %d: i32, %e: i32,
                        %f: i32, %g: i32) attributes {WorkspaceArgIdx = 1 : i64} {
  %p = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1] : tensor<32x64xf32> to tensor<?x1xf32>
  %q = memref.subview %y[0, 0] [%n, 1] [1, 1] : memref<32x64xf32, strided<[1, 1]>> to memref<?x1xf32, strided<[1, 1]>>
  hivm.hir.store ins(%p : tensor<?x1xf32>) outs(%q : memref<?x1xf32, strided<[1, 1]>>) atomic = <add>
  return
}
