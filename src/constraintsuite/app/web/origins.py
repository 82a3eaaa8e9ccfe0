"""Which suite a run, report or batch belongs to, and whether artifacts are still as they were written."""

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
    REPORT,
    RUN,
    SUITE,
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
from constraintsuite.suites.annotation.kinds.proposals import read_proposal_file
from constraintsuite.suites.annotation.kinds.written_queries import NAME as WRITING

_WHOLE = frozenset({"suite", "run", "report", "ranking"})
"""Kinds that count as damaged if any file is missing or changed. Other kinds can be shown without, say, their weights."""
_READ = frozenset({EXAMPLES, CONTROLS})
"""Files of a suite whose content is checked, not only their size, up to _LARGEST bytes."""
_LARGEST = 64_000_000
_DATABASE = b"SQLite format 3\0"


def fault_of(artifacts: ArtifactIndex, one: ServedArtifact) -> str:
    """Why an artifact cannot be shown; empty if no fault is known."""
    try:
        if one.kind == DAMAGED:
            if (one.path / MANIFEST).stat().st_size > LARGEST_MANIFEST:
                return f"{MANIFEST} is larger than any manifest of csuite."
            read_manifest(one.path)
        elif one.kind == PROPOSALS and one.path.stat().st_size <= _LARGEST:
            artifacts.load(one, read_proposal_file)
        for name, size, sha256 in _expected_files(artifacts, one):
            file = one.path / name
            if not file.is_file():
                return f"{name} is missing."
            if size not in (None, file.stat().st_size) or (sha256 and not _has_content(artifacts, file, sha256)):
                return f"{name} was changed since it was made."
            if name == EVENTS and not _is_database(file):
                return f"{EVENTS} is not a database. Restore it from a copy."
    except UserError as error:
        return artifacts.describe_error(error)
    except OSError as error:
        return f"{error.strerror}."
    return ""


def _expected_files(artifacts: ArtifactIndex, one: ServedArtifact) -> Iterator[tuple[str, int | None, str]]:
    """The name, size and hash of each file that must be there; no size or hash where it is not checked."""
    if one.kind == BATCH:
        yield ITEMS, None, artifacts.load(one, read_head, small=True).items_sha256
        yield EVENTS, None, ""
    elif one.kind in _WHOLE and (manifest := read_manifest(one.path)) is not None:
        for name, entry in manifest.files.items():
            yield name, entry.bytes, entry.sha256 if one.kind == SUITE and name in _READ else ""


def _is_database(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE


def _has_content(artifacts: ArtifactIndex, file: Path, sha256: str) -> bool:
    """Whether a file has this hash; checked once per change, and True for very large files."""
    known = file.stat()
    key = (file, known.st_mtime_ns, known.st_size, sha256)
    return known.st_size > _LARGEST or artifacts.compute_once(key, (), lambda: sha256_of(file) == sha256, small=True)


def suite_with(
    artifacts: ArtifactIndex, content: str, place: Path | None, suites: Sequence[ServedArtifact] | None = None
) -> ServedArtifact | None:
    """The served suite with this content hash; of several copies the one at `place`, and never a changed one.

    The manifest alone does not prove that: someone who copies a suite and edits its examples copies the manifest as
    well.
    """
    known = artifacts.of_kind("suite") if suites is None else suites
    found = [one for one in known if one.content == content and not fault_of(artifacts, one)]
    return min(found, key=lambda one: (one.path != place, one.place), default=None)


def noted_place(path: Path) -> Path | None:
    """The path of the suite when the run was made, if it was noted."""
    try:
        return suite_place(path)
    except (OSError, ValueError):
        return None  # the note cannot be read


@dataclass(frozen=True)
class SuiteFamily:
    """A suite with its runs and reports. `suites` is empty if the suite is not served."""

    content: str
    name: str
    suites: tuple[ServedArtifact, ...]
    """The suite and its copies; the one from which most runs were made comes first."""
    runs: tuple[ServedArtifact, ...]
    reports: tuple[ServedArtifact, ...]

    def __contains__(self, one: ServedArtifact) -> bool:
        return one in self.suites or one in self.runs

    def labels(self) -> dict[str, str]:
        """The names of the runs by place; a name that two runs share is followed by the place."""
        names = [one.name for one in self.runs]
        return {one.place: one.name if names.count(one.name) == 1 else f"{one.name} ({one.place})" for one in self.runs}

    def rivals(self) -> dict[str, str]:
        """The names of the runs that can be compared: all but runs of the random system."""
        guesses = {one.place for one in self.runs if is_chance(one.name)}
        return {place: label for place, label in self.labels().items() if place not in guesses}


def families(artifacts: ArtifactIndex) -> list[SuiteFamily]:
    """All suites with their runs; suites that are served come first."""
    found: dict[str, dict[str, list[ServedArtifact]]] = {}
    names: dict[str, str] = {}
    for one in artifacts.of_kind(SUITE, RUN, REPORT):
        manifest = read_manifest(one.path)
        if manifest is None or (one.kind == REPORT and SUITE not in manifest.inputs):
            continue  # deleted just now, or a report of something else
        content = manifest.content if one.kind == SUITE else manifest.inputs.get(SUITE, "")
        names.setdefault(content, str(manifest.settings.get(SUITE) or content[:12]))
        found.setdefault(content, {SUITE: [], RUN: [], REPORT: []})[one.kind].append(one)
    known = [_family(artifacts, content, names[content], parts) for content, parts in found.items()]
    shown = [family for family in known if family.suites or family.runs]
    return sorted(shown, key=lambda family: (not family.suites, family.name, family.content))


def family_of(artifacts: ArtifactIndex, one: ServedArtifact) -> SuiteFamily:
    """The family of a served suite or run."""
    return next(family for family in families(artifacts) if one in family)


def suite_of_run(artifacts: ArtifactIndex, family: SuiteFamily, run: ServedArtifact) -> ServedArtifact | None:
    """The suite that a run was made from, or an unchanged copy of it; None if neither is served."""
    return suite_with(artifacts, family.content, noted_place(run.path), family.suites)


def require_suite(artifacts: ArtifactIndex, family: SuiteFamily, run: ServedArtifact) -> ServedArtifact:
    """The suite of a run, for pages that show its examples. Raises UserError if it is not served."""
    suite = suite_of_run(artifacts, family, run)
    if suite is None:
        raise UserError(
            "The suite of this run is not in the served folder, so its examples cannot be shown. Put it there, or serve a folder "
            "that holds both."
        )
    return suite


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
"""Names of batches, which are next to the folder or file that they were drawn from."""


def batches_on(artifacts: ArtifactIndex, *kinds: str) -> list[tuple[ServedArtifact, BatchHeader]]:
    """The batches of all or some kinds whose header can be read. The home page reports the others."""
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
    """A batch whose questions are answered one by one. Batches for writing queries have pages of their own."""
    batch = artifacts.load(one, open_batch)
    if batch.head.kind == WRITING:
        raise NotServedError(f"{one.place!r} is a batch for writing queries: there is nothing to judge.")
    return batch


def own_page(artifacts: ArtifactIndex, one: ServedArtifact, role: PersonRole) -> str:
    """The address of the page that replaces the queue for this batch and role; empty for none."""
    head = artifacts.load(one, read_head, small=True)
    if head.kind == WRITING and role != "adjudicator":
        return f"/{WRITING}/{quote(one.place)}{'/export' if role == 'owner' else ''}"
    proposals = proposals_of(artifacts, head, one) if role == "owner" else None
    return proposals.address if proposals is not None else ""


def suite_of(artifacts: ArtifactIndex, head: BatchHeader, one: ServedArtifact) -> ServedArtifact | None:
    """The suite that a batch was drawn from, if it is served unchanged; the one next to the batch comes before copies."""
    if head.kind != "gold":
        return None
    return suite_with(artifacts, head.source.rpartition(" ")[2], _drawn_at(one))


def proposals_of(artifacts: ArtifactIndex, head: BatchHeader, one: ServedArtifact) -> ServedArtifact | None:
    """The file of proposals that a batch was drawn from, if it is served unchanged; the one next to the batch comes first."""
    place, content = _drawn_at(one), head.source.rpartition(" ")[2]
    listed = artifacts.of_kind(PROPOSALS) if head.kind == "proposals" else []
    found = [one for one in listed if artifacts.load(one, sha256_of, small=True) == content]
    return min(found, key=lambda one: (one.path != place, one.place), default=None)


def _drawn_at(one: ServedArtifact) -> Path | None:
    """The path that a batch was drawn from, according to its name."""
    named = _BESIDE.fullmatch(one.path.name)
    return one.path.with_name(named[1]) if named is not None else None
