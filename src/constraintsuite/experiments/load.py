"""Suites and runs in their folders, and labels that tell several runs apart."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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
_SUITE_PLACE = ".suite"  # hidden and so not hashed: a run is the same run wherever its suite is


@dataclass(frozen=True)
class Suite:
    """A suite's main examples and controls."""

    artifact: Artifact
    examples: tuple[Example, ...]
    controls: tuple[Example, ...]

    @property
    def all_examples(self) -> tuple[Example, ...]:
        """The main examples, then the controls."""
        return (*self.examples, *self.controls)

    @property
    def name(self) -> str:
        """The name that the suite was built under."""
        return self.artifact.manifest.name

    @property
    def content(self) -> str:
        """The hash of all its files."""
        return self.artifact.manifest.content

    def without(self, ids: Collection[str]) -> Suite:
        """The suite without the examples and controls of these ids."""
        main, controls = (tuple(e for e in part if e.id not in ids) for part in (self.examples, self.controls))
        return replace(self, examples=main, controls=controls)


def restrict_to_splits(suite: Suite, splits: Collection[str]) -> Suite:
    """The suite with only some splits. Raises UserError if they have no main examples."""
    main, controls = (
        tuple(example for example in part if example.split in splits) for part in (suite.examples, suite.controls)
    )
    if not main:
        raise UserError(f"{suite.artifact.path}: no main example is in the split {', '.join(sorted(splits))}.")
    return replace(suite, examples=main, controls=controls)


def has_pairs(counts: Mapping[str, int]) -> bool:
    """Whether a suite whose manifest has these counts holds examples, not only a collection to search."""
    return "examples" in counts or "qrels" not in counts


@dataclass(frozen=True)
class Run:
    """The results and figures of a model on a suite."""

    artifact: Artifact
    summary: RunSummary
    results: tuple[PairResult, ...]


def load_suite(path: Path) -> Suite:
    """Read a suite. Raises UserError if it has no main examples, or was changed since it was built."""
    artifact = Artifact.open(path, "suite")
    if not has_pairs(artifact.manifest.counts):
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
    counts = Counter(example.id for example in (*examples, *controls))
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise UserError(f"{path}: {len(repeated)} ids appear more than once; the first is {repeated[0]!r}.")
    return Suite(artifact, examples, controls)


def load_run(path: Path) -> Run:
    """Read a finished run. Raises UserError if a file is missing or was changed."""
    artifact = Artifact.open(path, "run")
    return Run(artifact, read_json(path / SUMMARY, RunSummary), read_results(path))


def read_results(path: Path) -> tuple[PairResult, ...]:
    """The result of every example in the run in a folder."""
    return tuple(read_jsonl(path / EXAMPLES, PairResult))


def remember_suite(run: Path, suite: Path) -> None:
    """Note the place of its suite in a run's folder: a URL, or a path relative to that folder."""
    place = shown(suite) if mirror_of(suite) else os.path.relpath(suite.resolve(), run.resolve())
    write_text(run / _SUITE_PLACE, place + "\n")


def suite_place(run: Path) -> Path | None:
    """The folder of a run's suite; None if it is not there any more."""
    note = run / _SUITE_PLACE
    place = note.read_text(encoding="utf-8").rstrip("\n") if note.is_file() else ""
    if is_url(place):
        mirror = open_mirror(place)
        mirror.pull(stages=False)
        return mirror.root
    return (run / place).resolve() if place and (run / place).is_dir() else None


def find_suite(run: Path) -> Path:
    """The folder of a run's suite. Raises UserError if it is not there any more."""
    suite = suite_place(run)
    if suite is None:
        raise UserError(
            f"{run}: the suite of this run is not where it was: the run or the suite was moved or copied. "
            "Say where the suite is with --suite FOLDER."
        )
    return suite


def name_runs(runs: Sequence[Run]) -> dict[str, Run]:
    """The runs by label, as `name_folders` gives it."""
    labels = name_folders([(run.summary.system, run.artifact.path) for run in runs])
    return dict(zip(labels, runs, strict=True))


def name_folders(named: Sequence[tuple[str, Path]]) -> list[str]:
    """A label for each (system, folder): the system, and for systems of one name also the end of the folder's path."""
    resolved = [(name, folder.resolve()) for name, folder in named]
    alike: dict[str, list[Path]] = defaultdict(list)
    for name, folder in resolved:
        if folder in alike[name]:
            raise UserError(f"{folder}: this run is named twice. Give each once.")
        alike[name].append(folder)
    return [
        name if len(alike[name]) == 1 else f"{name} ({_short_path(folder, alike[name])})" for name, folder in resolved
    ]


def short_paths(folders: Sequence[Path]) -> list[str]:
    """For each folder the shortest end of its path that no other folder has."""
    resolved = [folder.resolve() for folder in folders]
    return [_short_path(folder, resolved) for folder in resolved]


def _short_path(folder: Path, others: Sequence[Path]) -> str:
    for length in range(1, len(folder.parts)):
        if [other.parts[-length:] for other in others].count(folder.parts[-length:]) == 1:
            return "/".join(folder.parts[-length:])
    return str(folder)
