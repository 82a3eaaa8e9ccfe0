"""Read files of contrasts: marked ones as an analysis writes them, and plain ones of a user, whose marks are found here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Split
from constraintsuite.core.store.jsonl import read_lines
from constraintsuite.mechanism.contrasts.records import (
    HALVES,
    QUERY_ROLES,
    TEXT_ROLES,
    ContrastHalf,
    ContrastSide,
    Marked,
    MarkedContrast,
    MarkedPair,
    RoleSpans,
    TokenRole,
)
from constraintsuite.mechanism.contrasts.role_marks import find_words, mark_queries, mirror
from constraintsuite.mechanism.contrasts.selection import half_of
from constraintsuite.mechanism.contrasts.unrelated_pairs import unrelated_pair
from constraintsuite.text.mentions import find_forms, surface_forms

CONTRASTS = "contrasts.jsonl"
T = TypeVar("T")


def read_contrasts(path: Path) -> list[MarkedContrast]:
    """Read a file of marked contrasts. Raises UserError that names a wrong line."""
    return _read(path, MarkedContrast, lambda contrast: contrast)


def read_either(path: Path, seed: int = 0) -> list[MarkedContrast]:
    """Read a file of plain contrasts, whose lines have a `query`, or of marked ones, whose lines have none."""
    first = next((line.record for line in read_lines(path, dict[str, Any])), None)
    if first is not None and "query" in first:
        return _read(path, PlainContrast, lambda plain: mark_plain(plain, seed))
    if first is not None and "better_corrupt" not in first:
        raise UserError(
            f"{path}:1: this is not a contrast. A plain one has id, query, query_corrupt, better and worse; a marked one all keys of "
            "a contrasts.jsonl. docs/mechanism.md has an example of each."
        )
    return read_contrasts(path)


def _read(path: Path, kind: type[T], mark: Callable[[T], MarkedContrast]) -> list[MarkedContrast]:
    found: dict[str, MarkedContrast] = {}
    for line in read_lines(path, kind):
        contrast = None if line.record is None else mark(line.record)
        fault = line.fault if contrast is None else fault_of(contrast)
        if contrast is not None and contrast.id in found:
            fault = fault or f"the id {contrast.id!r} occurs twice."
        if fault or contrast is None:
            raise UserError(f"{path}:{line.number}: {fault}")
        found[contrast.id] = contrast
    if not found:
        raise UserError(f"{path}: there is no contrast in it.")
    return list(found.values())


def fault_of(contrast: MarkedContrast) -> str:
    """What is wrong with a contrast, or an empty text."""
    if (contrast.aside is None) != (contrast.aside_corrupt is None):
        return "aside and aside_corrupt go together: give both or none."
    for name in ("better", "worse", "better_corrupt", "worse_corrupt", "aside", "aside_corrupt"):
        pair: MarkedPair | None = getattr(contrast, name)
        for part, known in (("query", QUERY_ROLES), ("text", TEXT_ROLES)) if pair is not None else ():
            fault = _fault_of_text(getattr(pair, part), known)
            if fault:
                return f"{name}.{part}: {fault}"
    same = _texts(contrast.better) == _texts(contrast.better_corrupt)
    if same and _texts(contrast.worse) == _texts(contrast.worse_corrupt):
        return "clean and corrupt are the same."
    return ""


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


@dataclass(frozen=True, slots=True)
class PlainContrast:
    """A contrast without marks. An empty field of the corrupt run has the value of the clean run."""

    id: str
    query: str
    better: str
    """The text that should score higher under the query."""
    worse: str
    query_corrupt: str = ""
    better_corrupt: str = ""
    worse_corrupt: str = ""
    y: tuple[str, ...] = ()
    """Names of what the query excludes; singular and plural are found by themselves."""
    cues: tuple[str, ...] = ()
    """Words in the texts that negate it. The cue of a query is the difference between the two queries."""
    aside: str = ""
    """An unrelated text, scored under both queries; or an unrelated query, if the texts differ."""
    cluster: str = ""
    """The same for contrasts that share a document; empty for one that shares none."""
    half: ContrastHalf | None = None
    """Decided by the cluster if it is missing."""
    split: Split | Literal[""] = ""


def mark_plain(plain: PlainContrast, seed: int = 0) -> MarkedContrast:
    """Find the marks of a plain contrast."""
    forms = [form for y in plain.y for form in (y, *surface_forms(y))]
    corrupt = plain.query_corrupt or plain.query
    clean_query, corrupt_query = mark_queries(plain.query, corrupt, forms)
    better, better_corrupt = _mark_texts(plain.better, plain.better_corrupt, plain.cues, forms)
    worse, worse_corrupt = _mark_texts(plain.worse, plain.worse_corrupt, plain.cues, forms)
    side: ContrastSide = "query" if corrupt != plain.query else "document"
    clusters = (plain.cluster or plain.id,)
    return MarkedContrast(
        id=plain.id,
        example="",
        slice="own",
        side=side,
        better=MarkedPair(clean_query, better),
        worse=MarkedPair(clean_query, worse),
        better_corrupt=MarkedPair(corrupt_query, better_corrupt),
        worse_corrupt=MarkedPair(corrupt_query, worse_corrupt),
        aside=unrelated_pair(plain.aside, side, clean_query, better),
        aside_corrupt=unrelated_pair(plain.aside, side, corrupt_query, better_corrupt),
        cue=plain.cues[0] if plain.cues else "",
        template="own",
        clusters=clusters,
        half=plain.half or half_of(clusters, seed) or HALVES[0],
        change=f"{plain.query} > {corrupt}" if side == "query" else "texts",
        y=plain.y[0] if plain.y else "",
        split=plain.split,
    )


def _mark_texts(clean: str, corrupt: str, cues: Sequence[str], forms: Sequence[str]) -> tuple[Marked, Marked]:
    spans = [RoleSpans(text, "d_other") for text in (clean, corrupt or clean)]
    for one in spans:
        one.paint((span for cue in cues for span in find_words(one.text, cue)), "d_cue")
        one.paint(find_forms(one.text, forms), "d_y")
    mirror(*spans)
    mirror(*spans[::-1])
    return spans[0].marked(), spans[1].marked()
