//===- CommonIRDialect.td - The dialect, its attributes and enums ---------===//
#ifndef TILEKILN_COMMONIR_DIALECT_TD
#define TILEKILN_COMMONIR_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def CommonIR_Dialect : Dialect {
  let name = "commonir";
  let cppNamespace = "::tilekiln::commonir";
  let summary = "Tile programs with memory placement, for any accelerator";
  let description = [{
    One op per tile operation of the language, nothing of the author's meaning
    lost: scopes stay as written, and once a target's placement is decided it
    stays on the types. In buffer form tiles are memrefs; in value form the same
    ops take and give tensors. What upstream dialects have is used as it is.
    The numbered constraints are in docs/spec/commonir.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 0;
}

class CommonIR_Attr<string name, string attrMnemonic>
    : AttrDef<CommonIR_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def CommonIR_SpaceAttr : CommonIR_Attr<"Space", "space"> {
  let summary = "A memory space of the target, by name";
  let description = [{
    `#commonir.space<l0c>`: a memref's memory space and a tensor's encoding. The
    names are those of the target's description (share/targets), not of the
    dialect, so that a second accelerator is a second description.
  }];
  let parameters = (ins StringRefParameter<"name in the target's description">:$name);
  let hasCustomAssemblyFormat = 1;
}

def CommonIR_ReduceKind : I32EnumAttr<"ReduceKind", "how values are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"AbsSum", 3, "abssum">,
  I32EnumAttrCase<"AbsMax", 4, "absmax">, I32EnumAttrCase<"BitAnd", 5, "bitand">,
  I32EnumAttrCase<"BitOr", 6, "bitor">, I32EnumAttrCase<"BitXor", 7, "bitxor">]> {
  let cppNamespace = "::tilekiln::commonir";
}

def CommonIR_AtomicKind : I32EnumAttr<"AtomicKind", "an atomic update", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::tilekiln::commonir";
}

def CommonIR_ScanKind : I32EnumAttr<"ScanKind", "a running combination", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::tilekiln::commonir";
}

#endif // TILEKILN_COMMONIR_DIALECT_TD
