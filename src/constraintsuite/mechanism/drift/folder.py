"""The folder of a drift, read."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from constraintsuite.errors import UserError
from constraintsuite.mechanism.drift.records import CheckpointDrift
from constraintsuite.store.artifact import Artifact
from constraintsuite.store.jsonl import adapter, describe

KIND, RESULTS = "drift", "drift.json"
RUNS = "runs"
"""Inside the folder, but no content of it: the runs are artifacts of their own, and stages are what a stopped drift goes on from."""


def load_drift(path: Path) -> CheckpointDrift:
    """The figures of a finished drift; one that was changed since is a UserError."""
    Artifact.open(path, KIND)
    try:
        drift: CheckpointDrift = adapter(CheckpointDrift).validate_json((path / RESULTS).read_bytes())
    except ValidationError as error:
        raise UserError(f"{path / RESULTS}: {describe(error)} Was it written by another version?") from None
    return drift
