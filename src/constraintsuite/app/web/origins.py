"""What belongs together: the suite of a run, a report or a batch, and whether it is still what was written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from constraintsuite.app.web.access import PersonRole
from constraintsuite.app.web.artifact_index import (
    BATCH,
    DAMAGED,
    LARGEST_MANIFEST,
    PROPOSALS,
    ArtifactIndex,
    NotServedError,
    ServedArtifact,
)
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import MANIFEST, read_manifest
from constraintsuite.core.store.files import sha256_of
from constraintsuite.experiments.load import CONTROLS, EXAMPLES, suite_place
from constraintsuite.experiments.pairs import is_chance
from constraintsuite.suites.annotation.batch import EVENTS, ITEMS, AnnotationBatch, BatchHeader, open_batch, read_head
from constraintsuite.suites.annotation.kinds.proposals import read_all
from constraintsuite.suites.annotation.kinds.written_queries import NAME as WRITING

_WHOLE = frozenset({"suite", "run", "report", "ranking"})
"""Kinds that are refused if any file of theirs was changed; others miss nothing if, say, weights were taken away."""
_READ = frozenset({EXAMPLES, CONTROLS})
"""Files of a suite whose content is looked at, not their size alone, if they are not larger than this."""
_LARGEST = 64_000_000
_DATABASE = b"SQLite format 3\0"


def fault_of(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Why it cannot be shown, in words; empty if nothing is known against it."""
    try:
        if one.kind == DAMAGED:
            if (one.path / MANIFEST).stat().st_size > LARGEST_MANIFEST:
                return f"{MANIFEST} is larger than any that a command writes."
            read_manifest(one.path)
        elif one.kind == BATCH:
            return _fault_of_batch(artifacts, one)
        elif one.kind == PROPOSALS:
            return _fault_of_proposals(artifacts, one)
        elif one.kind in _WHOLE:
            return next(_faults(artifacts, one), "")
    except UserError as error:
        return artifacts.describe_error(error)
    except OSError as error:
        return f"{error.strerror}."
    return ""


def _fault_of_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Its items are those that were written, and there is a database."""
    head, items, events = artifacts.load(one, read_head, small=True), one.path / ITEMS, one.path / EVENTS
    gone = next((file.name for file in (items, events) if not file.is_file()), "")
    if gone:
        return f"{gone} was taken away."
    with events.open("rb") as stream:
        if stream.read(len(_DATABASE)) != _DATABASE:
            return f"{EVENTS} is no database any more. Bring back a copy of it."
    return "" if _has_content(artifacts, items, head.items_sha256) else f"{ITEMS} was changed since the batch was made."


def _fault_of_proposals(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Whether a file that is not too large to be read at once can be; looked at once a change."""
    known = one.path.stat()

    def read() -> str:
        try:
            read_all(one.path)
        except UserError as error:
            return artifacts.describe_error(error)
        return ""

    if known.st_size > _LARGEST:
        return ""
    return artifacts.compute_once(("fault", one.path, known.st_mtime_ns, known.st_size), (), read, small=True)


def _faults(artifacts: ArtifactIndex, one: ServedArtifact) -> Iterator[str]:
    """By their sizes, and of the files of a suite that pages read also by their content."""
    manifest = read_manifest(one.path)
    for name, entry in manifest.files.items() if manifest is not None else ():
        file = one.path / name
        read = one.kind == "suite" and name in _READ
        if not file.is_file():
            yield f"{name} was taken away since it was made."
        elif file.stat().st_size != entry.bytes or (read and not _has_content(artifacts, file, entry.sha256)):
            yield f"{name} was changed since it was made."


def _has_content(artifacts: ArtifactIndex, file: Path, sha256: str) -> bool:
    """Whether a file that is not too large has this content; it is read once per change."""
    known = file.stat()
    key = (file, known.st_mtime_ns, known.st_size, sha256)
    return known.st_size > _LARGEST or artifacts.compute_once(key, (), lambda: sha256_of(file) == sha256, small=True)


def suite_with(
    artifacts: ArtifactIndex, content: str, place: Path | None, suites: Sequence[ServedArtifact] | None = None
) -> ServedArtifact | None:
    """The suite with a content, if it lies here; of several the one at `place`, and never one that was changed since.

    A manifest alone proves nothing: whoever copies a suite and edits its examples copies the manifest as well.
    """
    known = artifacts.of_kind("suite") if suites is None else suites
    found = [one for one in known if one.content == content and not fault_of(artifacts, one)]
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
    """A suite with all that was made from it; without a suite where that is not served."""

    content: str
    name: str
    suites: tuple[ServedArtifact, ...]
    """More than one where it was copied; that which the most of its runs were made from comes first."""
    runs: tuple[ServedArtifact, ...]
    reports: tuple[ServedArtifact, ...]

    def __contains__(self, one: ServedArtifact) -> bool:
        return one in self.suites or one in self.runs

    def labels(self) -> dict[str, str]:
        """The runs' names by place; with the place where two have the same."""
        names = [one.name for one in self.runs]
        return {one.place: one.name if names.count(one.name) == 1 else f"{one.name} ({one.place})" for one in self.runs}

    def rivals(self) -> dict[str, str]:
        """The names of the runs that can be compared: all but those of the model that guesses."""
        guesses = {one.place for one in self.runs if is_chance(one.name)}
        return {place: label for place, label in self.labels().items() if place not in guesses}


def families(artifacts: ArtifactIndex) -> list[SuiteFamily]:
    """All suites and runs; suites that are here first."""
    found: dict[str, dict[str, list[ServedArtifact]]] = {}
    names: dict[str, str] = {}
    for one in artifacts.of_kind(SUITE, RUN, REPORT):
        manifest = read_manifest(one.path)
        if manifest is None or (one.kind == REPORT and SUITE not in manifest.inputs):
            continue  # taken away this very moment, or of no suite
        content = manifest.content if one.kind == SUITE else manifest.inputs.get(SUITE, "")
        names.setdefault(content, str(manifest.settings.get(SUITE) or content[:12]))
        found.setdefault(content, {SUITE: [], RUN: [], REPORT: []})[one.kind].append(one)
    known = [_family(artifacts, content, names[content], parts) for content, parts in found.items()]
    of_use = [family for family in known if family.suites or family.runs]
    return sorted(of_use, key=lambda family: (not family.suites, family.name, family.content))


def family_of(artifacts: ArtifactIndex, one: ServedArtifact) -> SuiteFamily:
    """The family of a suite or a run that is served."""
    return next(family for family in families(artifacts) if one in family)


def suite_of_run(artifacts: ArtifactIndex, family: SuiteFamily, run: ServedArtifact) -> ServedArtifact | None:
    """The suite that a run of a family was made from, or an unchanged copy of it; None where it is not here."""
    return suite_with(artifacts, family.content, noted_place(run.path), family.suites)


def _family(
    artifacts: ArtifactIndex, content: str, name: str, parts: Mapping[str, Sequence[ServedArtifact]]
) -> SuiteFamily:
    suites, runs = parts[SUITE], parts[RUN]
    if len(suites) > 1:
        made_from = Counter(noted_place(run.path) for run in runs)
        suites = sorted(suites, key=lambda one: (bool(fault_of(artifacts, one)), -made_from[one.path], one.place))
    name = suites[0].name if suites else name
    return SuiteFamily(content, name, tuple(suites), tuple(runs), tuple(parts[REPORT]))


_BESIDE = re.compile(r"(.+)\.[a-z]+(?:-\d+)?")
"""Names of batches: commands and pages draw them beside what they are drawn from."""


def batches_on(artifacts: ArtifactIndex, *kinds: str) -> list[tuple[ServedArtifact, BatchHeader]]:
    """All batches whose head can be read, or those of some kinds; a damaged one tells so on its own page, not on all others."""
    found = []
    for one in artifacts.of_kind(BATCH):
        try:
            head = artifacts.load(one, read_head, small=True)
        except UserError:
            continue
        if not kinds or head.kind in kinds:
            found.append((one, head))
    return found


def judged_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotationBatch:
    """A batch whose questions are answered one by one; queries are written on pages of their own."""
    batch = artifacts.load(one, open_batch)
    if batch.head.kind == WRITING:
        raise NotServedError(f"Queries are written for {one.place!r}: there is nothing to judge.")
    return batch


def own_page(artifacts: ArtifactIndex, one: ServedArtifact, role: PersonRole) -> str:
    """Where a batch has a page of its own for this role; empty if it is judged as all others are."""
    head = artifacts.load(one, read_head, small=True)
    if head.kind == WRITING and role != "adjudicator":
        return f"/{WRITING}/{quote(one.place)}{'/export' if role == 'owner' else ''}"
    proposals = proposals_of(artifacts, head, one) if role == "owner" else None
    return proposals.address if proposals is not None else ""


def suite_of(artifacts: ArtifactIndex, head: BatchHeader, one: ServedArtifact) -> ServedArtifact | None:
    """The suite that a batch was drawn from, if it lies here unchanged: the one beside it rather than a copy elsewhere."""
    if head.kind != "gold":
        return None
    return suite_with(artifacts, head.source.rpartition(" ")[2], _drawn_at(one))


def proposals_of(artifacts: ArtifactIndex, head: BatchHeader, one: ServedArtifact) -> ServedArtifact | None:
    """The file of proposals that a batch was drawn from, if it lies here unchanged; the one beside it first."""
    place, content = _drawn_at(one), head.source.rpartition(" ")[2]
    listed = artifacts.of_kind(PROPOSALS) if head.kind == "proposals" else []
    found = [one for one in listed if artifacts.load(one, sha256_of, small=True) == content]
    return min(found, key=lambda one: (one.path != place, one.place), default=None)


def _drawn_at(one: ServedArtifact) -> Path | None:
    """Where what a batch was drawn from would lie, by the batch's name."""
    named = _BESIDE.fullmatch(one.path.name)
    return one.path.with_name(named[1]) if named is not None else None
