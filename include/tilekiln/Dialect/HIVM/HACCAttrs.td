//===- HACCAttrs.td - The vendor's device description ---------------------===//
//
// `#hacc.target_device_spec` lists core counts and memory sizes (in bits). The
// builtin `dlti` dialect holds it and asks for its entries.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HACCATTRS_TD
#define TILEKILN_DIALECT_HIVM_HACCATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tilekiln/Dialect/HIVM/HIVMDialect.td"

def HACC_TargetDeviceSpecTrait
    : NativeAttrTrait<"TargetDeviceSpecInterface::Trait"> {
  let cppNamespace = "::mlir";
}

def HACC_TargetDeviceSpecAttr
    : AttrDef<HACC_Dialect, "TargetDeviceSpec", [HACC_TargetDeviceSpecTrait]> {
  let mnemonic = "target_device_spec";
  let summary = "sizes and counts of one device";
  let parameters = (ins
    ArrayRefParameter<"::mlir::DataLayoutEntryInterface">:$entries);
  let assemblyFormat = "`<` $entries `>`";
}

#endif // TILEKILN_DIALECT_HIVM_HACCATTRS_TD
