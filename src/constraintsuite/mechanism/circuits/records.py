"""Records: the settings of a search for a circuit, and its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.mechanism.contrasts.records import ContrastSide, ControlKind
from constraintsuite.mechanism.effects.records import EffectMethod, PatchDirection

CircuitAblation = Literal["counterfactual", "resample", "mean", "zero"]
"""The values of sites outside a circuit: from the corrupt run (`counterfactual`), from another contrast of the same template
about another Y (`resample`), their mean over the role, or zero."""
ChanceMatch = Literal["layer", "kind"]
"""What a random circuit has in common with the found one: as many sites of each layer, or as many heads and MLPs."""
MATCHES: tuple[ChanceMatch, ...] = get_args(ChanceMatch)


@dataclass(frozen=True, slots=True)
class RankedSite:
    """A site with its mean effect on the half on which circuits are found."""

    site: str
    effect: Interval
    """Change of the margin in logits."""
    t: float
    p: float
    """Corrected for the number of sites by the largest |t|, with signs exchanged by cluster."""
    effect_check: Interval
    """Effect on the held-out half, which plays no part in the ranking. `t_check` and `p_check` are from that half too."""
    t_check: float
    p_check: float


@dataclass(frozen=True, slots=True)
class SiteRanking:
    """The sites in the order of their mean effects, and how reliable that order is."""

    direction: PatchDirection
    method: EffectMethod
    sites: tuple[RankedSite, ...]
    reliability: Interval
    """Spearman's correlation of mean effects on the two halves; n counts sites, and clusters of each half are resampled."""
    clusters: tuple[int, int]
    """The number of clusters in each half."""


@dataclass(frozen=True, slots=True)
class ChanceBand:
    """The range of faithfulness of random circuits."""

    low: float
    """5 % of them are below."""
    middle: float
    high: float
    """95 % of them are below."""
    circuits: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The first `size` sites of the ranking as a circuit."""

    size: int
    find: Interval
    """Faithfulness on the half on which sites were ranked."""
    check: Interval
    """Faithfulness on the other half."""
    chance: ChanceBand | None
    """Random circuits of this size, matched by layer, on the other half; None if there are none."""
    aside: Interval
    """Mean change of the score of unrelated pairs from the full model, in logits."""


@dataclass(frozen=True, slots=True)
class MemberRemoval:
    """Some members K are removed from the circuit and from the full model: a complete circuit loses as much as the model."""

    how: Literal["random", "greedy"]
    sites: tuple[str, ...]
    difference: Interval
    """(M(C without K) - M(full without K)) as a share of M(full) - M(empty), signed."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """The difference between the circuit without some members and the model without them; 0 is complete."""

    random: Interval
    """Mean over random K of the absolute difference."""
    worst_random: float | None
    greedy: Interval
    """Absolute difference for the K that was worst on the half `find`."""
    removals: tuple[MemberRemoval, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A site of the circuit, and the loss without it."""

    site: str
    drop: Interval
    """M(C) - M(C without it), as a share of M(full) - M(empty)."""
    needed: bool
    """Whether the interval is entirely above 0."""


@dataclass(frozen=True, slots=True)
class ChanceCircuits:
    """Random circuits, compared with the found one on the half `check`."""

    match: ChanceMatch
    circuits: int
    """How many were run, all different."""
    possible: int
    """How many exist; with fewer than 20, p cannot be below .05."""
    below: float | None
    """The share that is less faithful."""
    p: float | None
    """(1 + those at least as faithful) / (1 + all)."""
    faithfulness: ChanceBand | None


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """The effect of the circuit on controls, where it should have none."""

    control: ControlKind
    contrasts: int
    clusters: int
    total: Interval
    """M(full) - M(empty), in logits."""
    carried: Interval
    """M(C) - M(empty), in logits."""
    size: Interval
    """Mean of |M(C) - M(empty)|, the size of the effect."""
    difference: Interval
    """Size on the main contrasts minus that on these; clusters with both are resampled together."""
    paired_clusters: int
    """The number of clusters with both."""


@dataclass(frozen=True, slots=True)
class RandomModels:
    """The same effects in untrained models of the same shape."""

    models: int
    contrasts: int
    method: EffectMethod
    behaviour_t: float
    """t of clean minus corrupt margins in the trained model."""
    strongest_t: float
    """The largest |t| of a site."""
    behaviour_p: float
    """The share of models, including the trained one, whose t is at least as large."""
    strongest_p: float
    random_behaviour_t: tuple[float, ...]
    random_strongest_t: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CircuitVerdict:
    """Whether the circuit counts as found, and each condition for it."""

    found: bool
    """All conditions hold; untrained models are optional."""
    behaviour: bool
    """Clean margins are above corrupt ones on the half `check`, p below .05."""
    total: bool
    """The interval of M(full) - M(empty) is entirely above 0: otherwise there is nothing to be faithful to."""
    reached: bool
    """The circuit reaches the threshold on the half `find`."""
    sites: bool
    """The effect of some member is beyond chance on both halves, corrected p below .05."""
    chance: bool | None
    """More faithful than random circuits, p below .05, for every match with enough of them; None if there is no such match."""
    random_models: bool | None
    """Behaviour and strongest site exceed untrained models, p below .05; None if there are none."""


@dataclass(frozen=True, slots=True)
class CircuitReport:
    """A circuit and how good it is; figures are of the half `check` unless stated otherwise."""

    model: str
    ablation: CircuitAblation
    """Printed with every figure, since faithfulness depends on it."""
    sites: int
    """The number of possible members."""
    contrasts: tuple[int, int]
    """Number of contrasts in the selection half and the held-out half."""
    clusters: tuple[int, int]
    unasked: int
    """Contrasts for which there are no values to ablate with."""
    margin_full: Interval
    margin_empty: Interval
    total: Interval
    """M(full) - M(empty), which a faithful circuit keeps."""
    behaviour_p: float
    """p of mean M(clean) - M(corrupt), two-sided, with signs exchanged by cluster."""
    ranking: SiteRanking
    curve: tuple[CurvePoint, ...]
    area: Interval
    """The area under faithfulness over the share of kept sites, by trapezoids, not clipped."""
    circuit: tuple[str, ...]
    """The smallest circuit of the curve that reaches the threshold on the half find, or the one of the size asked for."""
    faithfulness: Interval
    completeness: Completeness
    members: tuple[Member, ...]
    chance: tuple[ChanceCircuits, ...]
    controls: tuple[ControlEffect, ...]
    """The first is for the main contrasts, for comparison."""
    random_models: RandomModels | None
    verdict: CircuitVerdict


FEWEST_RANDOM = 20
"""The smallest number of random circuits or models with which p, at least 1 / (1 + number), can be below .05."""


class CircuitSettings(StrictModel):
    """The settings of a search for a circuit."""

    side: ContrastSide = "query"
    """Where clean and corrupt differ in the main contrasts."""
    ablation: CircuitAblation = "counterfactual"
    """The values of sites outside the circuit."""
    direction: PatchDirection = "denoising"
    """Which effects rank the sites."""
    method: Literal["exact", "attribution"] | None = None
    """Which effects; by default exact ones if every site has them."""
    threshold: float = Field(0.8, gt=0, le=1)
    """Faithfulness that the circuit must reach on the half find."""
    size: int | None = Field(None, ge=1)
    """Number of sites, instead of the fewest that reach the threshold."""
    chance: int = Field(100, ge=FEWEST_RANDOM)
    """Random circuits per match."""
    band: int = Field(20, ge=0)
    """Random circuits per point of the curve."""
    parts: int = Field(50, ge=1)
    """Random sets of members that the test of completeness removes."""
    random_models: int = Field(20, ge=0)
    """Untrained models; 20 or more can give p below .05."""
    random_contrasts: int = Field(64, ge=2)
    """Contrasts per untrained model."""
    limit: int | None = Field(None, ge=2)
    """Maximum number of contrasts per half and control."""
    seed: int = 0
