"""What a suite asks: under this query, which of these two texts?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.examples import Example, Preference


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """A query and two texts, in an order that does not tell which is right; examples that ask the same share it."""

    query: str
    texts: tuple[str, str]


def questions_of(example: Example) -> dict[Preference, PairQuestion]:
    """What each preference of an example asks; a query that states none asks nothing."""
    return {
        preference: PairQuestion(
            example.queries[preference.query],
            _sorted(example.document(preference.better).text, example.document(preference.worse).text),
        )
        for preference in example.preferences
    }


def draw_questions(examples: Sequence[Example], count: int | None, seed: int) -> dict[PairQuestion, str]:
    """The questions of so many examples by chance, or of all, each once, with the id of an example that asks it.

    They come in an order that keeps those about the same texts apart.
    """
    drawn = sorted(examples, key=lambda example: stable_hash("sheet", str(seed), example.id))[:count]
    asked = {question: example.id for example in reversed(drawn) for question in questions_of(example).values()}
    return {question: asked[question] for question in sorted(asked, key=lambda question: _draw(question, seed))}


def shown_order(question: PairQuestion, seed: int) -> tuple[str, str]:
    """The two texts as a sheet shows them: which comes first is drawn, and knows nothing of their roles."""
    one, other = question.texts
    return (other, one) if _draw(question, seed) % 2 else (one, other)


def _draw(question: PairQuestion, seed: int) -> int:
    return stable_hash("question", str(seed), question.query, *question.texts)


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
