// RUN: not tilekiln-hivm %s 2>&1 >/dev/null | FileCheck %s

// CHECK: no-entry.mlir:[[#@LINE+1]]:1: error: no function of the final IR is an entry{{.*}}[no-entry]
func.func @k() {
  return
}
