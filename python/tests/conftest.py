"""What all tests share: the acceptance cases on the path, and a clean environment."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE / "cases")]
# For the processes that tests start.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")]))


def pytest_addoption(parser):
    parser.addoption("--all-mutants", action="store_true",
                     help="break the synchronisation of every acceptance case, not of ten (test_sim_mutants.py)")


@pytest.fixture(autouse=True)
def no_tilekiln_environment(monkeypatch):
    """Tests choose options themselves; what the shell has set does not reach them."""
    for name in list(os.environ):
        if name.startswith(("TILEKILN_", "DLC_", "TILELANG_USE_DLCOMPILER", "TILELANG_PRINT_COMMONIR")):
            monkeypatch.delenv(name)


@pytest.fixture
def seed_script():
    """The report's own scripts lie beside the checkout, where they are there at all."""
    def find(name: str) -> Path:
        path = ROOT.parent / "shared" / "seed" / name
        if not path.exists():
            pytest.skip(f"the report's script {name} is not beside this checkout (../shared/seed)")
        return path

    return find
