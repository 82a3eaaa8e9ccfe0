"""Plants of a blind reading: items that are wrong on purpose, so that a reader who says yes to everything is found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example

EXCHANGED, INCOHERENT, DEGENERATE = "exchanged", "incoherent", "degenerate"
UNSURE = "unsure"
"""The kind of a plant that turned out to be no sure fault: it is neither judged nor a test of its reader."""
_ABSURD = ("tax returns", "verb endings", "goalkeepers")
"""Things that no kind of document here can lack."""


@dataclass(frozen=True)
class Drawn:
    """An example of a suite, or a plant made from one."""

    suite: str
    example: Example
    plant: str = ""
    """The kind of plant; empty for an example that is judged."""


def make_plants(count: int, pool: Sequence[Drawn], old: Sequence[Drawn]) -> list[Drawn]:
    """`count` plants of all kinds in turn: made from examples of `pool`, and edited examples of `old` as they are.

    Edits of one text count as incoherent: in an older suite about real things at least one of the two texts says something false,
    or contradicts itself. Older suites of the bundled corpus will not do: most of their edits are coherent.
    """
    edits = [one for one in old if one.example.is_edited and len({text.source for text in one.example.documents}) == 1]
    kinds = cycle([EXCHANGED, INCOHERENT, DEGENERATE] if edits else [EXCHANGED, DEGENERATE])
    bases, incoherent = cycle(pool), cycle(edits)
    plants: list[Drawn] = []
    for number, kind in enumerate(islice(kinds, count)):
        base = next(incoherent if kind == INCOHERENT else bases)
        example = base.example
        if kind == EXCHANGED:
            example = exchange_labels(example)
        elif kind == DEGENERATE:
            example = spoil_query(example, number)
        plants.append(Drawn(base.suite, example, kind))
    return plants


def exchange_labels(example: Example) -> Example:
    """The example with the roles of its texts exchanged."""
    documents = (replace(example.violating, role=SATISFYING), replace(example.satisfying, role=VIOLATING))
    constraint = example.constraint and example.constraint.with_evidence(lambda _: ())
    kept = [one for one in example.preferences if {one.better, one.worse} == {SATISFYING, VIOLATING}]
    return replace(example, documents=documents, constraint=constraint, preferences=tuple(kept))


def spoil_query(example: Example, number: int) -> Example:
    """The example with a query that nobody would type: cut off, absurd, or stated twice, by the number."""
    topic = example.topic or example.query
    value = example.constraint.value if example.constraint else topic
    queries = (
        f"{topic} without the",
        f"{topic} without {_ABSURD[number // 9 % len(_ABSURD)]}",
        f"{example.query} and not {topic} without {value} ones",
    )
    return replace(example, query=queries[number // 3 % len(queries)])  # the kinds of plants come in turns of three
