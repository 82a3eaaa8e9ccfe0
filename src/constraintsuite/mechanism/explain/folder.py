"""Read an explain folder: contrasts, facts about the model, figures, and the rows of effects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_json
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.agreement import AttributionAgreement, PatchSelection
from constraintsuite.mechanism.effects.records import FOLDER as EFFECTS
from constraintsuite.mechanism.effects.records import PatchEffects, read_effects
from constraintsuite.mechanism.effects.summary import EffectSummary
from constraintsuite.mechanism.explain.request import KIND
from constraintsuite.mechanism.loaded_model import InvariantResult

SUMMARY, SUBJECT, COMPARISON = "summary.json", "subject.json", "comparison.json"
SEPARATE = ("circuit",)
"""Folders inside that are artifacts of their own."""
FILES = (CONTRASTS, SUMMARY, SUBJECT, COMPARISON, f"{EFFECTS}/*")


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
    """The places that attribution chose for exact patches, and how well it predicted their effects."""

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
    """For exact patches that an attribution chose."""


def load_explained(path: Path) -> Explained:
    """Read a finished analysis. Raises UserError if it was changed since."""
    artifact = Artifact.open(path, KIND)
    return Explained(
        artifact,
        tuple(read_contrasts(path / CONTRASTS)),
        read_json(path / SUBJECT, ModelFacts),
        read_json(path / SUMMARY, EffectSummary),
        read_json(path / COMPARISON, AttributionCheck) if COMPARISON in artifact.manifest.files else None,
    )


def load_effects(path: Path) -> tuple[PatchEffects, list[MarkedContrast]]:
    """The rows of a finished analysis and its contrasts."""
    Artifact.open(path, KIND).refuse_foreign(SEPARATE)
    return read_effects(path), read_contrasts(path / CONTRASTS)
