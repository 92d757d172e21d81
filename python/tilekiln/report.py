"""What a kernel became and what is predicted of it: dictionaries that print as text for a person.

Programs read the entries, and json.dumps() takes them as they are; print() shows the
figures that an author looks for first.
"""

from __future__ import annotations

import json
from typing import Any


class Report(dict):
    """Of Kernel.report(): unit, memory, buffering and round trips of every launch; times of the compilation."""

    def __str__(self) -> str:
        spent = self.get("timings_ms", {})
        lines = [f"kernel '{self['kernel']}' for {self['target']}, compiled for device {self['device']}"]
        for launch in self["launches"]:
            lines += _launch(launch)
        if "vendor_error" in self:
            lines.append(f"  {self['vendor_error']}")
        if spent:
            lines.append("  compiled in " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in spent.items()))
        return "\n".join(lines)


class Profile(dict):
    """Of Kernel.profile(): what the simulated machine predicts."""

    def __str__(self) -> str:
        from tilekiln import _core

        return _core.profile_text(json.dumps(self)).rstrip("\n")


def _launch(launch: dict[str, Any]) -> list[str]:
    """A launch, as the vendor's final IR has it where there is one."""
    if "unit" not in launch:
        return [f"  launch '{launch['name']}' is meant for the unit {launch['meant_unit']}; no vendor's compiler has seen it"]
    lines = [f"  launch '{launch['name']}' on the unit {launch['unit']}",
             f"    round trips through global memory: {launch['global_round_trips']}, "
             f"workspace: {launch['workspace_bytes_per_block']} bytes a block"]
    for space, used in launch["used_bytes"].items():
        lines.append(f"    {space}: {used} bytes used (buffers of different times share them)")
        for buffer in launch["buffers"]:
            if buffer["space"] == space:
                copies = f"{buffer['copies']} copies (double-buffered)" if buffer["copies"] > 1 else "1 copy"
                lines.append(f"      {buffer['type']}, {buffer['bytes']} bytes, {copies}")
    return lines + [f"    the vendor's compiler says: {text}" for text in (*launch["vendor_notes"], *launch["vendor_messages"])]
