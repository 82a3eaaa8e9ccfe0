"""When a circuit is called found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from constraintsuite.mechanism.circuits.records import ChanceCircuits, CircuitVerdict, RandomModels, RankedSite
from constraintsuite.mechanism.circuits.settings import FEWEST_RANDOM
from constraintsuite.records.scores import Interval

LEVEL = 0.05


class CircuitGrounds(NamedTuple):
    """What a verdict rests on."""

    behaviour: bool
    total: Interval
    reached: bool
    members: Sequence[RankedSite]
    chance: Sequence[ChanceCircuits]
    untrained: RandomModels | None


def give_verdict(grounds: CircuitGrounds) -> CircuitVerdict:
    """Each condition for itself, and whether all hold."""
    total = grounds.total.low is not None and grounds.total.low > 0
    sites = any(max(site.p, site.p_check) < LEVEL and site.t * site.t_check > 0 for site in grounds.members)
    unlike = _unlike_chance(grounds.chance)
    untrained = grounds.untrained
    trained = None if untrained is None else max(untrained.behaviour_p, untrained.strongest_p) < LEVEL
    found = grounds.behaviour and total and grounds.reached and sites and unlike is True and trained is not False
    return CircuitVerdict(found, grounds.behaviour, total, grounds.reached, sites, unlike, trained)


def _unlike_chance(chance: Sequence[ChanceCircuits]) -> bool | None:
    """Matches with too few other circuits say nothing, whichever way they came out."""
    telling = [others for others in chance if others.possible >= FEWEST_RANDOM]
    if not telling:
        return None
    return all(others.p is not None and others.p < LEVEL for others in telling)
