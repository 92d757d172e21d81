// The element form of an atomic update: its syntax, and what it refuses.
// RUN: tilekiln-opt %s -split-input-file -verify-diagnostics | FileCheck %s

#gm = #commonir.space<gm>
// CHECK-LABEL: func.func @histogram
func.func @histogram(%out: memref<16xf32, #gm>, %value: f32, %bin: index) {
  // CHECK: commonir.atomic_element add %{{.*}}, %{{.*}}[%{{.*}}] : f32, memref<16xf32, #commonir.space<gm>>
  commonir.atomic_element add %value, %out[%bin] : f32, memref<16xf32, #gm>
  return
}

// -----

func.func @atomic_element_c1(%out: memref<16xf32>, %value: f32, %bin: index) {
  // expected-error @+1 {{updates global memory, got 'memref<16xf32>' [atomic_element_c1]}}
  commonir.atomic_element add %value, %out[%bin] : f32, memref<16xf32>
  return
}

// -----

#gm = #commonir.space<gm>
func.func @atomic_element_c2(%out: memref<16xf32, #gm>, %value: i32, %bin: index) {
  // expected-error @+1 {{value of type 'i32' cannot update elements of type 'f32' [atomic_element_c2]}}
  commonir.atomic_element max %value, %out[%bin] : i32, memref<16xf32, #gm>
  return
}

// -----

#gm = #commonir.space<gm>
func.func @atomic_element_c3(%out: memref<16x16xf32, #gm>, %value: f32, %bin: index) {
  // expected-error @+1 {{needs 2 indices, got 1 [atomic_element_c3]}}
  commonir.atomic_element min %value, %out[%bin] : f32, memref<16x16xf32, #gm>
  return
}
