"""One's own contrasts, from plain texts: say what differs and which words matter, and the marks are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.files import fault_of, read_contrasts
from constraintsuite.mechanism.contrasts.halves import half_of
from constraintsuite.mechanism.contrasts.painting import Painting
from constraintsuite.mechanism.contrasts.queries import find_words, mark_queries
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, Marked, MarkedContrast, MarkedPair
from constraintsuite.mechanism.contrasts.texts import mirror
from constraintsuite.records.examples import Split
from constraintsuite.store.jsonl import read_lines
from constraintsuite.text.mentions import find_forms, surface_forms


@dataclass(frozen=True, slots=True)
class PlainContrast:
    """A contrast without marks. What is empty in the corrupt run is as in the clean one."""

    id: str
    query: str
    better: str
    """The text that should score higher under the query."""
    worse: str
    query_corrupt: str = ""
    better_corrupt: str = ""
    worse_corrupt: str = ""
    y: tuple[str, ...] = ()
    """What query and texts speak of; one name is enough, its singular and plural are found."""
    cues: tuple[str, ...] = ()
    """Words in the texts that negate it. The cue of a query is what differs between the two queries."""
    aside: str = ""
    """A text about something else, to be read under both queries; or, where the texts differ, a query about something else."""
    cluster: str = ""
    """Contrasts that share a document share this; empty for one that stands alone."""
    half: ContrastHalf | None = None
    """By the cluster where it is not given."""
    split: Split | Literal[""] = ""


def mark_plain(plain: PlainContrast, seed: int = 0) -> MarkedContrast:
    """The contrast with its marks; one that cannot be asked is a UserError."""
    contrast = _mark(plain, seed)
    fault = fault_of(contrast)
    if fault:
        raise UserError(f"Contrast {plain.id!r}: {fault}")
    return contrast


def read_either(path: Path, seed: int = 0) -> list[MarkedContrast]:
    """The contrasts of a file of plain ones, whose lines have a `query`, or of marked ones, whose lines have none."""
    first = next((line.record for line in read_lines(path, dict[str, Any])), None)
    if first is not None and "query" in first:
        return read_plain(path, seed)
    if first is not None and "better_corrupt" not in first:
        raise UserError(
            f"{path}:1: this is no contrast. A plain one has id, query, query_corrupt, better and worse; a marked one all keys of "
            "a contrasts.jsonl. docs/mechanism.md has an example of each."
        )
    return read_contrasts(path)


def read_plain(path: Path, seed: int = 0) -> list[MarkedContrast]:
    """The contrasts of a file of plain ones, one a line; a line that does not fit is a UserError naming it."""
    found: dict[str, MarkedContrast] = {}
    for line in read_lines(path, PlainContrast):
        if line.record is None:
            raise UserError(f"{path}:{line.number}: {line.fault}")
        contrast = _mark(line.record, seed)
        fault = fault_of(contrast) or ("its id stands there twice." if contrast.id in found else "")
        if fault:
            raise UserError(f"{path}:{line.number}: {fault}")
        found[contrast.id] = contrast
    if not found:
        raise UserError(f"{path}: there is no contrast in it.")
    return list(found.values())


def _mark(plain: PlainContrast, seed: int) -> MarkedContrast:
    forms = [form for y in plain.y for form in (y, *surface_forms(y))]
    corrupt = plain.query_corrupt or plain.query
    clean_query, corrupt_query = mark_queries(plain.query, corrupt, forms)
    better, better_corrupt = _mark_texts(plain.better, plain.better_corrupt, plain.cues, forms)
    worse, worse_corrupt = _mark_texts(plain.worse, plain.worse_corrupt, plain.cues, forms)
    on_query = corrupt != plain.query
    clusters = (plain.cluster or plain.id,)
    return MarkedContrast(
        id=plain.id,
        example="",
        slice="own",
        side="query" if on_query else "document",
        better=MarkedPair(clean_query, better),
        worse=MarkedPair(clean_query, worse),
        better_corrupt=MarkedPair(corrupt_query, better_corrupt),
        worse_corrupt=MarkedPair(corrupt_query, worse_corrupt),
        aside=_aside(plain.aside, clean_query, better, on_query=on_query),
        aside_corrupt=_aside(plain.aside, corrupt_query, better_corrupt, on_query=on_query),
        cue=plain.cues[0] if plain.cues else "",
        template="own",
        clusters=clusters,
        half=plain.half or half_of(clusters, seed) or HALVES[0],
        change=f"{plain.query} > {corrupt}" if on_query else "texts",
        y=plain.y[0] if plain.y else "",
        split=plain.split,
    )


def _mark_texts(clean: str, corrupt: str, cues: Sequence[str], forms: Sequence[str]) -> tuple[Marked, Marked]:
    paintings = [Painting(text, "d_other") for text in (clean, corrupt or clean)]
    for painting in paintings:
        painting.paint((span for cue in cues for span in find_words(painting.text, cue)), "d_cue")
        painting.paint(find_forms(painting.text, forms), "d_y")
    mirror(*paintings)
    mirror(*paintings[::-1])
    return paintings[0].marked(), paintings[1].marked()


def _aside(other: str, query: Marked, text: Marked, *, on_query: bool) -> MarkedPair | None:
    if not other:
        return None
    return MarkedPair(query, Marked(other)) if on_query else MarkedPair(Marked(other), text)
