"""The checks of the tree itself: each must be able to fail."""

import importlib.util
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def load(tmp_path, monkeypatch):
    def module(name):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        monkeypatch.setattr(loaded, "ROOT", tmp_path)
        return loaded

    return module


@pytest.mark.parametrize("place, include, wrong", [
    ("lib/Analysis/Bounds.cpp", "tilekiln/Dialect/CommonIR/CommonIR.h", False),
    ("lib/Analysis/Bounds.cpp", "tilekiln/Transforms/Passes.h", True),
    ("lib/Transforms/Promote.cpp", "tilekiln/Conversion/Passes.h", True),
    ("include/tilekiln/Cpu/Executor.h", "tilekiln/Bishengir/Driver.h", True),
    ("lib/Driver/Compiler.cpp", "tilekiln/Bishengir/Driver.h", False),
    ("lib/Target/Machine.cpp", "mlir/IR/Operation.h", True),
    ("python/bindings/Module.cpp", "tilekiln/Cpu/Executor.h", True),
    ("python/bindings/Module.cpp", "tilekiln/Driver/Compiler.h", False),
    ("unittests/Import/JsonTest.cpp", "tilekiln/Driver/Compiler.h", True),
])
def test_layers(load, tmp_path, place, include, wrong):
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text(f'// A file.\n#include "{include}"\n')
    found = load("check_layers").complaints(file)
    assert bool(found) == wrong
    assert not wrong or found[0].startswith(f"{place}:2: error: ")


@pytest.mark.parametrize("name, text, wrong", [
    ("a.cpp", "int x;\n", False),
    ("a.cpp", "int x;\n" * 801, True),
    ("a.cpp", "b.getUnknown" + "Loc()\n", True),
    ("a.py", "open('/wor" + "k/x')\n", True),
    ("a.md", "see /tm" + "p/x\n", True),
    ("a.md", "see ./tmp/<hash>\n", False),
    ("a.py", "# TO" + "DO: later\n", True),
])
def test_style(load, tmp_path, name, text, wrong):
    (tmp_path / name).write_text(text)
    assert bool(load("check_style").complaints(name)) == wrong
