"""Chooses which constraints of a topic are asked for together, from the proposals that each has by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.suites.combined.record import FEWEST, MOST
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.number import Number, is_price
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.suites.constraints.place import Located
from constraintsuite.suites.queries.records import Proposal

MOST_QUERIES = 16
"""Queries of each number of parts, for each topic and split."""
MOST_OF_ONE_TYPE = 4
"""Of these, queries whose parts are all of one type: there are many of them where texts state nothing but what is missing."""
MOST_OF_A_TYPE = 3
"""Parts of one type in a query."""
WIDTH = 12
"""Sets of other parts that are followed up, for each set of their types."""
ENOUGH = 3
"""Documents on each side from which on more make a query no better."""


@dataclass(frozen=True)
class QueryPart:
    """A proposal with the documents that obey it and those that break it, as bits of two numbers."""

    proposal: Proposal
    obeying: int
    breaking: int

    @property
    def type(self) -> str:
        """The type of its constraint."""
        return self.proposal.constraint.type

    @property
    def subject(self) -> str:
        """What it is about; two parts of one query are about different things."""
        constraint = self.proposal.constraint
        if isinstance(constraint, Exclude):
            return f"exclude {constraint.value}"
        if isinstance(constraint, Number) and is_price(constraint):
            return "price"
        return f"{constraint.type} {self.proposal.relation}"

    @property
    def is_wanted(self) -> bool:
        """Whether people ask for it beside something else: few look for high prices, or for places outside of one."""
        constraint = self.proposal.constraint
        if isinstance(constraint, Number) and is_price(constraint):
            return constraint.position == "below"
        if isinstance(constraint, Located):
            return constraint.location == "inside"
        return not isinstance(constraint, OneOf) or constraint.listing == "listed"


class Combination(NamedTuple):
    """Parts in the order of a query, and which one of them the violating documents break."""

    parts: tuple[QueryPart, ...]
    broken: int

    @property
    def satisfying(self) -> int:
        """The documents that obey all parts."""
        return _obeying_all(self.parts)

    @property
    def violating(self) -> int:
        """The documents that break one part, and obey all others."""
        others = (*self.parts[: self.broken], *self.parts[self.broken + 1 :])
        return _obeying_all(others) & self.parts[self.broken].breaking

    def grades(self) -> list[int]:
        """The documents that obey all parts but two, all but three, and so on, and break the rest."""
        known = -1
        for part in self.parts:
            known &= part.obeying | part.breaking
        by_count = [known, *[0] * len(self.parts)]
        for done, part in enumerate(self.parts, 1):
            for count in range(done, 0, -1):
                by_count[count] = (by_count[count] & ~part.obeying) | (by_count[count - 1] & part.obeying)
            by_count[0] &= ~part.obeying
        return by_count[: len(self.parts) - 1][::-1]


def _obeying_all(parts: Sequence[QueryPart]) -> int:
    found = -1
    for part in parts:
        found &= part.obeying
    return found


def are_compatible(part: QueryPart, others: Sequence[QueryPart]) -> bool:
    """Whether a part says something that the others neither say nor contradict."""
    own = part.proposal.constraint
    words = {*own.forms, *own.kinds}
    return (
        all(part.subject != one.subject for one in others)
        and not any(words & {*one.proposal.constraint.forms, *one.proposal.constraint.kinds} for one in others)
        and sum(part.type == one.type for one in others) < MOST_OF_A_TYPE
    )


def combine(parts: Sequence[QueryPart]) -> list[Combination]:
    """Combinations of the parts of one topic in one split, as even over types, subjects and numbers of parts as they allow."""
    queues: dict[tuple[int, str], dict[str, list[Combination]]] = defaultdict(lambda: defaultdict(list))
    for broken in sorted(parts, key=lambda one: one.proposal.id):
        for found in _extend(broken, [part for part in parts if part.is_wanted]):
            queues[len(found.parts), broken.type][broken.subject].append(found)
    chosen: list[Combination] = []
    for count in range(FEWEST, MOST + 1):
        own = [queues[key] for key in sorted(queues) if key[0] == count]
        by_type = [_in_turn([sorted(found, key=_rank) for found in subjects.values()]) for subjects in own]
        mixed = _in_turn(by_type)
        alike = [one for one in mixed if len({part.type for part in one.parts}) == 1]
        others = [one for one in mixed if len({part.type for part in one.parts}) > 1]
        chosen += [*others, *alike[:MOST_OF_ONE_TYPE]][:MOST_QUERIES]
    return chosen


def _in_turn(queues: Sequence[Sequence[Combination]]) -> list[Combination]:
    return [one for row in zip_longest(*queues) for one in row if one is not None]


def _rank(found: Combination) -> tuple[int, int]:
    return -min(ENOUGH, _support(found)), stable_hash(*(part.proposal.id for part in found.parts))


def _support(found: Combination) -> int:
    return min(found.satisfying.bit_count(), found.violating.bit_count())


def _extend(broken: QueryPart, parts: Sequence[QueryPart]) -> Iterator[Combination]:
    """Combinations in which one part is broken; of each set of other types those with the most documents."""
    known: list[tuple[QueryPart, ...]] = [()]
    for _ in range(FEWEST, MOST + 1):
        found: dict[frozenset[str], tuple[QueryPart, ...]] = {}
        for others in known:
            for part in parts:
                if are_compatible(part, (broken, *others)):
                    longer = (*others, part)
                    found[frozenset(one.proposal.id for one in longer)] = longer
        alike: dict[tuple[str, ...], list[Combination]] = defaultdict(list)
        for key in sorted(found, key=sorted):
            combined = _arrange(broken, found[key])
            if _support(combined):
                alike[tuple(sorted(part.type for part in found[key]))].append(combined)
        best = [one for kind in sorted(alike) for one in sorted(alike[kind], key=_rank)[:WIDTH]]
        known = [tuple(part for part in one.parts if part is not broken) for one in best]
        yield from (one for one in best if _is_asked(broken, one))


def _arrange(broken: QueryPart, others: Sequence[QueryPart]) -> Combination:
    """The parts in an order that chance decides, with exclusions side by side; the broken part is as often at each place."""
    names = sorted(part.proposal.id for part in (broken, *others))
    rest = sorted(others, key=lambda part: stable_hash(*names, part.proposal.id))
    place = stable_hash(*names, "place") % (len(rest) + 1)
    order = [*rest[:place], broken, *rest[place:]]
    first = next((number for number, part in enumerate(order, 1) if part.type == "exclude"), len(order))
    later = sorted(order[first:], key=lambda part: part.type != "exclude")
    arranged = (*order[:first], *later)
    return Combination(arranged, arranged.index(broken))


def _is_asked(broken: QueryPart, found: Combination) -> bool:
    """Whether chance lets the query ask for this side of the broken part, where its other side is a proposal too."""
    constraint = broken.proposal.constraint
    if isinstance(constraint, Exclude):
        return True
    others = sorted(part.proposal.id for part in found.parts if part is not broken)
    heads = stable_hash(broken.subject, constraint.value, *others) % 2 == 0
    return heads == (broken.proposal.query < broken.proposal.opposite)
