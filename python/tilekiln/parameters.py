"""The declared parameters of a kernel, and the extents that are known only at a launch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A tensor or a scalar, as the kernel declares it. An unknown extent is a symbol's name."""

    name: str
    kind: str  # "tensor" or "scalar"
    dtype: str
    shape: tuple[int | str, ...] = ()
    strides: tuple[int | str, ...] = ()
    written: bool = True

    @property
    def is_tensor(self) -> bool:
        """False for a scalar."""
        return self.kind == "tensor"

    @classmethod
    def from_json(cls, fields: dict) -> Parameter:
        """From an entry of what the extension module gives as parameters."""
        return cls(fields["name"], fields["kind"], fields["dtype"], tuple(fields.get("shape") or ()),
                   tuple(fields.get("strides") or ()), fields.get("written", True))

    def __str__(self) -> str:
        if not self.is_tensor:
            return f"{self.name}: {self.dtype}"
        return f"{self.name}: {self.dtype}[{', '.join(str(extent) for extent in self.shape)}]"


class Symbols:
    """Values of the symbolic extents, each with the argument that gave it."""

    def __init__(self):
        self.values: dict[str, int] = {}
        self._origins: dict[str, str] = {}

    def define(self, symbol: str, value: int, origin: str) -> None:
        """Raises ValueError where another argument gave another value."""
        known = self.values.setdefault(symbol, value)
        first = self._origins.setdefault(symbol, origin)
        if known != value:
            raise ValueError(f"{origin} makes {symbol} {value}, but {first} makes it {known}")

    def resolve(self, parameter: Parameter) -> tuple[int, ...]:
        """The shape of a tensor to allocate. Raises ValueError where a symbol has no value yet."""
        unknown = [e for e in parameter.shape if isinstance(e, str) and e not in self.values]
        if unknown:
            raise ValueError(f"the shape of {parameter} needs a value for {unknown[0]}, which no argument gives: "
                             f"pass {parameter.name} as an argument")
        return tuple(self.values[e] if isinstance(e, str) else e for e in parameter.shape)
