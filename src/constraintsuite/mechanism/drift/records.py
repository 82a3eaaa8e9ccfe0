"""What is said about checkpoints, as plain records, and the folder that holds them.

Intervals are of 95 %, with whole clusters of items resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.compare import PairedDifference
from constraintsuite.mechanism.contrasts.records import ContrastSide, TokenRole
from constraintsuite.mechanism.effects.records import PatchDirection
from constraintsuite.mechanism.explain.folder import read_record


@dataclass(frozen=True, slots=True)
class CheckpointFigure:
    """A metric of one checkpoint on a group of a suite's examples."""

    checkpoint: str
    suite: str
    group: str
    """`overall`, or a slice."""
    metric: str
    value: Interval


@dataclass(frozen=True, slots=True)
class SuiteForgetting:
    """What the last checkpoint no longer does: a column of the forgetting matrix."""

    suite: str
    group: str
    metric: str
    best: str
    """The earlier checkpoint that was best at it."""
    last: str
    difference: Interval
    """Last less best, on the same examples; below 0 is forgotten. The best was picked by its value, so that a little is chance."""


@dataclass(frozen=True, slots=True)
class Importance:
    """What putting a site's values in does to the margin, by attribution, over the main contrasts."""

    checkpoint: str
    direction: PatchDirection
    site: str
    effect: Interval
    recovered: Interval
    """The effect as a share of what separates the two runs: a ratio of means."""


@dataclass(frozen=True, slots=True)
class Margins:
    """How a checkpoint tells the two runs of a contrast apart, in its own unit."""

    checkpoint: str
    clean: Interval
    corrupt: Interval
    difference: Interval
    correct: Interval
    """Share of contrasts whose clean margin is above 0."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Whether the same sites matter in two checkpoints; importance is the absolute mean effect of a site."""

    first: str
    second: str
    direction: PatchDirection
    spearman: Interval
    """Of the importance of all sites, on the same contrasts: what is chance in them is shared, and makes the two more alike."""
    across: Interval
    """Of importances on different halves of the contrasts, which share nothing; to be compared with the reliability."""
    rbo: Interval
    """Rank-biased overlap, p = 0.9: what stands on top counts most."""
    rbo_chance: float
    """What rankings by chance have on average."""
    jaccard: Interval
    """Shared members of the two circuits of the `top` sites, by all members of either; on the same contrasts, as `spearman`."""
    jaccard_across: Interval
    """Of circuits chosen on different halves of the contrasts, the mean of both ways."""
    jaccard_chance: float
    """What two circuits drawn by chance share on average."""
    jaccard_p: float
    """That chance shares as many or more as circuits of different halves do, the larger of both ways (hypergeometric: every site
    is as likely as another)."""
    weighted: Interval
    """Importance that both have at the same site, as a share of all that either has."""
    moved: Interval
    """Earth-mover's distance of importance over layers, in layers."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well one checkpoint's ranking of sites agrees with itself: no likeness across halves can be expected to be higher."""

    checkpoint: str
    direction: PatchDirection
    spearman: Interval
    """Between importances on the two halves of the contrasts."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How alike two checkpoints place the same rows, at the tokens of one role behind one layer."""

    first: str
    second: str
    layer: str
    role: TokenRole
    cka: Interval
    """Linear CKA without the bias of few rows; 1 for the same up to rotation and scale, around 0 for unrelated."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether "Y is excluded" can be read off by a straight line: share of contrasts whose clean run lies further along it."""

    checkpoint: str
    layer: str
    role: TokenRole
    frozen: Interval
    """By the line of the first checkpoint, on contrasts that had no part in it; chance is 0.5."""
    own: Interval
    """By a line of the checkpoint's own."""


@dataclass(frozen=True, slots=True)
class HeadChange:
    """How far the weights of a head have moved, as a share of their length."""

    first: str
    second: str
    site: str
    change: float
    circuit: bool
    """Whether the head belongs to the first checkpoint's circuit."""


@dataclass(frozen=True, slots=True)
class PartChange:
    """The same of a whole block, or of the embeddings."""

    first: str
    second: str
    part: str
    change: float


@dataclass(frozen=True, slots=True)
class CircuitChange:
    """Heads of the circuit against the other heads of their layers."""

    first: str
    second: str
    direction: PatchDirection
    difference: Interval
    """Relative change of a circuit's head less the mean of the others of its layer; n counts heads of the circuit."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Values of the first checkpoint put into the second: does what the old model says still mean something to the new one?"""

    first: str
    second: str
    direction: PatchDirection
    patch: str
    """`circuit` for all its sites at once, or the residual of a layer: the first's layers below, the second's above."""
    own: Interval
    """Change of the second's margin with values of its own other run, in logits."""
    crossed: Interval
    """With values of the first's other run less with those of its same run: what the first says about the contrast, and nothing
    else."""
    harm: Interval
    """With values of the first's same run: what is due to being of another checkpoint alone."""
    share: Interval
    """`crossed` by what separates the second's own two runs, a ratio of means; large where the second hardly tells them apart."""


@dataclass(frozen=True, slots=True)
class CheckpointStep:
    """What one checkpoint shows, for itself and against the first and the one before."""

    margins: tuple[Margins, ...]
    importances: tuple[Importance, ...]
    reliabilities: tuple[Reliability, ...]
    probes: tuple[Probe, ...]
    likenesses: tuple[Likeness, ...] = ()
    alignments: tuple[Alignment, ...] = ()
    head_changes: tuple[HeadChange, ...] = ()
    part_changes: tuple[PartChange, ...] = ()
    circuit_changes: tuple[CircuitChange, ...] = ()
    crossings: tuple[Crossing, ...] = ()

    @classmethod
    def joined(cls, steps: Sequence[CheckpointStep]) -> CheckpointStep:
        """All records of several, in order."""
        return cls(*(tuple(chain.from_iterable(getattr(step, one.name) for step in steps)) for one in fields(cls)))


@dataclass(frozen=True, slots=True)
class CheckpointDrift:
    """All figures; the others are compared with the first checkpoint."""

    checkpoints: tuple[str, ...]
    suites: tuple[str, ...]
    splits: tuple[str, ...]
    sides: tuple[ContrastSide, ...]
    contrasts: int
    clusters: int
    seed: int
    top: int
    """Sites of a circuit."""
    layers: int
    heads: int
    circuit: dict[PatchDirection, tuple[str, ...]]
    """Of the first checkpoint on the half find, the strongest first."""
    figures: tuple[CheckpointFigure, ...]
    changes: dict[str, tuple[PairedDifference, ...]]
    """By suite, between two checkpoints each; p is corrected over all suites."""
    forgetting: tuple[SuiteForgetting, ...]
    inside: CheckpointStep
    """Of all checkpoints."""


KIND, RESULTS = "drift", "drift.json"
RUNS = "runs"
"""Inside the folder, but no content of it: the runs are artifacts of their own, and stages are what a stopped drift goes on from."""


def load_drift(path: Path) -> CheckpointDrift:
    """The figures of a finished drift; one that was changed since is a UserError."""
    Artifact.open(path, KIND)
    return read_record(path / RESULTS, CheckpointDrift)
