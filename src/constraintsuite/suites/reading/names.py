"""Finds the proper names of a text, and says what each one names: the subject, a person, a place, or something else."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.fillers import name_end
from constraintsuite.suites.reading.records import Fact, NameKind, NameReading
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.base import Analysis, Token

_PLACES = {"GPE", "LOC", "NORP", "LANGUAGE"}
_NOT_NAMES = {"DATE", "TIME", "ORDINAL", "CARDINAL", "QUANTITY", "PERCENT", "MONEY"}


def read_names(analysis: Analysis, facts: Sequence[Fact], title: str, knowledge: Knowledge) -> tuple[NameReading, ...]:
    """The names of a text in order: the subject by the title, people by `facts`, and others as the parser labels them."""
    places = knowledge.place_words
    people = {fact.y for fact in facts if knowledge.relations[fact.relation].filler == "person"}
    people |= set(_labelled_people(analysis.tokens, places))
    subject = subject_name(title)
    sentence_starts = {span.start for span in analysis.sentences}
    names: list[NameReading] = []
    end = -1
    for i, token in enumerate(analysis.tokens):
        if token.start < end:
            continue
        if subject and analysis.text.startswith(subject, token.start):
            end = token.start + len(subject)
            names.append(NameReading(token.start, end, "subject"))
            continue
        if not _begins_name(token, sentence_starts):
            continue
        part = analysis.tokens[i : max(name_end(analysis.tokens, i), i + 1)]
        if analysis.text[token.start : part[-1].end] not in people and token.text in places:
            part = part[:1]  # "Italian" of "Italian Gina Rossi" is a name of its own
        end = part[-1].end
        kind = _kind(analysis.text[token.start : end], part, people, places)
        if kind == "place" and not _is_surely_a_place(analysis, i, part, places):
            kind = "other"
        if kind is not None:
            names.append(NameReading(token.start, end, kind))
    return tuple(names)


def subject_name(title: str) -> str:
    """The name in a title, without what tells it from others of the same name: "Gigi" for "Gigi (1958 film)"."""
    return title.partition("(")[0].strip()


def surname(name: str) -> str:
    """The last word of a person's name."""
    return name.rsplit(maxsplit=1)[-1]


def _labelled_people(tokens: Sequence[Token], places: Collection[str]) -> list[str]:
    """Names of two and more words that the parser takes for a person's."""
    found = []
    for i, token in enumerate(tokens):
        if token.entity == "PERSON" and (i == 0 or tokens[i - 1].entity != "PERSON"):
            part = tokens[i : name_end(tokens, i)]
            if len(part) > 1 and token.text not in places and all(one.entity == "PERSON" for one in part):
                found.append(" ".join(one.text for one in part))
    return found


def _begins_name(token: Token, sentence_starts: Collection[int]) -> bool:
    if not token.text[:1].isupper() or token.pos == "PRON":
        return False
    return token.start not in sentence_starts or token.pos == "PROPN"


def _is_surely_a_place(analysis: Analysis, i: int, part: Sequence[Token], places: Collection[str]) -> bool:
    """Parsers take rare names of people for places; "in" before a name, or an adjective such as "Ghanaian", is no such case."""
    if part[0].text in places or {token.entity for token in part} <= {"NORP", "LANGUAGE"}:
        return True
    before = analysis.tokens[i - 1].text.lower() if i else ""
    return before in reading_words()["before_places"] and not any("." in token.text for token in part)


def _kind(text: str, part: Sequence[Token], people: Collection[str], places: Collection[str]) -> NameKind | None:
    """What a capitalised stretch names; None if it is no name."""
    labels = {token.entity for token in part} - {""}
    if text in people:
        return "person"
    if len(part) == 1 and text in {surname(name) for name in people}:
        return "surname"
    if text in places or (labels and labels <= _PLACES):
        return "place"
    if labels and labels <= _NOT_NAMES:
        return None
    return "other" if any(token.pos == "PROPN" for token in part) or len(part) > 1 else None
