"""Replay a shadow set, and measure how rankings changed between two memories, or two versions of a pilot."""

from __future__ import annotations

from collections import Counter
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
from constraintsuite.core.store.artifact import read_manifest
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.memory.folder import open_memory
from constraintsuite.memory.ingest.collection import ingest
from constraintsuite.memory.memory import Memory
from constraintsuite.memory.modes.base import load_mode
from constraintsuite.memory.private.acceptance import ShadowCase
from constraintsuite.memory.private.versions import KIND, open_version
from constraintsuite.models.dense import DenseScorer


@dataclass(frozen=True, slots=True)
class RankingChange:
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
    moved: tuple[RankingChange, ...]
    """Questions whose ranking changed, the most changed first."""


def read_shadow(file: Path) -> list[ShadowCase]:
    """Read the questions of a shadow set. Raises UserError if two have the same name."""
    cases = list(read_jsonl(file, ShadowCase))
    if not cases:
        raise UserError(f"{file}: there are no questions in it.")
    name, count = Counter(case.case for case in cases).most_common(1)[0]
    if count > 1:
        raise UserError(f"{file}: the case {name!r} is given twice.")
    return cases


def open_side(path: Path, encoder: DenseScorer | None = None) -> Memory:
    """Open a memory folder, or make a memory of a frozen version of a pilot."""
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        return Memory.of(ingest([open_version(path).documents]), encoder)
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
    changes: list[RankingChange] = []
    figures: list[ModeDrift] = []
    with (reporter or Silent()).track("replay", len(modes) * len(cases)) as advance:
        for mode in modes:
            old, new = load_mode(mode, before), load_mode(mode, after)
            found = []
            for case in cases:
                first, second = ([hit.unit for hit in side.search(case.query, budget).ranking] for side in (old, new))
                found.append(_compare(case, mode, first, second, budget))
                advance()
            figures.append(_figures(mode, found, clusters))
            changes += [one for one in found if one.rbo is not None and (one.rbo < 1 - 1e-12 or one.gained or one.lost)]
    most_changed_first = sorted(changes, key=lambda one: (one.rbo, one.case, one.mode))
    return RankingDrift(budget, tuple(figures), tuple(most_changed_first))


def _compare(case: ShadowCase, mode: str, old: Sequence[str], new: Sequence[str], budget: int) -> RankingChange:
    before, after, gold = set(old), set(new), set(case.evidence)
    return RankingChange(
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


def _figures(mode: str, found: Sequence[RankingChange], clusters: IntArray) -> ModeDrift:
    values = [[one.overlap for one in found], [one.rbo for one in found], [one.same_first for one in found]]
    columns = [np.array(column, dtype=np.float64) for column in values]  # None is NaN
    overlap, rbo, first = mean_figures(columns, clusters, stable_hash("drift", mode))
    lost, gained = sum(bool(one.evidence_lost) for one in found), sum(bool(one.evidence_gained) for one in found)
    return ModeDrift(mode, overlap, rbo, first, lost, gained)
