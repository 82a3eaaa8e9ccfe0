"""The readers of quantities that `values.py` compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constraintsuite.text.quantities.reader import read_quantities
from values import Found, Reader


def label(item: Mapping[str, Any]) -> Found:
    """A labelled quantity in the form that is compared: both bounds and the unit."""
    return Found(item["start"], item["end"], (_number(item["low"]), _number(item["high"]), item["unit"]))


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def ours(texts: Sequence[str]) -> list[list[Found]]:
    """The reader of this package."""
    return [
        [Found(one.start, one.end, (_number(one.low), _number(one.high), one.unit)) for one in read_quantities(text)]
        for text in texts
    ]


READERS: dict[str, Reader] = {"ours": ours}
