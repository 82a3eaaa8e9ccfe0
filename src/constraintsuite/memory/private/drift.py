"""Replay a shadow set, and measure how rankings changed between two memories, or two versions of a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import IntArray, connected_components
from constraintsuite.core.statistics.ranking import overlap_at, rank_biased_overlap
from constraintsuite.core.statistics.resampling import mean_figures
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.memory.folder import open_memory
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.private.acceptance import ShadowCase
from constraintsuite.memory.private.versions import DOCUMENTS, KIND
from constraintsuite.models.dense import DenseScorer


@dataclass(frozen=True, slots=True)
class Moved:
    """How the ranking of one question changed in one mode."""

    case: str
    mode: str
    overlap: float | None
    rbo: float | None
    same_first: bool | None
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    evidence_lost: tuple[str, ...]
    """Labelled evidence that was returned before and is not now."""
    evidence_gained: tuple[str, ...]


@dataclass(frozen=True)
class ModeDrift:
    """Mean changes over all questions in one mode."""

    mode: str
    overlap: Interval
    rbo: Interval
    same_first: Interval
    evidence_lost: int
    evidence_gained: int


@dataclass(frozen=True)
class RankingDrift:
    """The result of a replay."""

    budget: int
    modes: tuple[ModeDrift, ...]
    moved: tuple[Moved, ...]
    """Questions whose ranking changed, the most changed first."""


def read_shadow(file: Path) -> list[ShadowCase]:
    """Read the questions of a shadow set; two with the same name are a UserError."""
    cases = list(read_jsonl(file, ShadowCase))
    names = [case.case for case in cases]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None or not cases:
        raise UserError(
            f"{file}: {f'the case {repeated!r} stands there twice.' if repeated else 'there are no questions in it.'}"
        )
    return cases


def open_side(path: Path, encoder: DenseScorer | None = None) -> Memory:
    """Open a memory folder, or make a memory of a frozen version of a pilot."""
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        Artifact.open(path, KIND).refuse_foreign()
        return Memory.of(ingest([path / DOCUMENTS]), encoder)
    return open_memory(path, encoder)


def replay(
    cases: Sequence[ShadowCase],
    before: Memory,
    after: Memory,
    modes: Sequence[str],
    budget: int,
    reporter: Reporter | None = None,
) -> RankingDrift:
    """Ask both memories every question in every mode; questions about one document are resampled together."""
    clusters = connected_components([case.documents for case in cases])
    moved: list[Moved] = []
    figures: list[ModeDrift] = []
    with (reporter or Silent()).track("replay", len(modes) * len(cases)) as advance:
        for mode in modes:
            old, new = load_mode(mode, before), load_mode(mode, after)
            found = []
            for case in cases:
                rankings = [[hit.unit for hit in side.search(case.query, budget).ranking] for side in (old, new)]
                found.append(_moved(case, mode, rankings[0], rankings[1], budget))
                advance()
            figures.append(_figures(mode, found, clusters))
            moved += [one for one in found if one.rbo is not None and (one.rbo < 1 - 1e-12 or one.gained or one.lost)]
    moved.sort(key=lambda one: (1.0 if one.rbo is None else one.rbo, one.case, one.mode))
    return RankingDrift(budget, tuple(figures), tuple(moved))


def _moved(case: ShadowCase, mode: str, old: Sequence[str], new: Sequence[str], budget: int) -> Moved:
    before, after, gold = set(old), set(new), set(case.evidence)
    return Moved(
        case.case,
        mode,
        overlap_at(old, new, budget),
        rank_biased_overlap(old, new),
        old[:1] == new[:1] if old or new else None,
        tuple(name for name in new if name not in before),
        tuple(name for name in old if name not in after),
        tuple(sorted((before - after) & gold)),
        tuple(sorted((after - before) & gold)),
    )


def _figures(mode: str, found: Sequence[Moved], clusters: IntArray) -> ModeDrift:
    values = [[one.overlap for one in found], [one.rbo for one in found], [one.same_first for one in found]]
    columns = [np.array(column, dtype=np.float64) for column in values]  # None is NaN
    overlap, rbo, first = mean_figures(columns, clusters, stable_hash("drift", mode))
    lost, gained = sum(bool(one.evidence_lost) for one in found), sum(bool(one.evidence_gained) for one in found)
    return ModeDrift(mode, overlap, rbo, first, lost, gained)
