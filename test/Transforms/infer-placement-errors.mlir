// If this breaks, a target's description that lacks something crashes the compiler.
// RUN: not tilekiln-opt %s --infer-placement=target=%targets/ascend9.json 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e 's/"accumulator": "l0c", //' %targets/ascend910b3.json > %t-role.json
// RUN: not tilekiln-opt %s --infer-placement=target=%t-role.json 2>&1 | FileCheck %s --check-prefix=ROLE
// RUN: sed -e 's/"from": "l0c", "to": "ub"/"from": "l0c", "to": "l0a"/' %targets/ascend910b3.json > %t-path.json
// RUN: not tilekiln-opt %s --infer-placement=target=%t-path.json 2>&1 | FileCheck %s --check-prefix=PATH

// UNKNOWN: error: {{.*}}ascend9.json: cannot read the target's description: {{.*}}; known targets are {{.*}}ascend910b3
// ROLE: error: target '{{.*}}-role' gives no space the role accumulator; add it to "roles" in its description
// PATH: error: {{.*}}needs a tile in 'ub' that lies in 'l0c', and {{.*}}-path has no path between them

func.func @sum_on_the_vector_unit(%a: tensor<16x16xf16>) {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  commonir.launch (%bx) in (%c1) {
    %e = tensor.empty() : tensor<16x16xf32>
    %g = commonir.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf32>) clear %true -> tensor<16x16xf32>
    %x = math.exp %g : tensor<16x16xf32>
    commonir.print "x" %x : tensor<16x16xf32>
  }
  return
}
