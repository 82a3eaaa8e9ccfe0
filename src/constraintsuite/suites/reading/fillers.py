"""Reads the fillers after the trigger of a relation: a list of names, a place, or one of the values of the relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from constraintsuite.suites.domain import Relation
from constraintsuite.suites.word_lists import reading_words
from constraintsuite.text.base import Token


class Filler(NamedTuple):
    """The text and place of a filler."""

    text: str
    start: int
    end: int


def read_fillers(tokens: Sequence[Token], start: int, relation: Relation) -> list[Filler]:
    """The fillers from token `start` on; none if they cannot be read with certainty."""
    if relation.filler == "value":
        return _value(tokens, start, relation)
    if relation.filler == "place":
        return _place(tokens, start)
    return _names(tokens, start, relation)


def _value(tokens: Sequence[Token], start: int, relation: Relation) -> list[Filler]:
    while start < len(tokens) and tokens[start].text.lower() in {"a", "an", "the"}:
        start += 1
    for value in sorted(relation.values, key=len, reverse=True):
        parts = value.split()
        window = tokens[start : start + len(parts)]
        if [t.text.lower() for t in window] == [p.lower() for p in parts]:
            after = tokens[start + len(parts)] if start + len(parts) < len(tokens) else None
            if after is not None and (after.text.lower() in {"and", "or", "/", "-"} or after.pos == "NOUN"):
                return []
            return [Filler(value, window[0].start, window[-1].end)]
    return []


def _place(tokens: Sequence[Token], start: int) -> list[Filler]:
    end = name_end(tokens, start)
    if end == start or (start < len(tokens) and tokens[start].text.lower() == "the"):
        return []
    first_end = end
    while end + 1 < len(tokens) and tokens[end].text == "," and name_end(tokens, end + 1) > end + 1:
        end = name_end(tokens, end + 1)  # keep the region: "Columbia, South Carolina"
    after = tokens[end].text.lower() if end < len(tokens) else "."
    if (
        after in reading_words()["place_heads"]
        or after in {"-", "'s", "’s"}
        or tokens[first_end - 1].entity in {"PERSON", "DATE", "ORG"}
    ):
        return []
    text = _text(tokens[start:end])
    return [Filler(text, tokens[start].start, tokens[end - 1].end)]


def _names(tokens: Sequence[Token], start: int, relation: Relation) -> list[Filler]:
    """The names of a list; none if one of them is not certainly a name."""
    places = _name_places(tokens, start, relation)
    if not places:
        return []
    end = places[-1][1]
    if end < len(tokens) and tokens[end].pos == "NOUN":  # "recorded by American singer ...": the name only modifies
        return []
    names = [tokens[first:after] for first, after in places]
    if not all(_is_name(name, relation) for name in names):
        return []
    return [Filler(_text(name), name[0].start, name[-1].end) for name in names]


def _name_places(tokens: Sequence[Token], start: int, relation: Relation) -> list[tuple[int, int]]:
    """The first token, and the token after the last, of each name in a list; empty if one is not a name."""
    introducing = reading_words()["before_names"] if relation.filler == "person" else frozenset()
    places: list[tuple[int, int]] = []
    following: int | None = start
    while following is not None:
        first = following
        while first < len(tokens) and tokens[first].text.lower() in introducing:
            first += 1
        end = name_end(tokens, first)
        if end == first:
            return []
        places.append((first, end))
        following = _next_name(tokens, end)
    return places


def _next_name(tokens: Sequence[Token], end: int) -> int | None:
    """The token where the next name of a list begins: after a comma, "and" or both; None at the end."""
    joint = [token.text.lower() for token in tokens[end : end + 2]]
    starts = [end + 1] if joint[:1] in ([","], ["and"], ["&"]) else []
    starts += [end + 2] if joint == [",", "and"] else []
    return next((start for start in starts if name_end(tokens, start) > start), None)


def name_end(tokens: Sequence[Token], start: int) -> int:
    """The token after the proper name that begins at `start`; `start` if there is none."""
    particles, abbreviated = reading_words()["particles"], reading_words()["name_ends"] | {"st"}
    end = start
    last_name = start
    while end < len(tokens):
        token = tokens[end]
        text = token.text
        if (text[:1].isupper() and (text[:1].isalpha()) and token.pos != "PRON") or (
            text == "."
            and end > start
            and (len(tokens[end - 1].text) == 1 or tokens[end - 1].text.lower() in abbreviated)
        ):
            end += 1
            last_name = end
        elif (
            end > start
            and text.lower() in particles
            and end + 1 < len(tokens)
            and (tokens[end + 1].text[:1].isupper() or tokens[end + 1].text.lower() in particles)
        ):
            end += 1
        elif (
            end > start
            and text in {"-", "'", "’"}
            and end + 1 < len(tokens)
            and tokens[end + 1].start == token.end
            and token.start == tokens[end - 1].end
        ):
            end += 2
            last_name = end
        else:
            break
    return last_name


def _is_name(tokens: Sequence[Token], relation: Relation) -> bool:
    text = _text(tokens)
    words = text.split()
    if relation.filler == "person":
        labels = {t.entity for t in tokens}
        if labels & {"GPE", "LOC", "DATE", "NORP", "LANGUAGE", "EVENT"} and "PERSON" not in labels:
            return False
        return 2 <= len(words) <= 4 and not reading_words()["titles"] & set(words) and not re.search(r"\d", text)
    return 1 <= len(words) <= 5 and len(text) > 3


def _text(tokens: Sequence[Token]) -> str:
    text = tokens[0].text
    for before, token in pairwise(tokens):
        text += (" " if before.end < token.start else "") + token.text
    return text
