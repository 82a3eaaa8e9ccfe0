"""The lists of each task, made once and kept beside the checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from constraintsuite.corpora.opening import open_source
from constraintsuite.errors import UserError
from constraintsuite.experiments.load import load_suite
from constraintsuite.models.base import Workbench
from constraintsuite.models.naming import load_scorer
from constraintsuite.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.store.files import sha256_of
from constraintsuite.store.revisions import REVISIONS
from constraintsuite.store.workspace import claim
from constraintsuite.tuning.data import DATA
from constraintsuite.tuning.data.exclusion import exclusion_inputs
from constraintsuite.tuning.data.records import DataContext
from constraintsuite.tuning.data.settings import Data, DistilData, SuiteData
from constraintsuite.tuning.recipe import TaskSettings


def data_inputs(data: Data) -> dict[str, str]:
    """Hashes of all that a task's lists are made from; a missing file or a wrong model name is a UserError."""
    if isinstance(data, SuiteData):
        return {"suite": load_suite(data.suite).content}
    if not isinstance(data, DistilData):
        return {"file": _hash(data.path)}
    inputs = {f"source {n}": open_source(source).fingerprint() for n, source in enumerate(data.sources)}
    for role, model in (("teacher", data.teacher), ("judge", data.judge)):
        if model is not None:
            inputs[role] = load_scorer(model, Workbench()).fingerprint
    return inputs if data.questions is None else {**inputs, "questions": _hash(data.questions)}


def prepare(task: TaskSettings, exclude: tuple[Path, ...], folder: Path, bench: DataContext) -> Artifact:
    """The lists of a task in a folder; if they are there already, nothing is computed."""
    inputs = {**data_inputs(task.data), **exclusion_inputs(exclude)}
    settings: Mapping[str, object] = {"data": task.data.model_dump(mode="json")}
    origin = ArtifactOrigin("training data", f"data of {task.name}", inputs, settings, 0, REVISIONS["training data"])
    with claim(folder, origin, ("**",)) as space:
        if space.finished is not None:
            return space.finished
        prepared = DATA.load(task.data.kind)(task.data, bench)
        if not prepared.lists.rows:
            raise UserError(f"Task {task.name}: no list is left to train on: {dict(prepared.rejects)}.")
        prepared.lists.write(space.empty_new())
        artifact = space.finish(prepared.counts, prepared.rejects)
    counts = ", ".join(f"{count:,} {name}" for name, count in prepared.counts.items())
    left_out = sum(prepared.rejects.values())
    bench.reporter.note(
        f"{task.name}: {counts}" + (f"; {left_out:,} left out: {dict(prepared.rejects)}" if left_out else "")
    )
    return artifact


def _hash(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    return sha256_of(path)
