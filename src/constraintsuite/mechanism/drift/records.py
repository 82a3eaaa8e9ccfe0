"""Records of all figures about checkpoints, and the folder that holds them.

Intervals are 95 % and resample whole clusters of items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_json
from constraintsuite.experiments.compare import PairedDifference
from constraintsuite.mechanism.contrasts.records import ContrastSide, TokenRole
from constraintsuite.mechanism.effects.records import PatchDirection


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
    """What the last checkpoint has forgotten: a column of the forgetting matrix."""

    suite: str
    group: str
    metric: str
    best: str
    """The best earlier checkpoint."""
    last: str
    difference: Interval
    """Last minus best on the same examples; negative means forgetting.

    The best is picked by its score, so a small negative value is expected by chance.
    """


@dataclass(frozen=True, slots=True)
class Importance:
    """The estimated effect of patching a site, over the main contrasts."""

    checkpoint: str
    direction: PatchDirection
    site: str
    effect: Interval
    recovered: Interval
    """The effect as a share of the difference between the runs: a ratio of means."""


@dataclass(frozen=True, slots=True)
class Margins:
    """The margins of the two runs, in the checkpoint's own unit."""

    checkpoint: str
    clean: Interval
    corrupt: Interval
    difference: Interval
    correct: Interval
    """Share of contrasts whose clean margin is above 0."""


@dataclass(frozen=True, slots=True)
class CheckpointPair:
    """The labels of two checkpoints that are compared."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ImportanceSimilarity(CheckpointPair):
    """How similar two checkpoints are in the importance of sites, which is the absolute mean effect."""

    direction: PatchDirection
    spearman: Interval
    """Spearman correlation of site importances, both measured on the same contrasts. Shared noise inflates it."""
    across: Interval
    """The same, measured on different halves of the contrasts, which share no noise. Compare it with `Reliability`."""
    rbo: Interval
    """Rank-biased overlap, p = 0.9: the top counts most."""
    rbo_chance: float
    """The mean for random rankings."""
    jaccard: Interval
    """Jaccard similarity of the two circuits of `top` sites, on the same contrasts."""
    jaccard_across: Interval
    """The same for circuits chosen on different halves of the contrasts; the mean of both ways."""
    jaccard_chance: float
    """The mean for random circuits."""
    jaccard_p: float
    """p-value for the overlap of circuits chosen on different halves; the larger of the two directions (hypergeometric: every
    site is equally likely)."""
    weighted: Interval
    """Weighted Jaccard similarity: sum of the site-wise minima divided by the sum of the maxima."""
    moved: Interval
    """Earth mover's distance of importance over layers, in layers."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well the importances of one checkpoint agree between halves: the upper limit for similarity across halves."""

    checkpoint: str
    direction: PatchDirection
    spearman: Interval
    """Between importances on the two halves of the contrasts."""


@dataclass(frozen=True, slots=True)
class Alignment(CheckpointPair):
    """How similarly two checkpoints represent the same rows, at the tokens of one role after one layer."""

    layer: str
    role: TokenRole
    cka: Interval
    """Linear CKA, corrected for few rows: 1 if equal up to rotation and scale, around 0 if unrelated."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A linear probe of "Y is excluded": the share of contrasts that it orders correctly."""

    checkpoint: str
    layer: str
    role: TokenRole
    frozen: Interval
    """With the probe of the first checkpoint, on contrasts that it was not fitted on; the chance level is 0.5."""
    own: Interval
    """With a probe fitted on the checkpoint itself."""


@dataclass(frozen=True, slots=True)
class HeadChange(CheckpointPair):
    """The change of the weights of a head, as a share of their norm."""

    site: str
    change: float
    circuit: bool
    """Whether the head belongs to the first checkpoint's circuit."""


@dataclass(frozen=True, slots=True)
class PartChange(CheckpointPair):
    """The same for a block, or for the embeddings."""

    part: str
    change: float


@dataclass(frozen=True, slots=True)
class CircuitChange(CheckpointPair):
    """Heads of the circuit compared with the other heads of their layers."""

    direction: PatchDirection
    difference: Interval
    """Relative change of a head minus the mean over the other heads of its layer; n counts heads of the circuit."""


@dataclass(frozen=True, slots=True)
class CrossCheckpointPatch(CheckpointPair):
    """Values of the first checkpoint put into the second: does the new model still understand the old one?"""

    direction: PatchDirection
    patch: str
    """`circuit` for all its sites together, or the residual of a layer."""
    own: Interval
    """Change of the margin with values of its own other run, in logits."""
    crossed: Interval
    """Effect of the first checkpoint's opposite run minus the effect of its matching run.

    This is the part that depends on the contrast.
    """
    harm: Interval
    """Change with values of the same run of the first: the effect of any values of another checkpoint."""
    share: Interval
    """`crossed` as a share of the difference between the runs of the second, a ratio of means."""


@dataclass(frozen=True, slots=True)
class CheckpointStep:
    """Figures of one checkpoint, alone and compared with the first and the one before."""

    margins: tuple[Margins, ...]
    importances: tuple[Importance, ...]
    reliabilities: tuple[Reliability, ...]
    probes: tuple[Probe, ...]
    likenesses: tuple[ImportanceSimilarity, ...] = ()
    alignments: tuple[Alignment, ...] = ()
    head_changes: tuple[HeadChange, ...] = ()
    part_changes: tuple[PartChange, ...] = ()
    circuit_changes: tuple[CircuitChange, ...] = ()
    crossings: tuple[CrossCheckpointPatch, ...] = ()

    @classmethod
    def joined(cls, steps: Sequence[CheckpointStep]) -> CheckpointStep:
        """The records of several steps, in order."""
        return cls(*(tuple(chain.from_iterable(getattr(step, one.name) for step in steps)) for one in fields(cls)))


@dataclass(frozen=True, slots=True)
class CheckpointDrift:
    """All figures of a drift."""

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
    """The circuit of the first checkpoint on the half find, the strongest site first."""
    figures: tuple[CheckpointFigure, ...]
    changes: dict[str, tuple[PairedDifference, ...]]
    """By suite, between two checkpoints each; p is corrected over all suites."""
    forgetting: tuple[SuiteForgetting, ...]
    inside: CheckpointStep
    """Of all checkpoints."""


KIND, RESULTS = "drift", "drift.json"
RUNS = "runs"
"""The folder of runs, which are artifacts of their own."""


def load_drift(path: Path) -> CheckpointDrift:
    """Read the figures of a finished drift. Raises UserError if it was changed since."""
    Artifact.open(path, KIND)
    return read_json(path / RESULTS, CheckpointDrift)
