"""What was drawn for people to judge, and from where."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from constraintsuite.annotate.batch import AnnotationBatch, BatchHeader, open_batch, read_head
from constraintsuite.annotate.kinds.writing import NAME as WRITING
from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of
from constraintsuite.web.origins import suite_with
from constraintsuite.web.people import PersonRole
from constraintsuite.web.shelf import BATCH, PROPOSALS, NotOnShelfError, Shelved, WebShelf

_BESIDE = re.compile(r"(.+)\.[a-z]+(?:-\d+)?")
"""Names of batches: commands and pages draw them beside what they are drawn from."""


def batches_on(shelf: WebShelf, *kinds: str) -> list[tuple[Shelved, BatchHeader]]:
    """All batches whose head can be read, or those of some kinds; a damaged one tells so on its own page, not on all others."""
    found = []
    for one in shelf.of_kind(BATCH):
        try:
            head = shelf.load(one, read_head, small=True)
        except UserError:
            continue
        if not kinds or head.kind in kinds:
            found.append((one, head))
    return found


def judged_batch(shelf: WebShelf, place: str) -> tuple[Shelved, AnnotationBatch]:
    """The batch at a place, if its questions are answered one by one; queries are written on pages of their own."""
    one = shelf.get(place, BATCH)
    batch = shelf.load(one, open_batch)
    if batch.head.kind == WRITING:
        raise NotOnShelfError(f"Queries are written for {one.place!r}: there is nothing to judge.")
    return one, batch


def own_page(shelf: WebShelf, one: Shelved, role: PersonRole) -> str:
    """Where a batch has a page of its own for this role; empty if it is judged as all others are."""
    head = shelf.load(one, read_head, small=True)
    if head.kind == WRITING and role != "adjudicator":
        return f"/{WRITING}/{quote(one.place)}{'/export' if role == 'owner' else ''}"
    proposals = proposals_of(shelf, head, one) if role == "owner" else None
    return f"/{PROPOSALS}/{quote(proposals.place)}" if proposals is not None else ""


def suite_of(shelf: WebShelf, head: BatchHeader, one: Shelved) -> Shelved | None:
    """The suite that a batch was drawn from, if it lies here unchanged: the one beside it rather than a copy elsewhere."""
    if head.kind != "gold":
        return None
    return suite_with(shelf, head.source.rpartition(" ")[2], _drawn_at(one))


def proposals_of(shelf: WebShelf, head: BatchHeader, one: Shelved) -> Shelved | None:
    """The file of proposals that a batch was drawn from, if it lies here unchanged; the one beside it first."""
    listed = shelf.of_kind(PROPOSALS) if head.kind == "proposals" else []
    place = _drawn_at(one)
    for found in sorted(listed, key=lambda found: (found.path != place, found.place)):
        if head.source.endswith(f" {shelf.load(found, sha256_of, small=True)}"):
            return found
    return None


def _drawn_at(one: Shelved) -> Path | None:
    """Where what a batch was drawn from would lie, by the batch's name."""
    named = _BESIDE.fullmatch(one.path.name)
    return one.path.with_name(named[1]) if named is not None else None
