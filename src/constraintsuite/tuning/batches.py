"""Which lists stand in which step: shuffled, yet those of about the same length together, so that little is padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.tuning.data.records import Lists
from constraintsuite.tuning.losses.base import TextList

_POOL = 32  # steps whose lists are sorted by length among themselves


class TrainingStep(NamedTuple):
    """The lists of one step, all of one task."""

    task: str
    rows: Sequence[int]


def plan_steps(
    task: str, rows: Sequence[int], lengths: Sequence[int], batch: int, rng: np.random.Generator
) -> list[TrainingStep]:
    """Every row once; the order, and who stands together, is chance, within bounds that length sets."""
    order: npt.NDArray[np.int64] = rng.permutation(np.asarray(rows, dtype=np.int64))
    weights = np.asarray(lengths, dtype=np.int64)
    steps: list[TrainingStep] = []
    for start in range(0, len(order), batch * _POOL):
        pool = order[start : start + batch * _POOL]
        pool = pool[np.argsort(-weights[pool], kind="stable")]
        steps += [TrainingStep(task, pool[i : i + batch].tolist()) for i in range(0, len(pool), batch)]
    return [steps[place] for place in rng.permutation(len(steps))]


def interleave(
    first: Sequence[TrainingStep], others: Sequence[TrainingStep], rng: np.random.Generator
) -> list[TrainingStep]:
    """The steps of two tasks, mixed by chance; each task's own stay in their order."""
    places = np.sort(rng.choice(len(first) + len(others), size=len(others), replace=False))
    waiting, mixed = iter(first), list[TrainingStep]()
    chosen = dict(zip(places.tolist(), others, strict=True))
    for place in range(len(first) + len(others)):
        mixed.append(chosen[place] if place in chosen else next(waiting))
    return mixed


def share_out(wanted: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """How many lists of each earlier task are replayed: as many of each, and what a small one lacks from the others."""
    shares: dict[str, int] = {}
    for place, name in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        shares[name] = min(sizes[name], round((wanted - sum(shares.values())) / (len(sizes) - place)))
    return shares


def in_words(lists: Lists, rows: Sequence[int]) -> list[TextList]:
    """The lists of a step with their texts."""
    found = [lists.rows[row] for row in rows]
    return [TextList(lists.texts[row.query], [lists.texts[t] for t in row.texts], row.scores) for row in found]
