//===- HIVMAttrs.td - Attributes of the vendor's final IR -----------------===//
//
// Memory spaces, pipes, events and core kinds: the attributes that the link
// check, the placement check and the simulator read. Values are the vendor's
// own numbers (pipe numbers appear in the device library's bitcode).
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HIVMATTRS_TD
#define TILEKILN_DIALECT_HIVM_HIVMATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tilekiln/Dialect/HIVM/HIVMDialect.td"

class HIVM_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tilekiln::hivm";
}

class HIVM_EnumAttr<HIVM_Enum enumeration, string mnemonic>
    : EnumAttr<HIVM_Dialect, enumeration, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def HIVM_AddressSpace : HIVM_Enum<"AddressSpace", "memory of an AI core", [
  I32EnumAttrCase<"Zero", 0, "zero">,
  I32EnumAttrCase<"GM", 1, "gm">,
  I32EnumAttrCase<"L1", 2, "cbuf">,
  I32EnumAttrCase<"L0A", 3, "ca">,
  I32EnumAttrCase<"L0B", 4, "cb">,
  I32EnumAttrCase<"L0C", 5, "cc">,
  I32EnumAttrCase<"UB", 6, "ub">
]>;
def HIVM_AddressSpaceAttr : HIVM_EnumAttr<HIVM_AddressSpace, "address_space">;

//===----------------------------------------------------------------------===//
// Pipes and events
//===----------------------------------------------------------------------===//

def HIVM_Pipe : HIVM_Enum<"Pipe", "in-order instruction queue", [
  I32EnumAttrCase<"S", 0, "PIPE_S">,
  I32EnumAttrCase<"V", 1, "PIPE_V">,
  I32EnumAttrCase<"M", 2, "PIPE_M">,
  I32EnumAttrCase<"MTE1", 3, "PIPE_MTE1">,
  I32EnumAttrCase<"MTE2", 4, "PIPE_MTE2">,
  I32EnumAttrCase<"MTE3", 5, "PIPE_MTE3">,
  I32EnumAttrCase<"ALL", 6, "PIPE_ALL">,
  I32EnumAttrCase<"MTE4", 7, "PIPE_MTE4">,
  I32EnumAttrCase<"MTE5", 8, "PIPE_MTE5">,
  I32EnumAttrCase<"V2", 9, "PIPE_V2">,
  I32EnumAttrCase<"FIX", 10, "PIPE_FIX">
]>;
def HIVM_PipeAttr : HIVM_EnumAttr<HIVM_Pipe, "pipe">;

def HIVM_Event : HIVM_Enum<"Event", "flag between two pipes", [
  I32EnumAttrCase<"ID0", 0, "EVENT_ID0">,
  I32EnumAttrCase<"ID1", 1, "EVENT_ID1">,
  I32EnumAttrCase<"ID2", 2, "EVENT_ID2">,
  I32EnumAttrCase<"ID3", 3, "EVENT_ID3">,
  I32EnumAttrCase<"ID4", 4, "EVENT_ID4">,
  I32EnumAttrCase<"ID5", 5, "EVENT_ID5">,
  I32EnumAttrCase<"ID6", 6, "EVENT_ID6">,
  I32EnumAttrCase<"ID7", 7, "EVENT_ID7">
]>;
def HIVM_EventAttr : HIVM_EnumAttr<HIVM_Event, "event">;

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

def HIVM_FuncCoreType : HIVM_Enum<"FuncCoreType", "core a function runs on", [
  I32EnumAttrCase<"AIC", 1>,
  I32EnumAttrCase<"AIV", 2>,
  I32EnumAttrCase<"MIX", 3>,
  I32EnumAttrCase<"AIC_OR_AIV", 4>
]>;
def HIVM_FuncCoreTypeAttr : HIVM_EnumAttr<HIVM_FuncCoreType, "func_core_type">;

def HIVM_ModuleCoreType : HIVM_Enum<"ModuleCoreType", "cores of a module", [
  I32EnumAttrCase<"AIC", 1>,
  I32EnumAttrCase<"AIV", 2>,
  I32EnumAttrCase<"MIX", 3>
]>;
def HIVM_ModuleCoreTypeAttr
    : HIVM_EnumAttr<HIVM_ModuleCoreType, "module_core_type">;

def HIVM_CoreType : HIVM_Enum<"CoreType", "side of a cross-core flag", [
  I32EnumAttrCase<"CUBE", 1>,
  I32EnumAttrCase<"VECTOR", 2>,
  I32EnumAttrCase<"CUBE_OR_VECTOR", 3>,
  I32EnumAttrCase<"CUBE_AND_VECTOR", 4>
]>;
def HIVM_CoreTypeAttr : HIVM_EnumAttr<HIVM_CoreType, "tcore_type">;

//===----------------------------------------------------------------------===//
// Cross-core synchronisation
//===----------------------------------------------------------------------===//

def HIVM_SyncInstrMode : HIVM_Enum<"SyncInstrMode", "who a cross-core flag counts", [
  I32EnumAttrCase<"InterBlock", 0, "INTER_BLOCK_SYNCHRONIZATION">,
  I32EnumAttrCase<"InterSubblock", 1, "INTER_SUBBLOCK_SYNCHRONIZATION">,
  I32EnumAttrCase<"IntraBlock", 2, "INTRA_BLOCK_SYNCHRONIZATION">
]>;
def HIVM_SyncInstrModeAttr
    : HIVM_EnumAttr<HIVM_SyncInstrMode, "sync_block_instr_mode">;

//===----------------------------------------------------------------------===//
// Stores that we write
//===----------------------------------------------------------------------===//

def HIVM_AtomicKind : HIVM_Enum<"AtomicKind", "how a store combines with memory", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"And", 4, "and">,
  I32EnumAttrCase<"Or", 5, "or">,
  I32EnumAttrCase<"Xor", 6, "xor">
]>;
def HIVM_AtomicKindAttr : HIVM_EnumAttr<HIVM_AtomicKind, "atomic_kind">;

#endif // TILEKILN_DIALECT_HIVM_HIVMATTRS_TD
