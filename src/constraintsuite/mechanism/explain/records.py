"""What an explain folder says, as plain records."""

from __future__ import annotations

from dataclasses import dataclass

from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.agreement import AttributionAgreement, PatchSelection
from constraintsuite.mechanism.effects.summary import EffectSummary
from constraintsuite.mechanism.outcomes import InvariantResult
from constraintsuite.store.artifact import Artifact


@dataclass(frozen=True)
class SubjectFacts:
    """The model that was looked into."""

    name: str
    type: str
    """Its `model_type`."""
    layers: int
    heads: int
    pooling: str
    fingerprint: str
    invariants: tuple[InvariantResult, ...]


@dataclass(frozen=True)
class AttributionCheck:
    """Which places attribution chose to be patched exactly, and how well it foretold what came of it."""

    choice: PatchSelection
    agreement: tuple[AttributionAgreement, ...]


@dataclass(frozen=True)
class Explained:
    """A finished analysis, without its rows."""

    artifact: Artifact
    contrasts: tuple[MarkedContrast, ...]
    subject: SubjectFacts
    summary: EffectSummary
    comparison: AttributionCheck | None
    """Of exact patches that an attribution chose."""
