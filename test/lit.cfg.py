"""lit's settings: tools of this build and LLVM's FileCheck on PATH."""

import os
import subprocess
import sys

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = lit_config.params.get("build", os.path.join(root, "build"))
llvm = subprocess.run(["llvm-config-19", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()

config.name = "TileKiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(build, "test")
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%targets", os.path.join(root, "share", "targets")))
config.substitutions.append(("%inputs", os.path.join(root, "unittests", "Sim", "Inputs")))
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm, os.environ["PATH"]])
