"""An explain folder, read: contrasts, the model, the figures, and the rows of effects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.jsonl import adapter, describe
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.agreement import AttributionAgreement, PatchSelection
from constraintsuite.mechanism.effects.records import FOLDER as EFFECTS
from constraintsuite.mechanism.effects.records import PatchEffects, read_effects
from constraintsuite.mechanism.effects.summary import EffectSummary
from constraintsuite.mechanism.explain.request import KIND
from constraintsuite.mechanism.loaded_model import InvariantResult


@dataclass(frozen=True)
class ModelFacts:
    """The model that was analysed."""

    name: str
    type: str
    """The `model_type` in the model's config.json."""
    layers: int
    heads: int
    pooling: str
    fingerprint: str
    invariants: tuple[InvariantResult, ...]


@dataclass(frozen=True)
class AttributionCheck:
    """Which places attribution chose to be patched exactly, and how well it predicted their effects."""

    choice: PatchSelection
    agreement: tuple[AttributionAgreement, ...]


@dataclass(frozen=True)
class Explained:
    """A finished analysis, without its rows."""

    artifact: Artifact
    contrasts: tuple[MarkedContrast, ...]
    model: ModelFacts
    summary: EffectSummary
    comparison: AttributionCheck | None
    """Of exact patches that an attribution chose."""


SUMMARY, SUBJECT, COMPARISON = "summary.json", "subject.json", "comparison.json"
BESIDE = ("circuit",)
"""Folders inside that are artifacts of their own."""
FILES = (CONTRASTS, SUMMARY, SUBJECT, COMPARISON, f"{EFFECTS}/*")
T = TypeVar("T")


def load_explained(path: Path) -> Explained:
    """A finished analysis; one that was changed since is a UserError."""
    artifact = Artifact.open(path, KIND)
    return Explained(
        artifact,
        tuple(read_contrasts(path / CONTRASTS)),
        read_record(path / SUBJECT, ModelFacts),
        read_record(path / SUMMARY, EffectSummary),
        read_record(path / COMPARISON, AttributionCheck) if COMPARISON in artifact.manifest.files else None,
    )


def load_effects(path: Path) -> tuple[PatchEffects, list[MarkedContrast]]:
    """The rows of a finished analysis and its contrasts."""
    Artifact.open(path, KIND).refuse_foreign(BESIDE)
    return read_effects(path), read_contrasts(path / CONTRASTS)


def read_record(file: Path, kind: type[T]) -> T:
    """The record of a JSON file; one that is missing or does not fit is a UserError."""
    try:
        return adapter(kind).validate_json(file.read_bytes())
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}. Run the command again.") from None
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)} Was it written by another version?") from None


def write_record(file: Path, record: object, *, indent: int = 2) -> None:
    """Write a record as a JSON file, to be read with `read_record`."""
    write_text(file, adapter(type(record)).dump_json(record, indent=indent).decode() + "\n")
