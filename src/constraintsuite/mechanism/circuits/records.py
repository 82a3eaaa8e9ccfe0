"""How a circuit is searched for, and what is said about it, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.core.records.scores import Interval
from constraintsuite.mechanism.contrasts.records import ContrastSide, ControlKind
from constraintsuite.mechanism.effects.records import EffectMethod, PatchDirection

CircuitAblation = Literal["twin", "resample", "mean", "zero"]
"""What sites outside a circuit say: what they say in the corrupt run (`twin`), in another contrast of the same template
about another Y, on average over their role, or nothing."""
ChanceMatch = Literal["layer", "kind"]
"""What a random circuit shares with the one found: as many sites of each layer, or as many heads and as many MLPs anywhere."""
MATCHES: tuple[ChanceMatch, ...] = get_args(ChanceMatch)


@dataclass(frozen=True, slots=True)
class RankedSite:
    """A site's mean effect on the half on which circuits are found; the largest, of either sign, come first."""

    site: str
    effect: Interval
    """Change of the margin in logits."""
    t: float
    p: float
    """Corrected for all sites by the largest |t|, signs exchanged by cluster."""
    effect_check: Interval
    """The same on the other half, which decided nothing; as the next two."""
    t_check: float
    p_check: float


@dataclass(frozen=True, slots=True)
class SiteRanking:
    """The sites in the order of their mean effects, and how reliable that order is."""

    direction: PatchDirection
    method: EffectMethod
    sites: tuple[RankedSite, ...]
    reliability: Interval
    """Spearman's correlation of mean effects on the two halves; n counts sites, clusters of each half are drawn anew."""
    clusters: tuple[int, int]
    """Independent groups of contrasts in each half."""


@dataclass(frozen=True, slots=True)
class ChanceBand:
    """The range of faithfulness of random circuits."""

    low: float
    """5 % of them lie below."""
    middle: float
    high: float
    """95 % of them lie below."""
    circuits: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The first so many sites of the ranking as a circuit."""

    size: int
    find: Interval
    """Faithfulness on the half on which sites were ranked."""
    check: Interval
    """On the other half."""
    chance: ChanceBand | None
    """Of layer-matched random circuits of this size, on the other half; None where there are none."""
    aside: Interval
    """Mean change of the plain relevance score from the full model, in logits."""


@dataclass(frozen=True, slots=True)
class MemberRemoval:
    """Some members are taken from the circuit and from the full model: a complete circuit misses them as much."""

    how: Literal["random", "greedy"]
    sites: tuple[str, ...]
    difference: Interval
    """(M(C without K) - M(full without K)) as a share of M(full) - M(empty), signed."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """How far the circuit without some of its members is from the model without them; 0 is complete."""

    random: Interval
    """Mean over random K of the absolute difference."""
    worst_random: float | None
    greedy: Interval
    """Absolute difference for the K that was worst on the half on which circuits are found."""
    removals: tuple[MemberRemoval, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A site of the circuit, and what is lost without it."""

    site: str
    drop: Interval
    """M(C) - M(C without it), as a share of M(full) - M(empty)."""
    needed: bool
    """Whether the whole interval lies above 0."""


@dataclass(frozen=True, slots=True)
class ChanceCircuits:
    """Random circuits beside the one that was found, on the half that decided nothing."""

    match: ChanceMatch
    circuits: int
    """How many were run, all different from the one found and from each other."""
    possible: int
    """How many there are; of less than 20, p cannot be below .05."""
    below: float | None
    """Share that is less faithful."""
    p: float | None
    """(1 + those at least as faithful) / (1 + all)."""
    faithfulness: ChanceBand | None


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """The same circuit on contrasts in which it should have nothing to do."""

    control: ControlKind
    contrasts: int
    clusters: int
    total: Interval
    """M(full) - M(empty), in logits."""
    carried: Interval
    """M(C) - M(empty), in logits."""
    size: Interval
    """Mean of |M(C) - M(empty)|: what the circuit does, whichever way."""
    difference: Interval
    """Size on the contrasts that are studied less that on these; clusters that have both are drawn together."""
    paired_clusters: int
    """How many have both."""


@dataclass(frozen=True, slots=True)
class RandomModels:
    """The same search in models of the same shape that were never trained."""

    models: int
    contrasts: int
    method: EffectMethod
    behaviour_t: float
    """Of the difference between clean and corrupt margins, of the model studied; as the next, with its sign."""
    strongest_t: float
    """Largest |t| of any site."""
    behaviour_p: float
    """Share of models, the studied one among them, whose t is as large or larger."""
    strongest_p: float
    random_behaviour_t: tuple[float, ...]
    random_strongest_t: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CircuitVerdict:
    """Whether a circuit is called found, and each condition for it."""

    found: bool
    """All of the following hold; untrained models need not have been asked for."""
    behaviour: bool
    """Clean margins lie above corrupt ones on the half that decided nothing, p below .05."""
    total: bool
    """M(full) - M(empty) lies above 0 with its whole interval: else there is nothing to be faithful to."""
    reached: bool
    """The circuit is as faithful as was asked for, on the half on which it was looked for."""
    sites: bool
    """Some member's effect is no chance among all sites, on both halves, corrected p below .05."""
    chance: bool | None
    """More faithful than random circuits, p below .05, of every match of which there are enough for such a p; None if there are
    of none."""
    random_models: bool | None
    """Behaviour and strongest site stand out from untrained models, p below .05; None if none were asked for."""


@dataclass(frozen=True, slots=True)
class CircuitReport:
    """A circuit and how good it is; all that is said of it comes from the half `check` unless it says otherwise."""

    model: str
    ablation: CircuitAblation
    """To be printed in every figure: faithfulness depends on it."""
    sites: int
    """How many could have been members."""
    contrasts: tuple[int, int]
    """Of the halves find and check."""
    clusters: tuple[int, int]
    unasked: int
    """Contrasts that have nothing to be ablated with."""
    margin_full: Interval
    margin_empty: Interval
    total: Interval
    """M(full) - M(empty): what a faithful circuit keeps."""
    behaviour_p: float
    """Of mean M(clean) - M(corrupt) above 0, signs exchanged by cluster, two-sided."""
    ranking: SiteRanking
    curve: tuple[CurvePoint, ...]
    area: Interval
    """Under the faithfulness over the share of sites kept, by trapezoids; clipped nowhere."""
    circuit: tuple[str, ...]
    """The smallest of the curve whose faithfulness on the half find reaches the threshold, or the size asked for."""
    faithfulness: Interval
    completeness: Completeness
    members: tuple[Member, ...]
    chance: tuple[ChanceCircuits, ...]
    controls: tuple[ControlEffect, ...]
    """The first is what is studied, to read the others beside."""
    random_models: RandomModels | None
    verdict: CircuitVerdict


FEWEST_RANDOM = 20
"""Random circuits or models from which p can be below .05: it is never less than 1 / (1 + all)."""


class CircuitSettings(BaseModel):
    """What decides a circuit and what is said about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: ContrastSide = "query"
    """Where clean and corrupt differ in the contrasts that are studied."""
    ablation: CircuitAblation = "twin"
    """What sites outside the circuit say."""
    direction: PatchDirection = "denoising"
    """Which effects rank the sites."""
    method: Literal["exact", "attribution"] | None = None
    """Which of the effects; none given: exact where every site has them."""
    threshold: float = Field(0.8, gt=0, le=1)
    """Faithfulness that the circuit must reach where it is found."""
    size: int | None = Field(None, ge=1)
    """Sites of the circuit, instead of as few as reach the threshold."""
    chance: int = Field(100, ge=FEWEST_RANDOM)
    """Random circuits of each match."""
    band: int = Field(20, ge=0)
    """Random circuits beside each point of the curve."""
    parts: int = Field(50, ge=1)
    """Random sets of members that completeness takes away."""
    random_models: int = Field(20, ge=0)
    """Untrained models; 20 or more can give p below .05."""
    random_contrasts: int = Field(64, ge=2)
    """Contrasts that each of them is asked."""
    limit: int | None = Field(None, ge=2)
    """Most contrasts of each half and control."""
    seed: int = 0
