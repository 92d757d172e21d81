// If this breaks, a misspelt option is taken for another.
// RUN: tilekiln-opt %s -check-bounds=out-of-bounds=maybe -verify-diagnostics

// expected-error @below {{unknown value 'maybe' of out-of-bounds; expected 'error' or 'zero'}}
func.func @kernel() {
  return
}
