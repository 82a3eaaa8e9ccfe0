"""Selects the pairs of a suite: slices by their shares, no relation too frequent, no couple split, no shortcut that wins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import EXPLICIT, MAIN_SLICES, MINPAIRS, OMISSIONS
from constraintsuite.suites.balancing import SelectedUnit, balance, lean_of, relation_of
from constraintsuite.suites.pairs.leans import Lean
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.recipe import SizeSettings

REUSE_COST = 0.5
UnselectedUnits = list[tuple[str, SelectedUnit]]
"""Units that are not selected, with the reason."""


def select(
    drafts: Sequence[PairDraft],
    sizes: SizeSettings,
    leans: Mapping[PairDraft, Lean],
    stated: Collection[str],
    balanced: Mapping[str, str],
) -> tuple[list[PairDraft], list[tuple[str, PairDraft]]]:
    """The selected drafts of one constraint type, and the others with the reason why they were left out.

    `leans` say what the shortcuts that are `balanced` pick in each draft. `stated` are the relations that documents state, such
    as `directed_by`: only these are capped. Attributes and slots are as many relations as there are Y, whatever they are called.
    """
    units = _units(drafts)
    shares = _shares(sizes, {slice_of(unit) for unit in units})
    chosen: list[SelectedUnit] = []
    left_out: UnselectedUnits = []
    used: Counter[str] = Counter()
    for name in MAIN_SLICES:
        rank = _Ranking(used, leans)
        fair = balance([unit for unit in units if slice_of(unit) == name], leans, rank, stated, balanced)
        picked, left = _pick(fair.kept, round(shares[name] * sizes.main), sizes, rank, stated)
        final = balance(picked, leans, rank, stated, balanced)
        chosen += final.kept
        left_out += [*fair.left_out, *left, *final.left_out]
        used.update(document for unit in final.kept for draft in unit for document in set(draft.sources))
    return [draft for unit in chosen for draft in unit], [(why, draft) for why, unit in left_out for draft in unit]


def _shares(sizes: SizeSettings, slices: Collection[str]) -> dict[str, float]:
    """The share of each slice; if all pairs are of ExplicitMention, as those of most constraint types are, it has everything."""
    alone = set(slices) == {EXPLICIT}
    return {
        MINPAIRS: sizes.minpairs_share,
        EXPLICIT: 1.0 if alone else sizes.explicit_share,
        **dict.fromkeys(OMISSIONS, sizes.omission_share),
    }


def slice_of(unit: SelectedUnit) -> str:
    """The slice of a unit; a couple with one draft of ExplicitMention counts as ExplicitMention."""
    slices = {draft.slice for draft in unit}
    return next(name for name in MAIN_SLICES if name in slices)


def _units(drafts: Iterable[PairDraft]) -> list[SelectedUnit]:
    units: dict[str, SelectedUnit] = defaultdict(list)
    for draft in drafts:
        couple = f"{draft.slice if draft.is_edited else 'natural'}|{draft.couple}"
        single = f"{draft.proposal}|{draft.slice}|{'|'.join(draft.sources)}|{draft.edit}"
        units[couple if draft.couple else single].append(draft)
    return [units[key] for key in sorted(units)]


class _Ranking:
    """Sorts units: natural before edited texts, and low cost before high cost."""

    def __init__(self, used: Counter[str], leans: Mapping[PairDraft, Lean]) -> None:
        """`used` counts how often documents are in units that are selected already."""
        self._used, self._leans = used.copy(), leans

    def __call__(self, unit: SelectedUnit) -> tuple[bool, float, int]:
        first = unit[0]
        edited = first.slice != MINPAIRS and first.is_edited
        reuse = sum(self._used[document] for draft in unit for document in set(draft.sources))
        return edited, first.cost + REUSE_COST * reuse, stable_hash(relation_of(unit), _name(unit))

    def in_proportion(self, units: Iterable[SelectedUnit]) -> list[SelectedUnit]:
        """Units in an order in which every beginning has splits and leans in about the proportions of the whole."""
        strata: dict[tuple[str, Lean], list[SelectedUnit]] = defaultdict(list)
        for unit in sorted(units, key=self):
            strata[unit[0].split, lean_of(unit, self._leans)].append(unit)
        placed = [
            ((place + 0.5) / len(stratum), stable_hash(_name(unit)), unit)
            for stratum in strata.values()
            for place, unit in enumerate(stratum)
        ]
        return [unit for _, _, unit in sorted(placed, key=lambda one: one[:2])]


def _pick(
    units: Sequence[SelectedUnit], target: int, sizes: SizeSettings, rank: _Ranking, stated: Collection[str]
) -> tuple[list[SelectedUnit], UnselectedUnits]:
    """Take units from the relations in turn, the best of each first, until the slice is full; gives the others too.

    A stated relation may take its share of what the slice should have; with few relations, the share is larger.
    """
    queues: dict[str, list[SelectedUnit]] = defaultdict(list)
    for unit in units:
        queues[relation_of(unit)].append(unit)
    queues = {relation: rank.in_proportion(queues[relation])[::-1] for relation in sorted(queues)}
    cap = target * max(sizes.max_relation_share, 1.5 / max(1, len(queues)))
    most = {relation: cap if relation in stated else target for relation in queues}
    counts: Counter[str] = Counter()
    picked: list[SelectedUnit] = []
    left: UnselectedUnits = []
    while any(queues.values()):
        for relation, queue in queues.items():
            if not queue:
                continue
            unit = queue.pop()
            size = len(unit)
            if counts.total() + size > target:
                left.append(("surplus", unit))
            elif counts[relation] + size > most[relation]:
                left.append(("relation_cap", unit))
            else:
                picked.append(unit)
                counts[relation] += size
    return picked, left


def _name(unit: SelectedUnit) -> str:
    return "|".join(f"{draft.proposal}{''.join(draft.sources)}" for draft in unit)
