// Bit 48 of the control register: set, as the runtime leaves it, a number that a
// narrower float cannot hold becomes infinity; clear, the largest number.
// RUN: tilekiln-sim %s --target %targets/ascend910b3.json | FileCheck %s --check-prefix=SPECIALS
// SPECIALS: [inf,inf,inf,inf
// RUN: sed "s|//@clear ||" %s | tilekiln-sim - --target %targets/ascend910b3.json | FileCheck %s --check-prefix=SATURATES
// SATURATES: [65504.000000,65504.000000,65504.000000,65504.000000

!wide = memref<16xf32, #hivm.address_space<ub>>
!narrow = memref<16xf16, #hivm.address_space<ub>>
module {
  func.func private @broadcast_scalar_float_to_1d(f32, !wide)
  func.func private @vcast_float_to_half_1d_with_mode(!wide, !narrow, i32)
  func.func private @print_1d_half_ubuf(i64, i64, !narrow, i8)
  func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
      %lock: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
      %ws: memref<?xi8, #hivm.address_space<gm>> {hacc.arg_type = #hacc.arg_type<workspace>},
      %gx: i32, %gy: i32, %gz: i32)
      attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<AIV>} {
    %at0 = arith.constant 0 : i64
    %at256 = arith.constant 256 : i64
    %plain = arith.constant 0 : i8
    %rint = arith.constant 0 : i32
    %large = arith.constant 1.0e+06 : f32
    %wide = hivm.hir.pointer_cast(%at0) : !wide
    %narrow = hivm.hir.pointer_cast(%at256) : !narrow
    //@clear hivm.hir.set_ctrl false at ctrl[48]
    call @broadcast_scalar_float_to_1d(%large, %wide) : (f32, !wide) -> ()
    hivm.hir.pipe_barrier[<PIPE_V>]
    call @vcast_float_to_half_1d_with_mode(%wide, %narrow, %rint) : (!wide, !narrow, i32) -> ()
    call @print_1d_half_ubuf(%at0, %at0, %narrow, %plain) : (i64, i64, !narrow, i8) -> ()
    return
  }
}
