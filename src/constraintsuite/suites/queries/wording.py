"""Words a query and its opposite for a topic and a Y, says when they must not be asked, and makes proposals of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.domain import TemplateFamily
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Proposal, Snippet, Status
from constraintsuite.suites.queries.topics import plural
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.terms import words

MAX_QUERY_WORDS = 16
MOST_EXPECTED = 6
"""The most examples that are expected of one proposal, since uses of a Y are capped."""


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
    """A template family of this split; each family belongs to one split only, so no wording is in two."""
    shared = key.rpartition("_")[2]  # the nationality of films and that of people share their families
    shift = stable_hash("family", shared) % len(families)
    own = [family for i, family in enumerate(families) if (i + shift) % len(SPLITS) == SPLITS.index(split)]
    return own[stable_hash("choice", choice) % len(own)]


def with_article(noun: str) -> str:
    """The noun with "a" or "an"."""
    return f"{'an' if starts_with_vowel_sound(noun) else 'a'} {noun}"


def word_query(
    family: TemplateFamily, owner: str, topic: str, y: str, *, countable_singular: bool = False
) -> QueryWording:
    """The query and its opposite by a template family; `owner` is the relation or link that the family belongs to.

    `{a_y}` in a template gets an article only if Y is one countable thing.
    """
    slots = {"topic": topic, "y": y, "a_y": with_article(y) if countable_singular else y, "ys": plural(y)}
    opposite, query = family.opposite.format(**slots), family.query.format(**slots)
    return QueryWording(topic, y, opposite, query, family.name, f"{owner}.{family.name}", family.cue)


def find_fault(wording: QueryWording) -> str | None:
    """The reason why a query must not be asked; None if it may."""
    topic_words, y_words, query = words(wording.topic), words(wording.y), words(wording.query)
    if not y_words or not topic_words:
        return "empty_slot"
    if set(y_words) & set(topic_words) - query_words()["linking"]:
        return "y_in_topic"
    if set(map(singular_of, y_words)) & set(map(singular_of, topic_words)):
        return "y_in_topic"
    if len(query) > MAX_QUERY_WORDS:
        return "query_too_long"
    if words(wording.opposite) == query:
        return "no_difference"
    if any(a == b for a, b in pairwise(query)):
        return "repeated_word"
    if re.search(r"[\[\]{}<>|\\\"“”;]", wording.query):
        return "odd_characters"
    return None


def singular_of(word: str) -> str:
    """A rough singular, enough to see that two words are the same."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def make_proposal(  # noqa: PLR0913 - one parameter per finding
    key: tuple[str, ...],
    wording: QueryWording,
    y_words: YWords,
    *,
    relation: str,
    domain: str,
    split: Split,
    status: Status,
    score: float,
    affirming: Collection[str],
    topic_documents: int,
    partners: int,
    denying: Collection[str] = (),
    is_attribute: bool = True,
    query_id: str = "",
    on_topic: Sequence[str] = (),
    reason: str = "",
    evidence: Sequence[Snippet] = (),
) -> Proposal:
    """The proposal to ask a query; `key` identifies it, `partners` counts documents that can be paired with an affirming one."""
    return Proposal(
        id=f"p{stable_hash(*key):016x}",
        status=status,
        topic=wording.topic,
        constraint=Exclude(value=wording.y, cue=wording.cue, forms=y_words.forms, kinds=y_words.blocked),
        query=wording.query,
        opposite=wording.opposite,
        relation=relation,
        domain=domain,
        template=wording.template,
        template_family=wording.template_family,
        split=split,
        score=score,
        topic_documents=topic_documents,
        satisfying=tuple(sorted(denying)),
        violating=tuple(sorted(affirming)),
        examples_expected=min(len(affirming), partners, MOST_EXPECTED),
        is_attribute=is_attribute,
        query_id=query_id,
        on_topic=tuple(on_topic),
        reason=reason,
        evidence=tuple(evidence),
    )
