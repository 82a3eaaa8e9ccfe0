"""Reads the parts of answers that all wire formats share; what does not fit is a BadAnswer, never mended."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from constraintsuite.store.http.faults import BadAnswer


def numbered(rows: Sequence[object], count: int, answer: object) -> list[Mapping[str, object]]:
    """Rows that each have an `index`, in the order of these; every index from 0 up to `count` must be there once."""
    if len(rows) != count:
        raise BadAnswer(f"it has {len(rows)} results for {count} texts", answer)
    found: dict[int, Mapping[str, object]] = {}
    for row in rows:
        index = row.get("index") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or not isinstance(index, int) or isinstance(index, bool):
            raise BadAnswer("one of its results has no index", answer)
        if not 0 <= index < count:
            raise BadAnswer(f"it has a result with index {index}, for {count} texts", answer)
        if index in found:
            raise BadAnswer(f"it has two results with index {index}", answer)
        found[index] = row
    return [found[index] for index in range(count)]


def one_number(value: object, answer: object) -> float:
    """A finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # a whole number with hundreds of digits
            number = math.inf
        if math.isfinite(number):
            return number
    raise BadAnswer("it has {found} where a number is due", answer, value)


def model_of(answer: object) -> str:
    """The model that the server names, if any."""
    named = answer.get("model") if isinstance(answer, Mapping) else None
    return named if isinstance(named, str) else ""
