"""Where things outside the package are: the vendor's compiler, its device library, target descriptions."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

COMPILER = "bishengir-compile"


def find_compiler(chosen: str | None = None) -> Path | None:
    """The vendor's compiler: what was chosen, the package ascendnpu-ir, CANN or PATH, in this order."""
    if chosen:
        return Path(chosen)
    package = _package_folder("ascendnpuir")
    candidates = [package / "bin" / COMPILER] if package else []
    candidates += [root / "bin" / COMPILER for root in cann_folders()]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    on_path = shutil.which(COMPILER)
    return Path(on_path) if on_path else None


def find_device_library(compiler: Path | None, chosen: str | None = None) -> Path | None:
    """The folder of the vendor's device functions (meta_op.*.bc); it lies beside the compiler's."""
    if chosen:
        return Path(chosen)
    if compiler is None:
        return None
    folder = compiler.resolve().parent.parent / "lib"
    return folder if any(folder.glob("meta_op.*.bc")) else None


def find_hivmc() -> Path | None:
    """CANN's closed last stage, looked for as the vendor's compiler looks for it."""
    root = os.environ.get("BISHENG_INSTALL_PATH")
    if root:
        for candidate in (Path(root) / "hivmc", Path(root) / "bin" / "hivmc"):
            if candidate.is_file():
                return candidate
    on_path = shutil.which("hivmc")
    return Path(on_path) if on_path else None


def cann_folders() -> list[Path]:
    """Installed CANN toolkits: from CANN's own environment variables, then its usual place."""
    named = [os.environ.get(name) for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")]
    folders = [Path(name) for name in named if name]
    folders.append(Path("/usr/local/Ascend/ascend-toolkit/latest"))
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def share_folder() -> Path:
    """Target descriptions: inside an installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "share"
    return installed if installed.is_dir() else package.parent.parent / "share"


def _package_folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None
