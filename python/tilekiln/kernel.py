"""compile() and the kernel that it returns."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

from tilekiln import arguments as argument_checks
from tilekiln import frontend, options, outputs
from tilekiln.errors import CompileError, CompileWarning, Message, as_messages
from tilekiln.parameters import Parameter
from tilekiln.report import Profile, Report
from tilekiln.stages import STAGES

__all__ = ["Kernel", "Parameter", "compile"]


def compile(prim_func: Any, target: str | None = None, device: str | None = None, *, arguments: Sequence[Any] = (),
            keywords: dict[str, Any] | None = None, out_idx: int | Sequence[int] | None = None, **given: Any) -> Kernel:
    """Compiles a TileLang kernel.

    prim_func   a PrimFunc, a tilelang.jit function, or a PrimFunc's JSON text
    target      "ascend910b3" unless told
    device      "cpu" unless told: the kernel runs on this machine; "sim": what the vendor's
                compiler makes of it runs on the simulated machine, and what is wrong with it
                is raised; "hivm": it is compiled down to the vendor's final IR and not run
    arguments, keywords   what a tilelang.jit function is called with
    out_idx     parameters that the kernel allocates and returns, as in tilelang.compile
    given       other options, see tilekiln.options; each has a TILEKILN_... variable

    Raises CompileError where the kernel is refused. Warnings of the compiler are shown as
    CompileWarning at the kernel's line.
    """
    resolved = options.resolve({"target": target, "device": device, **given})
    return build(frontend.source_of(prim_func, arguments, keywords), resolved, out_idx)


def build(source: frontend.Source, resolved: dict[str, Any], out_idx: int | Sequence[int] | None = None,
          kernel_class: type[Kernel] | None = None) -> Kernel:
    """The part of compile() behind the front end, for options that options.resolve returned."""
    core_options = {**options.for_compiler(resolved), "fallback_file": source.file, "fallback_line": source.line}
    handle = _core().compile(source.json, core_options)
    kernel = (kernel_class or Kernel)(handle, core_options["target"], core_options["device"],
                                      source.out_idx if out_idx is None else out_idx)
    for message in kernel.messages:
        if message.severity == "warning":
            warnings.warn_explicit(message.text, CompileWarning, message.file or "<kernel>", message.line)
    return kernel


class Kernel:
    """A compiled kernel; call it on arrays in the order of `parameters`."""

    def __init__(self, handle: Any, target: str, device: str, out_idx: int | Sequence[int] | None = None):
        self._handle = handle
        self.target = target
        self.device = device
        self.name: str = handle.name
        self.parameters = [Parameter.from_json(fields) for fields in json.loads(handle.parameters())]
        self.messages: list[Message] = as_messages(handle.messages())
        self.out_idx = outputs.normalise(out_idx, len(self.parameters))

    def __call__(self, *values: Any) -> Any:
        """Runs the kernel; outputs are written in place.

        Takes numpy arrays (ml_dtypes for bfloat16 and fp8), torch CPU tensors and numbers.
        Where the kernel has out_idx and those parameters are left out, they are allocated
        and returned.
        """
        everything, returned = self._with_outputs(values)
        self._handle.launch(argument_checks.pack(self.parameters, everything))
        if not returned:
            return None
        results = [everything[i] for i in self.out_idx]
        return results[0] if len(results) == 1 else results

    def profile(self, *arrays: Any, values: bool = True, trace: str | os.PathLike | None = None, progress: Any = None,
                **figures: Any) -> Profile:
        """Runs the kernel on the simulated machine and returns what it predicts.

        arrays      as for a call; with values=False none are needed where all shapes are
                    numbers and the kernel's control flow reads no data
        values      compute values too, in place; they decide nothing about the time
        trace       file for a Chrome trace (chrome://tracing, Perfetto)
        progress    called as progress(blocks done, blocks) from time to time
        figures     figures of the machine to replace: cores=24, clock=1850, or any
                    constant of its description

        The dictionary has "title" ("predicted (simulated Ascend 910B3, 20 cores)"),
        "predicted_us", "predicted_tflops", "predicted_gbps", "bound", "bound_us", "pipes",
        "bytes", "faults" and more ("pipes" tells the mean cycles of each instruction too), and
        "launches" with the same for each launch; print() shows it as tables. Nothing in it is
        measured.
        """
        packed = []
        if values and not arrays and self.parameters:
            raise TypeError(f"profile() got no arguments for {self!r}: pass them as in a call, or values=False to "
                            "predict the time alone")
        if arrays or values:
            everything, _ = self._with_outputs(arrays)
            packed = argument_checks.pack(self.parameters, everything)
        assignments = [f"{name}={value}" for name, value in figures.items()]
        return Profile(json.loads(self._handle.profile(packed, {
            "values": values, "set": assignments, "progress": progress, "trace_file": os.fspath(trace) if trace else ""})))

    def _with_outputs(self, values: Sequence[Any]) -> tuple[list[Any], bool]:
        """All arguments, and whether outputs among them were left out and allocated."""
        returned = bool(self.out_idx) and len(values) == len(self.parameters) - len(self.out_idx)
        everything = outputs.with_outputs(self.parameters, self.out_idx, values) if returned else list(values)
        return everything, returned

    def ir(self, stage: str) -> str:
        """The text of a stage: "commonir", "tiles", "linked" or "hivm"."""
        if stage not in STAGES:
            raise ValueError(f"unknown stage {stage!r}: there are {', '.join(STAGES)}")
        return self._handle.ir(stage)

    def report(self) -> Report:
        """Unit, memory spaces, buffering, workspace bytes, global round trips, times, vendor's messages.

        A dictionary; print() shows its main figures as text.
        """
        return Report(json.loads(self._handle.report()))

    def __repr__(self) -> str:
        return f"<tilekiln.Kernel {self.name}({', '.join(map(str, self.parameters))}) for {self.target} on {self.device}>"


def _core() -> Any:
    try:
        from tilekiln import _core
    except ImportError as missing:
        raise CompileError(f"tilekiln's extension module cannot be loaded ({missing}): build it with `make build`") from None
    return _core
