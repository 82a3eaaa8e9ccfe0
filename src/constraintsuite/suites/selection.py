"""Selects the pairs of a suite: slices by their shares, no relation too frequent, no couple split."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import MAIN_SLICES, MINPAIRS
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.recipe import SizeSettings

REUSE_COST = 0.5
SelectedUnit = list[PairDraft]
"""Drafts that are selected together: both of a couple, or a single one."""


def select(drafts: Sequence[PairDraft], sizes: SizeSettings) -> tuple[list[PairDraft], list[tuple[str, PairDraft]]]:
    """The selected drafts, and the others with the reason why they were left out."""
    surplus: list[tuple[str, PairDraft]] = []
    units = _units(drafts)
    targets = dict(zip(MAIN_SLICES, (sizes.minpairs_share, sizes.explicit_share, sizes.omission_share), strict=True))
    chosen: list[SelectedUnit] = []
    used: Counter[str] = Counter()
    for name in MAIN_SLICES:
        of_slice = [unit for unit in units if slice_of(unit) == name]
        picked, left = _pick(of_slice, round(targets[name] * sizes.main), sizes, used)
        chosen += picked
        surplus += [("surplus", draft) for unit in left for draft in unit]
        used.update(document for unit in picked for draft in unit for document in set(draft.sources))
    kept, over = _cap_relations(chosen, sizes.max_relation_share, targets)
    surplus += [("relation_cap", draft) for unit in over for draft in unit]
    return [draft for unit in kept for draft in unit], surplus


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


def _pick(
    units: Sequence[SelectedUnit], target: int, sizes: SizeSettings, used: Counter[str]
) -> tuple[list[SelectedUnit], list[SelectedUnit]]:
    """Take units from the relations in turn, the best of each first, until the slice is full; gives the others too."""
    queues: dict[str, list[SelectedUnit]] = defaultdict(list)
    for unit in units:
        queues[_relation(unit)].append(unit)
    for relation, queue in queues.items():
        queue.sort(key=lambda unit: (*_rank(unit, used), stable_hash(relation, _name(unit))))
    picked: list[SelectedUnit] = []
    left: list[SelectedUnit] = []
    count = flips = 0
    limit = sizes.max_flip_share * target
    while any(queues.values()):
        for relation in sorted(queues):
            if not queues[relation]:
                continue
            unit = queues[relation].pop(0)
            flip = unit[0].edit.startswith("flip")
            if count + len(unit) > target or (flip and flips + len(unit) > min(limit, 0.34 * max(3, count))):
                left.append(unit)
                continue
            picked.append(unit)
            count += len(unit)
            flips += len(unit) if flip else 0
    return picked, left


def _cap_relations(
    units: Sequence[SelectedUnit], share: float, targets: Mapping[str, float]
) -> tuple[list[SelectedUnit], list[SelectedUnit]]:
    """Leave out units of relations above their share, from the slice that the relation fills most.

    If there are few relations, the share is larger.
    """
    share = max(share, 1.5 / max(1, len({_relation(unit) for unit in units})))
    kept: dict[tuple[str, str], list[SelectedUnit]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: (*_rank(unit, Counter()), _name(unit))):
        kept[_relation(unit), slice_of(unit)].append(unit)
    over: list[SelectedUnit] = []
    while True:
        counts = Counter[str]()
        for (relation, _), queue in kept.items():
            counts[relation] += sum(map(len, queue))
        excess = {relation: count for relation, count in counts.items() if count > share * counts.total()}
        if not excess:
            return [unit for _, queue in sorted(kept.items()) for unit in queue], over
        relation = max(excess, key=lambda name: (excess[name], name))
        full = max(
            (name for name in MAIN_SLICES if kept[relation, name]),
            key=lambda name: sum(map(len, kept[relation, name])) / (targets[name] or 1e-9),
        )
        over.append(kept[relation, full].pop())


def _relation(unit: SelectedUnit) -> str:
    return min(draft.relation for draft in unit)


def _name(unit: SelectedUnit) -> str:
    return "|".join(f"{draft.proposal}{''.join(draft.sources)}" for draft in unit)


def _rank(unit: SelectedUnit, used: Counter[str]) -> tuple[bool, bool, float]:
    """Sorts natural before edited texts, dev and test before train, which has plenty, and low cost before high cost."""
    first = unit[0]
    edited = first.slice != MINPAIRS and first.is_edited
    cost = first.cost + REUSE_COST * sum(used[document] for draft in unit for document in set(draft.sources))
    return edited, first.split == "train", cost
