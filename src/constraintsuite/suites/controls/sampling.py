"""The order in which originals are used, and the ids of controls: the same for every kind of control."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import MAIN_SLICES, Example


def mixed_originals(examples: Iterable[Example], seed: int, purpose: str) -> list[Example]:
    """The main examples that have a constraint, in the order of a hash; slices, and edited and natural texts, take turns."""
    ordered = sorted(examples, key=lambda one: (stable_hash(str(seed), purpose, one.id), one.id))
    usable = [one for one in ordered if one.control is None and one.constraint is not None]
    others = sorted({one.slice for one in usable} - set(MAIN_SLICES))
    slices = [[one for one in usable if one.slice == name] for name in (*MAIN_SLICES, *others)]
    return _by_turns(
        [_by_turns([[one for one in some if one.is_edited is edited] for edited in (True, False)]) for some in slices]
    )


def by_type(examples: Iterable[Example]) -> dict[str, list[Example]]:
    """The examples of each constraint type, types in the order of their names."""
    found: dict[str, list[Example]] = defaultdict(list)
    for one in examples:
        if one.constraint is not None:
            found[one.constraint.type].append(one)
    return dict(sorted(found.items()))


def _by_turns(groups: Iterable[Sequence[Example]]) -> list[Example]:
    return [one for turn in zip_longest(*groups) for one in turn if one is not None]


def number(controls: Sequence[Example], slice_name: str) -> list[Example]:
    """The controls in the order of a hash of their content, with their final ids; each constraint type has its own numbers."""
    counts: Counter[str] = Counter()
    numbered = []
    for control in sorted(controls, key=_order):
        kind = control.constraint.type if control.constraint is not None else "none"
        counts[kind] += 1
        numbered.append(replace(control, id=f"{kind}_{slice_name}_{control.source.corpus}_{counts[kind]:06d}"))
    return numbered


def _order(control: Example) -> tuple[int, str]:
    assert control.control is not None
    texts = (control.query, control.satisfying.text, control.violating.text)
    return stable_hash(control.control.original, control.control.kind, *texts), control.control.original
