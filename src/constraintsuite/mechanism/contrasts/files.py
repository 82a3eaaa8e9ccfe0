"""Contrasts on disk: one a line, checked when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.records import (
    QUERY_ROLES,
    TEXT_ROLES,
    Marked,
    MarkedContrast,
    MarkedPair,
    TokenRole,
)
from constraintsuite.store.jsonl import read_lines, write_jsonl

CONTRASTS = "contrasts.jsonl"


def write_contrasts(path: Path, contrasts: Iterable[MarkedContrast]) -> int:
    """Write a file of contrasts, which appears when it is whole; returns how many there are."""
    return write_jsonl(path, contrasts)


def read_contrasts(path: Path) -> list[MarkedContrast]:
    """The contrasts of a file; a line that does not fit is a UserError naming it."""
    found: dict[str, MarkedContrast] = {}
    for line in read_lines(path, MarkedContrast):
        fault = line.fault if line.record is None else fault_of(line.record)
        if line.record is not None and not fault and line.record.id in found:
            fault = f"the id {line.record.id!r} stands there twice."
        if fault or line.record is None:
            raise UserError(f"{path}:{line.number}: {fault}")
        found[line.record.id] = line.record
    if not found:
        raise UserError(f"{path}: there is no contrast in it.")
    return list(found.values())


def fault_of(contrast: MarkedContrast) -> str:
    """What is wrong with a contrast; empty if nothing is."""
    if (contrast.aside is None) != (contrast.aside_corrupt is None):
        return "aside and aside_corrupt go together: give both or none."
    pairs = {
        "better": contrast.better,
        "worse": contrast.worse,
        "better_corrupt": contrast.better_corrupt,
        "worse_corrupt": contrast.worse_corrupt,
        "aside": contrast.aside,
        "aside_corrupt": contrast.aside_corrupt,
    }
    for name, pair in pairs.items():
        fault = "" if pair is None else _fault_of_pair(pair)
        if fault:
            return f"{name}.{fault}"
    same = _texts(contrast.better) == _texts(contrast.better_corrupt)
    if same and _texts(contrast.worse) == _texts(contrast.worse_corrupt):
        return "clean and corrupt are the same."
    return ""


def _fault_of_pair(pair: MarkedPair) -> str:
    query, text = _fault_of_text(pair.query, QUERY_ROLES), _fault_of_text(pair.text, TEXT_ROLES)
    return f"query: {query}" if query else f"text: {text}" if text else ""


def _fault_of_text(marked: Marked, known: Sequence[TokenRole]) -> str:
    if not marked.text.strip():
        return "it is empty."
    for mark in marked.marks:
        if not 0 <= mark.start < mark.end <= len(marked.text):
            return f"a mark from {mark.start} to {mark.end} in {len(marked.text)} characters."
        if mark.role not in known:
            return f"the role {mark.role} does not belong there; known are {', '.join(known)}."
    if any(one.end > other.start for one, other in pairwise(marked.marks)):
        return "marks overlap or are not in order."
    return ""


def _texts(pair: MarkedPair) -> tuple[str, str]:
    return pair.query.text, pair.text.text
