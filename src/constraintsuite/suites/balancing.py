"""Leaves out units until shortcuts such as "the text that names Y later" are right exactly as often as wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    Split,
)
from constraintsuite.suites.constraints.base import load_solver, load_type
from constraintsuite.suites.pairs.leans import Lean, add
from constraintsuite.suites.pairs.records import AcceptedPair, PairDraft
from constraintsuite.suites.queries.records import Proposal

SelectedUnit = list[PairDraft]
"""Drafts that are selected together: both of a couple, or a single one."""


class BalancedUnits(NamedTuple):
    """The units that are kept, and those that are left out with the reason."""

    kept: list[SelectedUnit]
    left_out: list[tuple[str, SelectedUnit]]


def measure_leans(
    pairs: Sequence[AcceptedPair], proposals: Mapping[str, Proposal], solvers: Iterable[str]
) -> dict[PairDraft, Lean]:
    """What these solvers pick in each pair: +1 for the satisfying document, -1 for the violating one, 0 for a tie.

    Where the meaning of the constraint decides a solver, as silence does in Omission, there is nothing to balance.
    """
    examples = [_as_example(pair, proposals[pair.draft.proposal]) for pair in pairs]
    picks = [np.where(_is_free(examples, name), load_solver(name).picks(examples), 0) for name in solvers]
    return {pair.draft: tuple(map(int, lean)) for pair, *lean in zip(pairs, *picks, strict=True)}


def _is_free(examples: Sequence[Example], solver: str) -> list[bool]:
    return [not load_type(one.constraint.type).by_construction(one, solver) for one in examples if one.constraint]


def relation_of(unit: SelectedUnit) -> str:
    """The relation of a unit; of two, which attributes of one topic may have, the first by name."""
    return min(draft.relation for draft in unit)


def lean_of(unit: SelectedUnit, leans: Mapping[PairDraft, Lean]) -> Lean:
    """The leans of its drafts together: the roles in a couple are exchanged, so its length and cues cancel out."""
    return tuple(map(sum, zip(*(leans[draft] for draft in unit), strict=True)))


SMALL_PART = 40
"""A relation with fewer units in a split is balanced together with others."""


def balance(
    units: Sequence[SelectedUnit],
    leans: Mapping[PairDraft, Lean],
    rank: Callable[[SelectedUnit], Any],
    stated: Collection[str],
    balanced: Mapping[str, str],
) -> BalancedUnits:
    """Leave out units of one slice until every solver is balanced; those with the highest rank go first.

    `balanced` are the solvers that the leans are of, and the reason that is given for what is left out for each.

    In each split every stated relation is balanced by itself. Otherwise a shortcut that wins with one relation and loses with
    another could be learnt, since queries tell their relation; the same holds for the sides of a question. Attributes are
    balanced together, and so are relations with few units: exact balance would leave nothing of them.
    """
    sizes = Counter((unit[0].split, relation_of(unit)) for unit in units)
    parts: dict[tuple[Split, str, str], list[SelectedUnit]] = defaultdict(list)
    for unit in sorted(units, key=rank):
        split, relation = unit[0].split, relation_of(unit)
        own = relation in stated and sizes[split, relation] >= SMALL_PART
        parts[split, relation if own else "", unit[0].side].append(unit)
    found = [_balance(parts[part], leans, tuple(balanced.values())) for part in sorted(parts)]
    return BalancedUnits(
        [unit for each in found for unit in each.kept], [one for each in found for one in each.left_out]
    )


CLOSE = 24
"""The sum of all surpluses from which on removals are searched for together: one by one, the last could undo each other."""
WIDTH = 60
"""The number of surpluses that the search follows up in each step."""


def _balance(units: Sequence[SelectedUnit], leans: Mapping[PairDraft, Lean], reasons: Sequence[str]) -> BalancedUnits:
    """Drop units, the last by rank first: far from balance, from the side that wins most; near it, as few as possible."""
    stacks: dict[Lean, list[SelectedUnit]] = defaultdict(list)
    for unit in units:
        stacks[lean_of(unit, leans)].append(unit)
    surplus: Lean = (0,) * len(reasons)
    for lean, stack in stacks.items():
        surplus = add(surplus, lean, len(stack))
    left_out: list[tuple[str, SelectedUnit]] = []

    def drop(lean: Lean) -> None:
        nonlocal surplus
        left_out.append((reasons[_worst(surplus)], stacks[lean].pop()))
        surplus = add(surplus, lean, -1)

    while sum(map(abs, surplus)) > CLOSE:
        worst = _worst(surplus)
        winning = [lean for lean, stack in stacks.items() if stack and lean[worst] * surplus[worst] > 0]
        drop(min(winning, key=lambda lean: (sum(map(abs, add(surplus, lean, -1))), lean)))
    for lean in _find_removals(surplus, {lean: len(stack) for lean, stack in stacks.items()}):
        drop(lean)
    return BalancedUnits([unit for stack in stacks.values() for unit in stack], left_out)


def _worst(surplus: Lean) -> int:
    return max(range(len(surplus)), key=lambda place: abs(surplus[place]))


def _find_removals(surplus: Lean, stock: Mapping[Lean, int]) -> tuple[Lean, ...]:
    """The leans of few units that make up the surplus; a beam search, which ends at the latest when nothing is left."""
    kinds = sorted(lean for lean in stock if any(lean))
    beam: dict[Lean, tuple[Lean, ...]] = {surplus: ()}
    neutral = (0,) * len(surplus)
    while neutral not in beam:
        found: dict[Lean, tuple[Lean, ...]] = {}
        for at, removed in beam.items():
            for lean in kinds:
                if removed.count(lean) < stock[lean]:
                    found.setdefault(add(at, lean, -1), (*removed, lean))
        beam = dict(sorted(found.items(), key=lambda item: (sum(map(abs, item[0])), item[0]))[:WIDTH])
    return beam[neutral]


def _as_example(pair: AcceptedPair, proposal: Proposal) -> Example:
    """The pair as the audit will see it, as far as the balanced solvers look."""
    draft = pair.draft
    documents = (
        ExampleDocument(role, made.source, "", made.text, made.source, {}) for role, made in draft.roles.items()
    )
    return Example(
        id="",
        slice=draft.slice,
        constraint=pair.constraint,
        query=proposal.query,
        opposite=proposal.opposite,
        topic=proposal.topic,
        restated=None,
        documents=tuple(documents),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource("", ""),
        split=draft.split,
        couple=draft.couple,
        clusters=(),
    )
