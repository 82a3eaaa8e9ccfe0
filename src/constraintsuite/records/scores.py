"""Numbers that carry their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the bounds of its 95 % interval and the number of items behind it; undefined is None."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def __str__(self) -> str:
        if self.value is None:
            return f"– (n={self.n})"
        bounds = "" if self.low is None or self.high is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.value:.3f}{bounds} n={self.n}"
