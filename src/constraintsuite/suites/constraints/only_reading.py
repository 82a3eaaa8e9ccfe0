"""Reads whether a text states one value alone or several: "a 1954 Italian film", "a 1961 French-Italian film", "cash only"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Literal, NamedTuple

from pydantic import Field

from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.suites.domain import Knowledge, Relation
from constraintsuite.suites.queries.firmness import is_firm_affirmation, is_firm_denial
from constraintsuite.suites.queries.surroundings import surroundings_of
from constraintsuite.suites.reading.closed_lists import read_closed_list
from constraintsuite.suites.reading.records import ClassReading, Fact
from constraintsuite.text.base import Scope
from constraintsuite.text.mentions import MentionFinder, find_forms
from constraintsuite.text.polarity import judge_mention
from constraintsuite.text.wordlists import WordSet

Extent = Literal["only", "several"]
Extents = dict[tuple[str, str], Extent]
"""By the one value, and the other value if the query names it."""


class OnlyMeasure(StrictModel):
    """Something that a thing has one of or several."""

    key: str
    reading: Literal["list", "people", "said"]
    of: tuple[str, ...]
    """Kinds of classes in the domain files."""
    relation: str = ""
    """The relation of the domain files that states the values; empty for those that are `said`."""
    values: tuple[str, ...] = ()
    """The values that are asked about; if empty, all."""
    neutral: WordSet = frozenset()
    """Words of a defining phrase that are no value."""
    members: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The values of which a text says something, with their words."""
    implied: str = ""
    """The value that need not be said: adults may stay where nothing is said of them."""
    unless: WordSet = frozenset()
    """Words of clauses that speak of a part, a price or a time."""


class OnlyPage(NamedTuple):
    """What of a document decides."""

    title: str
    text: str
    classes: Sequence[ClassReading]
    facts: Sequence[Fact]
    scopes: Sequence[Scope]


def read_values(measure: OnlyMeasure, page: OnlyPage, knowledge: Knowledge) -> list[Fact]:
    """Every place that states a value."""
    if measure.reading == "list":
        return read_closed_list(page.text, page.classes, measure.relation, knowledge)
    if measure.reading == "people":
        return [fact for fact in page.facts if fact.relation == measure.relation]
    return [
        Fact(measure.key, one.key, one.span.start, one.span.end)
        for one in _finder(measure.key, _members(measure)).find(page.text)
    ]


def read_extents(measure: OnlyMeasure, page: OnlyPage, knowledge: Knowledge) -> Extents:
    """For each value, whether the text states it alone or with others; what is not clear is left out."""
    values = read_values(measure, page, knowledge)
    if measure.reading == "list":
        return _listed(measure, page, values, knowledge)
    if measure.reading == "people":
        return _credited(measure, page, values)
    return _said(measure, page, values)


# Values of a defining sentence


def _listed(measure: OnlyMeasure, page: OnlyPage, values: Sequence[Fact], knowledge: Knowledge) -> Extents:
    relation = knowledge.relations[measure.relation]
    names = {one.y for one in values}
    asked = set(measure.values or relation.values)
    if len(names) == 1:
        return dict.fromkeys(((y, "") for y in names & asked if _is_alone(y, measure, page, knowledge)), "only")
    if any(
        a in b or a in relation.same.get(b, ()) for a, b in permutations(names, 2)
    ):  # romantic comedy, Soviet and Russian
        return {}
    return dict.fromkeys(((y, "") for y in names & asked), "several")


def _is_alone(y: str, measure: OnlyMeasure, page: OnlyPage, knowledge: Knowledge) -> bool:
    """Whether nothing in the defining phrase could be another value, and no word of the text points to one."""
    relation = knowledge.relations[measure.relation]
    reading = next(one for one in page.classes if one.strength == 3)
    closed = [one for one in knowledge.relations.values() if one.filler == "value" and one.key != relation.key]
    known = {word for one in closed for value in one.values for word in value.lower().split()} | measure.neutral
    phrase = page.text[reading.start : reading.end - len(reading.head)].lower()
    rest = [word for word in re.findall(r"[\w-]+", phrase) if word not in (*y.lower().split(), *known)]
    if any(not re.fullmatch(r"[\d-]+s?|-", word) for word in rest):
        return False
    return not find_forms(f"{page.title}\n{page.text}", _others(y, relation))


def _others(y: str, relation: Relation) -> tuple[str, ...]:
    """The words for all other values of a relation, but for those that the value shares with them."""
    own = {y, *relation.same.get(y, ())}
    words = [
        word for other in relation.values if other not in own for word in (other, relation.nouns.get(other, other))
    ]
    words += [word for other in relation.values if other not in own for word in relation.same.get(other, ())]
    return (*(word for word in dict.fromkeys(words) if word not in own), *_JOINT)


_JOINT = ("co-production", "coproduction", "co-produced", "international production", "joint production")


# People


def _credited(measure: OnlyMeasure, page: OnlyPage, values: Sequence[Fact]) -> Extents:
    key = measure.values[0], ""
    if len({one.y for one in values}) > 1:
        return {key: "several"}
    if not values or _SHARED.search(page.text) or _GOES_ON.match(page.text[values[0].end :]):
        return {}
    return {key: "only"}


_SHARED = re.compile(
    r"\bco-?(?:writ|wrot|author|script)|\b(?:writers|screenwriters|songwriters|lyricist)\b|\balso (?:wrote|written)\b"
    r"|\b(?:words|lyrics|music|screenplay|script|adaptation) (?:is |are |was |were )?(?:written |composed )?by\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:,| and| &| with| together| alongside|/)\s*(?:with )?[A-Z]")


# What is said


def _said(measure: OnlyMeasure, page: OnlyPage, values: Sequence[Fact]) -> Extents:
    stances: dict[str, set[str]] = defaultdict(set)
    for fact in values:
        stances[fact.y].add(_stance(Span(fact.start, fact.end), page, measure))
    found: Extents = {}
    for one, other in permutations(measure.members, 2):
        if measure.implied not in ("", one):
            continue
        own, others = stances[one], stances[other]
        rest = [stances[name] for name in measure.members if name not in (one, other)]
        if "unclear" in own | others or any(stance - {"lacks"} for stance in rest):
            continue
        implied = measure.implied == one and not own
        if own <= {"only", "has"} and others <= {"lacks"} and ("only" in own or ((own or implied) and others)):
            found[one, other] = "only"
        elif (own == {"has"} or implied) and others == {"has"}:
            found[one, other] = "several"
    return found


def _stance(mention: Span, page: OnlyPage, measure: OnlyMeasure) -> str:
    """What one mention says: `only`, `has`, `lacks` or `unclear`."""
    place = surroundings_of(page.text, mention, ())
    verdict = judge_mention(mention, page.scopes).verdict
    if place.is_question or {*re.findall(r"[\w-]+", place.clause)} & measure.unless:
        return "unclear"
    before, after = page.text[: mention.start].lower(), page.text[mention.end :].lower()
    if verdict == "affirmed" and (_BEFORE.search(before) or _AFTER.match(after)) and not _NOT_ONLY.search(before):
        return "only"
    if verdict == "affirmed" and is_firm_affirmation(place):
        return "has"
    is_denied = verdict == "negated" and is_firm_denial(place) and not _AMENDED.search(place.sentence_after)
    return "lacks" if is_denied else "unclear"


_BEFORE = re.compile(
    r"\b(?:only|solely|exclusively|purely|nothing but|nothing except)(?: (?:in|by|for|on|with|the))* $"
)
_AFTER = re.compile(
    r"^ (?:only|alone|exclusively)(?=\W*(?:[.,;:!?)\"”]|$|please))|^ and nothing else\b|^ (?:is|are) the only way\b"
)
_AMENDED = re.compile(r"\b(?:but|though|although|however|yet)\b")
_NOT_ONLY = re.compile(r"\bnot (?:only|just|solely)(?: \w+){0,2} $")


def _members(measure: OnlyMeasure) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(measure.members.items())


@cache
def _finder(key: str, members: tuple[tuple[str, tuple[str, ...]], ...]) -> MentionFinder:
    return MentionFinder(dict(members))
