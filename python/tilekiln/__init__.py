"""TileKiln: TileLang kernels for Ascend 910B3, compiled and run without the hardware.

    import tilekiln
    kernel = tilekiln.compile(prim_func)      # values on the CPU
    kernel(a, b, c)                           # numpy arrays or torch CPU tensors, in place
    print(kernel.ir("linked"), kernel.report())

`import tilekiln` needs numpy alone; tilelang is imported when a kernel of it is given.
"""

from tilekiln.errors import CompileError, CompileWarning, LaunchError, Message
from tilekiln.kernel import Kernel, Parameter, compile
from tilekiln.stages import STAGES

__version__ = "0.1.0"

__all__ = [
    "STAGES",
    "CompileError",
    "CompileWarning",
    "Kernel",
    "LaunchError",
    "Message",
    "Parameter",
    "compile",
]
