//===- HIVMOps.td - Ops that hivmc is given -------------------------------===//
//
// Everything else in the final IR is a call into the device library or an
// upstream op; the store at the end is of linked IR. Spelling, attribute names
// and operand order are the vendor's.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HIVMOPS_TD
#define TILEKILN_DIALECT_HIVM_HIVMOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilekiln/Dialect/HIVM/HIVMAttrs.td"

class HIVM_Op<string name, list<Trait> traits = []>
    : Op<HIVM_Dialect, "hir." # name, traits>;

//===----------------------------------------------------------------------===//
// Order inside one core
//===----------------------------------------------------------------------===//

class HIVM_FlagOp<string name> : HIVM_Op<name> {
  let arguments = (ins HIVM_PipeAttr:$set_pipe, HIVM_PipeAttr:$wait_pipe,
                       OptionalAttr<HIVM_EventAttr>:$static_event_id,
                       Optional<I64>:$dynamic_event_id);
  let assemblyFormat = [{
    `[` $set_pipe `,` $wait_pipe `,`
    custom<EventId>($static_event_id, $dynamic_event_id) `]` attr-dict
  }];
  let hasVerifier = 1;
}

def HIVM_SetFlagOp : HIVM_FlagOp<"set_flag"> {
  let summary = "raises an event once `set_pipe` has finished what is before";
}

def HIVM_WaitFlagOp : HIVM_FlagOp<"wait_flag"> {
  let summary = "holds `wait_pipe` until the event is raised, and lowers it";
}

def HIVM_PipeBarrierOp : HIVM_Op<"pipe_barrier"> {
  let summary = "later instructions of a pipe wait for its earlier ones";
  let arguments = (ins HIVM_PipeAttr:$pipe);
  let assemblyFormat = "`[` $pipe `]` attr-dict";
}

//===----------------------------------------------------------------------===//
// Order between cores
//===----------------------------------------------------------------------===//

def HIVM_SyncBlockSetOp
    : HIVM_Op<"sync_block_set", [AttrSizedOperandSegments]> {
  let summary = "raises a cross-core flag once `tpipe` has finished";
  let arguments = (ins HIVM_CoreTypeAttr:$tcore_type, HIVM_PipeAttr:$tpipe,
                       HIVM_PipeAttr:$pipe,
                       OptionalAttr<APIntAttr>:$static_flag_id,
                       Optional<I64>:$dynamic_flag_id,
                       Optional<I64>:$ffts_base_addr,
                       OptionalAttr<HIVM_SyncInstrModeAttr>:$tsync_instr_mode);
  let assemblyFormat = [{
    attr-dict `[` $tcore_type `,` $tpipe `,` $pipe `]`
    `flag` `=` custom<FlagId>($static_flag_id, $dynamic_flag_id)
    (`ffts_base_addr` `=` $ffts_base_addr^)?
    (`sync_instr_mode` `=` $tsync_instr_mode^)?
  }];
  let hasVerifier = 1;
}

def HIVM_SyncBlockWaitOp : HIVM_Op<"sync_block_wait"> {
  let summary = "holds `pipe` until a cross-core flag is raised";
  let arguments = (ins HIVM_CoreTypeAttr:$tcore_type, HIVM_PipeAttr:$tpipe,
                       HIVM_PipeAttr:$pipe,
                       OptionalAttr<APIntAttr>:$static_flag_id,
                       Optional<I64>:$dynamic_flag_id);
  let assemblyFormat = [{
    attr-dict `[` $tcore_type `,` $tpipe `,` $pipe `]`
    `flag` `=` custom<FlagId>($static_flag_id, $dynamic_flag_id)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

class HIVM_CoreQueryOp<string name> : HIVM_Op<name, [Pure]> {
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `->` type($result)";
}

def HIVM_GetBlockIdxOp : HIVM_CoreQueryOp<"get_block_idx"> {
  let summary = "number of the block; the same on a block's AIC and AIVs";
}
def HIVM_GetBlockNumOp : HIVM_CoreQueryOp<"get_block_num"> {
  let summary = "blocks of the launch";
}
def HIVM_GetSubBlockIdxOp : HIVM_CoreQueryOp<"get_sub_block_idx"> {
  let summary = "0 or 1: which AIV of the block";
}
def HIVM_GetSubBlockNumOp : HIVM_CoreQueryOp<"get_sub_block_num"> {
  let summary = "AIVs of the block";
}
// Not Pure: two reads differ.
def HIVM_GetSysCntOp : HIVM_Op<"get_sys_cnt"> {
  let summary = "cycle counter";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def HIVM_PointerCastOp
    : HIVM_Op<"pointer_cast", [Pure, AttrSizedOperandSegments]> {
  let summary = "on-chip buffer at a byte address that memory planning chose";
  let arguments = (ins Variadic<I64>:$addrs, Variadic<Index>:$dynamic_sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    `(` $addrs `)` (`[` $dynamic_sizes^ `]`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def HIVM_BitcastOp : HIVM_Op<"bitcast", [Pure]> {
  let summary = "the same bytes under another element type";
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Core state
//===----------------------------------------------------------------------===//

def HIVM_SetFftsBaseAddrOp : HIVM_Op<"set_ffts_base_addr"> {
  let summary = "where cross-core flags live";
  let arguments = (ins I64:$ffts_base_addr);
  let assemblyFormat = "$ffts_base_addr attr-dict";
}

def HIVM_SetMaskNormOp : HIVM_Op<"set_mask_norm"> {
  let summary = "vector mask is a bit set, not an element count";
  let assemblyFormat = "attr-dict";
}

def HIVM_SetCtrlOp : HIVM_Op<"set_ctrl"> {
  let summary = "one bit of the control register";
  let arguments = (ins BoolAttr:$enable, I64Attr:$idx);
  let assemblyFormat = "$enable `at` `ctrl` `[` $idx `]` attr-dict";
}

//===----------------------------------------------------------------------===//
// In linked IR
//===----------------------------------------------------------------------===//

def HIVM_StoreOp : HIVM_Op<"store", [VendorInput]> {
  let summary = "writes a tile to global memory, combined with what is there";
  let description = [{
    ```mlir
    hivm.hir.store ins(%t : tensor<64xf32>) outs(%m : memref<64xf32>) atomic = <add>
    ```
    The start of the tile in UB must be a multiple of 32 bytes: the device
    library skips an atomic store otherwise.
  }];
  let arguments = (ins AnyShaped:$source,
                       Arg<AnyShaped, "", [MemRead, MemWrite]>:$dest,
                       OptionalAttr<HIVM_AtomicKindAttr>:$atomic_kind);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $dest `:` type($dest) `)`
    attr-dict (`atomic` `=` $atomic_kind^)? (`->` type($results)^)?
  }];
}

#endif // TILEKILN_DIALECT_HIVM_HIVMOPS_TD
