//===- HFusionOps.td - Tile ops of the vendor in linked IR ----------------===//
//
// Spelling, attribute names and operand order are the vendor's, so that its
// compiler reads what we print. It insists on a body for the first two when
// they come in generic form; in this one it makes the body itself.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HFUSIONOPS_TD
#define TILEKILN_DIALECT_HIVM_HFUSIONOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tilekiln/Dialect/HIVM/HIVMDialect.td"

class HFusion_Op<string name, list<Trait> traits = []>
    : Op<HFusion_Dialect, name, !listconcat(traits, [VendorInput])>;

def HFusion_RoundMode : I32EnumAttr<"RoundMode", "what a number without a match becomes", [
  I32EnumAttrCase<"Rint", 0, "rint">,
  I32EnumAttrCase<"Round", 1, "round">,
  I32EnumAttrCase<"Floor", 2, "floor">,
  I32EnumAttrCase<"Ceil", 3, "ceil">,
  I32EnumAttrCase<"Trunc", 4, "trunc">,
  I32EnumAttrCase<"Odd", 5, "odd">,
  I32EnumAttrCase<"TruncWithOverflow", 6, "truncwithoverflow">
]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tilekiln::hfusion";
}

def HFusion_RoundModeAttr
    : EnumAttr<HFusion_Dialect, HFusion_RoundMode, "round_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def HFusion_ArangeOp
    : HFusion_Op<"arange", [Pure, AttrSizedOperandSegments]> {
  let summary = "offset, offset + stride, offset + 2 stride, ...";
  let description = [{
    ```mlir
    %r = hfusion.arange offset[%c0] strides[%c1] outs(%e : tensor<128xi32>) -> tensor<128xi32>
    ```
    One stride for each dimension. With more than one dimension the device
    library counts on the scalar unit.
  }];
  let arguments = (ins Optional<Index>:$offset, Variadic<Index>:$strides,
                       AnyShaped:$init);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict (`offset` `[` $offset^ `]`)? `strides` `[` $strides `]`
    `outs` `(` $init `:` type($init) `)` (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def HFusion_CastOp : HFusion_Op<"cast", [Pure]> {
  let summary = "another element type, or whole numbers, in a round mode";
  let description = [{
    ```mlir
    %r = hfusion.cast {round_mode = #hfusion.round_mode<rint>}
        ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    ```
    `enable_overflow = false` makes f16 to i8 saturate; without it integers wrap.
  }];
  let arguments = (ins AnyShaped:$source, AnyShaped:$init,
                       HFusion_RoundModeAttr:$round_mode,
                       OptionalAttr<BoolAttr>:$enable_overflow);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $source `:` type($source) `)`
    `outs` `(` $init `:` type($init) `)` (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def HFusion_PrintOp : HFusion_Op<"print"> {
  let summary = "prints a scalar or a tile from the device";
  let description = [{
    ```mlir
    hfusion.print " x: " {hex = false} %x : tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, AnyType:$value);
  let assemblyFormat = "$prefix attr-dict $value `:` type($value)";
}

#endif // TILEKILN_DIALECT_HIVM_HFUSIONOPS_TD
