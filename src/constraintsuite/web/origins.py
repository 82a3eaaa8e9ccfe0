"""What belongs together: the suite of a run, a report or a batch, even if it was moved or copied since."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from constraintsuite.annotate.batch import AnnotationBatch, BatchHeader, open_batch, read_head
from constraintsuite.annotate.kinds.writing import NAME as WRITING
from constraintsuite.errors import UserError
from constraintsuite.experiments.headline import is_chance
from constraintsuite.experiments.load import suite_place
from constraintsuite.store.artifact import read_manifest
from constraintsuite.store.files import sha256_of
from constraintsuite.web.artifact_index import BATCH, PROPOSALS, NotOnShelfError, Shelved, WebShelf
from constraintsuite.web.faults import fault_of
from constraintsuite.web.people import PersonRole


def suite_with(
    shelf: WebShelf, content: str, place: Path | None, suites: Sequence[Shelved] | None = None
) -> Shelved | None:
    """The suite with a content, if it lies here; of several the one at `place`, and never one that was changed since.

    A manifest alone proves nothing: whoever copies a suite and edits its examples copies the manifest as well.
    """
    known = shelf.of_kind("suite") if suites is None else suites
    found = [one for one in known if one.content == content and not fault_of(shelf, one)]
    return min(found, key=lambda one: (one.path != place, one.place), default=None)


def noted_place(path: Path) -> Path | None:
    """Where the suite of a run lay when it was made, if that is known."""
    try:
        return suite_place(path)
    except (OSError, ValueError):
        return None  # a note that cannot be read says nothing


SUITE, RUN, REPORT = "suite", "run", "report"


@dataclass(frozen=True)
class SuiteFamily:
    """A suite with all that was made from it; without a suite where that is not on the shelf."""

    content: str
    name: str
    suites: tuple[Shelved, ...] = ()
    """More than one where it was copied; that which the most of its runs were made from comes first."""
    runs: tuple[Shelved, ...] = ()
    reports: tuple[Shelved, ...] = ()

    def __contains__(self, one: Shelved) -> bool:
        return one in self.suites or one in self.runs

    def labels(self) -> dict[str, str]:
        """The runs' names by place; with the place where two have the same."""
        names = [one.name for one in self.runs]
        return {one.place: one.name if names.count(one.name) == 1 else f"{one.name} ({one.place})" for one in self.runs}

    def rivals(self) -> dict[str, str]:
        """The names of the runs that can be compared: all but those of the model that guesses."""
        guesses = {one.place for one in self.runs if is_chance(one.name)}
        return {place: label for place, label in self.labels().items() if place not in guesses}


def families(shelf: WebShelf) -> list[SuiteFamily]:
    """All suites and runs; suites that are here first."""
    found: dict[str, SuiteFamily] = {}
    for one, content, name in _members(shelf):
        family = found.get(content, SuiteFamily(content, name))
        if one.kind == SUITE:
            family = replace(family, name=name, suites=(*family.suites, one))
        elif one.kind == RUN:
            family = replace(family, runs=(*family.runs, one))
        else:
            family = replace(family, reports=(*family.reports, one))
        found[content] = family
    known = [_in_order(shelf, family) for family in found.values() if family.suites or family.runs]
    return sorted(known, key=lambda family: (not family.suites, family.name, family.content))


def family_of(shelf: WebShelf, one: Shelved) -> SuiteFamily:
    """That of a suite or a run on the shelf."""
    return next(family for family in families(shelf) if one in family)


def suite_of_run(shelf: WebShelf, family: SuiteFamily, run: Shelved) -> Shelved | None:
    """The suite that a run of a family was made from, or an unchanged copy of it; None where it is not here."""
    return suite_with(shelf, family.content, noted_place(run.path), family.suites)


def _in_order(shelf: WebShelf, family: SuiteFamily) -> SuiteFamily:
    if len(family.suites) < 2:
        return family
    made_from = Counter(noted_place(run.path) for run in family.runs)
    ranked = sorted(family.suites, key=lambda one: (bool(fault_of(shelf, one)), -made_from[one.path], one.place))
    return replace(family, name=ranked[0].name, suites=tuple(ranked))


def _members(shelf: WebShelf) -> Iterator[tuple[Shelved, str, str]]:
    """Each with the content of its suite, and what that is called."""
    for one in shelf.of_kind(SUITE, RUN, REPORT):
        manifest = read_manifest(one.path)
        if manifest is None:
            continue  # taken away this very moment
        if one.kind == SUITE:
            yield one, manifest.content, one.name
        elif one.kind == RUN or SUITE in manifest.inputs:
            content = manifest.inputs.get(SUITE, "")
            yield one, content, str(manifest.settings.get(SUITE) or content[:12])


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
