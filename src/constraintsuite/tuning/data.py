"""The lists of each task: from a suite, from a file, or distilled from a corpus; made once and kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import claim
from constraintsuite.corpora.registry import open_source
from constraintsuite.experiments.load import load_suite
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.tuning.distil import distil
from constraintsuite.tuning.lists import DataContext, ListsBuilder, Prepared, exclusion_inputs
from constraintsuite.tuning.recipe import TaskSettings
from constraintsuite.tuning.settings import Data, DistilData, ListsData, SuiteData, TriplesData


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A line of a file of lists."""

    query: str
    texts: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Triple:
    """A line of a file of triples."""

    query: str
    positive: str
    negative: str


def read_lists(settings: ListsData, context: DataContext) -> Prepared:
    """Read every list of a file."""
    builder = ListsBuilder(context.exclusion)
    for number, row in enumerate(read_jsonl(settings.path, ScoredList), 1):
        if len(row.texts) != len(row.scores) or len(row.texts) < 2:
            raise UserError(
                f"{settings.path}: list {number} has {len(row.texts)} texts and {len(row.scores)} scores; "
                "it needs at least two texts, and a score for each."
            )
        if not all(map(math.isfinite, row.scores)):
            raise UserError(f"{settings.path}: list {number} has a score that is not a finite number.")
        builder.add(row.query, row.texts, row.scores)
    return builder.done()


def _read_triples(settings: TriplesData, context: DataContext) -> Prepared:
    """Read every triple of a file, as a list of two texts."""
    builder = ListsBuilder(context.exclusion)
    for row in read_jsonl(settings.path, Triple):
        builder.add(row.query, (row.positive, row.negative), (1.0, 0.0))
    return builder.done()


def read_suite(settings: SuiteData, context: DataContext) -> Prepared:
    """Read the training split: under each query of the chosen roles the better text, then the worse one."""
    suite = load_suite(settings.suite)
    everything = [*suite.examples, *(suite.controls if settings.controls else ())]
    examples = [e for e in everything if e.split == "train" and (not settings.slices or e.slice in settings.slices)]
    if not examples:
        raise UserError(
            f"{settings.suite}: no example of the split train{' in these slices' if settings.slices else ''}. "
            "Only that split is trained on; build a larger suite, or one with another share in `splits`."
        )
    builder = ListsBuilder(context.exclusion)
    for example in examples:
        for preference in example.preferences:
            if preference.query in settings.roles:
                better, worse = example.document(preference.better).text, example.document(preference.worse).text
                builder.add(example.queries[preference.query], (better, worse), (1.0, 0.0))
    return builder.done({"examples": len(examples)})


READERS: Mapping[str, Callable[[Any, DataContext], Prepared]] = {
    "suite": read_suite,
    "lists": read_lists,
    "triples": _read_triples,
    "distil": distil,
}
"""By the kind of data in a recipe."""


def data_inputs(data: Data) -> dict[str, str]:
    """Hashes of everything that the lists of a task are made from.

    Raises UserError if a file is missing or a model name is wrong.
    """
    if isinstance(data, SuiteData):
        return {"suite": load_suite(data.suite).content}
    if not isinstance(data, DistilData):
        return {"file": _hash(data.path)}
    inputs = {f"source {n}": open_source(source).fingerprint() for n, source in enumerate(data.sources)}
    for role, model in (("teacher", data.teacher), ("judge", data.judge)):
        if model is not None:
            inputs[role] = load_scorer(model, Workbench()).fingerprint
    return inputs if data.questions is None else {**inputs, "questions": _hash(data.questions)}


def read_data(task: TaskSettings, context: DataContext) -> Prepared:
    """The lists of a task. Raises UserError if none is left."""
    prepared = READERS[task.data.kind](task.data, context)
    if not prepared.lists.rows:
        raise UserError(f"Task {task.name}: no list is left to train on: {dict(prepared.rejects)}.")
    return prepared


def prepare(task: TaskSettings, exclude: tuple[Path, ...], folder: Path, context: DataContext) -> Artifact:
    """Write the lists of a task into a folder, unless they are there."""
    inputs = {**data_inputs(task.data), **exclusion_inputs(exclude)}
    settings: Mapping[str, object] = {"data": task.data.model_dump(mode="json")}
    origin = ArtifactOrigin("training data", f"data of {task.name}", inputs, settings, 0, REVISIONS["training data"])
    with claim(folder, origin, ("**",)) as space:
        if space.finished is not None:
            return space.finished
        prepared = read_data(task, context)
        prepared.lists.write(space.empty_new())
        artifact = space.finish(prepared.counts, prepared.rejects)
    counts = ", ".join(f"{count:,} {name}" for name, count in prepared.counts.items())
    left_out = sum(prepared.rejects.values())
    context.reporter.note(
        f"{task.name}: {counts}" + (f"; {left_out:,} left out: {dict(prepared.rejects)}" if left_out else "")
    )
    return artifact


def _hash(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    return sha256_of(path)
