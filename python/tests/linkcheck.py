"""Reads a final IR independently of the compiler: does all of it exist that hivmc would need?"""

import functools
import re
import shutil
import subprocess

from tilekiln import vendor

# Operations that the vendor's compiler lowers to calls; one left over means that it gave up silently.
UNLOWERED = re.compile(r"\b(hivm\.hir\.(?:v[a-z0-9]+|nd2nz|mmadL1|fixpipe|load|store|copy|matmul)|"
                       r"(?:linalg|hfusion|bufferization|tensor)\.[a-z_]+)\b")
CALL = re.compile(r"\bcall @([A-Za-z0-9_$.]+)")
DEFINED = re.compile(r"func\.func (?:private )?@([A-Za-z0-9_$.]+)\(.*\{\s*$", re.MULTILINE)


@functools.lru_cache(maxsize=1)
def library_functions() -> frozenset[str]:
    """Names in the vendor's bitcode library, without the prefix of MLIR's C interface."""
    folder = vendor.find_device_library(vendor.find_compiler())
    assert folder is not None, "the vendor's device library is not installed"
    tool = shutil.which("llvm-nm-19") or "llvm-nm"
    files = [str(folder / f"meta_op.{part}.bc") for part in ("aic", "aiv", "mix.aic", "mix.aiv")]
    listed = subprocess.run([tool, "--defined-only", *files], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"_mlir_ciface_(\S+)", listed))


def problems(final_ir: str) -> list[str]:
    """What hivmc could not take: calls of functions that do not exist, operations left unlowered."""
    known = library_functions() | set(DEFINED.findall(final_ir))
    missing = sorted({name for name in CALL.findall(final_ir) if name not in known})
    left = sorted({match[1] for match in UNLOWERED.finditer(final_ir)})
    return [f"@{name} exists nowhere" for name in missing] + [f"{op} is unlowered" for op in left]
