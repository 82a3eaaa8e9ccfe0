"""Which of the good pairs make the suite: slices near their shares, no relation too common, couples whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import MAIN_SLICES, MINPAIRS
from constraintsuite.suites.pairs.records import PairDraft
from constraintsuite.suites.recipe import SizeSettings

T = TypeVar("T")
REUSE_COST = 0.5


def select(
    items: Sequence[T], sizes: SizeSettings, draft_of: Callable[[T], PairDraft]
) -> tuple[list[T], list[tuple[str, T]]]:
    """The chosen items, and the surplus with the reason it was left."""
    surplus: list[tuple[str, T]] = []
    units = _units(items, draft_of)
    targets = dict(zip(MAIN_SLICES, (sizes.minpairs_share, sizes.explicit_share, sizes.omission_share), strict=True))
    chosen: list[list[T]] = []
    used: Counter[str] = Counter()
    for name in MAIN_SLICES:
        of_slice = [unit for unit in units if slice_of(unit, draft_of) == name]
        picked, left = _pick(of_slice, round(targets[name] * sizes.main), sizes, used, draft_of)
        chosen += picked
        surplus += [("surplus", item) for unit in left for item in unit]
        used.update(document for unit in picked for item in unit for document in _documents(draft_of(item)))
    kept, over = _cap_relations(chosen, sizes.max_relation_share, targets, draft_of)
    surplus += [("relation_cap", item) for unit in over for item in unit]
    return [item for unit in kept for item in unit], surplus


def slice_of(unit: Sequence[T], draft_of: Callable[[T], PairDraft]) -> str:
    """A couple with one explicit half counts as ExplicitMention."""
    slices = {draft_of(item).slice for item in unit}
    return next(name for name in MAIN_SLICES if name in slices)


def _units(items: Iterable[T], draft_of: Callable[[T], PairDraft]) -> list[list[T]]:
    """Couples together, singles alone."""
    units: dict[str, list[T]] = defaultdict(list)
    for item in items:
        draft = draft_of(item)
        couple = f"{draft.slice if draft.is_edited else 'natural'}|{draft.couple}"
        single = f"{draft.proposal}|{draft.slice}|{'|'.join(draft.sources)}|{draft.edit}"
        units[couple if draft.couple else single].append(item)
    return [units[key] for key in sorted(units)]


def _pick(
    units: Sequence[list[T]], target: int, sizes: SizeSettings, used: Counter[str], draft_of: Callable[[T], PairDraft]
) -> tuple[list[list[T]], list[list[T]]]:
    """Take from the relations in turn, the best of each first, until the slice is full."""
    queues: dict[str, list[list[T]]] = defaultdict(list)
    for unit in units:
        queues[_relation(unit, draft_of)].append(unit)
    for relation, queue in queues.items():
        queue.sort(key=lambda unit: (*_rank(unit, used, draft_of), stable_hash(relation, _name(unit, draft_of))))
    picked: list[list[T]] = []
    left: list[list[T]] = []
    count = flips = 0
    limit = sizes.max_flip_share * target
    while any(queues.values()):
        for relation in sorted(queues):
            if not queues[relation]:
                continue
            unit = queues[relation].pop(0)
            flip = draft_of(unit[0]).edit.startswith("flip")
            if count + len(unit) > target or (flip and flips + len(unit) > min(limit, 0.34 * max(3, count))):
                left.append(unit)
                continue
            picked.append(unit)
            count += len(unit)
            flips += len(unit) if flip else 0
    return picked, left


def _cap_relations(
    units: Sequence[list[T]], share: float, targets: Mapping[str, float], draft_of: Callable[[T], PairDraft]
) -> tuple[list[list[T]], list[list[T]]]:
    """Drop units of relations above their share, from the slice in which the relation has most of what it should.

    With few relations the share grows to what is possible.
    """
    relations = {_relation(unit, draft_of) for unit in units}
    share = max(share, 1.5 / max(1, len(relations)))
    kept: dict[tuple[str, str], list[list[T]]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: (*_rank(unit, Counter(), draft_of), _name(unit, draft_of))):
        kept[_relation(unit, draft_of), slice_of(unit, draft_of)].append(unit)
    over: list[list[T]] = []
    while True:
        counts = Counter[str]()
        for (relation, _), queue in kept.items():
            counts[relation] += sum(len(unit) for unit in queue)
        excess = {relation: count for relation, count in counts.items() if count > share * counts.total()}
        if not excess:
            return [unit for _, queue in sorted(kept.items()) for unit in queue], over
        relation = max(excess, key=lambda name: (excess[name], name))
        full = max(
            (name for name in MAIN_SLICES if kept[relation, name]),
            key=lambda name: sum(len(unit) for unit in kept[relation, name]) / (targets[name] or 1e-9),
        )
        over.append(kept[relation, full].pop())


def _relation(unit: Sequence[T], draft_of: Callable[[T], PairDraft]) -> str:
    return min(draft_of(item).relation for item in unit)


def _name(unit: Sequence[T], draft_of: Callable[[T], PairDraft]) -> str:
    return "|".join(f"{draft_of(item).proposal}{''.join(draft_of(item).sources)}" for item in unit)


def _rank(unit: Sequence[T], used: Counter[str], draft_of: Callable[[T], PairDraft]) -> tuple[bool, bool, float]:
    """Natural text before edited, dev and test before train (which has plenty), well matched before badly."""
    draft = draft_of(unit[0])
    edited = draft.slice != MINPAIRS and draft.is_edited
    return edited, draft.split == "train", _cost(unit, used, draft_of)


def _cost(unit: Sequence[T], used: Counter[str], draft_of: Callable[[T], PairDraft]) -> float:
    drafts = [draft_of(item) for item in unit]
    return drafts[0].cost + REUSE_COST * sum(used[document] for draft in drafts for document in _documents(draft))


def _documents(draft: PairDraft) -> tuple[str, ...]:
    return tuple(set(draft.sources))
