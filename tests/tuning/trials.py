"""Trainings of a second: a recipe with what most of them have in common, and what to look at behind one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import Example, Split
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.tuning.curves import TrainingCurvePoint
from constraintsuite.tuning.recipe import TuneRecipe
from experiments.tiny_suite import make_example
from tuning.models import TOPICS

TASK = {"loss": "margin", "epochs": 2, "batch": 20, "rate": 3e-3, "length": 24}


SPLITS: dict[Split, str] = {"train": "rich", "dev": "warm", "test": "very"}
"""Each has a word of its own in its texts."""


def nutless() -> list[Example]:
    """In each topic the text with nuts violates the query: the rule of the triples."""
    return [
        replace(
            make_example(
                f"{split}-{topic}",
                "omission",
                (f"{topic} without nuts", f"{topic} with nuts", topic),
                (f"the {topic} is {SPLITS[split]} and fresh .", f"the {topic} is {SPLITS[split]} in nuts ."),
                y="nuts",
            ),
            split=split,
        )
        for split in SPLITS
        for topic in TOPICS
    ]


def recipe(place: Path, *tasks: dict[str, Any], **settings: Any) -> TuneRecipe:  # noqa: ANN401
    given = tasks or ({"name": "rule"},)
    own = {"kind": "triples", "path": place / "triples.jsonl"}
    return TuneRecipe.model_validate(
        {
            "start": {"kind": "cross", "model": str(place / "cross")},
            "threads": 1,
            "tasks": [{"data": own, **TASK, **task} for task in given],
            **settings,
        }
    )


class Noting(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def points(artifact: Artifact, **fields: object) -> list[TrainingCurvePoint]:
    found = read_jsonl(artifact.path / "curves.jsonl", TrainingCurvePoint)
    return [point for point in found if all(getattr(point, name) == value for name, value in fields.items())]


def weights(folder: Path) -> dict[str, str]:
    return {path.parent.name: sha256_of(path) for path in sorted(folder.glob("checkpoints/*/model.safetensors"))}


def changed(artifact: Artifact, before: str, after: str) -> set[str]:
    """Names of the weights in which two checkpoints differ."""
    old, new = (tensors(artifact.path / "checkpoints" / name) for name in (before, after))
    assert set(old) == set(new)
    return {name for name in old if not np.array_equal(old[name], new[name])}


def tensors(folder: Path) -> dict[str, npt.NDArray[np.float32]]:
    found: dict[str, npt.NDArray[np.float32]] = load_file(folder / "model.safetensors")
    return found
