"""Suites and runs as they lie on disk, and what to call several of them."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.statistics.pairwise import PairResult
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import read_json, read_jsonl
from constraintsuite.core.store.mirror import is_url, mirror_of, open_mirror, shown
from constraintsuite.experiments.summary import RunSummary

EXAMPLES = "examples.jsonl"
CONTROLS = "controls.jsonl"
SUMMARY = "summary.json"
SCORES = "scores.jsonl"
MODEL = "model.json"
_SUITE_PLACE = ".suite"  # hidden, hence not hashed: a run is the same run wherever its suite lies


@dataclass(frozen=True)
class Suite:
    """A suite's main examples and controls."""

    artifact: Artifact
    examples: tuple[Example, ...]
    controls: tuple[Example, ...]

    @property
    def name(self) -> str:
        """The name it was built under."""
        return self.artifact.manifest.name

    @property
    def content(self) -> str:
        """Hash of all its files."""
        return self.artifact.manifest.content


def has_pairs(counts: Mapping[str, int]) -> bool:
    """Whether a suite whose manifest has these counts holds examples, not only a collection to search."""
    return "examples" in counts or "qrels" not in counts


@dataclass(frozen=True)
class Run:
    """A model's results on a suite."""

    artifact: Artifact
    summary: RunSummary
    results: tuple[PairResult, ...]


def load_suite(path: Path) -> Suite:
    """The suite in a folder; one without main examples, or changed since it was built, is a UserError."""
    artifact = Artifact.open(path, "suite")
    if "examples" not in artifact.manifest.counts and "qrels" in artifact.manifest.counts:
        raise UserError(f"{path}: this suite has a collection but no pairs. Use `csuite retrieve-eval {path}`.")
    examples = tuple(read_jsonl(path / EXAMPLES, Example))
    if not examples:
        raise UserError(f"{path / EXAMPLES}: the suite is empty, so there is nothing to evaluate. Build it again.")
    controls = tuple(read_jsonl(path / CONTROLS, Example)) if CONTROLS in artifact.manifest.files else ()
    for file, records, main in ((EXAMPLES, examples, True), (CONTROLS, controls, False)):
        stray = next((e for e in records if (e.control is None) != main), None)
        if stray is not None:
            kind = "a main example" if stray.control is None else "a control"
            raise UserError(f"{path / file}: {stray.id} is {kind}, which belongs in another file.")
    _refuse_repeated(path, [*examples, *controls])
    return Suite(artifact, examples, controls)


def load_run(path: Path) -> Run:
    """The finished run in a folder; one of which a file is missing or was changed is a UserError."""
    artifact = Artifact.open(path, "run")
    return Run(artifact, read_json(path / SUMMARY, RunSummary), read_results(path))


def read_results(path: Path) -> tuple[PairResult, ...]:
    """How every example came out in the run in a folder."""
    return tuple(read_jsonl(path / EXAMPLES, PairResult))


def remember_suite(run: Path, suite: Path) -> None:
    """Note in a run's folder where its suite lies: its URL, or its place as seen from there."""
    place = shown(suite) if mirror_of(suite) else os.path.relpath(suite.resolve(), run.resolve())
    write_text(run / _SUITE_PLACE, place + "\n")


def suite_place(run: Path) -> Path | None:
    """Where the suite of a run lies; None if it is not where it was."""
    note = run / _SUITE_PLACE
    place = note.read_text(encoding="utf-8").rstrip("\n") if note.is_file() else ""
    if is_url(place):
        mirror = open_mirror(place)
        mirror.pull(stages=False)
        return mirror.root
    return (run / place).resolve() if place and (run / place).is_dir() else None


def find_suite(run: Path) -> Path:
    """Where the suite of a run lies; that it is not where it was is a UserError."""
    suite = suite_place(run)
    if suite is None:
        raise UserError(
            f"{run}: the suite of this run is not where it was: the run or the suite was moved or copied. "
            "Say where the suite is with --suite FOLDER."
        )
    return suite


def _refuse_repeated(path: Path, examples: Sequence[Example]) -> None:
    repeated = [name for name, count in Counter(example.id for example in examples).items() if count > 1]
    if repeated:
        raise UserError(f"{path}: {len(repeated)} ids appear more than once; the first is {repeated[0]!r}.")


def name_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """The runs by system; where two have the same, also by as much of their folders' paths as tells them apart."""
    labels = name_folders([(run.summary.system, run.artifact.path) for run in runs])
    return dict(zip(labels, runs, strict=True))


def name_folders(named: Sequence[tuple[str, Path]]) -> list[str]:
    """A label for each system and the folder it is of: its name, and where two have the same, the end of the path too."""
    folders = [folder.resolve() for _, folder in named]
    counts = Counter((name, folder) for (name, _), folder in zip(named, folders, strict=True))
    for (_, folder), count in counts.items():
        if count > 1:
            raise UserError(f"{folder}: this run is named twice. Give each once.")
    alike: dict[str, list[Path]] = defaultdict(list)
    for name, folder in counts:
        alike[name].append(folder)
    return [
        name if len(alike[name]) == 1 else f"{name} ({_short_path(folder, alike[name])})" for name, folder in counts
    ]


def short_paths(folders: Sequence[Path]) -> list[str]:
    """For each folder its name, with as many folders above it as tell it apart from the others."""
    resolved = [folder.resolve() for folder in folders]
    return [_short_path(folder, resolved) for folder in resolved]


def _short_path(folder: Path, among: Sequence[Path]) -> str:
    """The end of a path that none of the others has: what stands before it depends on the machine."""
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in among].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)
