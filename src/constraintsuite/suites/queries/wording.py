"""From a (topic, relation, Y) to words: the query, its opposite, and reasons to refuse them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.domain import TemplateFamily
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Proposal, Status
from constraintsuite.suites.queries.topics import plural, query_words
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.terms import words

MAX_QUERY_WORDS = 16


class QueryWording(NamedTuple):
    """A query for a topic without Y and its opposite, and the template that words them."""

    topic: str
    y: str
    opposite: str
    query: str
    template: str
    template_family: str
    cue: str


def family_for(families: Sequence[TemplateFamily], key: str, split: Split, choice: str) -> TemplateFamily:
    """The template family of a split: families are dealt out, so that no wording stands in two splits."""
    shared = key.rpartition("_")[2]  # nationality of films and of people: one deal
    shift = stable_hash("family", shared) % len(families)
    dealt = [family for i, family in enumerate(families) if (i + shift) % len(SPLITS) == SPLITS.index(split)]
    return dealt[stable_hash("choice", choice) % len(dealt)]


def with_article(noun: str) -> str:
    """The noun with "a" or "an"."""
    return f"{'an' if starts_with_vowel_sound(noun) else 'a'} {noun}"


def fill(template: str, topic: str, y: str, *, countable_singular: bool = False) -> str:
    """A template with its slots filled; `{a_y}` takes an article only where Y is one countable thing."""
    return template.format(topic=topic, y=y, a_y=with_article(y) if countable_singular else y, ys=plural(y))


def word_question(
    family: TemplateFamily, owner: str, topic: str, y: str, *, countable_singular: bool = False
) -> QueryWording:
    """The question in the words of a template family; `owner` is the relation or link that the family belongs to."""
    opposite, query = (
        fill(text, topic, y, countable_singular=countable_singular) for text in (family.opposite, family.query)
    )
    return QueryWording(topic, y, opposite, query, family.name, f"{owner}.{family.name}", family.cue)


def refuse(question: QueryWording) -> str | None:
    """Why a question must not be asked; None if it may."""
    topic_words, y_words, asked = words(question.topic), words(question.y), words(question.query)
    if not y_words or not topic_words:
        return "empty_slot"
    if set(y_words) & set(topic_words) - query_words().linking:
        return "y_in_topic"
    if any(singular_of(w) in {singular_of(t) for t in topic_words} for w in y_words):
        return "y_in_topic"
    if len(asked) > MAX_QUERY_WORDS:
        return "query_too_long"
    if words(question.opposite) == asked:
        return "no_difference"
    if any(a == b for a, b in pairwise(asked)):
        return "repeated_word"
    if re.search(r"[\[\]{}<>|\\\"“”;]", question.query):
        return "odd_characters"
    return None


def singular_of(word: str) -> str:
    """A rough singular, enough to see that two words are the same."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


MOST_EXPECTED = 6
"""Examples that one proposal is expected to give at most; uses of a Y are capped."""


@dataclass(frozen=True, slots=True)
class MinedValue:
    """A Y that parts the documents of a topic."""

    relation: str
    domain: str
    words: YWords
    split: Split
    topic_documents: int
    affirming: Collection[str]
    denying: Collection[str]
    partners: int
    """Documents that could stand against an affirming one."""
    is_attribute: bool


def make_proposal(
    key: tuple[str, ...], question: QueryWording, finding: MinedValue, *, status: Status, score: float, reason: str = ""
) -> Proposal:
    """The proposal to ask `question`; `key` is what tells it from all others."""
    return Proposal(
        id=f"p{stable_hash(*key):016x}",
        status=status,
        topic=question.topic,
        constraint=Exclude(value=question.y, cue=question.cue, forms=finding.words.forms, kinds=finding.words.blocked),
        query=question.query,
        opposite=question.opposite,
        relation=finding.relation,
        domain=finding.domain,
        template=question.template,
        template_family=question.template_family,
        split=finding.split,
        score=score,
        topic_documents=finding.topic_documents,
        satisfying=tuple(sorted(finding.denying)),
        violating=tuple(sorted(finding.affirming)),
        examples_expected=min(len(finding.affirming), finding.partners, MOST_EXPECTED),
        is_attribute=finding.is_attribute,
        reason=reason,
    )
