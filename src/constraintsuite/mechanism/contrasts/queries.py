"""A query and its opposite: the cue replaced by another word, or else the opposite query of the example."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.mechanism.contrasts.alignment import changed_stretches
from constraintsuite.mechanism.contrasts.records import Marked, RoleSpans, folded, word_spans
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.mentions import find_forms, fold


class OppositeWords(BaseModel):
    """The words of `data/opposites.yaml`, which turn a query into its opposite."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    counterparts: dict[str, str]
    determiner: str
    article: str
    article_before_vowel: str
    amount: str

    @property
    def articles(self) -> tuple[str, str]:
        """The indefinite article before a consonant and before a vowel."""
        return self.article, self.article_before_vowel


@cache
def opposite_words() -> OppositeWords:
    """Read the words when the first query needs them."""
    return OppositeWords.model_validate(
        read_package_yaml("constraintsuite.mechanism.contrasts", "data", "opposites.yaml")
    )


class OppositeQueries(NamedTuple):
    """Two queries over the same documents, and how they differ."""

    clean: Marked
    corrupt: Marked
    change: str


def opposite_queries(example: Example) -> OppositeQueries | None:
    """The query and its opposite: with the cue replaced, or else the one of the example; None if there is no other query."""
    query = example.query
    replaced = _replace_cue(example)
    other, change = replaced if replaced is not None else (example.opposite, "opposite")
    if not other or folded(other, word_spans(other)) == folded(query, word_spans(query)):
        return None
    return OppositeQueries(*mark_queries(query, other, y_forms(example)), change)


def mark_queries(one: str, other: str, forms: Sequence[str]) -> tuple[Marked, Marked]:
    """Both queries with Y marked, and as cues the words that only one of them has."""
    spans, others = word_spans(one), word_spans(other)
    changed = changed_stretches(folded(one, spans), folded(other, others))
    mine = [span for stretch in changed for span in spans[stretch.start : stretch.end]]
    theirs = [span for stretch in changed for span in others[stretch.other_start : stretch.other_end]]
    return mark_query(one, mine, forms), mark_query(other, theirs, forms)


def mark_query(query: str, cues: Sequence[Span], forms: Sequence[str]) -> Marked:
    """A query with marks at its cues and at mentions of Y; where they overlap, Y counts."""
    spans = RoleSpans(query, "q_topic")
    spans.paint(cues, "q_cue")
    spans.paint(find_forms(query, forms), "q_y")
    return spans.marked()


def y_forms(example: Example) -> list[str]:
    """All names of what the constraint is about; empty if it is not known."""
    constraint = example.constraint
    if constraint is None:
        return []
    return [form for form in dict.fromkeys((constraint.value, *constraint.forms)) if form.strip()]


def y_of(example: Example) -> str:
    """What the constraint is about; empty if it is not known."""
    return "" if example.constraint is None else example.constraint.value


def cue_of(example: Example) -> str:
    """The words that state the constraint; empty if they are not known."""
    return "" if example.constraint is None else example.constraint.cue


def find_words(text: str, words: str) -> list[Span]:
    """The spans of some words in a text, whatever their case, but not as parts of other words."""
    if not words.strip():
        return []
    pattern = rf"(?<![\w-]){re.escape(fold(words))}(?![\w-])"
    return [Span(*found.span()) for found in re.finditer(pattern, fold(text))]


def _replace_cue(example: Example) -> tuple[str, str] | None:
    """The query with its cue replaced, and how; None if that is not possible."""
    query, cue = example.query, fold(cue_of(example))
    mentions = find_forms(query, y_forms(example))
    places = [place for place in find_words(query, cue) if not any(place.overlaps(one) for one in mentions)]
    if not mentions or not places:
        return None
    nearest = min(places, key=lambda place: min(gap(place, mention) for mention in mentions))
    words = opposite_words()
    new = _determiner_for(example, mentions) if cue == words.determiner else words.counterparts.get(cue)
    if new is None:
        return None
    return query[: nearest.start] + new + query[nearest.end :], f"{cue} > {new}"


def gap(one: Span, other: Span) -> int:
    """The number of characters between two spans; below 0 if they overlap."""
    return max(one.start, other.start) - min(one.end, other.end)


def _determiner_for(example: Example, mentions: Sequence[Span]) -> str:
    """The replacement of "no": an article if the opposite query or a text uses one before Y, else "some"."""
    words = opposite_words()
    article = rf"(?<!\w)(?:{'|'.join(map(re.escape, words.articles))}) $"
    countable = any(
        re.search(article, text[: mention.start], re.IGNORECASE)
        for text in (example.opposite or "", example.satisfying.text, example.violating.text)
        for mention in find_forms(text, [y_of(example)])
    )
    following = example.query[mentions[0].start :]
    if not countable:
        return words.amount
    return words.article_before_vowel if starts_with_vowel_sound(following) else words.article
