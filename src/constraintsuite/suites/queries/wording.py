"""Words a query and its opposite for a topic and a Y, says when they must not be asked, and makes proposals of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Split
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.domain import TemplateFamily
from constraintsuite.suites.queries.evidence import YWords
from constraintsuite.suites.queries.records import Proposal, Snippet, Status, Wording
from constraintsuite.suites.queries.topics import plural
from constraintsuite.suites.word_lists import query_words
from constraintsuite.text.edits import starts_with_vowel_sound
from constraintsuite.text.terms import stopwords, words

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

    @property
    def wording(self) -> Wording:
        """The two queries and their template alone."""
        return Wording(self.query, self.opposite, self.template, self.template_family, self.cue)


def with_article(noun: str) -> str:
    """The noun with "a" or "an"."""
    return f"{'an' if starts_with_vowel_sound(noun) else 'a'} {noun}"


def with_definite_article(name: str) -> str:
    """A name as it stands in a sentence: "the Shaw Brothers", "the University of Oslo", and most names as they are."""
    names = name.split()
    takes_it = names[-1] in query_words()["names_with_the"] or (len(names) > 1 and names[1] == "of")
    return f"the {name}" if takes_it and name[:1].isupper() else name


def word_query(
    family: TemplateFamily,
    owner: str,
    topic: str,
    y: str,
    *,
    countable_singular: bool = False,
    ys: str = "",
    stem: str = "",
) -> QueryWording:
    """The query and its opposite by a template family; `owner` is the relation or link that the family belongs to.

    `{a_y}` in a template gets an article only if Y is one countable thing. `ys` is the plural of Y, if it is not regular, and
    `{stem}` is the singular of Y, if given.
    """
    slots = {
        "topic": topic,
        "y": with_definite_article(y),
        "a_y": with_article(y) if countable_singular else y,
        "ys": ys or plural(y),
        "stem": stem or y,
    }
    opposite, query = family.opposite.format(**slots), family.query.format(**slots)
    return QueryWording(topic, y, opposite, query, family.name, f"{owner}.{family.name}", family.cue)


def keep_sound(wordings: Iterable[QueryWording], rejects: Counter[str]) -> list[QueryWording]:
    """The wordings that may be asked; if none may, the fault of the first is counted."""
    faults = [(wording, find_fault(wording)) for wording in wordings]
    sound = [wording for wording, fault in faults if fault is None]
    rejects.update(f"query:{fault}" for _, fault in faults[:1] if not sound)
    return sound


def choose_wordings(units: Iterable[tuple[str, Sequence[Proposal]]]) -> dict[tuple[str, str], Wording]:
    """The wording of each proposal in each unit, a couple or a single pair, by the id of both.

    The examples of a proposal take turns, so that all its wordings occur. The proposals of a couple get the same template,
    if they have one in common.
    """
    uses: Counter[tuple[str, str]] = Counter()
    chosen: dict[tuple[str, str], Wording] = {}
    for unit, proposals in sorted(units, key=lambda item: stable_hash(item[0])):
        common = set.intersection(*({wording.template for wording in one.wordings} for one in proposals))

        def turn(wording: Wording, unit: str = unit, proposals: Sequence[Proposal] = proposals) -> tuple[int, int]:
            used = sum(uses[one.id, wording.template] for one in proposals)
            return used, stable_hash(unit, wording.template)

        for one in proposals:
            possible = [wording for wording in one.wordings if wording.template in common] or one.wordings
            chosen[unit, one.id] = min(possible, key=turn)
        uses.update((one.id, chosen[unit, one.id].template) for one in proposals)
    return chosen


def find_fault(wording: QueryWording) -> str | None:
    """The reason why a query that was worded here must not be asked; None if it may."""
    fault = find_slot_fault(wording)
    if fault is not None:
        return fault
    query = words(wording.query)
    if len(query) > MAX_QUERY_WORDS:
        return "query_too_long"
    if re.search(r"[\[\]{}<>|\\\"“”;]", wording.query):
        return "odd_characters"
    if any(a == b for a, b in pairwise(query)) or _says_twice(query):
        return "repeated_word"
    return None


def find_slot_fault(wording: QueryWording) -> str | None:
    """The reason why a topic without this Y cannot be asked for, in whatever words; None if it can."""
    topic_words, y_words = words(wording.topic), words(wording.y)
    if not y_words or not topic_words:
        return "empty_slot"
    if set(y_words) & set(topic_words) - query_words()["linking"]:
        return "y_in_topic"
    if set(map(singular_of, y_words)) & set(map(singular_of, topic_words)):
        return "y_in_topic"
    if words(wording.opposite) == words(wording.query):
        return "no_difference"
    return None


def _says_twice(query: Sequence[str]) -> bool:
    """Whether a query repeats a word that has a meaning of its own: "films that are not war films"."""
    counts = Counter(singular_of(word) for word in query if word not in stopwords("lucene"))
    return any(count > 1 for count in counts.values())


def singular_of(word: str) -> str:
    """A rough singular, enough to see that two words are the same."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def make_proposal(  # noqa: PLR0913 - one parameter per finding
    key: tuple[str, ...],
    wordings: Sequence[QueryWording],
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
    is_name: bool = False,
    by_signs: bool = False,
    query_id: str = "",
    on_topic: Sequence[str] = (),
    reason: str = "",
    evidence: Sequence[Snippet] = (),
    role: str = "",
) -> Proposal:
    """The proposal to ask for one thing in one or several wordings.

    `key` identifies it, and `partners` counts the documents that can be paired with an affirming one.
    """
    wording, *others = wordings
    return Proposal(
        id=f"p{stable_hash(*key):016x}",
        status=status,
        topic=wording.topic,
        constraint=Exclude(value=wording.y, cue=wording.cue, forms=y_words.forms, kinds=y_words.blocked, role=role),
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
        is_name=is_name,
        by_signs=by_signs,
        query_id=query_id,
        on_topic=tuple(on_topic),
        reason=reason,
        evidence=tuple(evidence),
        entities="invented" if role else "real",
        other_wordings=tuple(other.wording for other in others),
    )
