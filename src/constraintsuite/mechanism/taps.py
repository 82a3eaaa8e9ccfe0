"""Where a site is reached in a model's modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from constraintsuite.errors import UserError
from constraintsuite.mechanism.families.base import ModelFamily
from constraintsuite.mechanism.sites import Site

if TYPE_CHECKING:
    import torch

_THREE = ("query", "key", "value")


@dataclass(frozen=True)
class Tap:
    """What enters a module or what it gives, seen as equal parts side by side, and which of them is the site."""

    module: torch.nn.Module
    side: Literal["input", "output"]
    parts: int = 1
    number: int = 0
    weights: bool = False
    """Whether weights of attention pass: (rows, heads, queries, keys). All else is (rows, positions, width)."""
    within: torch.nn.Module | None = None
    """If set, only the first use of the module in each pass of this one counts."""

    def open(self, passing: torch.Tensor) -> torch.Tensor:
        """A view of what passes by parts: (rows, parts, positions, width of a part)."""
        return passing if self.weights else passing.unflatten(-1, (self.parts, -1)).transpose(1, 2)

    @property
    def part(self) -> slice:
        """Which of the module's inputs or outputs are the site's: columns or rows of its weights."""
        if self.parts == 1:
            return slice(None)
        width = (self.module.in_features if self.side == "input" else self.module.out_features) // self.parts
        return slice(self.number * width, (self.number + 1) * width)


class HeadPart(NamedTuple):
    """How many parts the width of a module has, and which of them is meant."""

    parts: int
    number: int


def head_part(family: ModelFamily, site: Site, heads: int) -> HeadPart:
    """Where a head's site stands in its module's width; head -1 means all of them."""
    fused = site.kind in _THREE and family.fused != "no"
    which = _THREE.index(site.kind) if fused else 0
    if site.head == -1:
        if fused and family.fused == "by head":
            raise UserError(f"{site.kind}: this family keeps those of a head together; name one head at a time.")
        return HeadPart(3, which) if fused else HeadPart(1, 0)
    if not fused:
        return HeadPart(heads, site.head)
    return HeadPart(3 * heads, which * heads + site.head if family.fused == "thirds" else 3 * site.head + which)


def module_path(family: ModelFamily, site: Site) -> str:
    """The module of a site below its block; `pattern` through the library's interface and `residual` have none."""
    if site.kind == "head":
        return family.attention
    if site.kind == "pattern":
        return family.pattern_module
    path: str = getattr(family, site.kind)
    return path


def side_of(site: Site) -> Literal["input", "output"]:
    """Heads are what enters the projection behind them; all else is what a module gives."""
    return "input" if site.kind == "head" else "output"
