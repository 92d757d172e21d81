//===- HIVMDialect.td - The vendor's dialects as far as we read them ------===//
//
// Declares `hivm` and `hacc`, the two dialects of the module that
// bishengir-compile hands to hivmc. We only read that module, so the dialects
// hold what occurs in it; attributes that nothing looks into stay text.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD
#define TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD

include "mlir/IR/OpBase.td"

def HIVM_Dialect : Dialect {
  let name = "hivm";
  let cppNamespace = "::tilekiln::hivm";
  let summary = "the part of the vendor's HIVM that reaches hivmc";
  let description = [{
    Ops carry the vendor's spelling and attribute names, so that both its
    pretty and its generic text parse. An op that should have been lowered
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

#endif // TILEKILN_DIALECT_HIVM_HIVMDIALECT_TD
