"""Something else to ask beside a contrast: a patch that only carries a constraint should leave its score alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from constraintsuite.execution.shards import keyed_random
from constraintsuite.mechanism.contrasts.records import Half
from constraintsuite.records.examples import Example
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.terms import TermAnalyser

_TERMS = TermAnalyser()
_TRIES = 200  # of a suite on one topic alone, none will ever do


class _Other(NamedTuple):
    text: str
    terms: frozenset[str]


class Asides:
    """Texts and topics of a suite, by half, so that no document is read in both."""

    def __init__(self, examples: Sequence[Example], halves: dict[str, Half | None], seed: int) -> None:
        self._examples = examples
        self._halves = halves
        self._seed = seed

    def text_for(self, example: Example, half: Half) -> str | None:
        """A text that shares no term with the example's query, and does not name Y."""
        query = example.query
        asked = frozenset(_TERMS.terms(f"{query.topic} {query.neg} {query.base}"))
        names = [*example.constraint.y_surface_forms, *example.constraint.y_kinds]
        return self._draw(
            self._texts[half], example, lambda other: not asked & other.terms and not find_forms(other.text, names)
        )

    def topic_for(self, example: Example, half: Half) -> str | None:
        """Another topic, or query where a suite has none, of which neither of the example's texts has a term."""
        texts = f"{example.docs.pos.text} {example.docs.neg.text}"
        said = frozenset(_TERMS.terms(texts)) | frozenset(_TERMS.terms(example.query.topic))
        return self._draw(self._topics[half], example, lambda other: not said & other.terms)

    def _draw(self, pool: Sequence[_Other], example: Example, fits: Callable[[_Other], bool]) -> str | None:
        rng = keyed_random(self._seed, "aside", example.id)
        for other in rng.sample(pool, min(_TRIES, len(pool))):
            if fits(other):
                return other.text
        return None

    @cached_property
    def _texts(self) -> dict[Half, list[_Other]]:
        return self._pool(lambda example: (example.docs.pos.text, example.docs.neg.text))

    @cached_property
    def _topics(self) -> dict[Half, list[_Other]]:
        return self._pool(lambda example: (example.query.topic or example.query.neg,))

    def _pool(self, of: Callable[[Example], Sequence[str]]) -> dict[Half, list[_Other]]:
        found: dict[Half, dict[str, None]] = defaultdict(dict)
        for example in self._examples:
            half = self._halves[example.id]
            if half is not None:
                found[half].update(dict.fromkeys(text for text in of(example) if text))
        return defaultdict(
            list,
            {half: [_Other(text, frozenset(_TERMS.terms(text))) for text in texts] for half, texts in found.items()},
        )
