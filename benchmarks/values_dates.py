"""Readers of dates to compare, for `values.py`."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constraintsuite.text.dates.read import read_dates
from values import Found, Reader


def label(item: Mapping[str, Any]) -> Found:
    return Found(item["start"], item["end"], (item["from"], item["to"]))


def _ours(texts: Sequence[str]) -> list[list[Found]]:
    return [[Found(one.start, one.end, (one.first.isoformat(), one.last.isoformat())) for one in read_dates(text)] for text in texts]


READERS: dict[str, Reader] = {"ours": _ours}
