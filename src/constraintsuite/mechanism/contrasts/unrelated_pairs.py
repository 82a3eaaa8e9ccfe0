"""A text or a query that has nothing to do with a contrast.

A patch that only carries a constraint should leave the score of such an unrelated pair alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.records.examples import Example
from constraintsuite.mechanism.contrasts.records import ContrastHalf, ContrastSide, Marked, MarkedContrast, MarkedPair
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.terms import TermAnalyser

_TERMS = TermAnalyser()
_TRIES = 200  # of a suite on one topic alone, none will ever do


class _Other(NamedTuple):
    text: str
    terms: frozenset[str]


def unrelated_pair(other: str | None, side: ContrastSide, query: Marked, text: Marked) -> MarkedPair | None:
    """The pair of a run that is unrelated to its contrast: another text under its query, or its text under another query.

    It is the side on which the runs of the contrast differ that stays; None where there is no other text or query.
    """
    if not other:
        return None
    return MarkedPair(query, Marked(other)) if side == "query" else MarkedPair(Marked(other), text)


class UnrelatedPairs:
    """Texts and topics of a suite, by half, so that no document is read in both."""

    def __init__(self, examples: Sequence[Example], halves: dict[str, ContrastHalf | None], seed: int) -> None:
        self._examples = examples
        self._halves = halves
        self._seed = seed

    def text_for(self, example: Example, half: ContrastHalf) -> str | None:
        """A text that shares no term with the queries that a contrast of the example compares, and does not name Y."""
        # A control such as an idiom is compared with the same need in plain words, all others with their opposite.
        compared = (example.restated if example.control is not None else None) or example.opposite
        asked = frozenset(_TERMS.terms(f"{example.topic or ''} {example.query} {compared or ''}"))
        names = _names(example)
        return _draw(self._texts[half], example.id, self._seed, lambda other: _is_beside(other, asked, names))

    def topic_for(self, example: Example, half: ContrastHalf) -> str | None:
        """Another topic, or query where a suite has none, of which neither of the example's texts has a term."""
        texts = f"{example.satisfying.text} {example.violating.text}"
        said = frozenset(_TERMS.terms(texts)) | frozenset(_TERMS.terms(example.topic or ""))
        return _draw(self._topics[half], example.id, self._seed, lambda other: not said & other.terms)

    @cached_property
    def _texts(self) -> dict[ContrastHalf, list[_Other]]:
        return self._pool(lambda example: (example.satisfying.text, example.violating.text))

    @cached_property
    def _topics(self) -> dict[ContrastHalf, list[_Other]]:
        return self._pool(lambda example: (example.topic or example.query,))

    def _pool(self, of: Callable[[Example], Sequence[str]]) -> dict[ContrastHalf, list[_Other]]:
        found: dict[ContrastHalf, dict[str, None]] = defaultdict(dict)
        for example in self._examples:
            half = self._halves[example.id]
            if half is not None:
                found[half].update(dict.fromkeys(text for text in of(example) if text))
        return defaultdict(
            list,
            {half: [_Other(text, frozenset(_TERMS.terms(text))) for text in texts] for half, texts in found.items()},
        )


def keep_halves_apart(contrasts: Sequence[MarkedContrast], seed: int) -> list[MarkedContrast]:
    """The contrasts, each with an unrelated text that no contrast of the other half asks about; with none where there is none."""
    read: dict[str, set[ContrastHalf]] = defaultdict(set)
    for contrast in contrasts:
        for pair in (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt):
            read[pair.text.text].add(contrast.half)
    own: dict[ContrastHalf, list[_Other]] = defaultdict(list)
    for text, halves in read.items():
        if len(halves) == 1:
            own[next(iter(halves))].append(_Other(text, frozenset(_TERMS.terms(text))))
    return [
        contrast
        if contrast.aside is None or read.get(contrast.aside.text.text, {contrast.half}) == {contrast.half}
        else _with_text_of(own[contrast.half], contrast, seed)
        for contrast in contrasts
    ]


def _with_text_of(pool: Sequence[_Other], contrast: MarkedContrast, seed: int) -> MarkedContrast:
    if contrast.side != "query":  # its own text stands aside, under another query
        return replace(contrast, aside=None, aside_corrupt=None)
    clean, corrupt = contrast.better.query, contrast.better_corrupt.query
    asked = frozenset(_TERMS.terms(f"{clean.text} {corrupt.text}"))
    pairs = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
    marked = [one for pair in pairs for one in (pair.query, pair.text)]
    names = sorted({one.text[m.start : m.end] for one in marked for m in one.marks if m.role in ("q_y", "d_y")})
    others = [other for other in pool if other.text not in {pair.text.text for pair in pairs}]
    text = _draw(others, contrast.id, seed, lambda other: _is_beside(other, asked, names))
    aside, aside_corrupt = (unrelated_pair(text, "query", query, query) for query in (clean, corrupt))
    return replace(contrast, aside=aside, aside_corrupt=aside_corrupt)


def _names(example: Example) -> list[str]:
    """Every word for Y, narrower ones too; none where the source does not say what the query asks for."""
    constraint = example.constraint
    if constraint is None:
        return []
    return [*constraint.forms, *(constraint.kinds if isinstance(constraint, Exclude) else ())]


def _is_beside(other: _Other, asked: frozenset[str], names: Sequence[str]) -> bool:
    return not asked & other.terms and not find_forms(other.text, names)


def _draw(pool: Sequence[_Other], name: str, seed: int, fits: Callable[[_Other], bool]) -> str | None:
    rng = keyed_random(seed, "aside", name)
    for other in rng.sample(pool, min(_TRIES, len(pool))):
        if fits(other):
            return other.text
    return None
