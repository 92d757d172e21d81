//===- CommonIROps.td - The ops of the tile language ----------------------===//
#ifndef TILEKILN_COMMONIR_OPS_TD
#define TILEKILN_COMMONIR_OPS_TD

include "tilekiln/Dialect/CommonIR/CommonIRDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "mlir/IR/OpAsmInterface.td"

class CommonIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<CommonIR_Dialect, mnemonic, traits>;

/// A tile: a memref in buffer form, a tensor in value form.
def CommonIR_Tile : AnyTypeOf<[AnyMemRef, AnyRankedTensor]>;

//===----------------------------------------------------------------------===//
// The kernel's frame
//===----------------------------------------------------------------------===//

def CommonIR_TensorOp : CommonIR_Op<"tensor", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A global tensor over a kernel's pointer argument";
  let description = [{
    Gives the pointer its declared shape and strides (in elements), as the author
    wrote them. `pad` is what reads outside of the shape give (zero if absent).

    ```mlir
    %A = commonir.tensor "A" %arg0 [%m, 64] strides [64, 1]
        : memref<?xf16> to memref<?x64xf16, strided<[64, 1]>, #commonir.space<gm>>
    ```
  }];
  let arguments = (ins StrAttr:$name, AnyMemRef:$pointer,
    Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides,
    OptionalAttr<AnyAttr>:$pad);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $name $pointer custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`pad` `(` $pad^ `)`)? attr-dict `:` type($pointer) `to` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    llvm::SmallVector<mlir::OpFoldResult> getMixedSizes();
    llvm::SmallVector<mlir::OpFoldResult> getMixedStrides();
  }];
}

def CommonIR_LaunchOp : CommonIR_Op<"launch", [SingleBlock, NoTerminator,
    RecursiveMemoryEffects, AutomaticAllocationScope,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Runs its body once per block of a grid";
  let description = [{
    The block indices are the body's arguments, in the author's order (the first
    one varies fastest over the launched blocks). A function may hold several
    launches; each starts after the one before it has finished everywhere.

    ```mlir
    commonir.launch (%bx, %by) in (%gx, %gy) { ... }
    ```
  }];
  let arguments = (ins Variadic<Index>:$grid);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "mlir::ValueRange":$grid)>];
}

def CommonIR_AllocOp : CommonIR_Op<"alloc", [
    MemoryEffects<[MemAlloc<DefaultResource>]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "An on-chip buffer, with the scope that the author gave it";
  let description = [{
    ```mlir
    %a_shared = commonir.alloc "a_shared" scope "shared" : memref<32x128xf16>
    ```
    Scopes are TileLang's: "shared", "fragment", "local", "var". The content is
    undefined until written.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$scope);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = "$name `scope` $scope attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def CommonIR_WindowOp : CommonIR_Op<"window", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A view of a global tensor that may reach past its edges";
  let description = [{
    Like `memref.subview` with unit strides, except that the window may cross the
    tensor's end: reads outside give the tensor's pad value, writes outside are
    dropped. `dims` lists the tensor's dimensions that the result keeps; the
    others must have size 1. Only CommonIR's tile ops use a window.

    ```mlir
    %w = commonir.window %A[%b, %m0, %k0] [1, 128, 64] keep [1, 2]
        : memref<8x1000x512xf16, #gm> to memref<128x64xf16, strided<[512, 1], offset: ?>, #gm>
    ```
  }];
  let arguments = (ins AnyMemRef:$source,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$dims);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    `keep` $dims attr-dict `:` type($source) `to` type($result)
  }];
  let builders = [
    OpBuilder<(ins "mlir::Value":$source,
      "llvm::ArrayRef<mlir::OpFoldResult>":$offsets,
      "llvm::ArrayRef<mlir::OpFoldResult>":$sizes,
      "llvm::ArrayRef<int64_t>":$dims)>];
  let extraClassDeclaration = [{
    llvm::SmallVector<mlir::OpFoldResult> getMixedOffsets();
    llvm::SmallVector<mlir::OpFoldResult> getMixedSizes();
    /// The type of a window of these sizes onto `source`.
    static mlir::MemRefType inferResultType(mlir::MemRefType source,
        llvm::ArrayRef<mlir::OpFoldResult> offsets,
        llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::ArrayRef<int64_t> dims);
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Tile ops, in destination-passing style
//===----------------------------------------------------------------------===//

/// `init` is written; in value form each op returns the written tile.
class CommonIR_TileOp<string mnemonic, list<Trait> traits = []>
    : CommonIR_Op<mnemonic, !listconcat(traits, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  code inits = [{
    mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
  let extraClassDeclaration = inits;
}

def CommonIR_CopyOp : CommonIR_TileOp<"copy"> {
  let summary = "Moves a tile, converting its element type if the types differ";
  let description = [{
    Float to integer drops the fraction; float to a narrower float rounds to
    nearest even; integers wrap.
    ```mlir
    commonir.copy ins(%window : memref<...>) outs(%a_shared : memref<...>)
    %t = commonir.copy ins(%window : memref<...>) outs(%e : tensor<...>) -> tensor<...>
    ```
  }];
  let arguments = (ins CommonIR_Tile:$source, CommonIR_Tile:$init);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = inits # [{
    /// From global memory, and into it.
    bool isLoad();
    bool isStore();
  }];
  let hasCanonicalizer = 1;
}

def CommonIR_FillOp : CommonIR_TileOp<"fill"> {
  let summary = "Sets every element to one value";
  let arguments = (ins AnyType:$value, CommonIR_Tile:$init);
  let assemblyFormat = [{
    `ins` `(` $value `:` type($value) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
  let hasCanonicalizer = 1;
}

def CommonIR_GemmOp : CommonIR_TileOp<"gemm"> {
  let summary = "C = op(A) op(B), plus C unless cleared";
  let description = [{
    `clear` decides at run time whether the accumulator's old content counts;
    absent, it counts. op is the transpose where asked for.
    ```mlir
    commonir.gemm transpose_a ins(%a, %b : ...) outs(%c : ...) clear %first
    ```
  }];
  let arguments = (ins CommonIR_Tile:$a, CommonIR_Tile:$b, CommonIR_Tile:$init,
    Optional<I1>:$clear, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let assemblyFormat = [{
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $init `:` type($init) `)` (`clear` $clear^)?
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = inits # [{
    /// True where what the accumulator held surely does not count.
    bool alwaysClears();
  }];
  let hasCanonicalizer = 1;
}

def CommonIR_ReduceOp : CommonIR_TileOp<"reduce"> {
  let summary = "Combines the elements along one dimension";
  let description = [{
    With `accumulate` the old content of the destination is combined too.
    `nan_propagate`: a NaN wins in max and min (as in absmax); without it, it is
    left to the target. The destination has the source's shape without `dim`, or with 1 there.
  }];
  let arguments = (ins CommonIR_Tile:$source, CommonIR_Tile:$init,
    CommonIR_ReduceKind:$kind, I64Attr:$dim, UnitAttr:$accumulate,
    UnitAttr:$nan_propagate);
  let assemblyFormat = [{
    $kind `dim` $dim (`accumulate` $accumulate^)? (`nan_propagate` $nan_propagate^)?
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
}

def CommonIR_ScanOp : CommonIR_TileOp<"scan"> {
  let summary = "Running combination along one dimension, both ends included";
  let arguments = (ins CommonIR_Tile:$source, CommonIR_Tile:$init,
    CommonIR_ScanKind:$kind, I64Attr:$dim, UnitAttr:$reverse);
  let assemblyFormat = [{
    $kind `dim` $dim (`reverse` $reverse^)?
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
}

def CommonIR_TransposeOp : CommonIR_TileOp<"transpose"> {
  let summary = "Swaps the two dimensions of a matrix";
  let arguments = (ins CommonIR_Tile:$source, CommonIR_Tile:$init);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
}

def CommonIR_AtomicOp : CommonIR_Op<"atomic",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Updates a window of a global tensor, element by element, atomically";
  let arguments = (ins CommonIR_Tile:$source, AnyMemRef:$dest,
    CommonIR_AtomicKind:$kind);
  let assemblyFormat = [{
    $kind `ins` `(` $source `:` type($source) `)` `outs` `(` $dest `:` type($dest) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def CommonIR_AtomicElementOp : CommonIR_Op<"atomic_element",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Updates one element of a global tensor atomically";
  let description = [{
    For element-wise and serial work, where the address may come from data.
    ```mlir
    commonir.atomic_element add %x, %Out[%bin] : f32, memref<16xf32, strided<[1]>, #gm>
    ```
  }];
  let arguments = (ins CommonIR_AtomicKind:$kind, AnyType:$value, AnyMemRef:$dest,
    Variadic<Index>:$indices);
  let assemblyFormat = [{
    $kind $value `,` $dest `[` $indices `]` attr-dict `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def CommonIR_PrintOp : CommonIR_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Prints a scalar or a tile after a label";
  let arguments = (ins StrAttr:$label, AnyType:$value);
  let assemblyFormat = "$label $value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Element-wise work and the bridge between buffers and values
//===----------------------------------------------------------------------===//

def CommonIR_ElementwiseOp : CommonIR_Op<"elementwise", [SingleBlock, NoTerminator,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Scalar work over an iteration space, in any order (T.Parallel)";
  let description = [{
    The body reads and writes buffers and global tensors by `memref.load` and
    `memref.store`; its arguments are the indices. Iterations are independent.

    ```mlir
    commonir.elementwise (%i, %j) in (%c32, %c64) { ... }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "mlir::ValueRange":$extents)>];
}

def CommonIR_ReadOp : CommonIR_Op<"read",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The present content of an on-chip buffer, as a value";
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def CommonIR_WriteOp : CommonIR_Op<"write",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Replaces the content of an on-chip buffer by a value";
  let arguments = (ins AnyRankedTensor:$value, AnyMemRef:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `to` type($dest)";
  let hasVerifier = 1;
}

def CommonIR_IotaOp : CommonIR_Op<"iota", [Pure]> {
  let summary = "The numbers 0, 1, 2, ...";
  let description = [{
    ```mlir
    %i = commonir.iota : tensor<64xi32>
    ```
  }];
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TILEKILN_COMMONIR_OPS_TD
