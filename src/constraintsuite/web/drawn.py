"""What was drawn for people to judge, and from where."""

from __future__ import annotations

from urllib.parse import quote

from constraintsuite.annotate.batch import Batch, Head, open_batch, read_head
from constraintsuite.annotate.kinds.writing import NAME as WRITING
from constraintsuite.errors import UserError
from constraintsuite.store.artifact import read_manifest
from constraintsuite.store.files import sha256_of
from constraintsuite.web.people import Role
from constraintsuite.web.shelf import BATCH, PROPOSALS, NotOnShelfError, Shelf, Shelved


def batches_on(shelf: Shelf, *kinds: str) -> list[tuple[Shelved, Head]]:
    """All batches whose head can be read, or those of some kinds; a damaged one tells so on its own page, not on all others."""
    found = []
    for one in shelf.of_kind(BATCH):
        try:
            head = shelf.load(one, read_head)
        except UserError:
            continue
        if not kinds or head.kind in kinds:
            found.append((one, head))
    return found


def judged_batch(shelf: Shelf, place: str) -> tuple[Shelved, Batch]:
    """The batch at a place, if its questions are answered one by one; queries are written on pages of their own."""
    one = shelf.get(place, BATCH)
    batch = shelf.load(one, open_batch)
    if batch.head.kind == WRITING:
        raise NotOnShelfError(f"Queries are written for {one.place!r}: there is nothing to judge.")
    return one, batch


def own_page(shelf: Shelf, one: Shelved, role: Role) -> str:
    """Where a batch has a page of its own for this role; empty if it is judged as all others are."""
    head = shelf.load(one, read_head)
    if head.kind == WRITING and role != "adjudicator":
        return f"/{WRITING}/{quote(one.place)}{'/export' if role == 'owner' else ''}"
    proposals = proposals_of(shelf, head) if role == "owner" else None
    return f"/{PROPOSALS}/{quote(proposals.place)}" if proposals is not None else ""


def suite_of(shelf: Shelf, head: Head) -> Shelved | None:
    """The suite that a batch was drawn from, if it lies here unchanged."""
    for one in shelf.of_kind("suite") if head.kind == "gold" else ():
        manifest = read_manifest(one.path)
        if manifest is not None and head.source.endswith(f" {manifest.content}"):
            return one
    return None


def proposals_of(shelf: Shelf, head: Head) -> Shelved | None:
    """The file of proposals that a batch was drawn from, if it lies here unchanged."""
    for one in shelf.of_kind(PROPOSALS) if head.kind == "proposals" else ():
        if head.source.endswith(f" {shelf.load(one, sha256_of)}"):
            return one
    return None
