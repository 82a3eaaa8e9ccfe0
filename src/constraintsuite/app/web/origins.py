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
from constraintsuite.core.store.files import known_sha256, sha256_of
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


def fault_of(artifacts: ArtifactIndex, artifact: ServedArtifact) -> str:
    """Why an artifact cannot be shown; empty if no fault is known."""
    try:
        if artifact.kind == DAMAGED:
            if (artifact.path / MANIFEST).stat().st_size > LARGEST_MANIFEST:
                return f"{MANIFEST} is larger than any manifest of csuite."
            read_manifest(artifact.path)
        elif artifact.kind == PROPOSALS and artifact.path.stat().st_size <= _LARGEST:
            artifacts.load(artifact, read_proposal_file)
        for name, size, sha256 in _expected_files(artifacts, artifact):
            file = artifact.path / name
            if not file.is_file():
                return f"{name} is missing."
            found = file.stat().st_size
            if size not in (None, found) or (sha256 and found <= _LARGEST and known_sha256(file) != sha256):
                return f"{name} was changed since it was made."
            if name == EVENTS and not _is_database(file):
                return f"{EVENTS} is not a database. Restore it from a copy."
    except UserError as error:
        return artifacts.describe_error(error)
    except OSError as error:
        return f"{error.strerror}."
    return ""


def _expected_files(artifacts: ArtifactIndex, artifact: ServedArtifact) -> Iterator[tuple[str, int | None, str]]:
    """The name, size and hash of each file that must be there; no size or hash where it is not checked."""
    if artifact.kind == BATCH:
        yield ITEMS, None, artifacts.load(artifact, read_head, small=True).items_sha256
        yield EVENTS, None, ""
    elif artifact.kind in _WHOLE and (manifest := read_manifest(artifact.path)) is not None:
        for name, entry in manifest.files.items():
            yield name, entry.bytes, entry.sha256 if artifact.kind == SUITE and name in _READ else ""


def _is_database(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE


def _suite_with(
    artifacts: ArtifactIndex, content: str, place: Path | None, suites: Sequence[ServedArtifact] | None = None
) -> ServedArtifact | None:
    """The served suite with this content hash; of several copies the one at `place`, and never a changed one.

    The manifest alone does not prove that: someone who copies a suite and edits its examples copies the manifest as
    well.
    """
    known = artifacts.of_kind("suite") if suites is None else suites
    found = [suite for suite in known if suite.content == content and not fault_of(artifacts, suite)]
    return min(found, key=lambda suite: (suite.path != place, suite.place), default=None)


def _noted_place(path: Path) -> Path | None:
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

    def __contains__(self, artifact: ServedArtifact) -> bool:
        return artifact in self.suites or artifact in self.runs

    def labels(self) -> dict[str, str]:
        """The names of the runs by place; a name that two runs share is followed by the place."""
        names = [run.name for run in self.runs]
        return {run.place: run.name if names.count(run.name) == 1 else f"{run.name} ({run.place})" for run in self.runs}

    def rivals(self) -> dict[str, str]:
        """The names of the runs that can be compared: all but runs of the random system."""
        guesses = {run.place for run in self.runs if is_chance(run.name)}
        return {place: label for place, label in self.labels().items() if place not in guesses}


def families(artifacts: ArtifactIndex) -> list[SuiteFamily]:
    """All suites with their runs; suites that are served come first."""
    found: dict[str, dict[str, list[ServedArtifact]]] = {}
    names: dict[str, str] = {}
    for artifact in artifacts.of_kind(SUITE, RUN, REPORT):
        manifest = read_manifest(artifact.path)
        if manifest is None or (artifact.kind == REPORT and SUITE not in manifest.inputs):
            continue  # deleted just now, or a report of something else
        content = manifest.content if artifact.kind == SUITE else manifest.inputs.get(SUITE, "")
        names.setdefault(content, str(manifest.settings.get(SUITE) or content[:12]))
        found.setdefault(content, {SUITE: [], RUN: [], REPORT: []})[artifact.kind].append(artifact)
    known = [_family(artifacts, content, names[content], parts) for content, parts in found.items()]
    shown = [family for family in known if family.suites or family.runs]
    return sorted(shown, key=lambda family: (not family.suites, family.name, family.content))


def family_of(artifacts: ArtifactIndex, artifact: ServedArtifact) -> SuiteFamily:
    """The family of a served suite or run."""
    return next(family for family in families(artifacts) if artifact in family)


def suite_of_run(artifacts: ArtifactIndex, family: SuiteFamily, run: ServedArtifact) -> ServedArtifact | None:
    """The suite that a run was made from, or an unchanged copy of it; None if neither is served."""
    return _suite_with(artifacts, family.content, _noted_place(run.path), family.suites)


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
        made_from = Counter(_noted_place(run.path) for run in runs)
        suites = sorted(
            suites, key=lambda suite: (bool(fault_of(artifacts, suite)), -made_from[suite.path], suite.place)
        )
    name = suites[0].name if suites else name
    return SuiteFamily(content, name, tuple(suites), tuple(runs), tuple(parts[REPORT]))


_BESIDE = re.compile(r"(.+)\.[a-z]+(?:-\d+)?")
"""Names of batches, which are next to the folder or file that they were drawn from."""


def batches_on(artifacts: ArtifactIndex, *kinds: str) -> list[tuple[ServedArtifact, BatchHeader]]:
    """The batches of all or some kinds whose header can be read. The home page reports the others."""
    found = []
    for artifact in artifacts.of_kind(BATCH):
        try:
            head = artifacts.load(artifact, read_head, small=True)
        except UserError:
            continue
        if not kinds or head.kind in kinds:
            found.append((artifact, head))
    return found


def served_batch(artifacts: ArtifactIndex, artifact: ServedArtifact, *, writing: bool = False) -> AnnotationBatch:
    """A batch whose questions are answered one by one, or one for `writing` queries. Raises NotServedError for the other kind."""
    batch = artifacts.load(artifact, open_batch)
    if (batch.head.kind == WRITING) != writing:
        found = "not a batch for writing queries" if writing else "for writing queries: there is nothing to judge"
        raise NotServedError(f"{artifact.place!r} is {found}.")
    return batch


def writing_address(artifact: ServedArtifact) -> str:
    """The address of a batch for writing queries."""
    return f"/{WRITING}/{quote(artifact.place)}"


def own_page(artifacts: ArtifactIndex, artifact: ServedArtifact, role: PersonRole) -> str:
    """The address of the page that replaces the queue for this batch and role; empty for none."""
    head = artifacts.load(artifact, read_head, small=True)
    if head.kind == WRITING and role != "adjudicator":
        return writing_address(artifact) + ("/export" if role == "owner" else "")
    proposals = proposals_of(artifacts, head, artifact) if role == "owner" else None
    return proposals.address if proposals is not None else ""


def suite_of(artifacts: ArtifactIndex, head: BatchHeader, artifact: ServedArtifact) -> ServedArtifact | None:
    """The suite that a batch was drawn from, if it is served unchanged; the one next to the batch comes before copies."""
    if head.kind != "gold":
        return None
    return _suite_with(artifacts, head.source.rpartition(" ")[2], _drawn_at(artifact))


def proposals_of(artifacts: ArtifactIndex, head: BatchHeader, artifact: ServedArtifact) -> ServedArtifact | None:
    """The file of proposals that a batch was drawn from, if it is served unchanged; the one next to the batch comes first."""
    place, content = _drawn_at(artifact), head.source.rpartition(" ")[2]
    listed = artifacts.of_kind(PROPOSALS) if head.kind == "proposals" else []
    found = [file for file in listed if artifacts.load(file, sha256_of, small=True) == content]
    return min(found, key=lambda file: (file.path != place, file.place), default=None)


def _drawn_at(artifact: ServedArtifact) -> Path | None:
    """The path that a batch was drawn from, according to its name."""
    named = _BESIDE.fullmatch(artifact.path.name)
    return artifact.path.with_name(named[1]) if named is not None else None
