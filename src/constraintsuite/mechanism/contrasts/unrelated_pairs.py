"""Choose a text or a query that is unrelated to a contrast.

A patch that only carries a constraint should not change the score of such a pair.
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
_TRIES = 200  # a suite on a single topic has no unrelated text


class _Other(NamedTuple):
    text: str
    terms: frozenset[str]


def unrelated_pair(other: str | None, side: ContrastSide, query: Marked, text: Marked) -> MarkedPair | None:
    """The unrelated pair of a run: another text under its query, or its text under another query.

    The side on which the runs of the contrast differ stays. None if there is no `other` text or query.
    """
    if not other:
        return None
    return MarkedPair(query, Marked(other)) if side == "query" else MarkedPair(Marked(other), text)


class UnrelatedPairs:
    """Unrelated texts and topics from a suite, by half, so that no document is used in both."""

    def __init__(self, examples: Sequence[Example], halves: dict[str, ContrastHalf | None], seed: int) -> None:
        self._examples = examples
        self._halves = halves
        self._seed = seed

    def text_for(self, example: Example, half: ContrastHalf) -> str | None:
        """A text that shares no term with the queries of the contrast, and does not name Y."""
        # The corrupt query of a control such as an idiom is its restated form, of all others their opposite.
        compared = (example.restated if example.control is not None else None) or example.opposite
        asked = frozenset(_TERMS.terms(f"{example.topic or ''} {example.query} {compared or ''}"))
        names = _names(example)
        return _draw(self._texts[half], example.id, self._seed, lambda other: _is_unrelated(other, asked, names))

    def topic_for(self, example: Example, half: ContrastHalf) -> str | None:
        """Another topic (or query, if the suite has no topics) that shares no term with the texts of the example."""
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
    """Replace unrelated texts that contrasts of the other half use; a contrast for which there is no other text gets none."""
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
    if contrast.side != "query":  # its unrelated pair has its own text
        return replace(contrast, aside=None, aside_corrupt=None)
    clean, corrupt = contrast.better.query, contrast.better_corrupt.query
    asked = frozenset(_TERMS.terms(f"{clean.text} {corrupt.text}"))
    pairs = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
    marked = [one for pair in pairs for one in (pair.query, pair.text)]
    names = sorted({one.text[m.start : m.end] for one in marked for m in one.marks if m.role in ("q_y", "d_y")})
    others = [other for other in pool if other.text not in {pair.text.text for pair in pairs}]
    text = _draw(others, contrast.id, seed, lambda other: _is_unrelated(other, asked, names))
    aside, aside_corrupt = (unrelated_pair(text, "query", query, query) for query in (clean, corrupt))
    return replace(contrast, aside=aside, aside_corrupt=aside_corrupt)


def _names(example: Example) -> list[str]:
    """All words for Y, also narrower ones; empty if the example has no constraint."""
    constraint = example.constraint
    if constraint is None:
        return []
    return [*constraint.forms, *(constraint.kinds if isinstance(constraint, Exclude) else ())]


def _is_unrelated(other: _Other, asked: frozenset[str], names: Sequence[str]) -> bool:
    return not asked & other.terms and not find_forms(other.text, names)


def _draw(pool: Sequence[_Other], name: str, seed: int, fits: Callable[[_Other], bool]) -> str | None:
    rng = keyed_random(seed, "aside", name)
    for other in rng.sample(pool, min(_TRIES, len(pool))):
        if fits(other):
            return other.text
    return None
