//===- HIVMDialect.td - The vendor's dialects as far as we read them ------===//
//
// Declares `hivm` and `hacc`, the two dialects of the module that
// bishengir-compile hands to hivmc, and `hfusion`, whose ops we give it. The
// dialects hold what we read or write; attributes that nothing looks into stay
// text.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD
#define TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD

include "mlir/IR/OpBase.td"

def HIVM_Dialect : Dialect {
  let name = "hivm";
  let cppNamespace = "::tilekiln::hivm";
  let summary = "the part of the vendor's HIVM that reaches hivmc, or that we write";
  let description = [{
    Ops carry the vendor's spelling and attribute names, so that both its
    pretty and its generic text parse, and it parses ours. An op that should have been lowered
    before hivmc (`vtanh`, `mmadL1` ...) parses into an unregistered op of this
    dialect: it can be listed, which a parse error could not.
  }];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                   mlir::Type type) const override;
    void printAttribute(mlir::Attribute attribute,
                        mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook>
    getParseOperationHook(llvm::StringRef name) const override;

    void registerAttributes();
  }];
}

def HACC_Dialect : Dialect {
  let name = "hacc";
  let cppNamespace = "::tilekiln::hacc";
  let summary = "the vendor's host-accelerator attributes";
  let description = [{
    Says which functions are entries, which run on the host and what the
    launcher passes. The device description has to be typed because the
    builtin `dlti` dialect asks it for its entries; the rest stays text.
  }];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                   mlir::Type type) const override;
    void printAttribute(mlir::Attribute attribute,
                        mlir::DialectAsmPrinter &printer) const override;

    void registerAttributes();
  }];
}

def HFusion_Dialect : Dialect {
  let name = "hfusion";
  let cppNamespace = "::tilekiln::hfusion";
  let summary = "the vendor's tile operations as far as we write them";
  let description = [{
    What linked IR says that no upstream op does: counting, rounding, printing.
    Their text is what bishengir-compile parses. In a final IR they are left
    over by mistake, as is every op of this dialect that we do not model; those
    parse into unregistered ops.
  }];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                   mlir::Type type) const override;
    void printAttribute(mlir::Attribute attribute,
                        mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook>
    getParseOperationHook(llvm::StringRef name) const override;

    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Input and output of the vendor's compiler
//===----------------------------------------------------------------------===//

/// An op of linked IR that hivmc does not take: a final IR that holds one was
/// not lowered to the end.
def VendorInput : NativeOpTrait<"VendorInput"> {
  let cppNamespace = "::tilekiln::hivm";
}

#endif // TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD
